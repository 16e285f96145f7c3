//! The page load as a state machine.
//!
//! Every event has a time. Bytes and ends of responses come from outside; ends of tasks
//! and elapsed delays come from a totally ordered queue. Each event is handled completely
//! before the next.

mod callbacks;
mod causes;
mod discovery;
mod document;
mod failure;
mod fonts;
mod images;
mod incomplete;
mod made;
mod measure;
mod setup;
mod state;
mod tasks;
mod text;

use std::sync::Arc;

use pagerace_core::{Duration, EventQueue, Instant};
use pagerace_page::{Page, Paints, ResourceId, Wait};

use self::fonts::Fonts;
use self::state::{LoadEvent, Rendering, State, Timer};
use crate::cause::{Cause, Ready};
use crate::costs::Costs;
use crate::graph::{Graph, Node, Role};
use crate::main_thread::{Lane, Task};
use crate::overheads::Overheads;
use crate::paint::{Layout, Screen};
use crate::parser::Parser;
use crate::requests::Requests;
use crate::{Action, BrowserConfig, Profile};

/// One page load in one browser.
///
/// A pure state machine without clock or IO. Call [`start`](Self::start), then report
/// arrivals, and call [`handle_timeout`](Self::handle_timeout) at the time that
/// [`poll_timeout`](Self::poll_timeout) returns. After each call drain
/// [`poll_action`](Self::poll_action). Times must not decrease.
#[derive(Debug)]
pub struct Browser {
    page: Arc<Page>,
    profile: &'static Profile,
    graph: Graph,
    layout: Layout,
    costs: Costs,
    overheads: Overheads,
    requests: Requests,
    /// The earliest times at which the next request that is discovered may reach the network
    /// service and leave it.
    next_known: Instant,
    /// The number of hints that the scanner has found.
    hinted: usize,
    next_leaves: Instant,
    /// Time until which the network service prepares for a document.
    prepares_until: Instant,
    states: Vec<State>,
    parsers: Vec<Option<Box<Parser>>>,
    lanes: Vec<Lane>,
    /// Threads that may be able to start a task.
    woken: Vec<usize>,
    /// Timers, each with the cause under which it was set.
    timers: EventQueue<(Timer, Option<Cause>)>,
    /// Images that wait for the pending request of another one with their URL: that one, and the
    /// image.
    joined: Vec<(ResourceId, ResourceId)>,
    /// The number of timers that keep the load going.
    timers_pending: usize,
    started: Option<Instant>,
    /// The arrival of a 103 response before that of the document.
    early_hints: Option<Instant>,
    /// The event that is being handled.
    current: Ready,
    load: LoadEvent,
    rendering: Rendering,
    fonts: Fonts,
    screen: Screen,
    /// Tasks of the page's own thread that are longer than 50 ms: start and end.
    long_tasks: Vec<(Instant, Instant)>,
    /// The cause of each long task.
    long_task_causes: Vec<Option<Cause>>,
}

impl Browser {
    /// Creates a browser for one load of `page`.
    ///
    /// `seed` determines the variation of CPU costs. The variation is drawn by resource, so that
    /// loads of one page with one seed see the same factors in any order of requests.
    pub fn new(page: Arc<Page>, config: &BrowserConfig, seed: u64) -> Self {
        let profile = config.profile;
        let graph = Graph::new(&page, profile);
        let layout = Layout::new(&page, &graph, None);
        let costs = Costs::new(&page, config, seed);
        let requests = Requests::new(&page, profile, &graph, &layout);
        let parser = |node: &Node| {
            (node.role == Role::Html).then(|| {
                Box::new(Parser {
                    deferred: node.deferred.clone().into(),
                    ..Parser::default()
                })
            })
        };
        Self {
            profile,
            screen: Screen::new(layout.image_room),
            fonts: Fonts::new(&page, &layout),
            layout,
            overheads: Overheads::new(&page, config, seed),
            costs,
            requests,
            next_known: Instant::default(),
            hinted: 0,
            next_leaves: Instant::default(),
            prepares_until: Instant::default(),
            states: vec![State::default(); page.resources.len()],
            parsers: graph.nodes.iter().map(parser).collect(),
            lanes: (0..graph.lanes).map(|_| Lane::default()).collect(),
            woken: Vec::new(),
            timers: EventQueue::new(),
            joined: Vec::new(),
            timers_pending: 0,
            started: None,
            early_hints: None,
            current: Ready::default(),
            load: LoadEvent::default(),
            rendering: Rendering {
                hidden_until: hidden_until(&page),
                limit: page.layout().and_then(|layout| layout.hidden?.limit),
                overlay: page.layout().and_then(|layout| layout.overlay),
                ..Rendering::default()
            },
            long_tasks: Vec::new(),
            long_task_causes: Vec::new(),
            graph,
            page,
        }
    }

