//! The discovery of resources, and the use of their responses.

use pagerace_core::{Destination, Duration, Instant, RequestPriority};
use pagerace_page::{EarlyHint, ResourceId, Trigger};

use super::Browser;
use super::images::is_vector;
use super::state::Timer;
use crate::Cached;
use crate::cause::Ready;
use crate::graph::{self, Role};
use crate::main_thread::Task;

impl Browser {
    /// Discovers the resource that the user navigates to.
    ///
    /// If the page's load event is recorded, the resources that delay it are known from
    /// the start. The event then cannot fire in a gap that a script or a timer leaves
    /// between two requests. A recorded layout needs no script, so its requests hold the event only
    /// once they are made. Without a recorded layout, a guess may hide the page for long, so they
    /// hold it from the start, too.
    pub(super) fn navigate(&mut self, now: Instant) {
        if self.page.recorded.on_load.is_some() {
            let has_layout = self.page.layout().is_some();
            for (resource, node) in self.page.resources.iter().zip(&self.graph.nodes) {
                if resource.blocks_load && !(has_layout && node.by_layout) {
                    self.states[resource.id.index()].holds_load = true;
                    self.load.pending += 1;
                }
            }
        }
        for index in 0..self.page.resources.len() {
            if self.page.resources[index].discovery.trigger == Trigger::Navigation {
                self.discover(now, ResourceId(index as u32));
            }
        }
    }

    /// Discovers `id`, if it has not been discovered.
    pub(super) fn discover(&mut self, now: Instant, id: ResourceId) {
        let index = id.index();
        if self.states[index].discovered.is_some() || self.states[index].abandoned {
            return;
        }
        let resource = &self.page.resources[index];
        let node = &self.graph.nodes[index];
        let in_main_frame = self.graph.in_main_frame(id);
        let state = &mut self.states[index];
        state.discovered = Some(Ready::new(now, self.current.cause));
        if resource.is_synchronous() && !std::mem::replace(&mut state.holds_thread, true) {
            self.lanes[node.lane].wait(now);
        }
        let holds_load = resource.blocks_load || resource.blocks_load_if_early;
        if holds_load && !state.holds_load && self.load.fired.is_none() {
            state.holds_load = true;
            self.load.pending += 1;
        }
        // Elements in the body do not block rendering of the content before them.
        let can_block = matches!(node.role, Role::Style | Role::Script(_) | Role::Redirect)
            && node
                .anchor
                .is_none_or(|anchor| anchor <= self.layout.body_start);
        if in_main_frame && resource.render_blocking && can_block && !self.rendering.laid_out {
            state.holds_paint = true;
            self.rendering.blockers += 1;
        }
        match node.role {
            Role::Style | Role::Redirect
                if resource.destination == Destination::Style
                    && graph::blocks_scripts(resource) =>
            {
                if let (Some(frame), Some(anchor)) = (node.frame, node.anchor)
                    && let Some(parser) = &mut self.parsers[frame]
                {
                    parser.sheets.insert((anchor, id));
                }
            }
            Role::Font if in_main_frame => self.font_found(now, id),
            _ => {}
        }
        if self.states[index].cached == Cached::Fresh {
            self.schedule(now, Timer::Cached(id));
        } else {
            let resource = &self.page.resources[index];
            let delay = match resource.discovery.trigger {
                // No document exists that prepares its requests.
                _ if self.is_early(id) => Duration::ZERO,
                Trigger::Navigation | Trigger::Redirect { .. } => Duration::ZERO,
                _ => self.dispatch(now, id),
            };
            if delay.is_zero() {
                self.ask(now, id);
            } else {
                self.schedule(now + delay, Timer::Ask(id));
            }
        }
    }

    /// Connects to what the links of a 103 response name, and requests it.
    pub(super) fn prepare_early(&mut self, now: Instant) {
        for index in self.page.document.index() + 1..self.page.resources.len() {
            let id = ResourceId(index as u32);
            match self.page.resources[index].early {
                EarlyHint::None => {}
                EarlyHint::Preload if self.profile.early_preloads => {
                    self.requests.preload_early(&self.page.resources[index]);
                    self.discover(now, id);
                }
                EarlyHint::Preload | EarlyHint::Preconnect => self.requests.prepare(id, true),
            }
        }
    }

