//! The page load as a state machine.
//!
//! Everything that can happen is an event with a time: bytes and ends of
//! responses come from outside, ends of tasks and elapsed delays from a queue
//! in total order. Each is handled to the end before the next.

mod discovery;
mod document;
mod state;
mod tasks;

use std::sync::Arc;

use pagerace_core::{Duration, EventQueue, Instant};
use pagerace_page::{Page, ResourceId};

use self::state::{LoadEvent, Rendering, State, Timer};
use crate::config::Profile;
use crate::costs::Costs;
use crate::graph::{Graph, Role};
use crate::interactive::{time_to_interactive, total_blocking_time};
use crate::main_thread::{Lane, Task};
use crate::paint::{Layout, Screen};
use crate::parser::Parser;
use crate::requests::Requests;
use crate::{Action, BrowserConfig, LoadMetrics};

/// One page load in one browser.
///
/// A pure state machine: no clock, no IO. Call [`start`](Self::start), then
/// report what arrives, and [`handle_timeout`](Self::handle_timeout) when
/// [`poll_timeout`](Self::poll_timeout) says so; after each call drain
/// [`poll_action`](Self::poll_action). Times must not decrease.
#[derive(Debug)]
pub struct Browser {
    page: Arc<Page>,
    profile: Profile,
    graph: Graph,
    layout: Layout,
    costs: Costs,
    requests: Requests,
    states: Vec<State>,
    parsers: Vec<Option<Box<Parser>>>,
    lanes: Vec<Lane>,
    /// Threads that may be able to take a task.
    woken: Vec<usize>,
    timers: EventQueue<Timer>,
    /// Timers that may still lead to something (not those of fonts' block period).
    timers_pending: usize,
    started: Option<Instant>,
    load: LoadEvent,
    rendering: Rendering,
    screen: Screen,
    /// Tasks of the page's own thread that are longer than 50 ms.
    long_tasks: Vec<(Instant, Instant)>,
}

impl Browser {
    /// A browser that is about to load `page`.
    ///
    /// `seed` decides the variation of CPU costs: by resource, so that loads
    /// of one page under one seed see the same costs whatever the order.
    pub fn new(page: Arc<Page>, config: &BrowserConfig, seed: u64) -> Self {
        let profile = config.profile;
        let graph = Graph::new(&page, profile);
        let layout = Layout::new(&page, &graph);
        let costs = Costs::new(&page, config, seed);
        let requests = Requests::new(&page, profile, &graph, &layout);
        let parsers = graph
            .nodes
            .iter()
            .map(|node| {
                (node.role == Role::Html).then(|| {
                    let deferred = node.deferred.iter().copied().collect();
                    Box::new(Parser {
                        deferred,
                        ..Parser::default()
                    })
                })
            })
            .collect();
        Self {
            profile,
            layout,
            costs,
            requests,
            states: vec![State::default(); page.resources.len()],
            parsers,
            lanes: (0..graph.lanes).map(|_| Lane::default()).collect(),
            woken: Vec::new(),
            timers: EventQueue::new(),
            timers_pending: 0,
            started: None,
            load: LoadEvent::default(),
            rendering: Rendering::default(),
            screen: Screen::default(),
            long_tasks: Vec::new(),
            graph,
            page,
        }
    }

    /// The navigation begins.
    pub fn start(&mut self, now: Instant) {
        assert!(self.started.is_none(), "a browser loads one page once");
        self.started = Some(now);
        self.navigate(now);
        self.settle(now);
        self.advance(now);
    }

    /// The head of a response arrived.
    pub fn handle_response_start(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_arrived(now, r);
        self.settle(now);
        self.advance(now);
    }

    /// `received` bytes of the encoded body are there in order.
    pub fn handle_body(&mut self, now: Instant, r: ResourceId, received: u64) {
        self.advance(now);
        self.head_arrived(now, r);
        self.bytes_arrived(now, r, received);
        self.settle(now);
        self.advance(now);
    }

    /// The response is complete.
    pub fn handle_response_end(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_arrived(now, r);
        let size = self.page.resources[r.index()].body_bytes;
        self.bytes_arrived(now, r, size);
        self.response_ended(now, r, false);
        self.settle(now);
        self.advance(now);
    }

    /// The response will never be complete.
    pub fn handle_failure(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.response_ended(now, r, true);
        self.settle(now);
        self.advance(now);
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.timers.next_at()
    }

