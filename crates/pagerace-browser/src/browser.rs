//! The page load as a state machine.
//!
//! Everything that can happen is an event with a time: bytes and ends of
//! responses come from outside, ends of tasks and elapsed delays from a queue
//! in total order. Each is handled to the end before the next.

mod callbacks;
mod causes;
mod discovery;
mod document;
mod failure;
mod images;
mod incomplete;
mod measure;
mod setup;
mod state;
mod tasks;
mod text;

use std::sync::Arc;

use pagerace_core::{EventQueue, Instant};
use pagerace_page::{Page, ResourceId};

use self::state::{LoadEvent, Rendering, State, Timer};
use crate::cause::{Cause, Ready};
use crate::config::Profile;
use crate::costs::Costs;
use crate::graph::{Graph, Role};
use crate::main_thread::{Lane, Task};
use crate::overheads::Overheads;
use crate::paint::{Layout, Screen};
use crate::parser::Parser;
use crate::requests::Requests;
use crate::{Action, BrowserConfig};

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
    overheads: Overheads,
    requests: Requests,
    states: Vec<State>,
    parsers: Vec<Option<Box<Parser>>>,
    lanes: Vec<Lane>,
    /// Threads that may be able to take a task.
    woken: Vec<usize>,
    /// Each with the cause under which it was set.
    timers: EventQueue<(Timer, Option<Cause>)>,
    /// Timers that may still lead to something (not those of fonts' block period).
    timers_pending: usize,
    started: Option<Instant>,
    /// The event that is being handled.
    current: Ready,
    load: LoadEvent,
    rendering: Rendering,
    screen: Screen,
    /// Tasks of the page's own thread that are longer than 50 ms.
    long_tasks: Vec<(Instant, Instant)>,
    /// What each of them waited for last.
    long_task_causes: Vec<Option<Cause>>,
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
            screen: Screen::new(layout.recorded),
            layout,
            overheads: Overheads::new(&page, config),
            costs,
            requests,
            states: vec![State::default(); page.resources.len()],
            parsers,
            lanes: (0..graph.lanes).map(|_| Lane::default()).collect(),
            woken: Vec::new(),
            timers: EventQueue::new(),
            timers_pending: 0,
            started: None,
            current: Ready::default(),
            load: LoadEvent::default(),
            rendering: Rendering {
                hidden_until: page.fit.and_then(|fit| Some((fit.after, fit.delay?))),
                ..Rendering::default()
            },
            long_tasks: Vec::new(),
            long_task_causes: Vec::new(),
            graph,
            page,
        }
    }

    /// The navigation begins.
    pub fn start(&mut self, now: Instant) {
        assert!(self.started.is_none(), "a browser loads one page once");
        self.started = Some(now);
        self.current = Ready::new(now, None);
        self.navigate(now);
        self.settle(now);
        self.advance(now);
    }

    /// The head of a response arrived.
    pub fn handle_response_start(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_is_here(now, r);
        self.settle(now);
        self.advance(now);
    }

    /// `received` bytes of the encoded body are there in order.
    pub fn handle_body(&mut self, now: Instant, r: ResourceId, received: u64) {
        self.advance(now);
        self.head_is_here(now, r);
        let received = received.max(self.states[r.index()].received);
        self.arrival(now, r, received, false);
        self.bytes_arrived(now, r, received);
        self.settle(now);
        self.advance(now);
    }

    /// The response is complete: all of its body has arrived over the network,
    /// what was not reported before just now. For a 304 see
    /// [`handle_not_modified`](Self::handle_not_modified).
    pub fn handle_response_end(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_is_here(now, r);
        let size = self.page.resources[r.index()].body_bytes;
        self.arrival(now, r, size, true);
        self.bytes_arrived(now, r, size);
        self.response_ended(now, r, false);
        self.settle(now);
        self.advance(now);
    }

    /// The response is a complete 304: the cached body is still good and there
    /// at once. None of it counts as received (see [`crate::LoadMetrics::byte_index`]).
    pub fn handle_not_modified(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.head_is_here(now, r);
        self.arrival(now, r, self.states[r.index()].received, true);
        self.body_from_cache(now, r);
        self.response_ended(now, r, false);
        self.settle(now);
        self.advance(now);
    }

    /// The response will never be complete.
    pub fn handle_failure(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.arrival(now, r, self.states[r.index()].received, true);
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
        // Only timers of block periods are left then.
        let text_to_come = self.timers.next_at().is_some() && self.waits_for_broken_font();
        self.requests.is_idle()
            && self.timers_pending == 0
            && self.lanes.iter().all(Lane::is_idle)
            && !text_to_come
    }

    /// When the browser knew that it needs `r`.
    pub fn discovered_at(&self, r: ResourceId) -> Option<Instant> {
        self.states[r.index()].discovered.map(|ready| ready.at)
    }

    /// When the browser's own scheduler let `r` go; `None` for what the cache
    /// answers without a request.
    pub fn requested_at(&self, r: ResourceId) -> Option<Instant> {
        self.requests.requested_at(r)
    }

    /// Lets everything happen that is due at or before `now`.
    fn advance(&mut self, now: Instant) {
        while let Some((at, (timer, cause))) = self.timers.pop_due(now) {
            self.current = Ready::new(at, cause);
            match timer {
                Timer::FontBlockOver => self.font_block_over(),
                Timer::FontShown(font) => self.font_shown(font),
                Timer::Flush(image) => self.flush_image(at, image),
                _ => self.timers_pending -= 1,
            }
            match timer {
                Timer::Discover(id) => self.discover(at, id),
                Timer::Ask(id) => self.ask(self.current, id),
                Timer::Commit(id) => self.commit(at, id),
                Timer::Cached(id) => self.cached_response(at, id),
                Timer::TaskDone(lane) => self.task_done(at, lane),
                Timer::Frame => self.queue(0, Task::Render),
                Timer::TextMade(block) => self.text_made(block),
                Timer::Reveal => self.rendering.hidden_until = None,
                Timer::FontBlockOver | Timer::FontShown(_) | Timer::Flush(_) => {}
            }
            self.settle(at);
        }
    }

    /// What follows from any event: a paint or the load event may be due, and
    /// free threads take their next tasks.
    fn settle(&mut self, now: Instant) {
        self.check_reveal(now);
        self.check_render(now);
        self.check_load();
        while let Some(lane) = self.woken.pop() {
            self.start_task(now, lane);
        }
    }

    /// Gives a thread a task that became possible just now.
    fn queue(&mut self, lane: usize, task: Task) {
        self.lanes[lane].push(task, self.current);
        self.woken.push(lane);
    }

    fn schedule(&mut self, at: Instant, timer: Timer) {
        // No load goes on for these.
        if !matches!(
            timer,
            Timer::FontBlockOver | Timer::FontShown(_) | Timer::Flush(_)
        ) {
            self.timers_pending += 1;
        }
        self.timers.schedule(at, (timer, self.current.cause));
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
