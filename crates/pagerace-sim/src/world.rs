//! The loop that moves time: one browser, its connections, two links.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use pagerace_browser::{Action, Browser};
use pagerace_core::rng::derive_seed;
use pagerace_core::{EventQueue, Instant, Priority, Rng};
use pagerace_http::h3;
use pagerace_net::{Exit, Link};
use pagerace_page::{Page, ResourceId};
use pagerace_peer::{Client, ClientConfig, ClientEvent, Server, ServerConfig};
use pagerace_transport::quic::keys::{FlightSizes, Identity};
use pagerace_transport::quic::{ClientKeys, Epoch, ServerKeys, Settings};

use crate::ScenarioError;
use crate::alarm::Alarm;
use crate::outcome::{FrameSent, HolGap, Outcome, PacketDrop, Trace, TransportCounters};
use crate::pool::Pool;
use crate::scenario::Scenario;
use crate::site::{PageSite, request_fields};
use crate::timing::Progress;
use crate::trace::{LoggedPacket, Side};

/// IPv4 and UDP headers in front of every datagram.
const IP_UDP_HEADER: usize = 28;

/// The certificate's name; the same for all simulated servers.
const SERVER_NAME: &str = "localhost";

/// A datagram on a link.
struct Packet {
    connection: usize,
    sent_at: Instant,
    data: BytesMut,
}

#[derive(Clone, Copy, Debug)]
enum Timer {
    Client(usize),
    Server(usize),
    Browser,
    /// The name look-up of a connection is over.
    Resolved(usize),
}

/// One connection: both ends.
struct Connection {
    /// `None` until the name is resolved.
    ends: Option<(Client, Server<PageSite>)>,
    /// Requests made before that.
    early: Vec<(ResourceId, Priority)>,
    /// The request that pays for the set-up.
    opener: ResourceId,
    resolved_at: Instant,
    client_alarm: Alarm,
    server_alarm: Alarm,
    /// Resource of each request stream.
    streams: BTreeMap<u64, ResourceId>,
}

/// Everything in one page load.
pub(crate) struct World<'a> {
    scenario: &'a Scenario,
    page: Arc<Page>,
    seed: u64,
    record: bool,
    log: bool,
    now: Instant,
    epoch: Epoch,
    keys: (ClientKeys, ServerKeys),
    settings: Settings,
    browser: Browser,
    browser_alarm: Alarm,
    pool: Pool,
    connections: Vec<Connection>,
    /// To the browser.
    down: Link<Packet>,
    /// To the servers.
    up: Link<Packet>,
    timers: EventQueue<Timer>,
    progress: Vec<Option<Progress>>,
    /// Connections that have something to do now.
    touched: Vec<usize>,
    drops: Vec<PacketDrop>,
    packets: Vec<LoggedPacket>,
    failure: Option<String>,
    buf: Vec<u8>,
}