    /// Time has come.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.advance(now);
    }

    /// What the network has to do now; to be drained after each `handle_*`.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.requests.poll()
    }

    /// Whether the load is over: the load event fired (or there is no document
    /// to fire it), no request is held or in flight, no trigger is pending, and
    /// no thread has work.
    pub fn is_done(&self) -> bool {
        (self.load.fired.is_some() || self.document_is_lost()) && self.is_quiet()
    }

    /// Whether nothing will happen any more by itself.
    fn is_quiet(&self) -> bool {
        self.requests.is_idle() && self.timers_pending == 0 && self.lanes.iter().all(Lane::is_idle)
    }

    /// When the browser knew that it needs `r`.
    pub fn discovered_at(&self, r: ResourceId) -> Option<Instant> {
        self.states[r.index()].discovered
    }

    /// When the browser's own scheduler let `r` go.
    pub fn requested_at(&self, r: ResourceId) -> Option<Instant> {
        self.requests.requested_at(r)
    }

    /// What a person sees of the load, as far as it has come.
    pub fn metrics(&self) -> LoadMetrics {
        let Some(start) = self.started else {
            return LoadMetrics::default();
        };
        let since = |at: Option<Instant>| at.map(|at| at.since(start));
        let fcp = self.screen.first();
        let tti = fcp.zip(self.load.dom_content_loaded).map(|(fcp, dcl)| {
            time_to_interactive(fcp, dcl, &self.long_tasks, &self.get_requests())
        });
        let tbt = fcp
            .zip(tti)
            .map(|(fcp, tti)| total_blocking_time(fcp, tti, &self.long_tasks));
        LoadMetrics {
            ttfb: since(self.graph.document.and_then(|d| self.states[d].head)),
            fcp: since(fcp),
            lcp: since(self.screen.largest()),
            speed_index: self.screen.speed_index(start),
            byte_index: self.byte_index(),
            tti: since(tti),
            tbt,
            dom_content_loaded: since(self.load.dom_content_loaded),
            onload: since(self.load.fired),
        }
    }

    /// The image that was the largest element when it was painted; `None` if
    /// that was text, or nothing was painted.
    pub fn lcp_image(&self) -> Option<ResourceId> {
        self.screen.largest_image()
    }

    /// Visual progress: (time, share in 0..=1), ascending; empty if nothing
    /// was painted.
    pub fn visual_progress(&self) -> Vec<(Instant, f64)> {
        self.started
            .map_or_else(Vec::new, |start| self.screen.progress(start))
    }

    /// Start and end of each GET request.
    fn get_requests(&self) -> Vec<(Instant, Instant)> {
        self.page
            .resources
            .iter()
            .filter(|r| r.method.eq_ignore_ascii_case("GET"))
            .filter_map(|r| {
                let start = self.requests.requested_at(r.id)?;
                Some((
                    start,
                    self.states[r.id.index()].settled.unwrap_or(Instant::MAX),
                ))
            })
            .collect()
    }

    /// Byte index over what was discovered before the load event: the mean
    /// time of arrival of a body byte, which is the area above the curve.
    fn byte_index(&self) -> Option<Duration> {
        let until = self.load.fired.unwrap_or(Instant::MAX);
        let (mut bytes, mut nanos) = (0_u128, 0_u128);
        for state in &self.states {
            if state.discovered.is_some_and(|at| at <= until) {
                bytes += u128::from(state.received);
                nanos += state.byte_nanos;
            }
        }
        nanos
            .checked_div(bytes)
            .map(|mean| Duration::from_nanos(mean as u64))
    }

    /// Lets everything happen that is due at or before `now`.
    fn advance(&mut self, now: Instant) {
        while let Some((at, timer)) = self.timers.pop_due(now) {
            match timer {
                Timer::FontBlockOver => self.rendering.font_block_over = true,
                _ => self.timers_pending -= 1,
            }
            match timer {
                Timer::Discover(id) => self.discover(at, id),
                Timer::TaskDone(lane) => self.task_done(at, lane),
                Timer::Decoded(id) => self.image_decoded(id),
                Timer::Frame => self.queue(0, Task::Render),
                Timer::FontBlockOver => {}
            }
            self.settle(at);
        }
    }

    /// What follows from any event: a paint or the load event may be due, and
    /// free threads take their next tasks.
    fn settle(&mut self, now: Instant) {
        self.check_render(now);
        self.check_load();
        while let Some(lane) = self.woken.pop() {
            self.start_task(now, lane);
        }
    }

    /// Gives a thread a task.
    fn queue(&mut self, lane: usize, task: Task) {
        self.lanes[lane].push(task);
        self.woken.push(lane);
    }

    fn schedule(&mut self, at: Instant, timer: Timer) {
        if !matches!(timer, Timer::FontBlockOver) {
            self.timers_pending += 1;
        }
        self.timers.schedule(at, timer);
    }

    /// Whether there will never be a document: its request failed before it
    /// began, or was never made.
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

#[cfg(test)]
mod tests;
