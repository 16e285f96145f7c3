//! Resources that scripts request in callbacks: after the script has run and another
//! event has happened.

use pagerace_core::{Duration, Instant};
use pagerace_page::{Callback, Resource, ResourceId, Wait};

use super::Browser;
use super::state::Timer;
use crate::main_thread::Task;

impl Browser {
    /// Handles the trigger of `id`, which takes effect after `delay`. `by` is the script
    /// that has just run, if the trigger is a script. The event that `id` additionally
    /// waits for may still be pending.
    pub(super) fn arm(
        &mut self,
        now: Instant,
        by: Option<ResourceId>,
        id: ResourceId,
        delay: Duration,
    ) {
        let wait = self.page.resources[id.index()].discovery.wait;
        // A wait for a later resource of the page is ignored.
        let earlier = |wait: &Wait| self.page.awaited(*wait).all(|other| other < id);
        match wait.filter(earlier) {
            Some(wait) if !self.has_happened(wait) => self.states[id.index()].armed = Some(delay),
            wait => {
                let ran = self.waited_for(wait).or(by.filter(|_| wait.is_none()));
                self.trigger(now, ran, id, delay);
            }
        }
    }

    /// Runs the callbacks that waited for `id`, which has been processed or never will be.
    pub(super) fn wait_is_over(&mut self, now: Instant, id: ResourceId) {
        // A script whose data fail creates no text from them, unless they also failed in
        // the recording.
        let (state, resource) = (&self.states[id.index()], &self.page.resources[id.index()]);
        if !state.abandoned && (!state.failed || resource.no_response.is_some()) {
            self.scripts_make(now, Wait::Resource { id });
            for index in self.graph.nodes[id.index()].calls.clone() {
                self.call(now, index);
            }
        } else if !state.broken {
            self.place_images_of(now, id);
        }
        for child in self.graph.nodes[id.index()].awaited_by.clone() {
            if let Some(delay) = self.states[child.index()].armed.take() {
                self.trigger(now, Some(id), child, delay);
            }
        }
        for event in self.joins_of(id) {
            self.join_is_over(now, event);
        }
    }

    /// Returns the joins that contain `id`.
    pub(super) fn joins_of(&self, id: ResourceId) -> Vec<Wait> {
        let joins = (0..).zip(&self.page.joins);
        let joins = joins.filter(|(_, join)| join.contains(&id));
        joins.map(|(join, _)| Wait::Join { join }).collect()
    }

    /// Runs the callbacks that waited for a join, if all of its resources have been processed or
    /// never will be.
    fn join_is_over(&mut self, now: Instant, event: Wait) {
        if !self.has_happened(event) {
            return;
        }
        let fails = |id: ResourceId| {
            let (state, resource) = (&self.states[id.index()], self.page.resource(id));
            state.abandoned || (state.failed && resource.no_response.is_none())
        };
        if self.page.awaited(event).any(fails) {
            self.answer_waiting(now, event);
        } else {
            self.fire(now, event);
        }
    }

    /// Returns the recorded callbacks.
    fn callbacks(&self) -> &[Callback] {
        let layout = self.page.layout();
        layout.map_or(&[], |layout| &layout.callbacks)
    }

    /// Queues the task of a callback whose event has happened, now or after its delay.
    fn call(&mut self, now: Instant, index: usize) {
        let delay = self.callbacks()[index].delay;
        if delay.is_zero() {
            self.queue(Task::Callback(index));
        } else {
            self.schedule(now + delay, Timer::Callback(index));
        }
    }

    /// Returns the cost of a callback.
    pub(super) fn begin_callback(&self, index: usize) -> Duration {
        self.costs.callback(self.callbacks()[index].cost)
    }

    /// Fires an event of the page's document, or that of a join.
    pub(super) fn fire(&mut self, now: Instant, event: Wait) {
        self.scripts_make(now, event);
        for index in 0..self.callbacks().len() {
            if self.callbacks()[index].after == event {
                self.call(now, index);
            }
        }
        self.answer_waiting(now, event);
    }

