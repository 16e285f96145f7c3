//! Holds packets back to the rate that a congestion controller asks for.
//!
//! quinn-proto paces every controller by 1.25 windows per round trip, which
//! only keeps bursts apart. A controller such as BBR means its rate, so this
//! runs beside it: a virtual schedule in whole nanoseconds (the generic cell
//! rate algorithm of ITU-T I.371), charged for each ack-eliciting packet after
//! the handshake.

use pagerace_core::{Duration, Instant};

/// Packets that may leave at once after a pause. Linux lets `fq` send two
/// (`quantum` is twice the MTU, `net/sched/sch_fq.c`).
const BURST: u64 = 2;

/// When the next packet may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pacer {
    /// When all that was sent would have left at the rate.
    clear_at: Instant,
}

impl Pacer {
    /// `bytes` left at `now`; `rate` is in bits per second.
    pub(super) fn charge(&mut self, now: Instant, bytes: u64, rate: u64) {
        self.clear_at = self.clear_at.max(now) + time_of(bytes, rate);
    }

    /// When the next packet of up to `mtu` bytes may leave; `None` if it may
    /// at once.
    pub(super) fn held_until(self, now: Instant, mtu: u16, rate: u64) -> Option<Instant> {
        let ahead = time_of((BURST - 1) * u64::from(mtu), rate);
        (self.clear_at > now + ahead).then(|| {
            let at = self.clear_at.as_nanos() - ahead.as_nanos();
            Instant::from_nanos(at)
        })
    }
}

/// How long `bytes` take at `rate` bits per second. A rate of zero counts as
/// one bit per second: whoever asks for it gets what it asked for.
fn time_of(bytes: u64, rate: u64) -> Duration {
    let nanos = u128::from(bytes) * 8 * 1_000_000_000 / u128::from(rate.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
