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

/// Tokens below this are listeners', others connections'.
const FIRST_CONNECTION: usize = 1 << 16;

/// How a server serves.
#[derive(Clone, Debug)]
pub struct TcpServerConfig {
    /// HTTP and the strategy.
    pub stream: StreamServerConfig,
    /// Who it is, see [`super::server_tls`].
    pub tls: Arc<rustls::ServerConfig>,
    /// Connections at once; more are closed as soon as they come.
    pub connections_max: usize,
    /// Limits on clients that the server does not know. Where `None`, its default
    /// timeouts hold, and one address may have all connections.
    pub guard: Option<Guard>,
}

impl TcpServerConfig {
    /// At most 256 connections, no guard.
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
/// One thread, and one listening socket or several, each with its own TLS.
pub struct TcpServer<S> {
    listeners: Vec<(TcpListener, Arc<rustls::ServerConfig>)>,
    waiter: Waiter,
    config: TcpServerConfig,
    site: Arc<Mutex<S>>,
    clock: Clock,
    connections: BTreeMap<usize, Connection<S>>,
    agenda: Agenda<usize>,
    next: usize,
    accepted: u64,
    frames: Option<Vec<SentFrame>>,
}

impl<S: Site> TcpServer<S> {
    /// Listens on `address`; port 0 takes any free one.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Tcp`].
    pub fn bind(address: SocketAddr, config: &TcpServerConfig, site: S) -> Result<Self, LiveError> {
        let listener =
            TcpListener::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        let mut server = Self::empty(config, site)?;
        server.add(listener, config.tls.clone())?;
        Ok(server)
    }

    /// Serves nowhere yet.
    pub(crate) fn empty(config: &TcpServerConfig, site: S) -> Result<Self, LiveError> {
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
        })
    }

    /// Serves on this socket too, which is `tls`.
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

    /// Where it listens: its first socket.
    ///
    /// # Errors
    /// [`LiveError::Tcp`].
    pub fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.listeners[0].0.local_addr().map_err(LiveError::Tcp)
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`LiveError::Tcp`]: waiting for sockets fails for good.
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

    /// Connections that were taken so far.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// The pieces of responses since the last call, of all connections, if
    /// `record_frames` is configured. They are kept without limit until then: for
    /// measurements, not for a server that stays up.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        self.frames.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn wait(&self) -> Duration {
        let now = self.clock.now();
        self.agenda
            .next_at()
            .map_or(STOP_LATENCY, |at| at.since(now).to_std().min(STOP_LATENCY))
    }

    /// Takes connections that wait. One that fails is its client's to try again.
    fn accept(&mut self, listener: usize) {
        let (listener, tls) = &self.listeners[listener];
        loop {
            let (mut socket, client) = match listener.accept() {
                Ok((socket, client)) => (socket, client.ip()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if self.connections.len() >= self.config.connections_max || self.has_its_share(client) {
                continue;
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

    /// Returns true if no further connection of this address is taken.
    fn has_its_share(&self, client: IpAddr) -> bool {
        let Some(guard) = self.config.guard else {
            return false;
        };
        let network = Guard::network(client);
        let open = self.connections.values().filter(|c| c.network == network);
        open.count() >= guard.per_address_max
    }

    /// Gives a turn to every connection that is ready or due. Returns true if one has
    /// more to do.
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
