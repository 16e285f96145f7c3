//! Proportional rate reduction: the number of bytes that may be sent for each
//! acknowledgement during recovery.
//!
//! Follows RFC 6937, section 3, <https://www.rfc-editor.org/rfc/rfc6937#section-3>. Below
//! the target, the choice of bound follows Linux (and RFC 9937): the slow-start bound while
//! acknowledgements make progress and reveal no further loss, and the conservative bound
//! otherwise.

/// The state of one recovery, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Prr {
    mss: u64,
    /// `RecoverFS`: bytes outstanding when recovery began.
    flight: u64,
    delivered: u64,
    sent: u64,
    allowance: u64,
}

impl Prr {
    pub(super) fn new(mss: u64, flight: u64) -> Self {
        Self {
            mss,
            flight: flight.max(1),
            delivered: 0,
            sent: 0,
            allowance: 0,
        }
    }

    /// Processes an acknowledgement that delivered `delivered` bytes and leaves
    /// `in_flight`.
    ///
    /// `target` is the window after recovery. `safe` is true if the acknowledgement covers
    /// new data and revealed no loss.
    pub(super) fn on_ack(&mut self, delivered: u64, in_flight: u64, target: u64, safe: bool) {
        self.delivered += delivered;
        let banked = self.delivered.saturating_sub(self.sent);
        self.allowance = if in_flight > target {
            (self.delivered * target)
                .div_ceil(self.flight)
                .saturating_sub(self.sent)
        } else {
            let limit = if safe {
                banked.max(delivered) + self.mss
            } else {
                banked
            };
            limit.min(target - in_flight)
        };
        if self.sent == 0 {
            // The first retransmission leaves immediately.
            self.allowance = self.allowance.max(self.mss);
        }
    }

    /// Returns true if `bytes` may be sent now.
    pub(super) fn admits(&self, bytes: u64) -> bool {
        bytes <= self.allowance
    }

    pub(super) fn on_sent(&mut self, bytes: u64) {
        self.sent += bytes;
        self.allowance = self.allowance.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests;
