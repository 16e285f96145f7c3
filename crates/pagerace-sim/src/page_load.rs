//! A page load: one browser and its connections.

mod connections;
mod critical_path;
mod discovery;
mod interventions;
mod look_ups;
mod requests;
mod tally;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pagerace_browser::{Browser, Cached};
use pagerace_core::{Destination, Instant, Priority, Protocol};
use pagerace_page::ResourceId;
use pagerace_peer::ClientEvent;

use self::look_ups::LookUp;
use crate::ScenarioError;
use crate::alarm::Alarm;
use crate::connector::Connector;
use crate::ends::Ends;
use crate::event_loop::{Event, EventLoop, Query, Record};
use crate::ids::{ById, ConnectionId, LookUpId, PlaceId};
use crate::outcome::Outcome;
use crate::pool::Pool;
use crate::reliability::Incomplete;
use crate::scenario::Scenario;
use crate::site::PageSite;
use crate::timing::{Progress, SetUp};
use crate::trace::LoggedPacket;
use crate::visit::Visit;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Timer {
    Browser,
    /// The name of a connection is known.
    Resolved(ConnectionId),
    /// Queries of a look-up are due to be sent again.
    AskAgain {
        look_up: LookUpId,
        /// Round of the look-up in which they were sent.
        round: u32,
        /// Number of times that they were sent.
        attempts: u32,
    },
    /// A look-up with an address waits for no other answer.
    AddressSuffices(LookUpId),
    /// The browser takes a new connection over TCP into use.
    Usable(ConnectionId),
    /// A request leaves over a connection that was open before.
    Leaves(ConnectionId),
    /// TCP no longer lets QUIC go first.
    HeadStartEnds(PlaceId),
    /// A place's first connection over TCP has had time to be established.
    BackUp(PlaceId),
    /// A request that the recording shows as failed reaches the end of its attempt.
    Fails(ResourceId),
}

/// The browser's view of one connection.
struct Connection {
    place: PlaceId,
    protocol: Protocol,
    /// The older connection whose requests this one may take, if the browser opened it because that
    /// one took long or was not ready yet.
    backs_up: Option<ConnectionId>,
    /// True if the browser opened the connection for one of several requests to a server of which
    /// it does not know yet that it speaks HTTP/2.
    for_request: bool,
    /// Requests given to the connection that have not left yet.
    early: Vec<(ResourceId, Priority)>,
    set_up: SetUp,
    /// Destinations of the requests that have left.
    kinds: BTreeSet<Destination>,
    /// Number of requests given to the connection that have not ended.
    busy: usize,
    /// Time at which the last request ended.
    idle_since: Option<Instant>,
    /// Resource of each request stream.
    streams: BTreeMap<u64, ResourceId>,
}

/// A piece of work to do before time advances.
#[derive(Debug)]
enum Work {
    /// Events of a connection, and packets that it may send.
    Connection(ConnectionId),
    Ask {
        query: Query,
        /// Size of the query on the wire in bytes.
        size: u32,
    },
}

/// State of one page load.
pub(crate) struct PageLoad<'a> {
    pub(crate) scenario: &'a Scenario,
    /// The page as its servers know it; each connection has a copy.
    site: PageSite,
    connector: Connector,
    pub(crate) net: EventLoop<PageSite, Timer>,
    pub(crate) browser: Browser,
    browser_alarm: Alarm,
    pool: Pool,
    look_ups: ById<LookUpId, LookUp>,
    /// Connections, with the same numbers as the ends in `net`.
    connections: ById<ConnectionId, Connection>,
    /// Requests that were made over the network, by resource.
    pub(crate) progress: Vec<Option<Progress>>,
    /// Number of requests in progress that will fail without a response.
    failing: usize,
    pub(crate) incomplete: Incomplete,
    /// Work to do before time advances, in order of arrival: Chromium writes requests and queries
    /// in the order in which it gave them to their connections and resolvers.
    work: VecDeque<Work>,
    /// Places where a connection may have become free, in order of that event.
    freed: VecDeque<PlaceId>,
    /// True once a QUIC connection was ready.
    quic_has_worked: bool,
    failure: Option<String>,
}

