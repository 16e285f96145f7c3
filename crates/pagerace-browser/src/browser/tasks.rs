//! The tasks of the threads, and rendering.

use pagerace_core::interactive::is_long;
use pagerace_core::{Duration, Instant};

use super::Browser;
use super::state::Timer;
use crate::main_thread::Task;

/// The time between two frames at 60 frames per second.
pub(super) const FRAME: Duration = Duration::from_nanos(16_666_667);

impl Browser {
    /// Starts the next task of a free thread.
    pub(super) fn start_task(&mut self, now: Instant, lane: usize) {
        if let Some((task, ready)) = self.lanes[lane].next(now) {
            self.current = ready;
            let cost = self.begin(now, task);
            self.lanes[lane].run(task, now);
            self.schedule(now + cost, Timer::TaskDone(lane));
        }
    }

    /// Prepares a task and returns its duration.
    fn begin(&mut self, now: Instant, task: Task) -> Duration {
        match task {
            Task::Parse(id) => self.begin_parse(id),
            Task::Style(id) => self.costs.style(&self.page.resources[id.index()]),
            Task::Script(id) => self.costs.script(&self.page.resources[id.index()]),
            Task::Vector(id) => self.costs.vector(&self.page.resources[id.index()]),
            Task::Render => {
                let cost = self.begin_render(now);
                if let Some(share) = self.style_share() {
                    self.schedule(now + cost.mul_f64(share), Timer::Styled);
                }
                cost
            }
            Task::Callback(index) => self.begin_callback(index),
            Task::Deliver(_) => self.overheads.receive,
            Task::Request(_) | Task::Flush(_) | Task::Load => Duration::ZERO,
        }
    }

    /// Handles the end of a thread's task, unless bytes that arrived have made it longer.
    pub(super) fn task_done(&mut self, now: Instant, lane: usize) {
        let longer = self.lanes[lane].take_longer();
        if longer > Duration::ZERO {
            self.schedule(now + longer, Timer::TaskDone(lane));
            return;
        }
        let Some((task, start)) = self.lanes[lane].finish(now) else {
            return;
        };
        self.woken.push(lane);
        self.note_if_long(now, lane, start);
        self.rendering.ended_task = (lane == 0).then_some(start);
        match task {
            Task::Parse(id) => self.parsed(now, id),
            Task::Style(id) | Task::Script(id) => self.processed(now, id),
            Task::Vector(id) => self.image_loaded(now, id),
            Task::Render => self.end_render(now),
            Task::Callback(_) => {}
            Task::Request(id) => self.discover(now, id),
            Task::Deliver(id) => self.response_ended(now, id, false),
            Task::Flush(id) => self.flush_image(now, id),
            Task::Load => self.load_dispatched(now),
        }
    }

    /// Keeps a task, or a wait inside one, that has kept the page's thread busy for long.
    pub(super) fn note_if_long(&mut self, now: Instant, lane: usize, start: Instant) {
        if lane == 0 && is_long(now.since(start)) {
            self.long_tasks.push((start, now));
            self.long_task_causes.push(self.current.cause);
        }
    }

    /// Returns true if the page may be laid out: some of the body is parsed, no render-blocking
    /// resource is missing, and no fitted time holds the first paint back.
    fn can_render(&self) -> bool {
        let Some(parser) = self.graph.document.and_then(|d| self.parsers[d].as_ref()) else {
            return false;
        };
        (parser.finished || parser.parsed > self.layout.body_start)
            && self.rendering.blockers == 0
            && (self.rendering.hidden_until.is_none() || self.hides_elements())
    }

    /// Returns true while scripts hide all elements of the page, which is laid out nevertheless.
    pub(super) fn hides_elements(&self) -> bool {
        self.rendering.hidden_until.is_some() && self.page.layout().is_some()
    }

