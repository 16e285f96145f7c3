//! Groups losses into congestion events, after RFC 9002, section 7.3.2, and RFC
//! 5681, section 3.1.

use pagerace_core::Instant;

use crate::Ack;

/// The congestion event that a sender is recovering from, if any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovery {
    /// Packets sent up to this time belong to the last congestion event.
    start: Option<Instant>,
    /// The time of a window collapse, until a packet sent since then gets through.
    collapsed: Option<Instant>,
}

impl Recovery {
    /// Records losses as passed to `Controller::on_congestion`. Returns true if
    /// they are a new event that reduces the window: the packet was sent after
    /// the last event began, and no timeout has already reduced the window for
    /// it (RFC 5681, section 3.1: the threshold is held when the timer expires
    /// for the same segment again).
    pub(crate) fn on_congestion(
        &mut self,
        now: Instant,
        sent_at: Instant,
        persistent: bool,
    ) -> bool {
        let again = persistent && self.collapsed.is_some();
        let is_new = !again && self.start.is_none_or(|start| sent_at > start);
        if is_new {
            self.start = Some(now);
        }
        if persistent {
            // RFC 9002, section 7.6.2: persistent congestion resets the
            // recovery start time.
            self.start = None;
            self.collapsed.get_or_insert(now);
        }
        is_new
    }

    /// Records an acknowledgement. Returns true if its packet was sent before
    /// recovery began, in which case it does not open the window.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> bool {
        if self.collapsed.is_some_and(|at| ack.sent_at >= at) {
            self.collapsed = None;
        }
        self.start.is_some_and(|start| ack.sent_at <= start)
    }
}

#[cfg(test)]
mod tests;