impl<'a> PageLoad<'a> {
    /// Loads the page once.
    pub(crate) fn run(
        scenario: &'a Scenario,
        seed: u64,
        record: Record,
    ) -> Result<Self, ScenarioError> {
        Self::run_until(scenario, seed, record, |_| false)
    }

    /// Loads the page once, at most until the browser `is_enough`.
    pub(crate) fn run_until(
        scenario: &'a Scenario,
        seed: u64,
        record: Record,
        is_enough: fn(&Browser) -> bool,
    ) -> Result<Self, ScenarioError> {
        let page = &scenario.page;
        let site = PageSite::new(scenario, seed);
        let mut browser = Browser::new(page.clone(), &scenario.browser, seed);
        let protocols = scenario.protocols.of_page(page);
        browser.set_protocols(&protocols);
        browser.set_cached(site.cached.to_vec());
        if let Some(draw) = scenario.world.largest {
            browser.set_largest(draw);
        }
        let (settings, congestion) = (&scenario.settings, &scenario.congestion);
        let strategy = scenario.strategy.clone();
        let mut connector = Connector::new(settings, congestion, scenario.visit, strategy, seed)?;
        connector.reliability = scenario.reliability.clone();
        connector.decimates_acks = scenario.browser.profile.decimates_acks;
        connector.record = record;
        let frames = scenario.browser.profile.partitions_frames;
        let mut pool = Pool::new(page, settings, &protocols, frames);
        if scenario.visit != Visit::Cold {
            pool.remember_announcements(page);
        }
        let mut load = Self {
            scenario,
            site,
            connector,
            net: EventLoop::new(&scenario.network, seed, record),
            browser,
            browser_alarm: Alarm::default(),
            look_ups: vec![LookUp::default(); pool.look_ups.len()].into(),
            pool,
            connections: ById::default(),
            progress: vec![None; page.resources.len()],
            failing: 0,
            incomplete: Incomplete::default(),
            work: VecDeque::new(),
            freed: VecDeque::new(),
            quic_has_worked: false,
            failure: None,
        };
        load.run_to_end(is_enough)?;
        Ok(load)
    }

    fn run_to_end(&mut self, is_enough: fn(&Browser) -> bool) -> Result<(), ScenarioError> {
        let limit = self.scenario.settings.deadline;
        self.open_warm_connections()?;
        self.browser.start(self.net.now);
        self.settle();
        while !self.browser.is_done() && !is_enough(&self.browser) && !self.is_stalled() {
            match self.net.step(Instant::ZERO + limit) {
                Some(Event::Connection(i)) => self.touch(i),
                Some(Event::Timer(timer)) => self.handle_timer(timer)?,
                Some(Event::Answered(query)) => self.handle_answer(query)?,
                Some(Event::Nothing) => {}
                Some(Event::Deadline) => {
                    // What is under way after the load event, such as a poll, is no part of the
                    // load.
                    if self.browser.metrics().onload.is_none() {
                        self.failure = Some(format!("not loaded after {limit}"));
                    }
                    break;
                }
                None => {
                    let reason = "nothing was left to happen before the load ended";
                    self.failure = Some(reason.into());
                    break;
                }
            }
            self.settle();
        }
        Ok(())
    }

    fn handle_timer(&mut self, timer: Timer) -> Result<(), ScenarioError> {
        let now = self.net.now;
        match timer {
            Timer::Browser => {
                let due = |at: Instant| at <= now;
                if self.browser_alarm.handle_ring(now)
                    && self.browser.poll_timeout().is_some_and(due)
                {
                    self.browser.handle_timeout(now);
                }
            }
            Timer::Resolved(i) => self.connect(i)?,
            Timer::AskAgain {
                look_up,
                round,
                attempts,
            } => self.ask_again(look_up, round, attempts),
            Timer::AddressSuffices(look_up) => self.handle_resolved(look_up)?,
            Timer::Usable(i) => self.handle_usable(i),
            Timer::Leaves(i) => self.send_requests(i),
            Timer::HeadStartEnds(place) => self.handle_head_start_end(place),
            Timer::BackUp(place) => self.back_up(place),
            Timer::Fails(r) => self.handle_request_failed(r),
        }
        Ok(())
    }

