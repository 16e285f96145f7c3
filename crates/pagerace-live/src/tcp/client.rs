//! A client on a TCP socket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mio::net::TcpStream;
use mio::{Interest, Token};
use pagerace_core::{Instant, Priority, Protocol};
use pagerace_http::Field;
use pagerace_peer::ClientEvent;
use pagerace_peer::stream::{StreamClient, StreamClientConfig};
use pagerace_transport::tls::MAX_PLAINTEXT;
use rustls::pki_types::ServerName;

use super::wire::{Received, Wire};
use crate::client::{Connection, Fetch, Fetched, fetch_all};
use crate::wait::Waiter;
use crate::{Clock, LiveError};

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct TcpClientConfig {
    /// The protocol: HTTP/1.1 or HTTP/2.
    pub protocol: Protocol,
    /// Settings of HTTP.
    pub stream: StreamClientConfig,
    /// The trusted certificates and the ALPN identifier of the same protocol; see
    /// [`super::client_tls`].
    pub tls: Arc<rustls::ClientConfig>,
}

/// A connection to a server over TCP.
pub struct TcpClient {
    wire: Wire,
    http: StreamClient,
    waiter: Waiter,
    clock: Clock,
    remote: SocketAddr,
    connected: bool,
}

impl TcpClient {
    /// Starts connecting to `remote`, whose certificate must be valid for `server_name`.
    ///
    /// # Errors
    /// [`LiveError::Name`], [`LiveError::Tls`], [`LiveError::Tcp`].
    pub fn connect(
        remote: SocketAddr,
        server_name: &str,
        config: &TcpClientConfig,
    ) -> Result<Self, LiveError> {
        let name = ServerName::try_from(server_name.to_owned())
            .map_err(|_| LiveError::Name(server_name.to_owned()))?;
        let tls = rustls::ClientConnection::new(config.tls.clone(), name)?;
        let mut socket = TcpStream::connect(remote).map_err(LiveError::Tcp)?;
        let waiter = Waiter::new().map_err(LiveError::Tcp)?;
        waiter
            .registry()
            .register(
                &mut socket,
                Token(0),
                Interest::READABLE | Interest::WRITABLE,
            )
            .map_err(LiveError::Tcp)?;
        Ok(Self {
            wire: Wire::new(socket, tls.into()),
            http: StreamClient::new(config.protocol, &config.stream),
            waiter,
            clock: Clock::start(),
            remote,
            connected: false,
        })
    }

    /// Closes the connection.
    pub fn close(mut self) {
        self.http.close();
        // If this fails, the peer still sees the end of the stream.
        let _ = self.send();
        self.wire.end();
    }

    fn work(&mut self) -> std::io::Result<()> {
        self.send()?;
        loop {
            match self.wire.receive()? {
                Received::Blocked => break,
                Received::End => {
                    self.wire.readable = false;
                    self.http.handle_end();
                    break;
                }
                Received::Data(data) => {
                    if !self.connected && !self.wire.tls.is_handshaking() {
                        self.connected = true;
                        self.http.handle_connected();
                    }
                    if !data.is_empty() {
                        self.http.handle_data(self.clock.now(), data);
                    }
                }
            }
        }
        self.send()
    }

    fn send(&mut self) -> std::io::Result<()> {
        while self.wire.flush()? && self.connected && self.wire.writable {
            let Some(data) = self.http.poll_output(MAX_PLAINTEXT) else {
                break;
            };
            self.wire.write(&data)?;
        }
        Ok(())
    }
}

impl Connection for TcpClient {
    fn request(
        &mut self,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        self.http.request(token, fields, priority, body);
    }

    fn reprioritise(&mut self, token: u64, priority: Priority) {
        self.http.reprioritise(token, priority);
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn next_event(&mut self, wait: Duration) -> Result<Option<ClientEvent>, LiveError> {
        let deadline = self.clock.now() + pagerace_core::Duration::from_std(wait);
        loop {
            if let Some(event) = self.http.poll_event() {
                return Ok(Some(event));
            }
            if let Err(error) = self.work() {
                self.http.handle_closed(error.to_string());
                continue;
            }
            if let Some(event) = self.http.poll_event() {
                return Ok(Some(event));
            }
            let now = self.clock.now();
            if now >= deadline {
                return Ok(None);
            }
            let wait = deadline.since(now).to_std();
            for event in self.waiter.wait(wait).map_err(LiveError::Tcp)? {
                self.wire.readable |= event.is_readable() || event.is_read_closed();
                self.wire.writable |= event.is_writable() || event.is_write_closed();
            }
        }
    }

    fn remote(&self) -> SocketAddr {
        self.remote
    }
}

/// Sends all `requests` on a new connection, all at once over HTTP/2 and one after the
/// other over HTTP/1.1. Returns the responses in the order of their completion.
///
/// # Errors
/// As [`crate::get`].
pub fn get(
    remote: SocketAddr,
    server_name: &str,
    config: &TcpClientConfig,
    requests: &[Fetch],
    patience: Duration,
) -> Result<Vec<Fetched>, LiveError> {
    let mut client = TcpClient::connect(remote, server_name, config)?;
    let fetched = fetch_all(&mut client, server_name, requests, patience)?;
    client.close();
    Ok(fetched)
}
