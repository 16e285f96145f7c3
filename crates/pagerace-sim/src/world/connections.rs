//! Opening of connections, including those left by an earlier visit.

use std::collections::BTreeMap;
use std::sync::Arc;

use pagerace_browser::Cached;
use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, EventQueue, Instant, Protocol};
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_http::h3;
use pagerace_page::{CacheUse, Page};
use pagerace_peer::stream::{StreamClientConfig, StreamServerConfig};
use pagerace_peer::tcp::{RecordEnds, TcpClient, TcpClientConfig, TcpServer, TcpServerConfig};
use pagerace_peer::{Client, ClientConfig, Server, ServerConfig};
use pagerace_transport::quic::keys::{FlightSizes, Identity};
use pagerace_transport::quic::{ClientKeys, QuicSettings, ServerKeys};
use pagerace_transport::tcp::TcpSettings;
use pagerace_transport::tls::{Handshake, TlsSettings, Version};

use super::{Connection, Timer, World};
use crate::ScenarioError;
use crate::addresses::{SERVER_NAME, server_address};
use crate::alarm::Alarm;
use crate::ends::{Ends, Payload};
use crate::pool::H1_CONNECTIONS;
use crate::scenario::Scenario;
use crate::site::PageSite;
use crate::timing::SetUp;
use crate::trace::Side;
use crate::visit::Visit;
use pagerace_peer::{LoadSettings, NameLookup, Reprioritisation};

/// Protection and settings of all connections.
pub(crate) struct Keys {
    quic: (ClientKeys, ServerKeys),
    quic_settings: QuicSettings,
    tcp: TcpSettings,
    tls: TlsSettings,
    early_quic: bool,
    early_tcp: bool,
    /// True if clients send `PRIORITY_UPDATE` for requests that have left.
    priority_updates: bool,
    record_ends: RecordEnds,
    reliability: ReliabilitySpec,
}

/// Idle time of connections left by an earlier visit: longer than any retransmission
/// timeout, shorter than servers' idle timeouts.
const AGE: Duration = Duration::from_secs(10);

impl Keys {
    pub(crate) fn new(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let mut keys = Self::of(&scenario.settings, &scenario.congestion, scenario.visit)?;
        keys.reliability = scenario.reliability.clone();
        keys.quic_settings.datagrams = scenario.reliability.needs_datagrams();
        Ok(keys)
    }

    pub(crate) fn of(
        settings: &LoadSettings,
        congestion: &str,
        visit: Visit,
    ) -> Result<Self, ScenarioError> {
        let quic_settings = QuicSettings {
            congestion: congestion.to_owned(),
            mtu: settings.quic_mtu,
            ..QuicSettings::default()
        };
        // Report an unknown controller here, before the first connection opens.
        pagerace_cc::build(congestion, quic_settings.mtu)?;
        let known = visit != Visit::Cold;
        let early = |tcp| known && settings.early_data.is_used(tcp);
        let handshake = |tcp| match (known, early(tcp)) {
            (false, _) => Handshake::Full,
            (true, false) => Handshake::Resumed,
            (true, true) => Handshake::EarlyData,
        };
        let quic = if settings.real_tls {
            if known {
                return Err(ScenarioError::RealResumption);
            }
            let identity = Identity::new(&[SERVER_NAME])?;
            (identity.client_keys()?, identity.server_keys()?)
        } else {
            let sizes = FlightSizes::default().with(settings.client_hello);
            (
                ClientKeys::null(sizes, handshake(false)),
                ServerKeys::null(sizes, handshake(false)),
            )
        };
        Ok(Self {
            quic,
            quic_settings,
            tcp: TcpSettings {
                congestion: pagerace_cc::over_tcp(congestion).to_owned(),
                ..TcpSettings::default()
            },
            tls: TlsSettings {
                version: settings.tcp_tls,
                handshake: handshake(true),
                client_hello: settings.client_hello,
                ..TlsSettings::default()
            },
            early_quic: early(false),
            reliability: ReliabilitySpec::default(),
            record_ends: settings.record_ends,
            priority_updates: settings.reprioritisation == Reprioritisation::Update,
            early_tcp: early(true) && settings.tcp_tls == Version::Tls13,
        })
    }

    /// Returns true if requests may leave with a connection's first flight.
    pub(crate) fn early_data(&self, protocol: Protocol) -> bool {
        if protocol.is_tcp() {
            self.early_tcp
        } else {
            self.early_quic
        }
    }

    /// Returns the HTTP/3 settings. They allow larger field sections than the default,
    /// because recorded ones may exceed it.
    fn http_limits(&self) -> h3::Config {
        h3::Config {
            max_field_section_size: 1 << 20,
            object_datagrams: self.reliability.needs_datagrams(),
            ..h3::Config::default()
        }
    }

