//! Event loop of a page load: one browser, its connections, and two links.

pub(crate) mod connections;
mod critical_path;
mod interventions;
mod objects;
mod requests;
mod tally;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pagerace_browser::{Browser, Cached};
use pagerace_core::{EventQueue, Instant, Protocol, Rng};
use pagerace_delivery::reliability::Nature;
use pagerace_net::{Exit, Link};
use pagerace_page::{Page, ResourceEffect, ResourceId};
use pagerace_peer::ClientEvent;
use pagerace_transport::quic::Epoch;

use self::connections::Keys;
use crate::ScenarioError;
use crate::alarm::Alarm;
use crate::ends::{Ends, Packet, PacketExit, Payload};
use crate::objects::natures;
use crate::outcome::{FrameSent, Outcome};
use crate::pool::Pool;
use crate::scenario::Scenario;
use crate::site::PageSite;
use crate::timing::{Progress, SetUp};
use crate::trace::{LoggedPacket, Side};
use crate::wire::{Fate, WireLog};

#[derive(Clone, Copy, Debug)]
enum Timer {
    Client(usize),
    Server(usize),
    Browser,
    /// The name lookup of a connection ends.
    Resolved(usize),
    /// A request that the recording shows as failed reaches the end of its attempt.
    Fails(ResourceId),
}

/// One connection.
struct Connection {
    place: usize,
    protocol: Protocol,
    /// Client and server; `None` until the name is resolved.
    ends: Option<Ends<PageSite>>,
    /// Requests made before both ends exist.
    early: Vec<(ResourceId, pagerace_core::Priority)>,
    set_up: SetUp,
    /// Number of requests given to the connection that have not ended.
    busy: usize,
    /// Time at which the last request ended.
    idle_since: Option<Instant>,
    client_alarm: Alarm,
    server_alarm: Alarm,
    /// Resource of each request stream.
    streams: BTreeMap<u64, ResourceId>,
}

/// State of one page load.
pub(crate) struct World<'a> {
    scenario: &'a Scenario,
    page: Arc<Page>,
    seed: u64,
    record: bool,
    log: bool,
    now: Instant,
    epoch: Epoch,
    keys: Keys,
    browser: Browser,
    browser_alarm: Alarm,
    cached: Arc<Vec<Cached>>,
    /// Interventions on requests, by resource; empty if there are none.
    effects: Arc<Vec<ResourceEffect>>,
    /// Role of each object, as servers know it; empty if all are delivered alike.
    natures: Arc<Vec<Nature>>,
    /// Connection and resource of incomplete responses whose repair waits for essential
    /// objects.
    repairs: Vec<(usize, ResourceId)>,
    pool: Pool,
    connections: Vec<Connection>,
    /// The link to the browser.
    down: Link<Packet>,
    /// The link to the servers.
    up: Link<Packet>,
    timers: EventQueue<Timer>,
    progress: Vec<Option<Progress>>,
    /// Connections with work to do now, in order of arrival, because Chromium writes
    /// requests in the order in which it gave them to their connections.
    touched: VecDeque<usize>,
    /// Places where a connection may have become free, in order of that event.
    freed: VecDeque<usize>,
    wire_down: WireLog,
    wire_up: WireLog,
    packets: Vec<LoggedPacket>,
    /// Number of requests in progress that will fail without a response.
    failing: usize,
    failure: Option<String>,
    buf: Vec<u8>,
}

impl<'a> World<'a> {
    /// Creates the state before the load. If `record` is true, it keeps data for a trace
    /// and an explanation; if `log` is true, whole packets.
    pub(crate) fn new(
        scenario: &'a Scenario,
        seed: u64,
        record: bool,
        log: bool,
    ) -> Result<Self, ScenarioError> {
        let page = scenario.page.clone();
        let mut browser = Browser::new(page.clone(), &scenario.browser, seed);
        let protocol = |o: &pagerace_page::Origin| scenario.protocols.of(&o.host);
        browser.set_protocols(page.origins.iter().map(protocol).collect());
        let cached = connections::cached(&page, scenario.visit);
        browser.set_cached(cached.as_ref().clone());
        Ok(Self {
            browser,
            cached,
            effects: interventions::effects(scenario),
            natures: Arc::new(natures(scenario)),
            repairs: Vec::new(),
            pool: Pool::new(&page, scenario.settings.connections, &scenario.protocols),
            down: Link::new(&scenario.network.down, Rng::new(seed, "link/down")),
            up: Link::new(&scenario.network.up, Rng::new(seed, "link/up")),
            progress: vec![None; page.resources.len()],
            keys: Keys::new(scenario)?,
            scenario,
            page,
            seed,
            record,
            log,
            now: Instant::ZERO,
            epoch: Epoch::new(),
            browser_alarm: Alarm::default(),
            connections: Vec::new(),
            timers: EventQueue::new(),
            touched: VecDeque::new(),
            freed: VecDeque::new(),
            wire_down: WireLog::default(),
            wire_up: WireLog::default(),
            packets: Vec::new(),
            failing: 0,
            failure: None,
            buf: Vec::with_capacity(2048),
        })
    }

