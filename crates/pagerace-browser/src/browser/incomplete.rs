//! Responses that ended with something missing: of use in part, or broken.
//!
//! A browser would go on with what it has, and be done sooner for it. That is no
//! gain, so what was broken never makes a metric better here: the times at which it
//! would have been seen do not come.

use pagerace_core::Instant;
use pagerace_page::ResourceId;

use super::Browser;
use super::state::FontHold;
use crate::graph::Role;

impl Browser {
    /// The response ended with something missing, and is of use all the same: an
    /// image is shown as it is, which is then how it looks in the final picture.
    pub fn handle_partial_end(&mut self, now: Instant, r: ResourceId) {
        self.advance(now);
        self.arrival(now, r, self.states[r.index()].received, true);
        self.response_ended(now, r, false);
        self.settle(now);
        self.advance(now);
    }

    /// The response ended with something missing, without which it is of no use.
    ///
    /// What only it could have led to never comes either. Text in a font that is
    /// broken is seen when the browser stops waiting for it, as if it were still on
    /// its way. If the page could not be painted without it, it is never painted
    /// rightly: see [`LoadMetrics`](crate::LoadMetrics).
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

    /// What would have been seen of a resource never is.
    fn never_shown(&mut self, r: ResourceId) {
        let node = &self.graph.nodes[r.index()];
        match node.role {
            Role::Image => {
                if let Some(image) = self.layout.images[r.index()] {
                    self.screen.miss(image.size);
                }
            }
            // Whatever is on the screen does not look as it should.
            Role::Style => self.screen.miss_look(),
            Role::Script(_) | Role::Other => self.miss_text_of(r),
            Role::Html | Role::Redirect | Role::Font => {}
        }
    }

    /// Whether text waits for a font that is broken: it will be seen when the browser
    /// stops waiting.
    pub(super) fn waits_for_broken_font(&self) -> bool {
        if self.layout.recorded {
            let mut holds = self.rendering.font_holds.iter();
            return holds.any(|(font, hold)| {
                matches!(hold, FontHold::Hidden) && self.states[font.index()].broken
            });
        }
        let lost = |s: &super::state::State| s.broken && s.holds_text;
        !self.rendering.font_block_over && self.states.iter().any(lost)
    }

    /// Whether the resource ended with something missing without which it is of no use,
    /// or only such a resource could have led to it.
    pub fn is_broken(&self, r: ResourceId) -> bool {
        self.states[r.index()].broken
    }
}
