//! Documents: their parsers, scripts that block the parser or are deferred, and the load event.

use pagerace_core::{Duration, Instant, ScriptMode};
use pagerace_page::{ResourceId, Wait};

use super::Browser;
use super::state::State;
use crate::cause::Ready;
use crate::graph::{Role, blocks_scripts};
use crate::main_thread::Task;
use crate::parser::CHUNK;

impl Browser {
    /// Continues the parser of document `index`, if possible.
    pub(super) fn pump_parser(&mut self, now: Instant, index: usize) {
        loop {
            if self.states[index].waits_for_commit {
                return;
            }
            let Some(parser) = &mut self.parsers[index] else {
                return;
            };
            if parser.finished || parser.task_queued || parser.blocked_on.is_some() {
                return;
            }
            parser.paused = false;
            let received = self.states[index].received;
            let node = &self.graph.nodes[index];
            match node.stops.get(parser.next_stop).copied() {
                // A stop at offset zero still needs the response head.
                Some(stop) if stop.offset <= parser.parsed && self.states[index].head.is_some() => {
                    if stop.runs_script && parser.has_sheet_before(stop.offset) {
                        parser.paused = true;
                        self.scan(now, ResourceId(index as u32));
                        return;
                    }
                    parser.next_stop += 1;
                    let Some(resource) = stop.resource else {
                        continue;
                    };
                    if self.graph.nodes[resource.index()].by_layout {
                        self.rendering
                            .awaiting_layout
                            .push((resource, self.current));
                    } else if !stop.blocks {
                        self.discover(now, resource);
                    } else if !is_gone(&self.states[resource.index()]) {
                        parser.blocked_on = Some(resource);
                        parser.paused = true;
                        self.scan(now, ResourceId(index as u32));
                        self.raise_blocking_script(resource);
                        self.try_blocking_script(index);
                        return;
                    }
                }
                _ if received > parser.parsed => {
                    parser.task_queued = true;
                    self.queue(Task::Parse(ResourceId(index as u32)));
                    return;
                }
                _ if self.states[index].settled.is_some() => {
                    self.parser_finished(now, index);
                    return;
                }
                _ => return,
            }
        }
    }

    /// Prepares the next parse task of document `id` and returns its duration.
    pub(super) fn begin_parse(&mut self, id: ResourceId) -> Duration {
        let index = id.index();
        let Some(parser) = &mut self.parsers[index] else {
            return Duration::ZERO;
        };
        let node = &self.graph.nodes[index];
        // The task itself may reach the sheet that an inline script waits for.
        let reaches_sheet = |offset: u64| {
            let met = node.scanned[parser.met..].iter();
            let mut met = met.take_while(|(anchor, _)| *anchor < offset);
            met.any(|(_, child)| {
                self.graph.nodes[child.index()].role == Role::Style
                    && self.states[child.index()].discovered.is_none()
                    && blocks_scripts(&self.page.resources[child.index()])
            })
        };
        // An inline script that waits for nothing runs within the task.
        let mut stops = node.stops[parser.next_stop..].iter();
        let stop = stops.find(|stop| {
            let waits = parser.has_sheet_before(stop.offset) || reaches_sheet(stop.offset);
            stop.resource.is_some() || waits
        });
        let stop = stop.map_or(u64::MAX, |stop| stop.offset);
        let end = stop.min(parser.parsed.saturating_add(CHUNK));
        parser.target = self.states[index].received.min(end).max(parser.parsed);
        // The bytes that the task parses may have arrived after it was queued.
        if let Some(arrival) = parser.target_arrival() {
            self.current = self.current.and(arrival);
        }
        let part = parser.parsed..parser.target;
        let is_page = Some(index) == self.graph.document;
        self.costs.parse(&self.page.resources[index], part, is_page)
    }

    /// Handles the end of a parse task.
    pub(super) fn parsed(&mut self, now: Instant, id: ResourceId) {
        let index = id.index();
        let Some(parser) = &mut self.parsers[index] else {
            return;
        };
        parser.task_queued = false;
        parser.parsed = parser.target;
        let parsed = parser.parsed;
        if Some(index) == self.graph.document {
            self.reach_text(parsed);
            self.reach_images();
        }
        // The parser requests each resource that it reaches, whether or not the scanner has.
        while let Some(parser) = &mut self.parsers[index]
            && let Some(&(offset, child)) = self.graph.nodes[index].scanned.get(parser.met)
            && offset <= parsed
        {
            parser.met += 1;
            if self.states[child.index()].discovered.is_none() {
                let resource = &self.page.resources[child.index()];
                self.requests.found_by_parser(resource);
                self.discover(now, child);
            }
        }
        if Some(index) == self.graph.document && parsed > self.layout.body_start {
            self.requests.body_reached(self.current.at);
        }
        self.run_reached_scripts(now, index);
        self.pump_parser(now, index);
    }

    /// Queues the asynchronous scripts that waited for the parser of document `index`.
    fn run_reached_scripts(&mut self, now: Instant, index: usize) {
        let reached = self.parsers[index].as_mut().map(|p| p.take_reached());
        for script in reached.into_iter().flatten() {
            self.queue_async_script(now, script);
        }
    }

    fn parser_finished(&mut self, now: Instant, index: usize) {
        let Some(parser) = &mut self.parsers[index] else {
            return;
        };
        parser.finished = true;
        let parsed = parser.parsed;
        self.run_reached_scripts(now, index);
        if Some(index) == self.graph.document {
            self.reach_text(parsed);
            self.reach_images();
            self.requests.body_reached(self.current.at);
        }
        self.processed(now, ResourceId(index as u32));
        self.try_deferred_scripts(now, index);
    }