impl<'a> World<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        seed: u64,
        record: bool,
        log: bool,
    ) -> Result<Self, ScenarioError> {
        let page = scenario.page.clone();
        let settings = Settings {
            congestion: scenario.transport.congestion.clone(),
            ..Settings::default()
        };
        // Said here, once, rather than when the first connection opens.
        pagerace_cc::build(&settings.congestion, settings.mtu)?;
        Ok(Self {
            browser: Browser::new(page.clone(), &scenario.browser, seed),
            pool: Pool::new(&page, scenario.connections),
            down: Link::new(&scenario.network.down, Rng::new(seed, "link/down")),
            up: Link::new(&scenario.network.up, Rng::new(seed, "link/up")),
            progress: vec![None; page.resources.len()],
            keys: keys(scenario.transport.real_tls)?,
            scenario,
            page,
            seed,
            record,
            log,
            now: Instant::ZERO,
            epoch: Epoch::new(),
            settings,
            browser_alarm: Alarm::default(),
            connections: Vec::new(),
            timers: EventQueue::new(),
            touched: Vec::new(),
            drops: Vec::new(),
            packets: Vec::new(),
            failure: None,
            buf: Vec::with_capacity(2048),
        })
    }

    /// Loads the page.
    pub(crate) fn run(&mut self) -> Result<(), ScenarioError> {
        let deadline = Instant::ZERO + self.scenario.deadline;
        self.browser.start(self.now);
        self.settle();
        while !self.browser.is_done() {
            let links = self.down.next_at().into_iter().chain(self.up.next_at());
            let Some(next) = links.chain(self.timers.next_at()).min() else {
                self.failure = Some("nothing was left to happen before the load ended".into());
                break;
            };
            if next > deadline {
                self.now = deadline;
                self.failure = Some(format!("not loaded after {}", self.scenario.deadline));
                break;
            }
            self.now = next;
            self.step()?;
            self.settle();
        }
        Ok(())
    }

    /// One thing that is due now: a packet off a link, or a timer.
    fn step(&mut self) -> Result<(), ScenarioError> {
        let now = self.now;
        if let Some(exit) = self.down.poll(now) {
            self.arrive(exit, Side::Client);
        } else if let Some(exit) = self.up.poll(now) {
            self.arrive(exit, Side::Server);
        } else if let Some((_, timer)) = self.timers.pop_due(now) {
            self.ring(timer)?;
        }
        Ok(())
    }

    fn arrive(&mut self, exit: Exit<Packet>, to: Side) {
        match exit {
            Exit::Delivered { payload, .. } => {
                let i = payload.connection;
                if let Some((client, server)) = &mut self.connections[i].ends {
                    match to {
                        Side::Client => client.handle_datagram(self.now, payload.data),
                        Side::Server => {
                            server.handle_datagram(self.now, client_address(), payload.data);
                        }
                    }
                }
                self.touched.push(i);
            }
            Exit::Lost { payload, .. } if to == Side::Client => self.dropped(&payload, false),
            Exit::Lost { .. } => {}
        }
    }

    fn dropped(&mut self, packet: &Packet, queue: bool) {
        if self.record {
            let connection = packet.connection as u32;
            self.drops.push(PacketDrop {
                at: packet.sent_at,
                connection,
                queue,
            });
        }
    }

    fn ring(&mut self, timer: Timer) -> Result<(), ScenarioError> {
        let now = self.now;
        match timer {
            Timer::Browser => {
                if self.browser_alarm.rang(now) && is_due(self.browser.poll_timeout(), now) {
                    self.browser.handle_timeout(now);
                }
            }
            Timer::Client(i) => {
                let connection = &mut self.connections[i];
                if connection.client_alarm.rang(now)
                    && let Some((client, _)) = &mut connection.ends
                {
                    if is_due(client.poll_timeout(), now) {
                        client.handle_timeout(now);
                    }
                    self.touched.push(i);
                }
            }
            Timer::Server(i) => {
                let connection = &mut self.connections[i];
                if connection.server_alarm.rang(now)
                    && let Some((_, server)) = &mut connection.ends
                {
                    if is_due(server.poll_timeout(), now) {
                        server.handle_timeout(now);
                    }
                    self.touched.push(i);
                }
            }
            Timer::Resolved(i) => self.connect(i)?,
        }
        Ok(())
    }

    /// Lets everybody act until nobody has anything left to do now.
    fn settle(&mut self) {
        loop {
            while let Some(i) = self.touched.pop() {
                self.client_events(i);
                self.flush(i);
            }
            while let Some(action) = self.browser.poll_action() {
                self.act(action);
            }
            if self.touched.is_empty() {
                break;
            }
        }
        let deadline = self.browser.poll_timeout();
        if let Some(at) = self.browser_alarm.set(self.now, deadline) {
            self.timers.schedule(at, Timer::Browser);
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Fetch { resource, priority } => self.fetch(resource, priority),
            Action::Reprioritise { resource, priority } => {
                let Some(i) = self.pool.get(self.page.resource(resource).origin) else {
                    return;
                };
                let connection = &mut self.connections[i];
                if let Some((client, _)) = &mut connection.ends {
                    client.reprioritise(u64::from(resource.0), priority);
                    self.touched.push(i);
                } else if let Some(e) = connection.early.iter_mut().find(|e| e.0 == resource) {
                    e.1 = priority;
                }
            }
        }
    }

    fn fetch(&mut self, resource: ResourceId, priority: Priority) {
        let discovered = self.browser.discovered_at(resource).unwrap_or(self.now);
        self.progress[resource.index()] = Some(Progress::new(discovered, self.now));
        let origin = self.page.resource(resource).origin;
        let i = self.pool.get(origin).unwrap_or_else(|| {
            let i = self.connections.len();
            self.pool.open(origin, i);
            // A look-up takes one round trip to a resolver behind the same
            // access link; what a cache would answer is not known.
            let resolved_at = self.now + self.scenario.network.rtt();
            self.timers.schedule(resolved_at, Timer::Resolved(i));
            self.connections.push(Connection {
                ends: None,
                early: Vec::new(),
                opener: resource,
                resolved_at,
                client_alarm: Alarm::default(),
                server_alarm: Alarm::default(),
                streams: BTreeMap::new(),
            });
            i
        });
        self.connections[i].early.push((resource, priority));
        if self.connections[i].ends.is_some() {
            self.send_requests(i);
        }
    }

    /// The name is resolved: both ends come to life.
    fn connect(&mut self, i: usize) -> Result<(), ScenarioError> {
        // Not by order of opening, which a strategy may change.
        let origin = self.page.resource(self.connections[i].opener).origin;
        let group = self.pool.group(origin);
        let client = ClientConfig {
            settings: self.settings.clone(),
            keys: self.keys.0.clone(),
            seed: derive_seed(self.seed, &format!("client/{group}")),
            h3: http_limits(),
            record: self.log,
        };
        let server = ServerConfig {
            settings: self.settings.clone(),
            keys: self.keys.1.clone(),
            strategy: self.scenario.strategy.clone(),
            retransmission: self.scenario.retransmission,
            seed: derive_seed(self.seed, &format!("server/{group}")),
            h3: http_limits(),
            record: self.log,
            record_frames: self.record,
        };
        let site = PageSite::new(self.page.clone(), self.seed, self.scenario.browser.jitter);
        let mut client =
            Client::connect(&client, self.now, self.epoch, server_address(), SERVER_NAME)?;
        client.record_gaps(self.record);
        let server = Server::new(&server, self.epoch, site)?;
        self.connections[i].ends = Some((client, server));
        let opener = self.connections[i].opener;
        if let Some(p) = &mut self.progress[opener.index()] {
            p.dns = self.now.since(p.requested);
        }
        self.send_requests(i);
        Ok(())
    }

    fn send_requests(&mut self, i: usize) {
        let Connection { ends, early, .. } = &mut self.connections[i];
        let Some((client, _)) = ends else { return };
        for (resource, priority) in early.drain(..) {
            let fields = request_fields(&self.page, resource);
            let body = match self.page.resource(resource).request_body_bytes {
                0 => None,
                n => Some(Bytes::from(vec![0; n as usize])),
            };
            client.request(u64::from(resource.0), fields, Some(priority), body);
        }
        self.touched.push(i);
    }

    /// Tells the browser what came in on a connection.
    fn client_events(&mut self, i: usize) {
        let now = self.now;
        let Connection {
            ends,
            opener,
            resolved_at,
            streams,
            ..
        } = &mut self.connections[i];
        let Some((client, _)) = ends else { return };
        let mut failed = None;
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Connected => {
                    if let Some(p) = &mut self.progress[opener.index()] {
                        p.connect = now.since(*resolved_at);
                    }
                }
                ClientEvent::Sent { token, stream } => {
                    let r = resource(token);
                    streams.insert(stream, r);
                    if let Some(p) = &mut self.progress[r.index()] {
                        p.sent = Some(now);
                        p.stream = Some((i, stream));
                    }
                }
                ClientEvent::Head { token, .. } => {
                    let r = resource(token);
                    if let Some(p) = &mut self.progress[r.index()] {
                        p.head = Some(now);
                    }
                    self.browser.handle_response_start(now, r);
                }
                ClientEvent::Data { token, data } => {
                    let r = resource(token);
                    if let Some(p) = &mut self.progress[r.index()] {
                        p.body_received += data.len() as u64;
                        self.browser.handle_body(now, r, p.body_received);
                    }
                }
                ClientEvent::End { token } => {
                    let r = resource(token);
                    if let Some(p) = &mut self.progress[r.index()] {
                        p.end = Some(now);
                    }
                    self.browser.handle_response_end(now, r);
                }
                ClientEvent::Failed { token, code } => {
                    failed.get_or_insert(format!(
                        "resource {token} failed with HTTP/3 error 0x{code:x}"
                    ));
                    self.browser.handle_failure(now, resource(token));
                }
                ClientEvent::Lost { reason } => {
                    // What this made fail needs no reason of its own.
                    self.pool.close(i);
                    failed = Some(format!("a connection was lost: {reason}"));
                }
            }
        }
        self.failure = self.failure.take().or(failed);
    }

    /// Puts what both ends have to send on the links; sets their timers.
    fn flush(&mut self, i: usize) {
        let now = self.now;
        let Connection {
            ends,
            client_alarm,
            server_alarm,
            ..
        } = &mut self.connections[i];
        let Some((client, server)) = ends else { return };
        let mut full = Vec::new();
        while let Some(t) = client.poll_transmit(now, &mut self.buf) {
            let packet = Packet {
                connection: i,
                sent_at: now,
                data: self.buf[..t.size].into(),
            };
            // What the uplink's queue has no room for shows in its counters.
            let _ = self
                .up
                .enqueue(now, (t.size + IP_UDP_HEADER) as u32, packet);
        }
        while let Some(t) = server.poll_transmit(now, &mut self.buf) {
            let packet = Packet {
                connection: i,
                sent_at: now,
                data: self.buf[..t.size].into(),
            };
            if let Err(d) = self
                .down
                .enqueue(now, (t.size + IP_UDP_HEADER) as u32, packet)
            {
                full.push(d.payload);
            }
        }
        if let Some(at) = client_alarm.set(now, client.poll_timeout()) {
            self.timers.schedule(at, Timer::Client(i));
        }
        if let Some(at) = server_alarm.set(now, server.poll_timeout()) {
            self.timers.schedule(at, Timer::Server(i));
        }
        if self.log {
            let connection = i as u32;
            let log = &mut self.packets;
            client.drain_packets(|packet| {
                log.push(LoggedPacket {
                    at: now,
                    connection,
                    side: Side::Client,
                    packet,
                });
            });
            server.drain_packets(|packet| {
                log.push(LoggedPacket {
                    at: now,
                    connection,
                    side: Side::Server,
                    packet,
                });
            });
        }
        for packet in full {
            self.dropped(&packet, true);
        }
    }

    /// What came out.
    pub(crate) fn finish(mut self) -> (Outcome, Vec<LoggedPacket>) {
        let transport = self.counters();
        let trace = self.record.then(|| self.trace());
        let now = self.now;
        let resources = self.progress.iter().map(|p| {
            let p = p.as_ref()?;
            let hol = p.stream.map_or(0, |(i, stream)| {
                let ends = self.connections[i].ends.as_ref();
                ends.map_or(0, |(client, _)| client.hol().blocked_bytes(stream))
            });
            Some(p.timing(now, hol))
        });
        let outcome = Outcome {
            load: self.browser.metrics(),
            transport,
            resources: resources.collect(),
            visual_progress: self.browser.visual_progress(),
            failure: self.failure.clone(),
            finished_at: now,
            trace,
        };
        (outcome, self.packets)
    }

    fn counters(&mut self) -> TransportCounters {
        let (down, up) = (self.down.counters(), self.up.counters());
        let mut sum = TransportCounters {
            connections: self.connections.len() as u64,
            link_losses: down.lost,
            queue_drops: down.queue_drops,
            bytes_down: down.bytes_enqueued,
            bytes_up: up.bytes_enqueued,
            ..TransportCounters::default()
        };
        for (client, server) in self.connections.iter_mut().filter_map(|c| c.ends.as_mut()) {
            let stats = server.stats();
            sum.packets_sent += stats.packets_sent;
            sum.packets_lost += stats.packets_lost;
            sum.retransmitted_bytes += stats.retransmitted_bytes;
            sum.hol_blocked_bytes += client.hol().total_bytes();
            sum.hol_blocked_byte_ms += client.hol().total_byte_ms();
        }
        sum
    }

    fn trace(&mut self) -> Trace {
        let (mut frames, mut hol_gaps) = (Vec::new(), Vec::new());
        for (i, c) in self.connections.iter_mut().enumerate() {
            let Some((client, server)) = &mut c.ends else {
                continue;
            };
            frames.extend(server.take_frames().into_iter().filter_map(|f| {
                Some(FrameSent {
                    at: f.at,
                    connection: i as u32,
                    resource: *c.streams.get(&f.stream)?,
                    offset: f.offset,
                    length: f.length as u32,
                    retransmission: f.retransmission,
                })
            }));
            hol_gaps.extend(client.hol().gaps().iter().filter_map(|g| {
                let resource = *c.streams.get(&g.stream)?;
                Some(HolGap {
                    resource,
                    from: g.from,
                    until: g.until,
                    bytes: g.bytes,
                })
            }));
        }
        // Stable: within an instant by connection.
        frames.sort_by_key(|f| f.at);
        hol_gaps.sort_by_key(|g| (g.from, g.resource));
        let mut drops = std::mem::take(&mut self.drops);
        drops.sort_by_key(|d| d.at);
        Trace {
            frames,
            drops,
            hol_gaps,
        }
    }
}

fn keys(real_tls: bool) -> Result<(ClientKeys, ServerKeys), ScenarioError> {
    if real_tls {
        let identity = Identity::new(&[SERVER_NAME])?;
        return Ok((identity.client_keys()?, identity.server_keys()?));
    }
    let sizes = FlightSizes::default();
    Ok((ClientKeys::Null(sizes), ServerKeys::Null(sizes)))
}

/// Real sites send real fields: more than these limits no browser would take.
fn http_limits() -> h3::Config {
    h3::Config {
        max_field_section_size: 1 << 20,
        ..h3::Config::default()
    }
}

fn resource(token: u64) -> ResourceId {
    ResourceId(token as u32)
}

fn is_due(deadline: Option<Instant>, now: Instant) -> bool {
    deadline.is_some_and(|d| d <= now)
}

/// Each connection has ends of its own, so one pair of addresses serves all.
fn client_address() -> SocketAddr {
    ([10, 0, 0, 1], 50_000).into()
}

fn server_address() -> SocketAddr {
    ([10, 0, 0, 2], 443).into()
}