    /// Returns true if a link of a 103 response lets the browser request the resource now.
    fn is_early(&self, id: ResourceId) -> bool {
        let waits_for_document = self.document_head().is_none();
        waits_for_document && self.page.resource(id).early == EarlyHint::Preload
    }

    /// Handles an element that the preload scanner finds, perhaps after the parser.
    pub(super) fn scanned(&mut self, now: Instant, id: ResourceId) {
        self.discover(now, id);
        self.requests.found_by_scanner(now, id);
    }

    /// Returns the time from now until the request for `id` may leave: requests leave in the
    /// order of their discovery. The look-up of its name leaves before all requests that wait for the
    /// preparation of the document. The look-up waits for that, too, unless no request to the
    /// document's own host precedes it.
    fn dispatch(&mut self, now: Instant, id: ResourceId) -> Duration {
        let known = (now + self.overheads.dispatch(id)).max(self.next_known);
        self.next_known = known + self.overheads.spacing;
        let (mut handled, mut leaves) = (known, known);
        if let Some(document) = self.graph.nodes[id.index()].frame {
            let prepared = &mut self.states[document].prepared;
            let prepared = *prepared.get_or_insert(now + self.overheads.first_dispatch);
            if known <= prepared {
                handled = prepared;
                leaves = prepared + self.overheads.write;
            }
            self.prepares_until = self.prepares_until.max(prepared);
        }
        leaves = leaves.max(self.next_leaves);
        self.next_leaves = leaves + self.overheads.spacing;
        let looked_up = if self.looks_up_early(id) {
            known
        } else {
            handled
        };
        if leaves > looked_up {
            self.schedule(looked_up, Timer::Announce(id));
        }
        leaves.since(now)
    }

    /// Returns true if neither `id` nor an earlier request of its document goes to the document's
    /// own host, and notes if `id` does. A frame is a request of the document around it.
    fn looks_up_early(&mut self, id: ResourceId) -> bool {
        let frame_of = |id: ResourceId| self.graph.nodes[id.index()].frame;
        let resource = &self.page.resources[id.index()];
        let document = match frame_of(id) {
            Some(frame) if frame == id.index() => {
                resource.discovery.trigger.parent().and_then(frame_of)
            }
            frame => frame,
        };
        document.is_some_and(|document| {
            let asked = &mut self.states[document].asked_own_host;
            *asked |= resource.origin == self.page.resources[document].origin;
            !*asked
        })
    }

    /// Makes the request for `id`, which is ready to leave, in its current class. A raise
    /// follows the request to the network service: by a parser that waits for the script, or by a
    /// layout that contains the image.
    pub(super) fn ask(&mut self, now: Instant, id: ResourceId) {
        if let Some(other) = self.pending_twin(id) {
            self.joined.push((other, id));
            return;
        }
        self.requests.ask(now, id);
        self.raise_blocking_script(id);
        if let Some(limit) = self.page.resources[id.index()].timeout {
            self.schedule(now + limit, Timer::GiveUp(id));
        }
        let resource = &self.page.resources[id.index()];
        let is_image = self.graph.nodes[id.index()].role == Role::Image;
        let is_seen = resource.in_viewport || self.layout.largest_image == Some(id);
        if is_image && is_seen && self.graph.in_main_frame(id) {
            let signal = (self.profile.raised)(resource);
            let raise = signal.map(|signal| (id, signal));
            self.rendering.to_raise.extend(raise);
        }
    }

    /// Raises the request for the script `id` if a parser waits for it.
    pub(super) fn raise_blocking_script(&mut self, id: ResourceId) {
        let node = &self.graph.nodes[id.index()];
        let parser = node.frame.and_then(|frame| self.parsers[frame].as_ref());
        if parser.is_some_and(|parser| parser.blocked_on == Some(id))
            && let Some(signal) = (self.profile.raised)(&self.page.resources[id.index()])
        {
            self.requests.raise(self.current.at, id, signal);
        }
    }

    /// Commits a document: its parser and scanner process the bytes that have arrived.
    pub(super) fn commit(&mut self, now: Instant, id: ResourceId) {
        self.states[id.index()].waits_for_commit = false;
        self.scan(now, id);
        self.pump_parser(now, id.index());
    }