    /// Triggers the requests that waited for an event.
    fn answer_waiting(&mut self, now: Instant, event: Wait) {
        for index in 0..self.page.resources.len() {
            if self.page.resources[index].discovery.wait == Some(event)
                && let Some(delay) = self.states[index].armed.take()
            {
                self.trigger(now, None, ResourceId(index as u32), delay);
            }
        }
    }

    /// Schedules the reveal of a page whose first paint the recording shows as held back, and the
    /// end of an overlay: both come with the recorded delay after the recorded event.
    pub(super) fn check_reveal(&mut self, now: Instant) {
        if let Some((after, delay)) = self.rendering.hidden_until
            && !self.rendering.reveal_set
            && self.is_over(after)
        {
            self.rendering.reveal_set = true;
            self.schedule(now + delay, Timer::Reveal);
        }
        if let Some(overlay) = self.rendering.overlay
            && self.is_over(overlay.after)
        {
            self.rendering.overlay = None;
            self.schedule(now + overlay.delay, Timer::Uncover);
        }
    }

    /// Returns true if an event has happened, or never will in this load.
    fn is_over(&self, event: Wait) -> bool {
        self.has_happened(event) || (self.load.fired.is_some() && self.is_quiet())
    }

    fn has_happened(&self, wait: Wait) -> bool {
        match wait {
            Wait::ContentLoaded => self.load.dom_content_loaded.is_some(),
            Wait::Loaded => self.load.fired.is_some(),
            Wait::Resource { .. } | Wait::Join { .. } => self.page.awaited(wait).all(|id| {
                let state = self.states.get(id.index());
                state.is_none_or(|s| s.processed || s.abandoned)
            }),
        }
    }

    fn waited_for(&self, wait: Option<Wait>) -> Option<ResourceId> {
        match wait {
            Some(Wait::Resource { id }) if id.index() < self.states.len() => Some(id),
            _ => None,
        }
    }

    /// Discovers what a script requests, when the script's thread is free. A script that has waited
    /// for a synchronous request goes on without giving its thread back.
    pub(super) fn discover_by_script(&mut self, now: Instant, id: ResourceId) {
        let discovery = &self.page.resources[id.index()].discovery;
        let waited = match discovery.wait {
            Some(Wait::Resource { id }) => self.page.resources.get(id.index()),
            _ => None,
        };
        let goes_on =
            waited.is_some_and(Resource::is_synchronous) || self.states[id.index()].holds_thread;
        if goes_on || self.lanes[self.lane_of_script(id)].is_free() {
            self.discover(now, id);
        } else {
            self.queue(Task::Request(id));
        }
    }

    /// Returns the thread of the script that requests `id`. A frame that it requests may have
    /// another.
    pub(super) fn lane_of_script(&self, id: ResourceId) -> usize {
        let by = self.page.resources[id.index()].discovery.trigger.parent();
        by.map_or(0, |by| self.graph.nodes[by.index()].lane)
    }

    /// Discovers `id` after `delay`, during which the script `ran` ran in the recording.
    fn trigger(&mut self, now: Instant, ran: Option<ResourceId>, id: ResourceId, delay: Duration) {
        let ran = ran.map(|ran| &self.page.resources[ran.index()]);
        let delay = ran.map_or(delay, |ran| self.costs.delay_after(ran, delay));
        let state = &mut self.states[id.index()];
        if delay.is_zero() {
            self.discover(now, id);
        } else if state.discovered.is_none() {
            // The script that waited for the one response goes on without giving its thread back.
            let goes_on = ran.is_some_and(Resource::is_synchronous);
            if goes_on
                && self.page.resources[id.index()].is_synchronous()
                && !std::mem::replace(&mut state.holds_thread, true)
            {
                self.lanes[self.graph.nodes[id.index()].lane].wait(now);
            }
            self.schedule(now + delay, Timer::Discover(id));
        }
    }
}
