//! Responses that ended with missing data, and are partly usable or broken.
//!
//! A browser would continue with the data that it has, and finish sooner. A broken response must
//! not improve a metric, so the paints that would have shown it never happen here.

use pagerace_core::Instant;
use pagerace_page::ResourceId;

use super::Browser;
use crate::graph::Role;

impl Browser {
    /// Reports a response that ended with missing data but is still usable. An image is
    /// shown as it is, and counts as complete in the final picture.
    pub fn handle_partial_end(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.arrival(now, r, self.states[r.index()].received, true);
        self.deliver(now, r);
        self.settle(now);
        self.advance(now);
    }

    /// Reports a response that ended with missing data and is unusable.
    ///
    /// Resources that only this response could have led to never arrive either. Text in a
    /// broken font appears when the browser stops waiting for the font, as if the font
    /// were still loading. If the resource blocks rendering, no paint is valid: see
    /// [`LoadMetrics`](crate::LoadMetrics).
    pub fn handle_broken(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        let before: Vec<bool> = self.states.iter().map(|s| s.abandoned).collect();
        self.states[r.index()].broken = true;
        let holds_paint = self.states[r.index()].holds_paint;
        self.arrival(now, r, self.states[r.index()].received, true);
        self.response_ended(now, r, true);
        if self.graph.in_main_frame(r) {
            if holds_paint {
                self.screen.void();
            }
            self.never_shown(r);
            for (index, before) in before.into_iter().enumerate() {
                let child = ResourceId(index as u32);
                if self.states[index].abandoned && !before {
                    self.states[index].broken = true;
                    self.never_shown(child);
                }
            }
        }
        self.settle(now);
        self.advance(now);
    }

    /// Records that the content of a resource will never be shown.
    fn never_shown(&mut self, r: ResourceId) {
        let node = &self.graph.nodes[r.index()];
        match node.role {
            Role::Image => {
                if let Some(image) = self.layout.images[r.index()] {
                    self.screen.miss(image.size);
                }
            }
            // The whole page looks different without the style sheet.
            Role::Style => {
                self.screen.miss_look();
                self.miss_elements_of(r);
            }
            Role::Script(_) | Role::Other => self.miss_elements_of(r),
            Role::Html | Role::Redirect | Role::Font => {}
        }
    }

    /// Returns true if the resource is broken: it ended with missing data and is
    /// unusable, or only such a resource could have led to it.
    pub fn is_broken(&self, r: ResourceId) -> bool {
        self.states[r.index()].broken
    }
}
