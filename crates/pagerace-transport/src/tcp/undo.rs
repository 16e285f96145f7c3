//! Takes a reduction of the window back when it turns out that nothing was
//! lost: the acknowledgements were late, or segments overtook each other.
//!
//! Two signs, as in Linux: an acknowledgement whose echoed timestamp is older
//! than the first retransmission (Eifel, RFC 3522, section 3), or a DSACK for each
//! retransmission (RFC 2883, section 5; RFC 3708). Left out: F-RTO (RFC 5682),
//! which timestamps make needless in most cases.

use pagerace_cc::Controller;
use pagerace_core::Instant;

/// What there was before a reduction.
#[derive(Debug)]
pub(super) struct Undo {
    controller: Box<dyn Controller>,
    /// The lowest number that was not acknowledged.
    una: u64,
    first_retransmission: Option<Instant>,
    /// Retransmissions that were not reported as duplicates.
    unexplained: u32,
}

impl Undo {
    /// `controller` as it is before it hears of the loss.
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

    /// A DSACK arrived for numbers below `end`. Whether it explains the last
    /// retransmission.
    pub(super) fn on_duplicate(&mut self, end: u64) -> bool {
        if end <= self.una {
            return false;
        }
        let last = self.unexplained == 1;
        self.unexplained = self.unexplained.saturating_sub(1);
        last
    }

    /// A segment that was declared lost is acknowledged; whether the original
    /// must have arrived.
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