    /// Starts the navigation.
    pub fn start(&mut self, now: Instant) {
        assert!(self.started.is_none(), "a browser loads one page once");
        self.started = Some(now);
        self.current = Ready::new(now, None);
        self.navigate(now);
        self.settle(now);
        self.advance(now);
    }

    /// Reports a 103 (Early Hints) response before that of `r`. The browser prepares for what its
    /// links name, if `r` is the document.
    pub fn handle_early_hints(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        if r == self.page.document && self.early_hints.is_none() && self.document_head().is_none() {
            self.early_hints = Some(now);
            self.arrival(now, r, 0, false);
            self.prepare_early(now);
        }
        self.settle(now);
        self.advance(now);
    }

    /// Reports the arrival of a response head.
    pub fn handle_response_start(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_is_here(now, r);
        self.settle(now);
        self.advance(now);
    }

    /// Reports that `received` bytes of the encoded body have arrived in order.
    pub fn handle_body(&mut self, now: Instant, r: ResourceId, received: u64) {
        self.advance(now);
        self.head_is_here(now, r);
        let received = received.max(self.states[r.index()].received);
        self.arrival(now, r, received, false);
        self.bytes_arrived(now, r, received);
        self.settle(now);
        self.advance(now);
    }

    /// Reports a complete response. Body bytes that were not reported before arrive now.
    /// For a 304, call [`handle_not_modified`](Self::handle_not_modified) instead.
    pub fn handle_response_end(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_is_here(now, r);
        let size = self.page.resources[r.index()].body_bytes;
        self.arrival(now, r, size, true);
        self.bytes_arrived(now, r, size);
        self.deliver(now, r);
        self.settle(now);
        self.advance(now);
    }

    /// Reports a complete 304. The cached body is valid and complete. Its bytes
    /// do not count as received (see [`crate::LoadMetrics::byte_index`]).
    pub fn handle_not_modified(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_is_here(now, r);
        self.arrival(now, r, self.states[r.index()].received, true);
        self.body_from_cache(now, r);
        self.deliver(now, r);
        self.settle(now);
        self.advance(now);
    }

    /// Reports that the response will never be complete.
    pub fn handle_failure(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.arrival(now, r, self.states[r.index()].received, true);
        self.response_ended(now, r, true);
        self.settle(now);
        self.advance(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.timers.next_at()
    }

    /// Returns the time until which the browser reads no datagrams, because the one thread of its
    /// network service prepares the requests of a document. TCP segments are left out: the
    /// kernel acknowledges them meanwhile.
    pub fn reads_from(&self) -> Instant {
        self.prepares_until
    }

    /// Returns the time from the moment at which an open HTTP/1.1 connection can take the request
    /// for `resource` until the request leaves.
    pub fn reuse_time(&self, resource: ResourceId) -> Duration {
        self.overheads.reuse(resource)
    }

    /// Handles all timers that are due at `now`.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.advance(now);
    }

