//! Pacing of segments at a controller's rate.
//!
//! As in Linux without the `fq` queue, only controllers that set a pacing rate are paced
//! (BBR). The others send as soon as the window allows. Deviates from Linux, which releases
//! bursts of about a millisecond: this pacer releases segment by segment.

use pagerace_core::{Duration, Instant};

/// The earliest time at which the next segment may leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacer {
    next: Instant,
    /// True if a segment waits for `next`.
    waiting: bool,
}

impl Pacer {
    /// Returns true if a segment may leave now. Otherwise [`Self::deadline`] returns the
    /// time at which it may.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        self.waiting = now < self.next;
        !self.waiting
    }

    /// Records that `bytes` of payload left, at `rate` bits per second.
    pub(super) fn on_sent(&mut self, now: Instant, bytes: u64, rate: Option<u64>) {
        self.waiting = false;
        let Some(rate) = rate else {
            self.next = now;
            return;
        };
        let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(rate.max(1));
        let gap = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.next = self.next.max(now) + gap;
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.waiting.then_some(self.next)
    }

    pub(super) fn handle_timeout(&mut self, now: Instant) {
        if now >= self.next {
            self.waiting = false;
        }
    }

    /// Records that no segment is waiting any longer.
    pub(super) fn rest(&mut self) {
        self.waiting = false;
    }
}
