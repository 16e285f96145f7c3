//! A rate that follows a schedule of steps and ramps.
//!
//! The work that the bottleneck could do from the start of the run until a time is a sum of
//! rectangles and trapezia. A packet has crossed at the first nanosecond at which this sum
//! reaches the accepted work, so that ramps are resolved exactly instead of in steps. Within a
//! ramp the sum is rounded down to 10^-9 bits; the rounding errors do not accumulate.

use pagerace_core::Instant;

use super::work;
use crate::schedule::{End, Schedule};

#[derive(Clone, Debug)]
pub(super) struct ScheduleClock {
    pieces: Vec<Stretch>,
    /// The nanoseconds and the work of all pieces together.
    length: u64,
    capacity: u128,
    /// The rate after the last piece; `None` if the pieces repeat.
    stays: Option<u64>,
    /// The work possible since the start of the run, at the time when all accepted work is done.
    done: u128,
}

/// A piece of the schedule with its start time and the work before it.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    begin: u64,
    work_before: u128,
    lasts: u64,
    from: u64,
    to: u64,
}

impl ScheduleClock {
    /// Creates the clock of a schedule of rates in bits per second. The final rate, or
    /// one of the repeated rates, must not be zero.
    pub(super) fn new(schedule: &Schedule) -> Self {
        let (mut length, mut capacity) = (0, 0);
        let pieces = schedule.pieces().iter().map(|p| {
            let stretch = Stretch {
                begin: length,
                work_before: capacity,
                lasts: p.lasts.as_nanos(),
                from: p.from,
                to: p.to,
            };
            length += stretch.lasts;
            capacity += stretch.capacity(stretch.lasts);
            stretch
        });
        let pieces = pieces.collect();
        let stays = match schedule.end() {
            End::Stays(rate) => Some(rate),
            End::Repeats => None,
        };
        Self {
            pieces,
            length,
            capacity,
            stays,
            done: 0,
        }
    }

    pub(super) fn finish(&mut self, now: Instant, size: u32) -> Instant {
        self.done = self.done.max(self.capacity(now.as_nanos())) + work(size);
        Instant::from_nanos(self.reaches(self.done))
    }

    /// Returns the work that can be done until `t`.
    fn capacity(&self, t: u64) -> u128 {
        if let Some(rate) = self.stays.filter(|_| t >= self.length) {
            return self.capacity + u128::from(t - self.length) * u128::from(rate);
        }
        let phase = t % self.length;
        let i = self.pieces.partition_point(|p| p.begin <= phase) - 1;
        let piece = &self.pieces[i];
        u128::from(t / self.length) * self.capacity
            + piece.work_before
            + piece.capacity(phase - piece.begin)
    }

    /// Returns the first time at which `work`, which is not zero, can be done.
    fn reaches(&self, work: u128) -> u64 {
        let (mut work, mut at) = (work, 0_u64);
        if let Some(rate) = self.stays {
            if work > self.capacity {
                let after = (work - self.capacity).div_ceil(u128::from(rate));
                return self.length.saturating_add(saturated(after));
            }
        } else {
            let periods = (work - 1) / self.capacity;
            work -= periods * self.capacity;
            at = saturated(periods).saturating_mul(self.length);
        }
        let i = self.pieces.partition_point(|p| p.work_before < work) - 1;
        let piece = &self.pieces[i];
        let within = piece.begin + piece.reaches(work - piece.work_before);
        at.saturating_add(within)
    }
}

impl Stretch {
    /// Returns the work of the first `x` nanoseconds.
    fn capacity(&self, x: u64) -> u128 {
        let (x, from) = (u128::from(x), u128::from(self.from));
        let flat = from * x;
        // Half of the rate change so far, times `x`. An hour at 10^12 bit/s keeps this
        // below 2^124.
        let twice_lasts = 2 * u128::from(self.lasts);
        let bent = u128::from(self.from.abs_diff(self.to)) * x * x;
        if self.to >= self.from {
            flat + bent / twice_lasts
        } else {
            flat - bent.div_ceil(twice_lasts)
        }
    }

    /// Returns the first nanosecond at which `work` of this piece is done.
    fn reaches(&self, work: u128) -> u64 {
        if self.from == self.to {
            return saturated(work.div_ceil(u128::from(self.from)));
        }
        // The work grows with time, so bisect.
        let (mut low, mut high) = (0, self.lasts);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.capacity(middle) >= work {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

fn saturated(ns: u128) -> u64 {
    u64::try_from(ns).unwrap_or(u64::MAX)
}