    /// Runs the load to its end.
    pub(crate) fn run(&mut self) -> Result<(), ScenarioError> {
        let limit = self.scenario.settings.deadline;
        let deadline = Instant::ZERO + limit;
        self.open_warm_connections()?;
        self.browser.start(self.now);
        self.settle();
        while !self.browser.is_done() && !self.is_stalled() {
            let links = self.down.next_at().into_iter().chain(self.up.next_at());
            let Some(next) = links.chain(self.timers.next_at()).min() else {
                self.failure = Some("nothing was left to happen before the load ended".into());
                break;
            };
            if next > deadline {
                self.now = deadline;
                self.failure = Some(format!("not loaded after {limit}"));
                break;
            }
            self.now = next;
            self.step()?;
            self.settle();
        }
        Ok(())
    }

    /// Handles one event that is due now: a packet that leaves a link, or a timer.
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

    fn arrive(&mut self, exit: PacketExit, to: Side) {
        let (packet, crossed_at, fate) = match exit {
            Exit::Delivered {
                at,
                crossed_at,
                payload,
            } => (payload, Some(crossed_at), Fate::Arrived(at)),
            Exit::Lost {
                crossed_at,
                payload,
                ..
            } => (payload, Some(crossed_at), Fate::Lost),
            Exit::Dropped { payload, .. } => (payload, None, Fate::Dropped),
        };
        if self.record {
            let log = match to {
                Side::Client => &mut self.wire_down,
                Side::Server => &mut self.wire_up,
            };
            log.ended(packet.logged, crossed_at, fate);
        }
        if !matches!(fate, Fate::Arrived(_)) {
            return;
        }
        let i = packet.connection;
        let now = self.now;
        if let Some(ends) = &mut self.connections[i].ends {
            ends.handle(now, to, packet.payload);
        }
        self.touched.push_back(i);
    }

    fn ring(&mut self, timer: Timer) -> Result<(), ScenarioError> {
        let now = self.now;
        match timer {
            Timer::Browser => {
                if self.browser_alarm.rang(now) && is_due(self.browser.poll_timeout(), now) {
                    self.browser.handle_timeout(now);
                }
            }
            Timer::Client(i) | Timer::Server(i) => {
                let connection = &mut self.connections[i];
                let (side, alarm) = match timer {
                    Timer::Client(_) => (Side::Client, &mut connection.client_alarm),
                    _ => (Side::Server, &mut connection.server_alarm),
                };
                if alarm.rang(now)
                    && let Some(ends) = &mut connection.ends
                {
                    if is_due(ends.poll_timeout(side), now) {
                        ends.handle_timeout(now, side);
                    }
                    self.touched.push_back(i);
                }
            }
            Timer::Resolved(i) => self.connect(i)?,
            Timer::Fails(r) => self.request_failed(r),
        }
        Ok(())
    }

    /// Lets all parties act until none has work left to do now.
    fn settle(&mut self) {
        loop {
            while let Some(i) = self.touched.pop_front() {
                self.asked(i);
                self.client_events(i);
                self.flush(i);
                // Report the requests that left just now.
                self.client_events(i);
            }
            while let Some(place) = self.freed.pop_front() {
                if self.pool.places[place].protocol == Protocol::H1 {
                    self.dispatch(place);
                }
            }
            while let Some(action) = self.browser.poll_action() {
                self.act(action);
            }
            self.repair_if_time();
            if self.touched.is_empty() {
                break;
            }
        }
        let deadline = self.browser.poll_timeout();
        if let Some(at) = self.browser_alarm.set(self.now, deadline) {
            self.timers.schedule(at, Timer::Browser);
        }
    }

