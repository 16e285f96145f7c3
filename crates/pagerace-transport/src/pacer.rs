//! Pacing at the rate that a congestion controller requests.
//!
//! A virtual schedule in whole nanoseconds (the generic cell rate algorithm of ITU-T I.371)
//! is charged for each packet that leaves.

use pagerace_core::{Duration, Instant};

/// The schedule of departures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pacer {
    /// The time at which all packets sent so far would have left at the rate.
    clear_at: Instant,
}

impl Pacer {
    /// Charges `bytes` that left at `now`. `rate` is in bits per second.
    pub(crate) fn charge(&mut self, now: Instant, bytes: u64, rate: u64) {
        self.clear_at = self.clear_at.max(now) + time_of(bytes, rate);
    }

    /// Returns the time at which the next packet may leave, or `None` if it may leave at
    /// once. `ahead` bytes may leave ahead of the schedule.
    pub(crate) fn held_until(self, now: Instant, ahead: u64, rate: u64) -> Option<Instant> {
        let ahead = time_of(ahead, rate);
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
