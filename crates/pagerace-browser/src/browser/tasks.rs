//! What the threads do, and painting.

use pagerace_core::{Duration, Instant};

use super::Browser;
use super::state::Timer;
use crate::cause::Ready;
use crate::interactive::is_long;
use crate::main_thread::Task;

/// Time between two frames: 60 a second.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// How long text stays invisible while its fonts load: the block period of
/// `font-display: block`, about which CSS Fonts 4 says that three seconds are
/// recommended, <https://www.w3.org/TR/css-fonts-4/#font-display-desc>.
const FONT_BLOCK_PERIOD: Duration = Duration::from_secs(3);

impl Browser {
    /// A free thread takes its next task.
    pub(super) fn start_task(&mut self, now: Instant, lane: usize) {
        if let Some((task, ready)) = self.lanes[lane].next() {
            self.current = ready;
            let cost = self.begin(now, task);
            self.lanes[lane].run(task, now);
            self.schedule(now + cost, Timer::TaskDone(lane));
        }
    }

    /// Prepares a task and says how long it takes.
    fn begin(&mut self, now: Instant, task: Task) -> Duration {
        match task {
            Task::Parse(id) => {
                let target = self.parse_target(id.index());
                let Some(parser) = &mut self.parsers[id.index()] else {
                    return Duration::ZERO;
                };
                parser.target = target;
                // What it parses may have come since it was queued.
                if let Some(arrival) = parser.target_arrival() {
                    self.current = self.current.and(arrival);
                }
                let bytes = target - parser.parsed;
                self.costs.parse(&self.page.resources[id.index()], bytes)
            }
            Task::Style(id) => self.costs.style(&self.page.resources[id.index()]),
            Task::Script(id) => self.costs.script(&self.page.resources[id.index()]),
            Task::Render => self.begin_render(now),
            Task::Load => Duration::ZERO,
        }
    }

    /// A thread's task is over.
    pub(super) fn task_done(&mut self, now: Instant, lane: usize) {
        let Some((task, start)) = self.lanes[lane].finish() else {
            return;
        };
        self.woken.push(lane);
        if lane == 0 && is_long(now.since(start)) {
            self.long_tasks.push((start, now));
            self.long_task_causes.push(self.current.cause);
        }
        match task {
            Task::Parse(id) => self.parsed(now, id),
            Task::Style(id) | Task::Script(id) => self.processed(now, id),
            Task::Render => self.end_render(now),
            Task::Load => self.load_dispatched(now),
        }
    }

    /// Whether the screen may show anything: some of the body is parsed, and
    /// nothing that blocks rendering is missing.
    fn can_render(&self) -> bool {
        let Some(parser) = self.graph.document.and_then(|d| self.parsers[d].as_ref()) else {
            return false;
        };
        (parser.finished || parser.parsed > self.layout.body_start) && self.rendering.blockers == 0
    }

    /// Blocks of text that the parser has passed.
    pub(super) fn text_reached(&self) -> usize {
        let Some(document) = self.graph.document else {
            return 0;
        };
        let parsed = self.parsers[document].as_ref().map_or(0, |p| p.parsed);
        self.layout
            .text
            .iter()
            .take_while(|&&end| end <= parsed)
            .count()
    }

    /// Text does not wait for fonts any longer.
    pub(super) fn font_block_over(&mut self) {
        self.rendering.font_block_over = true;
        if self.rendering.fonts > 0 {
            self.rendering.fonts_since = Some(self.current);
        }
    }

    fn fonts_ready(&self) -> bool {
        self.rendering.fonts == 0 || self.rendering.font_block_over
    }

    /// Queues a render task if there is something new to show.
    pub(super) fn check_render(&mut self, now: Instant) {
        if self.rendering.queued {
            return;
        }
        let wanted = if self.rendering.laid_out {
            !self.rendering.ready_images.is_empty()
                || !self.rendering.awaiting_layout.is_empty()
                || !self.rendering.to_boost.is_empty()
                || (self.fonts_ready() && self.rendering.text_painted < self.text_reached())
        } else {
            self.can_render()
        };
        if !wanted {
            return;
        }
        self.rendering.queued = true;
        self.rendering.since = self.current;
        if !self.rendering.laid_out {
            self.rendering.layout_since = self.current;
        }
        let due = self
            .rendering
            .last_start
            .map_or(now, |last| now.max(last + FRAME));
        if due > now {
            self.schedule(due, Timer::Frame);
        } else {
            self.queue(0, Task::Render);
        }
    }

    fn begin_render(&mut self, now: Instant) -> Duration {
        self.rendering.last_start = Some(now);
        self.rendering.painting = std::mem::take(&mut self.rendering.ready_images);
        self.rendering.text_reached = self.text_reached();
        self.rendering.fonts_ready = self.fonts_ready();
        let first = self
            .graph
            .document
            .filter(|_| !self.rendering.laid_out)
            .map(|document| {
                let parsed = self.parsers[document].as_ref().map_or(0, |p| p.parsed);
                (&self.page.resources[document], parsed)
            });
        self.costs.render(first)
    }

    fn end_render(&mut self, now: Instant) {
        self.rendering.queued = false;
        let first = !self.rendering.laid_out;
        // The first layout finds out which fonts the text needs.
        self.after_layout(now);
        if first {
            self.rendering.laid_out = true;
            if self.rendering.fonts > 0 {
                self.rendering.fonts_ready = false;
                self.schedule(now + FONT_BLOCK_PERIOD, Timer::FontBlockOver);
            }
        }
        if self.rendering.fonts_ready {
            while self.rendering.text_painted < self.rendering.text_reached {
                let ready = self.text_ready(self.rendering.text_painted);
                self.rendering.text_painted += 1;
                self.screen.paint_text(now, ready);
            }
        }
        for image in std::mem::take(&mut self.rendering.painting) {
            let ready = image.ready.and(self.rendering.layout_since);
            self.screen
                .paint_image(now, image.id, (image.area, image.element), ready);
        }
    }

    /// When a frame could show the block of text: the parser has passed it,
    /// there was a layout, and its fonts are there.
    fn text_ready(&self, block: usize) -> Ready {
        let laid_out = self.rendering.layout_since;
        let passed = self.rendering.text_since.get(block).copied();
        let ready = passed.map_or(laid_out, |passed| passed.and(laid_out));
        let fonts = self.rendering.fonts_since;
        fonts.map_or(ready, |fonts| ready.and(fonts))
    }
}