    /// Delivers the whole response of `id` from the cache. Its effects have the cause of
    /// the discovery of `id`.
    pub(super) fn cached_response(&mut self, now: Instant, id: ResourceId) {
        self.head_arrived(now, id);
        self.body_from_cache(now, id);
        self.deliver(now, id);
    }

    /// Delivers the missing part of the body from the cache.
    pub(super) fn body_from_cache(&mut self, now: Instant, id: ResourceId) {
        let size = self.page.resources[id.index()].body_bytes;
        let state = &mut self.states[id.index()];
        if state.settled.is_none() {
            state.from_cache = size.saturating_sub(state.received);
        }
        self.bytes_arrived(now, id, size);
    }

    /// Handles a response head: follows redirects, and starts the commit of a document.
    pub(super) fn head_arrived(&mut self, now: Instant, id: ResourceId) {
        let state = &mut self.states[id.index()];
        if state.head.is_some() || state.settled.is_some() {
            return;
        }
        state.head = Some(Ready::new(now, self.current.cause));
        let node = &self.graph.nodes[id.index()];
        if node.role == Role::Html && !self.overheads.commit.is_zero() {
            state.waits_for_commit = true;
            self.schedule(now + self.overheads.commit, Timer::Commit(id));
        }
        if Some(id.index()) == self.graph.document
            && let Some(limit) = self.rendering.limit.take()
        {
            self.schedule(now + limit, Timer::Limit);
        }
        for target in self.graph.nodes[id.index()].on_head.clone() {
            self.discover(now, target);
        }
    }

    /// Handles body bytes that arrived in order: the scanner sees them, and a parser may
    /// continue.
    pub(super) fn bytes_arrived(&mut self, now: Instant, id: ResourceId, received: u64) {
        let start = self.started.unwrap_or(now);
        let state = &mut self.states[id.index()];
        if state.settled.is_some() || received <= state.received {
            return;
        }
        let new = received - state.received;
        state.received = received;
        if state.from_cache == 0 {
            state.byte_nanos += u128::from(new) * u128::from(now.since(start).as_nanos());
            let longer = self.overheads.arrival(new);
            self.lanes.iter_mut().for_each(|lane| lane.prolong(longer));
        }
        if let Some(parser) = &mut self.parsers[id.index()] {
            parser.arrivals.push((received, self.current));
        }
        self.image_bytes_arrived(now, id);
        self.scan(now, id);
        self.pump_parser(now, id.index());
    }

    /// Schedules the resources that the preload scanner finds in the part of document `id` that
    /// it has not read, if it reads that part now.
    pub(super) fn scan(&mut self, now: Instant, id: ResourceId) {
        let state = &mut self.states[id.index()];
        let first = state.scanned_bytes == 0;
        let parser = self.parsers[id.index()].as_ref();
        let reads = first || self.profile.scans_ahead || parser.is_none_or(|p| p.paused);
        if state.waits_for_commit || !reads {
            return;
        }
        let new = state.received - state.scanned_bytes;
        state.scanned_bytes = state.received;
        let (from, received) = (state.scanned, state.received);
        if Some(id.index()) == self.graph.document {
            self.scan_hints(now, received, new);
        }
        let state = &mut self.states[id.index()];
        let found = self.graph.nodes[id.index()].scanned[from..]
            .iter()
            .take_while(|(offset, _)| *offset <= state.received)
            .count();
        if found == 0 {
            return;
        }
        state.scanned = from + found;
        let due = now + self.costs.scan(&self.page.resources[id.index()], new);
        for position in from..from + found {
            let child = self.graph.nodes[id.index()].scanned[position].1;
            self.schedule(due, Timer::Scanned(child));
        }
    }

    /// Schedules the hints that the preload scanner finds in the first `received` bytes of the
    /// document, of which `new` are new.
    fn scan_hints(&mut self, now: Instant, received: u64, new: u64) {
        let left = &self.page.hints[self.hinted..];
        let found = left.iter().take_while(|hint| hint.offset <= received);
        let found = self.hinted..self.hinted + found.count();
        self.hinted = found.end;
        let document = self.page.document;
        let due = now + self.costs.scan(self.page.resource(document), new);
        for hint in found {
            self.schedule(due, Timer::Hint(hint));
        }
    }