    /// Creates both ends of an HTTP/3 connection.
    pub(crate) fn quic_ends<S: pagerace_peer::Site>(
        &self,
        how: &How<'_>,
        now: Instant,
        epoch: pagerace_transport::quic::Epoch,
        site: S,
    ) -> Result<Ends<S>, ScenarioError> {
        let client = ClientConfig {
            settings: self.quic_settings.clone(),
            keys: self.quic.0.clone(),
            seed: derive_seed(how.seed, &format!("client/{}", how.name)),
            h3: self.http_limits(),
            record: how.log,
        };
        let server = ServerConfig {
            settings: self.quic_settings.clone(),
            keys: self.quic.1.clone(),
            strategy: how.strategy.clone(),
            retransmission: how.retransmission,
            reliability: self.reliability.clone(),
            seed: derive_seed(how.seed, &format!("server/{}", how.name)),
            h3: self.http_limits(),
            record: how.log,
            record_frames: how.record,
        };
        let mut client = Client::connect(&client, now, epoch, server_address(), SERVER_NAME)?;
        client.record_gaps(how.record);
        client.send_priority_updates(self.priority_updates);
        Ok(Ends::quic(client, Server::new(&server, epoch, site)?))
    }

    /// Creates both ends of a TCP connection.
    pub(crate) fn tcp_ends<S: pagerace_peer::Site>(
        &self,
        how: &How<'_>,
        protocol: Protocol,
        now: Instant,
        site: S,
    ) -> Result<Ends<S>, ScenarioError> {
        let client = TcpClientConfig {
            tcp: self.tcp.clone(),
            tls: self.tls,
            protocol,
            stream: StreamClientConfig {
                priority_updates: self.priority_updates,
                ..StreamClientConfig::default()
            },
        };
        let server = TcpServerConfig {
            tcp: self.tcp.clone(),
            tls: self.tls,
            record_ends: self.record_ends,
            protocol,
            stream: StreamServerConfig {
                record_frames: how.record,
                reliability: self.reliability.clone(),
                ..StreamServerConfig::new(how.strategy.clone())
            },
        };
        let client = TcpClient::connect(&client, now)?;
        Ok(Ends::tcp(
            client,
            TcpServer::new(&server, site)?,
            how.record,
        ))
    }
}

/// Parameters of one connection.
pub(crate) struct How<'a> {
    pub(crate) seed: u64,
    /// Name that distinguishes the connection from others with the same seed.
    pub(crate) name: &'a str,
    pub(crate) strategy: &'a pagerace_delivery::StrategySpec,
    pub(crate) retransmission: pagerace_peer::Retransmission,
    pub(crate) record: bool,
    pub(crate) log: bool,
}