    /// Lets all parties act until none has work left to do now.
    fn settle(&mut self) {
        loop {
            while let Some(work) = self.work.pop_front() {
                match work {
                    Work::Connection(i) => self.work_on(i),
                    Work::Ask { query, size } => self.net.ask(query, size),
                }
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
            if self.work.is_empty() {
                break;
            }
        }
        let deadline = self.browser.poll_timeout();
        if let Some(at) = self.browser_alarm.set(self.net.now, deadline) {
            self.net.schedule(at, Timer::Browser);
        }
        self.net.reads_from = self.browser.reads_from();
    }

    /// Notes that a connection has work to do now.
    pub(crate) fn touch(&mut self, i: ConnectionId) {
        self.work.push_back(Work::Connection(i));
    }

    /// Lets a connection act, and passes its events on.
    fn work_on(&mut self, i: ConnectionId) {
        self.handle_asked(i);
        self.forward_events(i);
        self.net.flush(i, &self.connections[i].streams);
        // Report the requests that left just now.
        self.forward_events(i);
    }

    pub(crate) fn finish(mut self) -> (Outcome, Vec<LoggedPacket>) {
        let outcome = self.outcome();
        (outcome, self.net.packets)
    }

    /// Records which requests the server has received.
    fn handle_asked(&mut self, i: ConnectionId) {
        let now = self.net.now;
        let Some(ends) = &mut self.net.ends[i] else {
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
    fn forward_events(&mut self, i: ConnectionId) {
        let mut failed = None;
        while let Some(event) = self.net.ends[i].as_mut().and_then(Ends::poll_event) {
            self.handle_client_event(i, event, &mut failed);
        }
        self.failure = self.failure.take().or(failed);
    }

    /// Handles one event. On a failure, `failed` receives the reason.
    fn handle_client_event(
        &mut self,
        i: ConnectionId,
        event: ClientEvent,
        failed: &mut Option<String>,
    ) {
        let now = self.net.now;
        match event {
            ClientEvent::Connected => self.handle_handshake_done(i),
            ClientEvent::Sent { token, stream } => {
                let r = resource(token);
                let early = self.early_data(i);
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
            ClientEvent::Interim { token, .. } => {
                // Browsers heed hints over HTTP/2 and HTTP/3 alone
                // (`NavigationEarlyHintsManager` of Chromium).
                if self.connections[i].protocol != Protocol::H1 {
                    self.browser.handle_early_hints(now, resource(token));
                }
            }
            ClientEvent::Head { token, .. } => {
                let r = resource(token);
                if let Some(p) = &mut self.progress[r.index()] {
                    p.head = Some(now);
                }
                self.handle_announcement(i, r);
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
                if self.site.cached.get(r.index()) == Some(&Cached::Validate) {
                    self.browser.handle_not_modified(now, r);
                } else {
                    self.browser.handle_response_end(now, r);
                }
                self.handle_request_over(i);
            }
            ClientEvent::Incomplete { token, repair } => {
                self.handle_incomplete(i, resource(token), repair);
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
                self.handle_request_over(i);
            }
            // No request failed with the connection: it was idle, or its requests would never
            // have been answered.
            ClientEvent::Lost { .. } if failed.is_none() && !self.strands_requests(i) => {
                self.handle_lost(i);
            }
            ClientEvent::Lost { reason } => {
                // This reason replaces those of requests that failed with the connection.
                *failed = Some(format!("a connection was lost: {reason}"));
                self.handle_lost(i);
            }
        }
    }
}

fn resource(token: u64) -> ResourceId {
    ResourceId(token as u32)
}