    /// Returns the next action for the network. Drain this after each `handle_*` call.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.requests.poll()
    }

    /// Returns true if the load is over: the load event has fired (or there is no
    /// document to fire it), no request is held or in flight, no trigger is pending, and
    /// no thread has work.
    pub fn is_done(&self) -> bool {
        (self.load.fired.is_some() || self.document_is_lost()) && self.is_quiet()
    }

    /// Returns true if no further event will happen without input.
    fn is_quiet(&self) -> bool {
        // If the other conditions hold, the remaining timers do not continue the load,
        // but may show text that waits for a broken font.
        let text_to_come = self.timers.next_at().is_some()
            && self.fonts.wait_for(|font| self.states[font.index()].broken);
        self.requests.is_idle()
            && self.timers_pending == 0
            && self.lanes.iter().all(Lane::is_idle)
            && !text_to_come
    }

    /// Returns the time at which the browser discovered `r`.
    pub fn discovered_at(&self, r: ResourceId) -> Option<Instant> {
        self.states[r.index()].discovered.map(|ready| ready.at)
    }

    /// Returns the time at which the browser's own scheduler released the request for
    /// `r`, or `None` if the cache answers without a request.
    pub fn requested_at(&self, r: ResourceId) -> Option<Instant> {
        self.requests.requested_at(r)
    }

    /// Handles all timers that are due at or before `now`.
    fn advance(&mut self, now: Instant) {
        while let Some((at, (timer, cause))) = self.timers.pop_due(now) {
            self.current = Ready::new(at, cause);
            self.timers_pending -= usize::from(timer.keeps_load());
            match timer {
                Timer::Discover(id) => self.discover_by_script(at, id),
                Timer::Scanned(id) => self.scanned(at, id),
                Timer::Styled => self.styled(at),
                Timer::Announce(id) => self.requests.announce(id),
                Timer::Hint(index) => {
                    let hint = self.page.hints[index];
                    self.requests.prepare(hint.of, hint.connects);
                }
                Timer::Ask(id) => self.ask(at, id),
                Timer::GiveUp(id) => self.give_up(at, id),
                Timer::Commit(id) => self.commit(at, id),
                Timer::Cached(id) => self.cached_response(at, id),
                Timer::Delivered(id) => self.queue(Task::Deliver(id)),
                Timer::TaskDone(lane) => self.task_done(at, lane),
                Timer::Frame => self.queue_render(),
                Timer::Callback(index) => self.queue(Task::Callback(index)),
                Timer::Made(made) => self.put_on_page(at, made),
                // The page may have been shown before the limit.
                Timer::Limit if self.rendering.hidden_until.is_none() => {}
                Timer::Reveal | Timer::Limit => {
                    self.rendering.hidden_until = None;
                    self.rendering.layout_since = self.current;
                }
                Timer::Uncover => {
                    let shown = at + self.presentation();
                    self.screen.uncover(shown, self.current.cause);
                }
                Timer::BlockPeriodOver(font) => self.end_block_period(at, font),
                Timer::FontPreloadsOver => self.end_font_preloads(at),
                Timer::Flush(image) => self.queue(Task::Flush(image)),
            }
            self.settle(at);
        }
    }

    /// Handles the consequences of any event: a paint or the load event may be due, and
    /// free threads start their next tasks.
    fn settle(&mut self, now: Instant) {
        self.check_reveal(now);
        self.check_render(now);
        self.check_load();
        while let Some(lane) = self.woken.pop() {
            self.start_task(now, lane);
        }
    }

    /// Queues a task that became possible at the current event.
    fn queue(&mut self, task: Task) {
        let lane = self.lane_of(task);
        self.lanes[lane].push(task, self.current);
        self.woken.push(lane);
    }

    /// Queues a task that became possible at the current event and runs before all others.
    fn queue_first(&mut self, task: Task) {
        let lane = self.lane_of(task);
        self.lanes[lane].push_first(task, self.current);
        self.woken.push(lane);
    }

    fn lane_of(&self, task: Task) -> usize {
        match task {
            Task::Parse(id)
            | Task::Style(id)
            | Task::Script(id)
            | Task::Vector(id)
            | Task::Flush(id)
            | Task::Deliver(id) => self.graph.nodes[id.index()].lane,
            Task::Request(id) => self.lane_of_script(id),
            Task::Render | Task::Callback(_) | Task::Load => 0,
        }
    }

    fn schedule(&mut self, at: Instant, timer: Timer) {
        self.timers_pending += usize::from(timer.keeps_load());
        self.timers.schedule(at, (timer, self.current.cause));
    }

    /// Returns true if there will never be a document, because its request failed before
    /// the response head or was never made.
    fn document_is_lost(&self) -> bool {
        self.graph.document.is_none_or(|d| {
            let state = &self.states[d];
            state.abandoned
                || (state.failed && state.head.is_none())
                || (self.started.is_some()
                    && state.discovered.is_none()
                    && self.requests.is_idle()
                    && self.timers_pending == 0)
        })
    }
}

/// Returns the event and the delay after it until which `page` shows nothing.
fn hidden_until(page: &Page) -> Option<(Wait, Duration)> {
    match &page.paints {
        Paints::Recorded(layout) => layout.hidden.map(|hidden| (hidden.after, hidden.delay)),
        Paints::Guessed(guess) => guess.fit.and_then(|fit| Some((fit.after, fit.delay?))),
    }
}

#[cfg(test)]
mod tests;