    /// Returns the pending request of this document for an image that cannot be reached, if `id` is
    /// the same image. Recordings hold a second request only if the first had failed by then, which
    /// takes longer over a slower network.
    fn pending_twin(&self, id: ResourceId) -> Option<ResourceId> {
        let is_unreachable = |id: ResourceId| {
            self.graph.nodes[id.index()].role == Role::Image
                && self.page.resources[id.index()].no_response.is_some()
        };
        if !is_unreachable(id) {
            return None;
        }
        let frame = |id: ResourceId| self.graph.nodes[id.index()].frame;
        let url = &self.page.resources[id.index()].url;
        let earlier = self.page.resources[..id.index()].iter();
        let mut alike = earlier.filter(|r| r.url == *url).map(|r| r.id);
        alike.find(|&other| {
            is_unreachable(other) && frame(other) == frame(id) && self.requests.is_pending(other)
        })
    }

    /// Passes a complete response on to the thread of its frame, which takes it when it is free. A
    /// thread that waits for a response reads it at once, and a redirect has been followed at its
    /// head. Left out: failures, which take effect at once.
    pub(super) fn deliver(&mut self, now: Instant, id: ResourceId) {
        let index = id.index();
        self.states[index].ended.get_or_insert(now);
        let waits =
            self.states[index].holds_thread || self.graph.nodes[index].role == Role::Redirect;
        let delay = self
            .overheads
            .delivery(self.page.resources[index].destination);
        if waits || delay.is_zero() || self.states[index].settled.is_some() {
            self.response_ended(now, id, false);
        } else {
            self.requests.received(now, id);
            self.schedule(now + delay, Timer::Delivered(id));
        }
    }

    /// Handles a response that is complete or will never be.
    pub(super) fn response_ended(&mut self, now: Instant, id: ResourceId, failed: bool) {
        let index = id.index();
        if self.states[index].settled.is_some() {
            return;
        }
        let ended = *self.states[index].ended.get_or_insert(now);
        self.states[index].settled = Some(now);
        self.states[index].failed = failed;
        if !failed {
            // The scanner has not run for an empty body.
            self.scan(now, id);
        }
        self.requests.ended(self.current.at, id);
        self.use_response(now, id, failed);
        // Recorded delays begin with the last byte.
        let taken = self.overheads.taken(self.page.resources[index].destination);
        let taken = taken.min(now.since(ended));
        for (child, delay) in self.graph.nodes[index].on_end.clone() {
            self.arm(now, None, child, delay.saturating_sub(taken));
        }
        if failed {
            self.abandon_children(now, id);
        }
        let joined = self.joined.extract_if(.., |(other, _)| *other == id);
        for (_, twin) in joined.collect::<Vec<_>>() {
            self.response_ended(now, twin, failed);
        }
    }

    /// Uses the response according to the role of the resource.
    fn use_response(&mut self, now: Instant, id: ResourceId, failed: bool) {
        let index = id.index();
        let usable = !failed && self.page.resources[index].status < 400;
        match self.graph.nodes[index].role {
            // A failed navigation shows nothing and fires no event.
            Role::Html if self.document_is_lost() && Some(index) == self.graph.document => {}
            Role::Html => self.pump_parser(now, index),
            // The task that takes a style sheet parses it, too.
            Role::Style if usable => self.queue_first(Task::Style(id)),
            Role::Script(_) if usable => self.script_arrived(now, id),
            Role::Image if usable && is_vector(&self.page.resources[index]) => {
                self.queue(Task::Vector(id));
            }
            Role::Image if usable => self.image_loaded(now, id),
            Role::Redirect
            | Role::Style
            | Role::Script(_)
            | Role::Image
            | Role::Font
            | Role::Other => self.processed(now, id),
        }
    }

    /// Marks `id` as processed: it has run, been parsed or otherwise been used, or it
    /// failed. Continues the events that waited for it.
    pub(super) fn processed(&mut self, now: Instant, id: ResourceId) {
        let index = id.index();
        if self.states[index].processed {
            return;
        }
        self.states[index].processed = true;
        // A truncated document is used as far as it arrived.
        let is_document = self.graph.nodes[index].role == Role::Html;
        let state = &self.states[index];
        if !state.failed || (is_document && state.received > 0) {
            for (child, delay) in self.graph.nodes[index].on_processed.clone() {
                self.arm(now, Some(id), child, delay);
            }
            for child in self.graph.nodes[index].on_layout.clone() {
                if self.graph.in_main_frame(child) {
                    self.named_by_style(child);
                } else {
                    self.discover(now, child);
                }
            }
        }
        self.wait_is_over(now, id);
        // Documents delay the load event until their deferred scripts have run.
        if !is_document {
            self.release(id);
        }
        self.unblock_parser(now, id);
    }