impl World<'_> {
    /// Returns the time at which the name of a place is resolved. Starts a lookup if
    /// there was none.
    pub(super) fn resolved_at(&mut self, place: usize) -> Instant {
        // A lookup takes one round trip to a resolver behind the same access link. The
        // answers of a name cache are not known.
        let look_up = match (self.scenario.settings.name_lookup, self.scenario.visit) {
            (NameLookup::None, _) | (_, Visit::Warm) => Duration::ZERO,
            (NameLookup::RoundTrip, Visit::Cold | Visit::Resumed) => self.scenario.network.rtt(),
        };
        let due = self.now + look_up;
        let resolved_at = *self.pool.places[place].resolved_at.get_or_insert(due);
        resolved_at.max(self.now)
    }

    /// Opens a connection and returns its index.
    pub(super) fn open(&mut self, place: usize) -> usize {
        let i = self.connections.len();
        let now = self.now;
        let resolved_at = self.resolved_at(place);
        let place_ref = &mut self.pool.places[place];
        place_ref.connections.push(i);
        self.connections.push(Connection {
            place,
            protocol: place_ref.protocol,
            ends: None,
            early: Vec::new(),
            set_up: SetUp {
                opened: now,
                resolved: resolved_at,
                connected: None,
            },
            busy: 0,
            idle_since: None,
            client_alarm: Alarm::default(),
            server_alarm: Alarm::default(),
            streams: BTreeMap::new(),
        });
        self.timers.schedule(resolved_at, Timer::Resolved(i));
        i
    }

    /// Creates both ends of a connection, once the name is resolved.
    pub(super) fn connect(&mut self, i: usize) -> Result<(), ScenarioError> {
        if self.connections[i].ends.is_some() {
            // An earlier visit left the connection open.
            return Ok(());
        }
        let ends = self.make_ends(i, self.now)?;
        self.connections[i].ends = Some(ends);
        self.touched.push_back(i);
        self.send_requests(i);
        if self.connections[i].protocol == Protocol::H1 {
            self.dispatch(self.connections[i].place);
        }
        Ok(())
    }

    fn make_ends(&self, i: usize, now: Instant) -> Result<Ends<PageSite>, ScenarioError> {
        let jitter = self.scenario.browser.jitter;
        let (cached, effects) = (self.cached.clone(), self.effects.clone());
        let natures = self.natures.clone();
        let site = PageSite::new(
            self.page.clone(),
            self.seed,
            jitter,
            cached,
            effects,
            natures,
        );
        let place = &self.pool.places[self.connections[i].place];
        let how = How {
            // The name does not contain the order of opening, which a strategy may
            // change.
            seed: self.seed,
            name: &place.name,
            strategy: &self.scenario.strategy,
            retransmission: self.scenario.settings.retransmission,
            record: self.record,
            log: self.log,
        };
        match place.protocol {
            Protocol::H3 => self.keys.quic_ends(&how, now, self.epoch, site),
            protocol => self.keys.tcp_ends(&how, protocol, now, site),
        }
    }

    /// Handles the completion of a connection's handshake.
    pub(super) fn connected(&mut self, i: usize) {
        let connection = &mut self.connections[i];
        connection.set_up.connected = Some(self.now);
        self.freed.push_back(connection.place);
        for r in connection.streams.values() {
            if let Some(p) = &mut self.progress[r.index()] {
                p.sent.get_or_insert(self.now);
            }
        }
    }

    /// Removes a lost connection. Requests that wait need another.
    pub(super) fn lost(&mut self, i: usize) {
        self.pool.close(i);
        self.freed.push_back(self.connections[i].place);
    }

    /// In a warm visit, opens the connections that the earlier visit left.
    pub(super) fn open_warm_connections(&mut self) -> Result<(), ScenarioError> {
        if self.scenario.visit != Visit::Warm {
            return Ok(());
        }
        let mut wanted = vec![0_usize; self.pool.places.len()];
        for r in &self.page.resources {
            let fresh = self.cached.get(r.id.index()) == Some(&Cached::Fresh);
            if !fresh && r.fails_after.is_none() && !self.is_refused(r.id) {
                wanted[self.pool.place_of(r.origin)] += 1;
            }
        }
        for (place, requests) in wanted.into_iter().enumerate() {
            let most = match self.pool.places[place].protocol {
                Protocol::H1 => H1_CONNECTIONS,
                Protocol::H2 | Protocol::H3 => 1,
            };
            for _ in 0..requests.min(most) {
                self.open_warm(place)?;
            }
        }
        Ok(())
    }

    fn open_warm(&mut self, place: usize) -> Result<(), ScenarioError> {
        let i = self.open(place);
        let mut ends = self.make_ends(i, Instant::ZERO)?;
        establish(&mut ends, self.scenario.network.rtt(), &mut self.buf);
        ends.set_age(AGE);
        let connection = &mut self.connections[i];
        connection.ends = Some(ends);
        connection.set_up.connected = Some(Instant::ZERO);
        self.touched.push_back(i);
        Ok(())
    }
}

/// Completes the handshake of both ends and lets them become idle, within [`AGE`] of
/// their own time, over a path that has a delay and nothing else.
fn establish<S: pagerace_peer::Site>(ends: &mut Ends<S>, rtt: Duration, buf: &mut Vec<u8>) {
    let half = Duration::from_nanos(rtt.as_nanos() / 2);
    let mut path: EventQueue<(Side, Payload)> = EventQueue::new();
    let mut now = Instant::ZERO;
    loop {
        for (from, to) in [(Side::Client, Side::Server), (Side::Server, Side::Client)] {
            while let Some((_, payload)) = ends.transmit(now, from, buf) {
                path.schedule(now + half, (to, payload));
            }
        }
        let timeouts = [Side::Client, Side::Server].map(|side| ends.poll_timeout(side));
        let next = timeouts.into_iter().flatten().chain(path.next_at()).min();
        let Some(next) = next.filter(|at| *at <= Instant::ZERO + AGE) else {
            break;
        };
        now = next;
        while let Some((_, (to, payload))) = path.pop_due(now) {
            ends.handle(now, to, payload);
        }
        for (side, at) in [Side::Client, Side::Server].into_iter().zip(timeouts) {
            if at.is_some_and(|at| at <= now) {
                ends.handle_timeout(now, side);
            }
        }
    }
    while ends.poll_event().is_some() {}
    ends.take_frames();
    ends.drain_packets(|_, _| {});
}

/// Returns the state of the browser's cache for each resource.
pub(crate) fn cached(page: &Page, visit: Visit) -> Arc<Vec<Cached>> {
    let of = |r: &pagerace_page::Resource| match (visit, r.cache) {
        (Visit::Warm, CacheUse::Fresh) => Cached::Fresh,
        (Visit::Warm, CacheUse::Validate) => Cached::Validate,
        _ => Cached::No,
    };
    Arc::new(page.resources.iter().map(of).collect())
}
