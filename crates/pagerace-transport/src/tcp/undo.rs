//! Undoes a reduction of the window when it turns out that nothing was lost: the
//! acknowledgements were late, or segments were reordered.
//!
//! As in Linux, there are two signs of a spurious reduction: an acknowledgement with an
//! echoed timestamp older than the first retransmission (Eifel, RFC 3522, section 3), or a
//! DSACK for each retransmission (RFC 2883, section 5; RFC 3708). F-RTO (RFC 5682) is not
//! modelled, as timestamps make it unnecessary in most cases.

use pagerace_cc::Controller;
use pagerace_core::Instant;

/// The state before a reduction.
#[derive(Debug)]
pub(super) struct Undo {
    controller: Box<dyn Controller>,
    /// The lowest unacknowledged number.
    una: u64,
    first_retransmission: Option<Instant>,
    /// Number of retransmissions that were not reported as duplicates.
    unexplained: u32,
}

impl Undo {
    /// Saves `controller`, which must not have been told of the loss yet.
    pub(super) fn new(controller: &dyn Controller, una: u64) -> Self {
        Self {
            controller: controller.clone_box(),
            una,
            first_retransmission: None,
            unexplained: 0,
        }
    }

    pub(super) fn on_retransmission(&mut self, now: Instant) {
        self.first_retransmission.get_or_insert(now);
        self.unexplained += 1;
    }

    /// Processes a DSACK for a range that ends at `end`. Returns true if it explains the
    /// last unexplained retransmission.
    pub(super) fn on_duplicate(&mut self, end: u64) -> bool {
        if end <= self.una {
            return false;
        }
        let last = self.unexplained == 1;
        self.unexplained = self.unexplained.saturating_sub(1);
        last
    }

    /// Called when a segment that was declared lost is acknowledged. Returns true if the
    /// original transmission must have arrived.
    pub(super) fn was_needless(&self, echo: Option<Instant>) -> bool {
        match self.first_retransmission {
            None => true,
            Some(first) => echo.is_some_and(|echo| echo < first),
        }
    }

    pub(super) fn into_controller(self) -> Box<dyn Controller> {
        self.controller
    }
}
