//! A server on TCP sockets.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mio::net::TcpListener;
use mio::{Interest, Token};
use pagerace_core::Agenda;
use pagerace_peer::stream::StreamServerConfig;
use pagerace_peer::{SentFrame, Site};
use pagerace_transport::quic::Guard;

use super::connection::{Connection, Turn};
use super::wire::Wire;
use crate::server::STOP_LATENCY;
use crate::wait::Waiter;
use crate::{Clock, LiveError};

/// The first token of a connection. Smaller tokens are listeners.
const FIRST_CONNECTION: usize = 1 << 16;

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct TlsServerConfig {
    /// Settings of HTTP, and the strategy.
    pub stream: StreamServerConfig,
    /// The certificate and the ALPN identifiers; see [`super::server_tls`].
    pub tls: Arc<rustls::ServerConfig>,
    /// Maximum number of concurrent connections. A further one takes the place of the one whose
    /// client takes responses most slowly.
    pub connections_max: usize,
    /// Limits for untrusted clients. If `None`, the timeouts of the default guard apply,
    /// and one address may have all connections.
    pub guard: Option<Guard>,
}

impl TlsServerConfig {
    /// Settings with at most 256 connections and no guard.
    pub fn new(stream: StreamServerConfig, tls: Arc<rustls::ServerConfig>) -> Self {
        Self {
            stream,
            tls,
            connections_max: 256,
            guard: None,
        }
    }
}

/// Serves a site over HTTP/1.1 and HTTP/2, each connection through a strategy.
///
/// The server has one thread and one or more listening sockets, each with its own TLS
/// configuration.
pub struct TlsServer<S> {
    listeners: Vec<(TcpListener, Arc<rustls::ServerConfig>)>,
    waiter: Waiter,
    config: TlsServerConfig,
    site: Arc<Mutex<S>>,
    clock: Clock,
    connections: BTreeMap<usize, Connection<S>>,
    agenda: Agenda<usize>,
    next: usize,
    accepted: u64,
    visits: u64,
    frames: Option<Vec<SentFrame>>,
}

impl<S: Site> TlsServer<S> {
    /// Listens on `address`; port 0 selects any free port.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Tcp`].
    pub fn bind(address: SocketAddr, config: &TlsServerConfig, site: S) -> Result<Self, LiveError> {
        let listener =
            TcpListener::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        let mut server = Self::empty(config, site)?;
        server.add(listener, config.tls.clone())?;
        Ok(server)
    }

    /// Creates a server without listeners.
    pub(crate) fn empty(config: &TlsServerConfig, site: S) -> Result<Self, LiveError> {
        Ok(Self {
            listeners: Vec::new(),
            waiter: Waiter::new().map_err(LiveError::Tcp)?,
            frames: config.stream.record_frames.then(Vec::new),
            config: config.clone(),
            site: Arc::new(Mutex::new(site)),
            clock: Clock::start(),
            connections: BTreeMap::new(),
            agenda: Agenda::default(),
            next: FIRST_CONNECTION,
            accepted: 0,
            visits: 0,
        })
    }

    /// Adds a listener, which uses `tls`.
    pub(crate) fn add(
        &mut self,
        mut listener: TcpListener,
        tls: Arc<rustls::ServerConfig>,
    ) -> Result<(), LiveError> {
        let token = Token(self.listeners.len());
        assert!(token.0 < FIRST_CONNECTION, "few enough listeners");
        self.waiter
            .registry()
            .register(&mut listener, token, Interest::READABLE)
            .map_err(LiveError::Tcp)?;
        self.listeners.push((listener, tls));
        Ok(())
    }

    /// Returns the address of the first listener.
    ///
    /// # Errors
    /// [`LiveError::Tcp`].
    pub fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.listeners[0].0.local_addr().map_err(LiveError::Tcp)
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`LiveError::Tcp`]: waiting for sockets fails permanently.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), LiveError> {
        let mut more = false;
        let mut calls = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let wait = if more { Duration::ZERO } else { self.wait() };
            for event in self.waiter.wait(wait).map_err(LiveError::Tcp)? {
                let token = event.token().0;
                if token < FIRST_CONNECTION {
                    calls.push(token);
                } else if let Some(connection) = self.connections.get_mut(&token) {
                    connection.wire.readable |= event.is_readable() || event.is_read_closed();
                    connection.wire.writable |= event.is_writable() || event.is_write_closed();
                    self.agenda.touch(token);
                }
            }
            for listener in calls.drain(..) {
                self.accept(listener);
            }
            more = self.turns();
        }
        Ok(())
    }

    /// Returns the number of accepted connections.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Returns the number of times that the server looked at a connection, which is its work.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Returns the frames with response bytes of all connections since the last call, if
    /// `record_frames` is configured. Frames accumulate without limit until then, so
    /// recording is for measurements and not for a long-running server.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        self.frames.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn wait(&self) -> Duration {
        let now = self.clock.now();
        self.agenda
            .next_at()
            .map_or(STOP_LATENCY, |at| at.since(now).to_std().min(STOP_LATENCY))
    }

    /// Accepts pending connections. A connection that fails here is dropped, and its
    /// client may retry.
    fn accept(&mut self, listener: usize) {
        let (listener, tls) = &self.listeners[listener];
        loop {
            let (mut socket, client) = match listener.accept() {
                Ok((socket, client)) => (socket, client.ip()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if self.has_its_share(client) {
                continue;
            }
            if self.connections.len() >= self.config.connections_max {
                let now = self.clock.now();
                let rates = self.connections.iter_mut();
                let slowest = rates.map(|(id, c)| (c.rate(now), *id)).min();
                if let Some((_, slowest)) = slowest {
                    self.connections.remove(&slowest);
                    self.agenda.remove(slowest);
                }
            }
            let id = self.next;
            self.next += 1;
            let both = Interest::READABLE | Interest::WRITABLE;
            let registered = self
                .waiter
                .registry()
                .register(&mut socket, Token(id), both)
                .is_ok();
            let tls = rustls::ServerConnection::new(tls.clone());
            if let (true, Ok(tls)) = (registered, tls) {
                self.accepted += 1;
                let wire = Wire::new(socket, tls.into());
                let guard = self.config.guard.unwrap_or_default();
                let connection = Connection::new(wire, self.clock.now(), client, guard);
                self.connections.insert(id, connection);
                self.agenda.touch(id);
            }
        }
    }

    /// Returns true if this address already has the maximum number of connections.
    fn has_its_share(&self, client: IpAddr) -> bool {
        let Some(guard) = self.config.guard else {
            return false;
        };
        let network = Guard::network(client);
        let open = self.connections.values().filter(|c| c.network == network);
        open.count() >= guard.per_address_max
    }

    /// Serves every connection that is ready or due. Returns true if one has more to do.
    fn turns(&mut self) -> bool {
        let now = self.clock.now();
        while let Some(id) = self.agenda.pop_due(now) {
            self.agenda.touch(id);
        }
        let mut more = false;
        let ready: Vec<usize> = self.agenda.ready().collect();
        for id in ready {
            let Some(connection) = self.connections.get_mut(&id) else {
                self.agenda.remove(id);
                continue;
            };
            self.visits += 1;
            let turn = connection.turn(now, &self.config.stream, &self.site);
            if let Some(frames) = &mut self.frames {
                frames.append(&mut connection.take_frames());
            }
            self.agenda.arm(id, Some(connection.due()));
            match turn {
                Turn::More => more = true,
                Turn::Waits => self.agenda.rest(id),
                Turn::Over => {
                    self.connections.remove(&id);
                    self.agenda.remove(id);
                }
            }
        }
        more
    }
}
