//! One UDP address and its connections.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::BytesMut;
use pagerace_cc::UnknownController;
use pagerace_core::rng::derive_seed;
use pagerace_core::{Instant, Rng};
use quinn_proto::{
    ConnectError, ConnectionHandle, ConnectionIdGenerator, DatagramEvent, EndpointConfig, Incoming,
    TimeSource, TransportConfig,
};

use super::connection::{Connection, PacketSource};
use super::epoch::Epoch;
use super::keys::{ClientKeys, ServerKeys, Visitor, seed_bytes};
use super::reassembly::Reassembly;
use super::settings::Settings;
use super::tap::Tap;

/// Names a connection of one [`Host`]; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// A UDP datagram to be sent; its bytes are in the buffer it came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Where to.
    pub remote: SocketAddr,
    /// UDP payload in bytes.
    pub size: usize,
    /// The connection it belongs to; `None` for stateless answers.
    pub connection: Option<ConnectionId>,
}

/// Finds the source of a connection's scheduled bytes.
pub trait Sources {
    /// The source of this connection, if it has one.
    fn source(&mut self, connection: ConnectionId) -> Option<&mut dyn PacketSource>;
}

/// No connection has scheduled bytes: everything is written at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn source(&mut self, _connection: ConnectionId) -> Option<&mut dyn PacketSource> {
        None
    }
}

/// One UDP address: a client's, or a server's.
pub struct Host {
    endpoint: quinn_proto::Endpoint,
    epoch: Epoch,
    settings: Settings,
    server_keys: Option<ServerKeys>,
    visitor: Visitor,
    seed: u64,
    log: bool,
    connections: BTreeMap<ConnectionId, Connection>,
    ids: BTreeMap<usize, ConnectionId>,
    accepted: VecDeque<ConnectionId>,
    next_id: u64,
    /// Stateless answers: version negotiation, resets, refusals.
    answers: VecDeque<(SocketAddr, Vec<u8>)>,
    max_connections: usize,
}

/// Stateless answers kept at most; more are dropped, as the network might.
const MAX_ANSWERS: usize = 64;

impl Host {
    /// A host that opens connections. `log`: keep whole packets for
    /// [`Connection::drain_packets`]. Everything that is random follows from
    /// `seed`; on a real network it has to be a secret.
    ///
    /// # Errors
    /// The settings name an unknown congestion controller.
    pub fn client(
        settings: &Settings,
        seed: u64,
        epoch: Epoch,
        log: bool,
    ) -> Result<Self, UnknownController> {
        Self::new(settings, None, seed, epoch, log)
    }

    /// A host that accepts connections.
    ///
    /// # Errors
    /// As [`client`](Self::client).
    pub fn server(
        settings: &Settings,
        keys: ServerKeys,
        seed: u64,
        epoch: Epoch,
        log: bool,
    ) -> Result<Self, UnknownController> {
        Self::new(settings, Some(keys), seed, epoch, log)
    }