    /// Handles the arrival of a script's response.
    pub(super) fn script_arrived(&mut self, now: Instant, id: ResourceId) {
        let node = &self.graph.nodes[id.index()];
        match (node.role, node.frame) {
            (Role::Script(ScriptMode::Blocking), Some(frame)) => self.try_blocking_script(frame),
            (Role::Script(ScriptMode::Defer), Some(frame)) => self.try_deferred_scripts(now, frame),
            (_, frame) => {
                let parser = frame.and_then(|frame| self.parsers[frame].as_mut());
                match parser.zip(node.anchor) {
                    // The preload scanner was ahead of the parser.
                    Some((parser, anchor)) if !parser.finished && parser.parsed < anchor => {
                        parser.ahead.push((anchor, id));
                    }
                    _ => self.queue_async_script(now, id),
                }
            }
        }
    }

    /// Queues a script that neither blocks a parser nor is deferred.
    fn queue_async_script(&mut self, now: Instant, id: ResourceId) {
        let resource = &self.page.resources[id.index()];
        // Chromium takes a preload for a sign that the script matters.
        let is_low = resource.third_party
            && resource.used_at.is_none()
            && self.graph.in_main_frame(id)
            && self.profile.low_priority_scripts.is_some_and(|within| {
                let document = self.graph.document.map(|d| &self.states[d]);
                let start = document.and_then(|state| state.head).map(|head| head.at);
                start.is_some_and(|start| now < start + within)
            });
        if is_low {
            let lane = self.graph.nodes[id.index()].lane;
            self.lanes[lane].push_low(Task::Script(id), self.current);
            self.woken.push(lane);
        } else {
            self.queue(Task::Script(id));
        }
    }

    /// Runs the script that blocks the parser of `frame`, once it has arrived and the
    /// style sheets before it are parsed.
    fn try_blocking_script(&mut self, frame: usize) {
        let Some(parser) = &mut self.parsers[frame] else {
            return;
        };
        let Some(script) = parser.blocked_on else {
            return;
        };
        let node = &self.graph.nodes[script.index()];
        if !parser.script_queued
            && self.states[script.index()].settled.is_some()
            && !parser.has_sheet_before(node.anchor.unwrap_or(0))
        {
            parser.script_queued = true;
            self.queue(Task::Script(script));
        }
    }

    /// Runs the deferred scripts of `frame` in order, once it is parsed. After the last
    /// one, the document is complete.
    fn try_deferred_scripts(&mut self, now: Instant, frame: usize) {
        loop {
            let Some(parser) = &mut self.parsers[frame] else {
                return;
            };
            if !parser.finished || parser.complete || parser.deferred_queued {
                return;
            }
            let Some(&script) = parser.deferred.front() else {
                parser.complete = true;
                break;
            };
            let state = &self.states[script.index()];
            if !is_gone(state) {
                if state.settled.is_some() && !parser.has_sheet_before(u64::MAX) {
                    parser.deferred_queued = true;
                    self.queue(Task::Script(script));
                }
                return;
            }
            parser.deferred.pop_front();
        }
        if Some(frame) == self.graph.document {
            self.load.dom_content_loaded = Some(Ready::new(now, self.current.cause));
            self.fire(now, Wait::ContentLoaded);
        }
        self.release(ResourceId(frame as u32));
    }

    /// Continues a parser or script that waited for `id`, which has been processed or
    /// never will be.
    pub(super) fn unblock_parser(&mut self, now: Instant, id: ResourceId) {
        let node = &self.graph.nodes[id.index()];
        let (Some(frame), role, anchor) = (node.frame, node.role, node.anchor) else {
            return;
        };
        let Some(parser) = &mut self.parsers[frame] else {
            return;
        };
        match role {
            // A redirect may lead to a style sheet.
            Role::Style | Role::Redirect => {
                if let Some(anchor) = anchor {
                    parser.sheets.remove(&(anchor, id));
                }
                // An inline script may have waited for the sheet.
                self.pump_parser(now, frame);
                self.try_blocking_script(frame);
                self.try_deferred_scripts(now, frame);
            }
            Role::Script(_) => {
                if parser.blocked_on == Some(id) {
                    parser.blocked_on = None;
                    parser.script_queued = false;
                    self.pump_parser(now, frame);
                } else if parser.deferred.front() == Some(&id) {
                    parser.deferred_queued = false;
                    self.try_deferred_scripts(now, frame);
                }
            }
            _ => {}
        }
    }

    /// Queues the load event when no resource delays it.
    pub(super) fn check_load(&mut self) {
        if self.load_is_due() && !self.load.queued && self.load.fired.is_none() {
            self.load.queued = true;
            self.queue(Task::Load);
        }
    }

    /// Handles the end of the load event's task. The event fires unless a script found
    /// more resources meanwhile.
    pub(super) fn load_dispatched(&mut self, now: Instant) {
        self.load.queued = false;
        if self.load_is_due() {
            self.load.fired = Some(Ready::new(now, self.current.cause));
            self.fire(now, Wait::Loaded);
        }
    }

    fn load_is_due(&self) -> bool {
        self.load.dom_content_loaded.is_some() && (self.load.pending == 0 || self.is_quiet())
    }
}

/// Returns true if the parser need not wait for the resource: it has been processed, or
/// never will be.
fn is_gone(state: &State) -> bool {
    state.processed || state.abandoned || state.failed
}
