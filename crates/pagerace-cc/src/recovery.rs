//! Which losses are one congestion event, after RFC 9002, section 7.3.2, and
//! RFC 5681, section 3.1.

use pagerace_core::Instant;

use crate::Ack;

/// The congestion event that a sender recovers from, if any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovery {
    /// Packets sent up to then belong to the last congestion event.
    start: Option<Instant>,
    /// When the window collapsed, until something sent since gets through.
    collapsed: Option<Instant>,
}

impl Recovery {
    /// Takes note of losses, as `Controller::on_congestion` is told of them.
    /// Returns whether they are a new event, for which to reduce the window:
    /// one that was sent after the last began, and for which no timeout has
    /// reduced it already (RFC 5681, section 3.1: the threshold is held when
    /// the timer expires for the same segment again).
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
            // RFC 9002, section 7.6.2.
            self.start = None;
            self.collapsed.get_or_insert(now);
        }
        is_new
    }

    /// Takes note of an acknowledgement. Returns whether its packet was sent
    /// before recovery began, so that it opens no window.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> bool {
        if self.collapsed.is_some_and(|at| ack.sent_at >= at) {
            self.collapsed = None;
        }
        self.start.is_some_and(|start| ack.sent_at <= start)
    }
}

#[cfg(test)]
mod tests;
