//! Proportional rate reduction: the number of segments that may be sent for each
//! acknowledgement during recovery.
//!
//! Follows RFC 6937, section 3, <https://www.rfc-editor.org/rfc/rfc6937#section-3>, with
//! Linux's bound below the target (`tcp_cwnd_reduction`): as many segments leave as were
//! delivered, and one more if the acknowledgement makes progress and reveals no further loss.

/// The state of one recovery, in segments.
#[derive(Clone, Debug)]
pub(super) struct Prr {
    /// Linux's `prior_cwnd`: the window when recovery began. The RFC takes the segments
    /// outstanding (`RecoverFS`).
    window: u64,
    delivered: u64,
    sent: u64,
    allowance: u64,
}

impl Prr {
    pub(super) fn new(window: u64) -> Self {
        Self {
            window: window.max(1),
            delivered: 0,
            sent: 0,
            allowance: 0,
        }
    }

    /// Processes an acknowledgement that delivered `delivered` segments and leaves
    /// `in_flight`.
    ///
    /// `target` is the window after recovery. `safe` is true if the acknowledgement covers
    /// new data and revealed no loss.
    pub(super) fn on_ack(&mut self, delivered: u64, in_flight: u64, target: u64, safe: bool) {
        self.delivered += delivered;
        let banked = self.delivered.saturating_sub(self.sent);
        self.allowance = if in_flight > target {
            (self.delivered * target)
                .div_ceil(self.window)
                .saturating_sub(self.sent)
        } else {
            let limit = banked.max(delivered) + u64::from(safe);
            limit.min(target - in_flight)
        };
        if self.sent == 0 {
            // The first retransmission leaves immediately.
            self.allowance = self.allowance.max(1);
        }
    }

    /// Returns true if a segment may be sent now.
    pub(super) fn admits(&self) -> bool {
        self.allowance > 0
    }

    /// Records that a segment was sent.
    pub(super) fn on_sent(&mut self) {
        self.sent += 1;
        self.allowance = self.allowance.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests;
