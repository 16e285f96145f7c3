//! Pacing of packets at the rate that a congestion controller requests.
//!
//! quinn-proto paces every controller by 1.25 windows per round trip, which only spaces
//! bursts. A controller such as BBR requires its exact rate, so this pacer runs in
//! addition. It keeps a virtual schedule in whole nanoseconds (the generic cell rate
//! algorithm of ITU-T I.371), which is charged for each ack-eliciting packet after the
//! handshake.

use pagerace_core::{Duration, Instant};

/// Number of packets that may leave at once after a pause. Linux allows two with `fq`
/// (`quantum` is twice the MTU, `net/sched/sch_fq.c`).
const BURST: u64 = 2;

/// The schedule of departures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pacer {
    /// The time at which all packets sent so far would have left at the rate.
    clear_at: Instant,
}

impl Pacer {
    /// Charges `bytes` that left at `now`. `rate` is in bits per second.
    pub(super) fn charge(&mut self, now: Instant, bytes: u64, rate: u64) {
        self.clear_at = self.clear_at.max(now) + time_of(bytes, rate);
    }

    /// Returns the time at which the next packet of up to `mtu` bytes may leave, or `None`
    /// if it may leave at once.
    pub(super) fn held_until(self, now: Instant, mtu: u16, rate: u64) -> Option<Instant> {
        let ahead = time_of((BURST - 1) * u64::from(mtu), rate);
        (self.clear_at > now + ahead).then(|| {
            let at = self.clear_at.as_nanos() - ahead.as_nanos();
            Instant::from_nanos(at)
        })
    }
}

/// Returns the time that `bytes` take at `rate` bits per second. A rate of zero counts as
/// one bit per second.
fn time_of(bytes: u64, rate: u64) -> Duration {
    let nanos = u128::from(bytes) * 8 * 1_000_000_000 / u128::from(rate.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