    fn new(
        settings: &Settings,
        server_keys: Option<ServerKeys>,
        seed: u64,
        epoch: Epoch,
        log: bool,
    ) -> Result<Self, UnknownController> {
        let (tap, visitor) = (Tap::new(false, false), Visitor::default());
        let transport = settings.to_quinn(tap.signals())?;
        let server = server_keys.as_ref().map(|keys| {
            // Opens Initial packets only; each connection gets keys with a tap
            // of its own when it is accepted.
            let config = keys.config(seed, tap, &visitor);
            Arc::new(server_config(config, transport.clone()))
        });
        let endpoint = quinn_proto::Endpoint::new(endpoint_config(seed), server, true, None);
        Ok(Self {
            endpoint,
            epoch,
            settings: settings.clone(),
            server_keys,
            visitor,
            seed,
            log,
            connections: BTreeMap::new(),
            ids: BTreeMap::new(),
            accepted: VecDeque::new(),
            next_id: 0,
            answers: VecDeque::new(),
            max_connections: 4096,
        })
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// The name or address cannot be connected to.
    pub fn connect(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        server_name: &str,
        keys: &ClientKeys,
    ) -> Result<ConnectionId, ConnectError> {
        let tap = Tap::new(self.log, true);
        let mut config = keys.config(&self.settings, tap.clone());
        config.transport_config(self.transport(&tap));
        let cid_seed = derive_seed(self.seed, &format!("dcid/{}", self.next_id));
        config.initial_dst_cid_provider(Arc::new(move || {
            quinn_proto::ConnectionId::new(&Rng::new(cid_seed, "dcid").next_u64().to_be_bytes())
        }));
        let at = self.epoch.to_std(now);
        let (handle, inner) = self.endpoint.connect(at, config, remote, server_name)?;
        Ok(self.adopt(handle, inner, tap))
    }

    /// Settings for one connection, whose controller knows its tap.
    fn transport(&self, tap: &Tap) -> Arc<TransportConfig> {
        let transport = self.settings.to_quinn(tap.signals());
        transport.expect("the settings were tried")
    }

    fn adopt(
        &mut self,
        handle: ConnectionHandle,
        inner: quinn_proto::Connection,
        tap: Arc<Tap>,
    ) -> ConnectionId {
        let id = ConnectionId(self.next_id);
        self.next_id += 1;
        self.ids.insert(handle.0, id);
        let received = Reassembly::new(
            self.settings.stream_receive_window,
            self.settings.receive_window,
        );
        let connection = Connection::new(handle, inner, tap, self.epoch, received);
        self.connections.insert(id, connection);
        id
    }

    /// A datagram arrived.
    pub fn handle_datagram(&mut self, now: Instant, remote: SocketAddr, data: BytesMut) {
        let at = self.epoch.to_std(now);
        self.visitor.set(remote.ip());
        let mut buf = Vec::new();
        match self.endpoint.handle(at, remote, None, None, data, &mut buf) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                let id = self.ids.get(&handle.0);
                if let Some(c) = id.and_then(|id| self.connections.get_mut(id)) {
                    c.inner.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(now, incoming),
            Some(DatagramEvent::Response(t)) => self.answer(t.destination, buf, t.size),
            None => {}
        }
    }

    fn accept(&mut self, now: Instant, incoming: Incoming) {
        let mut buf = Vec::new();
        let remote = incoming.remote_address();
        let keys = match &self.server_keys {
            Some(keys) if self.connections.len() < self.max_connections => keys,
            _ => {
                let t = self.endpoint.refuse(incoming, &mut buf);
                return self.answer(remote, buf, t.size);
            }
        };
        let tap = Tap::new(self.log, false);
        let transport = self.transport(&tap);
        let config = keys.config(self.seed, tap.clone(), &self.visitor);
        let config = Arc::new(server_config(config, transport));
        match self
            .endpoint
            .accept(incoming, self.epoch.to_std(now), &mut buf, Some(config))
        {
            Ok((handle, inner)) => {
                let id = self.adopt(handle, inner, tap);
                self.accepted.push_back(id);
            }
            Err(error) => {
                if let Some(t) = error.response {
                    self.answer(remote, buf, t.size);
                }
            }
        }
    }

    fn answer(&mut self, remote: SocketAddr, mut bytes: Vec<u8>, size: usize) {
        if self.answers.len() < MAX_ANSWERS {
            bytes.truncate(size);
            self.answers.push_back((remote, bytes));
        }
    }

    /// A connection that a client has opened to us.
    pub fn poll_accepted(&mut self) -> Option<ConnectionId> {
        self.accepted.pop_front()
    }

    /// The connection with this id, while it lives.
    pub fn connection(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(&id)
    }

    /// Ids of the connections that live, ascending.
    pub fn ids(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    pub fn poll_timeout(&mut self) -> Option<Instant> {
        let connections = self.connections.values_mut();
        connections.filter_map(Connection::poll_timeout).min()
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        for c in self.connections.values_mut() {
            c.handle_timeout(now);
        }
    }

    /// The next datagram to send, written to `buf`.
    ///
    /// Scheduled bytes are taken from `sources` packet by packet.
    pub fn poll_transmit(
        &mut self,
        now: Instant,
        sources: &mut dyn Sources,
        buf: &mut Vec<u8>,
    ) -> Option<Datagram> {
        buf.clear();
        if let Some((remote, bytes)) = self.answers.pop_front() {
            buf.extend_from_slice(&bytes);
            return Some(Datagram {
                remote,
                size: bytes.len(),
                connection: None,
            });
        }
        for (id, c) in &mut self.connections {
            while let Some(event) = c.inner.poll_endpoint_events() {
                if let Some(back) = self.endpoint.handle_event(c.handle, event) {
                    c.inner.handle_event(back);
                }
            }
            if let Some(t) = c.poll_transmit(now, buf, sources.source(*id)) {
                let connection = Some(*id);
                return Some(Datagram {
                    remote: t.destination,
                    size: t.size,
                    connection,
                });
            }
        }
        self.bury();
        None
    }

    /// Forgets connections that have fully ended and whose events were read.
    fn bury(&mut self) {
        let dead: Vec<_> = self
            .connections
            .iter()
            .filter(|(_, c)| c.inner.is_drained())
            .map(|(id, c)| (*id, c.handle.0))
            .collect();
        for (id, handle) in dead {
            self.connections.remove(&id);
            self.ids.remove(&handle);
        }
    }
}

fn server_config(
    mut config: quinn_proto::ServerConfig,
    transport: Arc<TransportConfig>,
) -> quinn_proto::ServerConfig {
    config.transport_config(transport);
    config.time_source(Arc::new(NoTime));
    config
}

fn endpoint_config(seed: u64) -> Arc<EndpointConfig> {
    let reset_key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &seed_bytes(seed, "reset"));
    let mut config = EndpointConfig::new(Arc::new(reset_key));
    config.rng_seed(Some(seed_bytes(seed, "quic")));
    config.cid_generator(move || Box::new(SeededCids(Rng::new(seed, "cid"))));
    Arc::new(config)
}

/// Connection ids of eight bytes from the host's seed.
#[derive(Debug)]
struct SeededCids(Rng);

impl ConnectionIdGenerator for SeededCids {
    fn generate_cid(&mut self) -> quinn_proto::ConnectionId {
        quinn_proto::ConnectionId::new(&self.0.next_u64().to_be_bytes())
    }
    fn cid_len(&self) -> usize {
        8
    }
    fn cid_lifetime(&self) -> Option<std::time::Duration> {
        None
    }
}

/// A clock that stands still: nothing we use depends on the date.
struct NoTime;

impl TimeSource for NoTime {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}
