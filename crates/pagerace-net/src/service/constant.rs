//! A constant rate, with or without a token bucket.
//!
//! The clock of a busy link advances by size / rate for each packet. The remainder below
//! a nanosecond is carried over, so that the long-run rate is exact. A packet counts as
//! sent at the next whole nanosecond.
//!
//! A bucket of B bytes that is full at the start moves the same departures forward by B /
//! rate. If `full` is the time at which the bucket would be full again, a packet may
//! leave once `full` is at most (B - size) / rate ahead. Source: `tc-tbf(8)`. Deviation:
//! tbf drops packets larger than its bucket; here they wait for the tokens.

use pagerace_core::Instant;

use super::work;
use crate::units::BitRate;

#[derive(Clone, Debug)]
pub(super) struct ConstantRate {
    units_per_ns: u128,
    /// The time at which all accepted work is done: whole nanoseconds, and a remainder of
    /// work (less than `units_per_ns`) that falls into the next nanosecond.
    free: u64,
    carry: u128,
    /// The amount by which a full bucket moves departures forward, in the same units.
    ahead: u64,
    ahead_carry: u128,
}

impl ConstantRate {
    pub(super) fn new(rate: BitRate, bucket: u32) -> Self {
        let units_per_ns = u128::from(rate.bits_per_second());
        let ahead = work(bucket);
        Self {
            units_per_ns,
            free: 0,
            carry: 0,
            ahead: u64::try_from(ahead / units_per_ns).unwrap_or(u64::MAX),
            ahead_carry: ahead % units_per_ns,
        }
    }

    pub(super) fn finish(&mut self, now: Instant, size: u32) -> Instant {
        let now = now.as_nanos();
        if now > self.free {
            (self.free, self.carry) = (now, 0);
        }
        let total = work(size) + self.carry;
        let whole = u64::try_from(total / self.units_per_ns).unwrap_or(u64::MAX);
        self.free = self.free.saturating_add(whole);
        self.carry = total % self.units_per_ns;
        let rounded_up = u64::from(self.carry > self.ahead_carry);
        let finish = self
            .free
            .saturating_add(rounded_up)
            .saturating_sub(self.ahead);
        Instant::from_nanos(finish.max(now))
    }
}
