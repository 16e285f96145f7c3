//! A rate that changes in steps and repeats.

use pagerace_core::Instant;

use super::work;
use crate::trace::Steps;

#[derive(Clone, Debug)]
pub(super) struct StepClock {
    /// The end of each step within a period in ns, and its rate in bits per second.
    ends: Vec<(u64, u64)>,
    period: u64,
    work_per_period: u128,
    /// The time at which all accepted work is done: whole nanoseconds, and the work done
    /// in the next nanosecond.
    free: u64,
    carry: u128,
}

impl StepClock {
    pub(super) fn new(steps: &Steps) -> Self {
        let mut end = 0;
        let ends: Vec<_> = steps
            .steps()
            .iter()
            .map(|&(ns, rate)| {
                end += ns;
                (end, rate)
            })
            .collect();
        let work_per_period = steps
            .steps()
            .iter()
            .map(|&(ns, rate)| u128::from(ns) * u128::from(rate))
            .sum();
        Self {
            ends,
            period: end,
            work_per_period,
            free: 0,
            carry: 0,
        }
    }

    pub(super) fn finish(&mut self, now: Instant, size: u32) -> Instant {
        let now = now.as_nanos();
        if now > self.free {
            (self.free, self.carry) = (now, 0);
        }
        let mut todo = work(size) + self.carry;
        // A whole period does the same work wherever it begins.
        let periods = (todo - 1) / self.work_per_period;
        todo -= periods * self.work_per_period;
        let periods = u64::try_from(periods).unwrap_or(u64::MAX);
        let mut at = self
            .free
            .saturating_add(periods.saturating_mul(self.period));
        let phase = self.free % self.period;
        let first = self.ends.partition_point(|&(end, _)| end <= phase);
        let mut left = self.ends[first].0 - phase;
        let mut step = first;
        loop {
            let rate = u128::from(self.ends[step].1);
            let capacity = rate * u128::from(left);
            if todo <= capacity {
                // The quotient is at most `left`, so it fits. `rate` is not zero because
                // `todo` is not.
                at = at.saturating_add((todo / rate) as u64);
                (self.free, self.carry) = (at, todo % rate);
                return Instant::from_nanos(at.saturating_add(u64::from(self.carry > 0)));
            }
            todo -= capacity;
            at = at.saturating_add(left);
            let begin = self.ends[step].0 % self.period;
            step = (step + 1) % self.ends.len();
            left = self.ends[step].0 - begin;
        }
    }
}
