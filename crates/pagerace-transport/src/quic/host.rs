//! A UDP address and its QUIC connections.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::BytesMut;
use pagerace_cc::UnknownController;
use pagerace_core::rng::derive_seed;
use pagerace_core::{Agenda, Instant, Rng};
use quinn_proto::{
    ConnectError, ConnectionHandle, ConnectionIdGenerator, DatagramEvent, EndpointConfig,
    EndpointEvent, Incoming, TimeSource, TransportConfig,
};

use super::connection::{Connection, PacketSource};
use super::epoch::Epoch;
use super::guard::{Admission, Door};
use super::keys::{ClientKeys, ServerKeys, Visitor, seed_bytes};
use super::reassembly::Reassembly;
use super::settings::QuicSettings;
use super::tap::Tap;

/// Identifier of a connection of one [`Host`]. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// A UDP datagram to send. Its bytes are in the buffer passed to [`Host::poll_transmit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Destination address.
    pub remote: SocketAddr,
    /// Size of the UDP payload in bytes.
    pub size: usize,
    /// The connection that sends the datagram, or `None` for stateless responses.
    pub connection: Option<ConnectionId>,
}

/// Lookup of the sources of scheduled bytes.
pub trait Sources {
    /// Returns the source of this connection, if any.
    fn source(&mut self, connection: ConnectionId) -> Option<&mut dyn PacketSource>;
}

/// A lookup without sources, for hosts that write all bytes immediately.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn source(&mut self, _connection: ConnectionId) -> Option<&mut dyn PacketSource> {
        None
    }
}

/// The QUIC connections of one UDP address, of a client or a server.
pub struct Host {
    endpoint: quinn_proto::Endpoint,
    epoch: Epoch,
    settings: QuicSettings,
    server_keys: Option<ServerKeys>,
    visitor: Visitor,
    seed: u64,
    log: bool,
    connections: BTreeMap<ConnectionId, Connection>,
    ids: BTreeMap<usize, ConnectionId>,
    agenda: Agenda<ConnectionId>,
    visits: u64,
    door: Option<Door>,
    date: Date,
    accepted: VecDeque<ConnectionId>,
    ended: VecDeque<ConnectionId>,
    next_id: u64,
    /// Stateless responses: version negotiation, resets, retries and refusals.
    answers: VecDeque<(SocketAddr, Vec<u8>)>,
}

/// The maximum number of connections. Further ones are refused.
const MAX_CONNECTIONS: usize = 4096;

/// The maximum number of pending stateless responses. Further ones are dropped, as the
/// network might.
const MAX_ANSWERS: usize = 64;

impl Host {
    /// Creates a host that opens connections.
    ///
    /// If `log` is true, whole packets are kept for [`Connection::drain_packets`]. All
    /// randomness is derived from `seed`, which must be secret on a real network.
    ///
    /// # Errors
    /// Returns an error if the settings name an unknown congestion controller.
    pub fn client(
        settings: &QuicSettings,
        seed: u64,
        epoch: Epoch,
        log: bool,
    ) -> Result<Self, UnknownController> {
        Self::new(settings, None, seed, epoch, log)
    }

    /// Creates a host that accepts connections.
    ///
    /// # Errors
    /// Same as [`client`](Self::client).
    pub fn server(
        settings: &QuicSettings,
        keys: ServerKeys,
        seed: u64,
        epoch: Epoch,
        log: bool,
    ) -> Result<Self, UnknownController> {
        Self::new(settings, Some(keys), seed, epoch, log)
    }

