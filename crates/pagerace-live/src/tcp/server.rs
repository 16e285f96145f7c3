//! A server on a TCP socket.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token};
use pagerace_peer::stream::StreamServerConfig;
use pagerace_peer::{SentFrame, Site};

use super::connection::{Connection, Turn};
use super::wire::Wire;
use crate::{Clock, LiveError};

/// Longest wait between two looks at the stop flag.
const STOP_LATENCY: Duration = Duration::from_millis(50);

/// Events taken from the system at once.
const EVENTS: usize = 256;

const LISTENER: Token = Token(usize::MAX);

/// How a server serves.
#[derive(Clone, Debug)]
pub struct TcpServerConfig {
    /// HTTP and the strategy.
    pub stream: StreamServerConfig,
    /// Who it is, see [`super::server_tls`].
    pub tls: Arc<rustls::ServerConfig>,
    /// Connections at once; more are closed as soon as they come.
    pub connections_max: usize,
}

impl TcpServerConfig {
    /// At most 256 connections.
    pub fn new(stream: StreamServerConfig, tls: Arc<rustls::ServerConfig>) -> Self {
        Self {
            stream,
            tls,
            connections_max: 256,
        }
    }
}

/// Serves a site over HTTP/1.1 and HTTP/2, each connection through a strategy.
pub struct TcpServer<S> {
    listener: TcpListener,
    poll: Poll,
    config: TcpServerConfig,
    site: Arc<Mutex<S>>,
    clock: Clock,
    connections: BTreeMap<usize, Connection<S>>,
    next: usize,
    frames: Option<Vec<SentFrame>>,
}

impl<S: Site> TcpServer<S> {
    /// Listens on `address`; port 0 takes any free one.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Tcp`].
    pub fn bind(address: SocketAddr, config: &TcpServerConfig, site: S) -> Result<Self, LiveError> {
        let mut listener =
            TcpListener::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        let poll = Poll::new().map_err(LiveError::Tcp)?;
        poll.registry()
            .register(&mut listener, LISTENER, Interest::READABLE)
            .map_err(LiveError::Tcp)?;
        Ok(Self {
            listener,
            poll,
            frames: config.stream.record_frames.then(Vec::new),
            config: config.clone(),
            site: Arc::new(Mutex::new(site)),
            clock: Clock::start(),
            connections: BTreeMap::new(),
            next: 0,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// [`LiveError::Tcp`].
    pub fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.listener.local_addr().map_err(LiveError::Tcp)
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`LiveError::Tcp`]: waiting for sockets fails for good.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), LiveError> {
        let mut events = Events::with_capacity(EVENTS);
        let mut more = false;
        while !stop.load(Ordering::Relaxed) {
            let wait = if more { Duration::ZERO } else { self.wait() };
            match self.poll.poll(&mut events, Some(wait)) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(LiveError::Tcp(error)),
            }
            for event in &events {
                if event.token() == LISTENER {
                    self.accept();
                } else if let Some(connection) = self.connections.get_mut(&event.token().0) {
                    connection.wire.readable |= event.is_readable() || event.is_read_closed();
                    connection.wire.writable |= event.is_writable() || event.is_write_closed();
                }
            }
            more = self.turns();
        }
        Ok(())
    }

    /// The pieces of responses since the last call, of all connections, if
    /// `record_frames` is configured. They are kept without limit until then: for
    /// measurements, not for a server that stays up.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        self.frames.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn wait(&self) -> Duration {
        let due = self.connections.values().map(Connection::due).min();
        let now = self.clock.now();
        due.map_or(STOP_LATENCY, |at| at.since(now).to_std().min(STOP_LATENCY))
    }

    /// Takes connections that wait. One that fails is its client's to try again.
    fn accept(&mut self) {
        loop {
            let mut socket = match self.listener.accept() {
                Ok((socket, _)) => socket,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if self.connections.len() >= self.config.connections_max {
                continue;
            }
            let id = self.next;
            self.next += 1;
            let both = Interest::READABLE | Interest::WRITABLE;
            let registered = self
                .poll
                .registry()
                .register(&mut socket, Token(id), both)
                .is_ok();
            let tls = rustls::ServerConnection::new(self.config.tls.clone());
            if let (true, Ok(tls)) = (registered, tls) {
                let wire = Wire::new(socket, tls.into());
                self.connections
                    .insert(id, Connection::new(wire, self.clock.now()));
            }
        }
    }

    /// Gives every connection a turn; whether one has more to do.
    fn turns(&mut self) -> bool {
        let now = self.clock.now();
        let mut more = false;
        let (config, site, frames) = (&self.config.stream, &self.site, &mut self.frames);
        self.connections.retain(|_, connection| {
            let turn = connection.turn(now, config, site);
            if let Some(frames) = frames {
                frames.append(&mut connection.take_frames());
            }
            more |= turn == Turn::More;
            turn != Turn::Over
        });
        more
    }
}