    /// Queues a render task if there is new content to show or a layout to do.
    pub(super) fn check_render(&mut self, now: Instant) {
        let ended_task = self.rendering.ended_task.take();
        if self.rendering.queued {
            return;
        }
        let wanted = if self.rendering.laid_out {
            !self.rendering.awaiting_layout.is_empty()
                || !self.rendering.to_raise.is_empty()
                || (!self.hides_elements()
                    && (!self.rendering.ready_images.is_empty() || self.has_text_to_paint()))
        } else {
            self.can_render() && !self.awaits_font_preloads(now)
        };
        if !wanted {
            return;
        }
        self.rendering.queued = true;
        self.rendering.since = self.current;
        if !self.rendering.laid_out {
            self.rendering.layout_since = self.current;
        }
        let due = match self.rendering.last_start {
            Some(last) => last + FRAME,
            // The task that has made the first frame possible asked for it before it ended.
            None => ended_task.unwrap_or(now) + self.overheads.frame_request,
        };
        if due > now {
            self.schedule(due, Timer::Frame);
        } else {
            self.queue_render();
        }
    }

    /// Queues the task of a frame. The first one runs before all other tasks: Chromium prefers
    /// frames when it has made none for 100 ms (`PrioritizeCompositingAfterDelay`).
    pub(super) fn queue_render(&mut self) {
        if self.rendering.laid_out {
            self.queue(Task::Render);
        } else {
            self.queue_first(Task::Render);
        }
    }

    fn begin_render(&mut self, now: Instant) -> Duration {
        self.rendering.last_start = Some(now);
        if !self.hides_elements() {
            self.rendering.painting = std::mem::take(&mut self.rendering.ready_images);
            self.rendering.painting_text = self.take_text_to_paint();
        }
        let Some(document) = self.graph.document else {
            return self.costs.render(None, None);
        };
        let parser = self.parsers[document].as_ref();
        let (parsed, complete) = parser.map_or((0, true), |p| (p.parsed, p.finished));
        let resource = &self.page.resources[document];
        let painted = &self.rendering.painting_text;
        let contentful = |(block, _): &(usize, _)| self.layout.text[*block].size.contentful;
        // Text whose fonts are pending makes a paint contentful, too.
        let pending = &self.rendering.text_waiting;
        let pending = !self.hides_elements() && pending.iter().any(contentful);
        let content =
            !self.rendering.painting.is_empty() || painted.iter().any(contentful) || pending;
        let part = (!content && !complete).then(|| {
            let done = self.rendering.laid_out_bytes.max(self.layout.body_start);
            let left = resource.body_bytes.saturating_sub(done).max(1);
            parsed.saturating_sub(done) as f64 / left as f64
        });
        self.rendering.laid_out_bytes = parsed;
        let first = (!self.rendering.laid_out).then_some((resource, parsed));
        self.costs.render(first, part)
    }

    /// Returns the part of a frame's task after which its styles are computed, if that is recorded
    /// and background images wait for it.
    fn style_share(&self) -> Option<f64> {
        let rendering = self.page.layout()?.rendering?;
        let first = rendering.first.as_millis_f64();
        let share = rendering.first_style?.as_millis_f64() / first;
        let waiting = self.rendering.awaiting_layout.iter();
        let waits = waiting.into_iter().any(|(id, _)| self.is_background(*id));
        (waits && share < 1.0).then_some(share)
    }

    /// Returns the time from the end of a frame's task until the frame is on the screen.
    pub(super) fn presentation(&self) -> Duration {
        if self.screen.has_first() {
            self.overheads.later_presentation
        } else {
            self.overheads.presentation
        }
    }

    fn end_render(&mut self, now: Instant) {
        self.rendering.queued = false;
        let first = !self.rendering.laid_out;
        // The first layout determines the fonts that the text needs.
        self.after_layout(now);
        if first {
            self.rendering.laid_out = true;
            self.first_layout_used_fonts(now);
        }
        let images = std::mem::take(&mut self.rendering.painting);
        // A frame is shown as a whole, after its images are decoded.
        let decoding = images.iter().map(|image| image.decoding);
        let decoding = decoding.fold(Duration::ZERO, |sum, one| sum + one);
        let shown = now + self.presentation() + decoding;
        let shown = shown.max(self.rendering.last_shown);
        self.rendering.last_shown = shown;
        self.paint_text(shown);
        for image in &images {
            self.paint_image(shown, image);
        }
    }
}
