//! Scripts of HTTP/2 over TCP and TLS.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mio::{Interest, Token};
use pagerace_core::Instant;
use pagerace_probe::http2::Player;
use pagerace_probe::{Job, Server, Trace};
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, ClientConfig, ClientConnection, RootCertStore};

use super::WAIT_MAX;
use crate::tcp::ALPN_H2;
use crate::tcp::wire::{Received, Wire};
use crate::wait::Waiter;
use crate::{Clock, LiveError};

/// Shortest and longest wait for the handshake of TCP.
const CONNECT: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(10));

/// Returns the configuration of a client of HTTP/2 that trusts these certificates, over TLS 1.3 or
/// 1.2 (RFC 9113, section 9.2).
///
/// # Errors
/// [`LiveError::Tls`]: rustls refuses the configuration.
pub fn tls(roots: RootCertStore) -> Result<Arc<ClientConfig>, LiveError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(rustls::ALL_VERSIONS)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN_H2.to_vec()];
    Ok(Arc::new(config))
}

/// Plays a script of HTTP/2 on a new connection. The job's limits bound its time and its bytes.
///
/// # Errors
/// [`LiveError::Name`], [`LiveError::Tcp`], [`LiveError::Lost`] if there is no connection of
/// TCP, and [`LiveError::NoHttp2`]. Other failures of the connection are in the trace.
pub fn play(job: Job, server: &Server, tls: &Arc<ClientConfig>) -> Result<Trace, LiveError> {
    let name = ServerName::try_from(server.name.clone())
        .map_err(|_| LiveError::Name(server.name.clone()))?;
    let tls = ClientConnection::new(tls.clone(), name)?;
    let deadline = Instant::ZERO + job.limits.time;
    let clock = Clock::start();
    let remote = server.remote;
    let patience = job.limits.time.to_std().clamp(CONNECT.0, CONNECT.1);
    let socket =
        TcpStream::connect_timeout(&remote, patience).map_err(|error| LiveError::Lost {
            remote,
            reason: error.to_string(),
        })?;
    let connect = clock.now().since_start();
    socket.set_nonblocking(true).map_err(LiveError::Tcp)?;
    let mut socket = mio::net::TcpStream::from_std(socket);
    let waiter = Waiter::new().map_err(LiveError::Tcp)?;
    let both = Interest::READABLE | Interest::WRITABLE;
    let registered = waiter.registry().register(&mut socket, Token(0), both);
    registered.map_err(LiveError::Tcp)?;
    let mut connection = Connection {
        wire: Wire::new(socket, tls.into()),
        waiter,
        clock,
    };
    let shaken = connection.shake_hands(deadline);
    let tls = &connection.wire.tls;
    let other = !tls.is_handshaking() && tls.alpn_protocol() != Some(ALPN_H2);
    if other || shaken.as_ref().is_err_and(is_refusal) {
        return Err(LiveError::NoHttp2(remote));
    }
    let now = connection.clock.now();
    let mut player = Player::start(job, &server.authority, connect, now);
    if let Err(error) = shaken.and_then(|first| connection.run(&mut player, first)) {
        player.lose(connection.clock.now(), &error.to_string());
    }
    Ok(player.finish())
}

/// Returns true if the server knows none of the protocols that the client offered.
fn is_refusal(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|e| e.downcast_ref());
    let alert = AlertDescription::NoApplicationProtocol;
    inner == Some(&rustls::Error::AlertReceived(alert))
}

/// A socket and its clock.
struct Connection {
    wire: Wire,
    waiter: Waiter,
    clock: Clock,
}

impl Connection {
    /// Completes the handshake of TLS, or gives up at the deadline. Returns the plaintext that
    /// arrived together with the end of the handshake.
    fn shake_hands(&mut self, deadline: Instant) -> io::Result<Bytes> {
        let mut first = Bytes::new();
        while self.wire.tls.is_handshaking() && self.clock.now() < deadline {
            self.wire.flush()?;
            match self.wire.receive()? {
                Received::Data(data) => first = data,
                Received::End => return Err(io::Error::other(ENDED)),
                Received::Blocked => self.wait(deadline)?,
            }
        }
        Ok(first)
    }

    /// Plays until the end, beginning with the plaintext that has arrived.
    fn run(&mut self, player: &mut Player, first: Bytes) -> io::Result<()> {
        player.handle_data(self.clock.now(), first, self.wire.received);
        loop {
            while self.wire.flush()?
                && self.wire.writable
                && let Some(data) = player.poll_output()
            {
                self.wire.write(&[data])?;
            }
            if player.is_over() {
                self.wire.end();
                return Ok(());
            }
            let now = self.clock.now();
            if player.poll_timeout() <= now {
                player.handle_timeout(now);
                continue;
            }
            match self.wire.receive()? {
                Received::Data(data) => {
                    player.handle_data(self.clock.now(), data, self.wire.received);
                }
                Received::End => return Err(io::Error::other(ENDED)),
                Received::Blocked => self.wait(player.poll_timeout())?,
            }
        }
    }

    fn wait(&mut self, until: Instant) -> io::Result<()> {
        let wait = until.since(self.clock.now()).to_std().min(WAIT_MAX);
        for event in self.waiter.wait(wait)? {
            self.wire.readable |= event.is_readable() || event.is_read_closed();
            self.wire.writable |= event.is_writable() || event.is_write_closed();
        }
        Ok(())
    }
}

/// Reason for the loss of a connection that the server ended.
const ENDED: &str = "the server ended it";