    /// Puts the packets that both ends have to send on the links, and sets the timers of
    /// both.
    fn flush(&mut self, i: usize) {
        let now = self.now;
        let Connection {
            ends,
            client_alarm,
            server_alarm,
            streams,
            ..
        } = &mut self.connections[i];
        let Some(ends) = ends else { return };
        while let Some((size, payload)) = ends.transmit(now, Side::Client, &mut self.buf) {
            let logged = if self.record {
                self.wire_up.sent(i, now, size, None)
            } else {
                0
            };
            let packet = packet(i, logged, payload);
            if self.up.enqueue(now, size, i as u64, packet).is_err() && self.record {
                self.wire_up.ended(logged, None, Fate::Dropped);
            }
        }
        while let Some((size, payload)) = ends.transmit(now, Side::Server, &mut self.buf) {
            let logged = if self.record {
                let frames = ends.take_frames().into_iter().filter_map(|f| {
                    Some(FrameSent {
                        at: f.at,
                        connection: i as u32,
                        resource: *streams.get(&f.stream)?,
                        offset: f.offset,
                        length: f.length as u32,
                        retransmission: f.retransmission,
                    })
                });
                self.wire_down.sent(i, now, size, frames)
            } else {
                0
            };
            let packet = packet(i, logged, payload);
            if self.down.enqueue(now, size, i as u64, packet).is_err() && self.record {
                self.wire_down.ended(logged, None, Fate::Dropped);
            }
        }
        if let Some(at) = client_alarm.set(now, ends.poll_timeout(Side::Client)) {
            self.timers.schedule(at, Timer::Client(i));
        }
        if let Some(at) = server_alarm.set(now, ends.poll_timeout(Side::Server)) {
            self.timers.schedule(at, Timer::Server(i));
        }
        if self.log {
            let connection = i as u32;
            let log = &mut self.packets;
            ends.drain_packets(|side, packet| {
                log.push(LoggedPacket {
                    at: now,
                    connection,
                    side,
                    packet,
                });
            });
        }
    }

    /// Returns the outcome and the logged packets.
    pub(crate) fn finish(mut self) -> (Outcome, Vec<LoggedPacket>) {
        let outcome = self.outcome();
        (outcome, self.packets)
    }

    /// Records which requests the server has received.
    fn asked(&mut self, i: usize) {
        let now = self.now;
        let Some(ends) = &mut self.connections[i].ends else {
            return;
        };
        for (resource, think_time, priority) in ends.site().take_asked() {
            if let Some(p) = &mut self.progress[resource.index()] {
                p.asked = Some((now, think_time));
                p.priority = Some(priority);
            }
        }
    }

    /// Passes the events of a connection to the browser.
    fn client_events(&mut self, i: usize) {
        let mut failed = None;
        while let Some(event) = self.connections[i].ends.as_mut().and_then(Ends::poll_event) {
            self.client_event(i, event, &mut failed);
        }
        self.failure = self.failure.take().or(failed);
    }

    /// Handles one event. On a failure, `failed` receives the reason.
    fn client_event(&mut self, i: usize, event: ClientEvent, failed: &mut Option<String>) {
        let now = self.now;
        match event {
            ClientEvent::Connected => self.connected(i),
            ClientEvent::Sent { token, stream } => {
                let r = resource(token);
                let early = self.keys.early_data(self.connections[i].protocol);
                let connection = &mut self.connections[i];
                let reused = !connection.streams.is_empty();
                connection.streams.insert(stream, r);
                // A request written before the handshake is complete leaves after it.
                let leaves = early || connection.set_up.connected.is_some();
                if let Some(p) = &mut self.progress[r.index()] {
                    p.sent = leaves.then_some(now);
                    p.stream = Some((i, stream));
                    p.reused = reused;
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
                    p.over = true;
                }
                if self.cached.get(r.index()) == Some(&Cached::Validate) {
                    self.browser.handle_not_modified(now, r);
                } else {
                    self.browser.handle_response_end(now, r);
                }
                self.request_over(i);
            }
            ClientEvent::Incomplete { token, repair } => {
                self.incomplete(i, resource(token), repair);
            }
            // The connection was given up, but the browser would keep waiting.
            ClientEvent::Failed { token, .. } if self.hangs(resource(token)) => {}
            ClientEvent::Failed { token, code } => {
                if let Some(p) = &mut self.progress[resource(token).index()] {
                    p.over = true;
                }
                let protocol = self.connections[i].protocol;
                failed.get_or_insert(format!(
                    "resource {token} failed over {protocol} with error 0x{code:x}"
                ));
                self.browser.handle_failure(now, resource(token));
                self.request_over(i);
            }
            ClientEvent::Lost { .. } if failed.is_none() && self.holds_unanswered(i) => {
                self.lost(i);
            }
            ClientEvent::Lost { reason } => {
                // This reason replaces those of requests that failed with the connection.
                *failed = Some(format!("a connection was lost: {reason}"));
                self.lost(i);
            }
        }
    }
}

fn packet(connection: usize, logged: usize, payload: Payload) -> Packet {
    Packet {
        connection,
        logged,
        payload,
    }
}

fn resource(token: u64) -> ResourceId {
    ResourceId(token as u32)
}

fn is_due(deadline: Option<Instant>, now: Instant) -> bool {
    deadline.is_some_and(|d| d <= now)
}
