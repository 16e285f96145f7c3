//! A rate that follows a schedule of steps and ramps.
//!
//! The work that the bottleneck could do from the start of the run until a
//! time is a sum of rectangles and trapezia. A packet has crossed at the first
//! nanosecond until which the work that could be done reaches the work that
//! was to be done: ramps are resolved exactly, not in steps. Within a ramp
//! that sum is rounded down to 10^-9 bits; nothing accumulates.

use pagerace_core::Instant;

use super::work;
use crate::schedule::{End, Schedule};

#[derive(Clone, Debug)]
pub(super) struct ScheduleClock {
    pieces: Vec<Stretch>,
    /// Of all pieces together: nanoseconds and work.
    length: u64,
    capacity: u128,
    /// The rate after the pieces; `None` if they repeat.
    stays: Option<u64>,
    /// The work that could have been done when all accepted work is done.
    done: u128,
}

/// A piece of the schedule and what lies before it.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    begin: u64,
    work_before: u128,
    lasts: u64,
    from: u64,
    to: u64,
}

impl ScheduleClock {
    /// Rates in bits per second. The one that stays, or one of those that
    /// repeat, is not zero.
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

    /// The work that can be done until `t`.
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

    /// The first time until which so much work, not zero, can be done.
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
    /// The work of the first `x` nanoseconds.
    fn capacity(&self, x: u64) -> u128 {
        let (x, from) = (u128::from(x), u128::from(self.from));
        let flat = from * x;
        // Half the difference that the rate has gone through, times `x`; an
        // hour at 10^12 bit/s keeps this below 2^124.
        let twice_lasts = 2 * u128::from(self.lasts);
        let bent = u128::from(self.from.abs_diff(self.to)) * x * x;
        if self.to >= self.from {
            flat + bent / twice_lasts
        } else {
            flat - bent.div_ceil(twice_lasts)
        }
    }

    /// The first nanosecond until which so much of its work is done.
    fn reaches(&self, work: u128) -> u64 {
        if self.from == self.to {
            return saturated(work.div_ceil(u128::from(self.from)));
        }
        // The work grows with time: halve the interval that holds the answer.
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