    fn new(
        settings: &QuicSettings,
        server_keys: Option<ServerKeys>,
        seed: u64,
        epoch: Epoch,
        log: bool,
    ) -> Result<Self, UnknownController> {
        let (tap, visitor) = (Tap::new(false, false), Visitor::default());
        let transport = settings.to_quinn(tap.signals())?;
        let date = Date::default();
        let server = server_keys.as_ref().map(|keys| {
            // This configuration only opens Initial packets. Each connection gets keys with
            // its own tap when it is accepted.
            let config = keys.config(seed, tap, &visitor);
            Arc::new(server_config(config, transport.clone(), date.clone()))
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
            agenda: Agenda::default(),
            visits: 0,
            door: settings.guard.map(Door::new),
            date,
            accepted: VecDeque::new(),
            ended: VecDeque::new(),
            next_id: 0,
            answers: VecDeque::new(),
        })
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// Returns an error if the name or address is invalid.
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
        let id = self.adopt(handle, inner, tap);
        if let Some(connection) = self.connections.get_mut(&id)
            && self.settings.decimates_acks
        {
            connection.decimate_acks();
        }
        Ok(id)
    }

    /// Returns the transport configuration of one connection, with the signals of its tap.
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
        self.agenda.touch(id);
        id
    }

    /// Processes a received datagram.
    pub fn handle_datagram(&mut self, now: Instant, remote: SocketAddr, data: BytesMut) {
        let at = self.epoch.to_std(now);
        self.visitor.set(remote.ip());
        self.date.set(now);
        let mut buf = Vec::new();
        match self.endpoint.handle(at, remote, None, None, data, &mut buf) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some(id) = self.ids.get(&handle.0).copied()
                    && let Some(c) = self.connections.get_mut(&id)
                {
                    c.inner.handle_event(event);
                    c.note_arrivals(now);
                    self.agenda.touch(id);
                    if let Some(door) = &mut self.door
                        && !c.inner.is_handshaking()
                    {
                        door.handle_established(id);
                    }
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
        let full = self.connections.len() >= MAX_CONNECTIONS;
        let admission = match &self.door {
            _ if full => Admission::Refuse,
            Some(door) => door.admit(remote.ip(), incoming.remote_address_validated()),
            None => Admission::Accept,
        };
        let keys = match (&self.server_keys, admission) {
            (Some(keys), Admission::Accept) => keys,
            (Some(_), Admission::Validate) => {
                let t = self.endpoint.retry(incoming, &mut buf);
                let t = t.expect("a client without a token may be sent a Retry");
                return self.answer(remote, buf, t.size);
            }
            (None, _) | (_, Admission::Refuse) => {
                let t = self.endpoint.refuse(incoming, &mut buf);
                return self.answer(remote, buf, t.size);
            }
        };
        let tap = Tap::new(self.log, false);
        let transport = self.transport(&tap);
        let config = keys.config(self.seed, tap.clone(), &self.visitor);
        let config = Arc::new(server_config(config, transport, self.date.clone()));
        match self
            .endpoint
            .accept(incoming, self.epoch.to_std(now), &mut buf, Some(config))
        {
            Ok((handle, inner)) => {
                let id = self.adopt(handle, inner, tap);
                if let Some(door) = &mut self.door {
                    door.handle_opened(now, id, remote.ip());
                }
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

    /// Returns the next connection that a client has opened.
    pub fn poll_accepted(&mut self) -> Option<ConnectionId> {
        self.accepted.pop_front()
    }

    /// Returns the connection with this id while it exists, and marks it as
    /// [ready](Self::next_ready).
    pub fn connection(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.visits += 1;
        let connection = self.connections.get_mut(&id)?;
        self.agenda.touch(id);
        Some(connection)
    }

    /// Returns the number of times that a connection was looked at, which is the work of a host.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Returns a connection to read its events and statistics. It does not count as
    /// [ready](Self::next_ready): an extra poll would let its pacer send early.
    pub fn observe(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.visits += 1;
        self.connections.get_mut(&id)
    }

    /// Returns the ids of all connections, in ascending order.
    pub fn ids(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    /// Returns the first connection after `after`, by id, that may have events to read or
    /// packets to send. Connections are ready from their use until
    /// [`poll_transmit`](Self::poll_transmit) finds that they have nothing to send.
    pub fn next_ready(&self, after: Option<ConnectionId>) -> Option<ConnectionId> {
        self.agenda.next_ready(after)
    }

    /// Returns true if the connection is [ready](Self::next_ready).
    pub fn is_ready(&self, id: ConnectionId) -> bool {
        self.agenda.is_ready(id)
    }

    /// Returns the id of the next connection that has ended and was removed.
    pub fn poll_ended(&mut self) -> Option<ConnectionId> {
        self.ended.pop_front()
    }

    /// Returns the time at which [`handle_timeout`](Self::handle_timeout) must be called.
    pub fn poll_timeout(&mut self) -> Option<Instant> {
        while let Some(id) = self.agenda.pop_stale() {
            self.visits += 1;
            let connection = self.connections.get_mut(&id);
            let at = connection.and_then(Connection::poll_timeout);
            self.agenda.arm(id, at);
        }
        let handshake = self.door.as_ref().and_then(Door::deadline);
        self.agenda.next_at().into_iter().chain(handshake).min()
    }

    /// Handles the timers that are due.
    pub fn handle_timeout(&mut self, now: Instant) {
        // This call also updates stale deadlines.
        if self.poll_timeout().is_none_or(|at| at > now) {
            return;
        }
        self.date.set(now);
        while let Some(id) = self.agenda.pop_due(now) {
            if let Some(c) = self.connection(id) {
                c.handle_timeout(now);
            }
        }
        while let Some(id) = self.door.as_mut().and_then(|door| door.pop_overdue(now)) {
            if let Some(c) = self.connections.get(&id) {
                // The connection is dropped without a packet, as the client's address may
                // be forged.
                let handle = c.handle;
                self.endpoint.handle_event(handle, EndpointEvent::drained());
                self.forget(id);
            }
        }
    }

    /// Writes the next datagram to `buf`.
    ///
    /// Scheduled bytes are taken from `sources`, packet by packet.
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
        while let Some(id) = self.agenda.next_ready(None) {
            self.visits += 1;
            let Some(c) = self.connections.get_mut(&id) else {
                self.agenda.remove(id);
                continue;
            };
            while let Some(event) = c.inner.poll_endpoint_events() {
                if let Some(back) = self.endpoint.handle_event(c.handle, event) {
                    c.inner.handle_event(back);
                }
            }
            if let Some(t) = c.poll_transmit(now, buf, sources.source(id)) {
                self.agenda.touch(id);
                let connection = Some(id);
                return Some(Datagram {
                    remote: t.destination,
                    size: t.size,
                    connection,
                });
            }
            if c.inner.is_drained() {
                self.forget(id);
            } else {
                // The poll may have changed the connection's deadline.
                self.agenda.touch(id);
                self.agenda.rest(id);
            }
        }
        None
    }

    /// Removes a connection that has ended or is dropped.
    fn forget(&mut self, id: ConnectionId) {
        self.agenda.remove(id);
        if let Some(connection) = self.connections.remove(&id) {
            self.ids.remove(&connection.handle.0);
        }
        if let Some(door) = &mut self.door {
            door.handle_closed(id);
        }
        self.ended.push_back(id);
    }
}

fn server_config(
    mut config: quinn_proto::ServerConfig,
    transport: Arc<TransportConfig>,
    date: Date,
) -> quinn_proto::ServerConfig {
    config.transport_config(transport);
    config.time_source(Arc::new(date));
    config
}

fn endpoint_config(seed: u64) -> Arc<EndpointConfig> {
    let reset_key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &seed_bytes(seed, "reset"));
    let mut config = EndpointConfig::new(Arc::new(reset_key));
    config.rng_seed(Some(seed_bytes(seed, "quic")));
    config.cid_generator(move || Box::new(SeededCids(Rng::new(seed, "cid"))));
    Arc::new(config)
}

/// Generator of connection IDs of eight bytes from the host's seed.
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

/// The time that tokens contain: virtual time since the Unix epoch. It is sufficient
/// because the tokens of a host are compared only with each other.
#[derive(Clone, Debug, Default)]
struct Date(Arc<AtomicU64>);

impl Date {
    fn set(&self, now: Instant) {
        self.0.store(now.as_nanos(), Ordering::Relaxed);
    }
}

impl TimeSource for Date {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + std::time::Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}