    /// Removes `id` from the resources that the load event, rendering, text and a thread wait
    /// for.
    pub(super) fn release(&mut self, id: ResourceId) {
        let state = &mut self.states[id.index()];
        if std::mem::take(&mut state.holds_thread) {
            let lane = self.graph.nodes[id.index()].lane;
            if let Some(since) = self.lanes[lane].resume(self.current) {
                self.note_if_long(self.current.at, lane, since);
            }
            self.woken.push(lane);
        }
        let state = &mut self.states[id.index()];
        if std::mem::take(&mut state.holds_load) {
            self.load.pending -= 1;
        }
        if std::mem::take(&mut state.holds_paint) {
            self.rendering.blockers -= 1;
        }
        self.rendering.font_preloads.remove(&id);
        // Text keeps waiting for a broken font, as if the font never arrived.
        if !self.states[id.index()].broken {
            self.release_text(id);
        }
    }

    /// Shows the text that waits for a font, unless the browser tries the next source of the same
    /// font, because this one has failed.
    fn release_text(&mut self, font: ResourceId) {
        let next = self.graph.nodes[font.index()].on_end.iter();
        let mut next = next.map(|&(next, _)| next);
        if next.any(|next| self.source_before(next) == Some(font)) {
            return;
        }
        let sources = std::iter::successors(Some(font), |font| self.source_before(*font));
        for source in sources.collect::<Vec<_>>() {
            self.fonts.release(self.current, source);
        }
    }

    /// Returns the failed source of a font after which the browser requests this one.
    fn source_before(&self, font: ResourceId) -> Option<ResourceId> {
        let is_font = |id: ResourceId| self.page.resource(id).destination == Destination::Font;
        let Trigger::After { parent, .. } = self.page.resources[font.index()].discovery.trigger
        else {
            return None;
        };
        let before = &self.page.resources[parent.index()];
        let failed = before.status >= 400 || before.no_response.is_some();
        (failed && is_font(font) && is_font(parent)).then_some(parent)
    }

    /// Requests the background images of the frame whose styles are computed.
    pub(super) fn styled(&mut self, now: Instant) {
        let waiting = std::mem::take(&mut self.rendering.awaiting_layout);
        let (images, rest) = waiting
            .into_iter()
            .partition(|(id, _)| self.is_background(*id));
        self.rendering.awaiting_layout = rest;
        self.discover_all(now, images);
    }

    /// Returns true for images that styles request. A layout requests lazy images, which do not
    /// delay the load event, and fonts.
    pub(super) fn is_background(&self, id: ResourceId) -> bool {
        let resource = self.page.resource(id);
        self.graph.nodes[id.index()].role == Role::Image
            && (resource.blocks_load || resource.blocks_load_if_early)
    }

    /// Discovers what the running frame requests.
    fn discover_all(&mut self, now: Instant, found: Vec<(ResourceId, Ready)>) {
        let over = self.current;
        for (child, asked) in found {
            self.current = Ready::new(now, self.rendering.since.and(asked).cause);
            self.discover(now, child);
        }
        self.current = over;
    }

    /// Handles the end of a layout that used the parsed style sheets. Fonts and images that the
    /// sheets name are requested, and images in the viewport become more urgent. Images
    /// requested by this layout are raised by a later one, after their requests have left.
    pub(super) fn after_layout(&mut self, now: Instant) {
        let raised = std::mem::take(&mut self.rendering.to_raise);
        let found = std::mem::take(&mut self.rendering.awaiting_layout);
        self.discover_all(now, found);
        for (image, signal) in raised {
            // A class below all others was chosen by the author.
            if self.page.resources[image.index()].priority != RequestPriority::VeryLow {
                self.requests.raise(self.current.at, image, signal);
            }
        }
    }
}
