//! A bottleneck that replays a mahimahi trace.
//!
//! Each delivery opportunity carries up to 1,500 bytes: one packet, several small packets, or
//! the rest of one packet and the beginning of the next. Unused bytes of an opportunity expire
//! at its time, and a packet uses only opportunities after its arrival.
//!
//! Source: mahimahi's `LinkQueue`,
//! <https://github.com/ravinet/mahimahi/blob/master/src/frontend/link_queue.cc>.
//! Deviation: mahimahi's arrival times are whole milliseconds; here they are nanoseconds.

use std::sync::Arc;

use pagerace_core::Instant;

use crate::trace::{OPPORTUNITY_BYTES, Opportunities};

const NS_PER_MS: u64 = 1_000_000;

#[derive(Clone, Debug)]
pub(super) struct OpportunityClock {
    trace: Arc<Opportunities>,
    /// The opportunity in use: the repetition, the run, the index in the run (from 1; 0
    /// if none of the run was used yet), and the bytes left.
    period: u64,
    run: usize,
    of_run: u32,
    left: u32,
}

impl OpportunityClock {
    pub(super) fn new(trace: Arc<Opportunities>) -> Self {
        Self {
            trace,
            period: 0,
            run: 0,
            of_run: 0,
            left: 0,
        }
    }

    pub(super) fn finish(&mut self, now: Instant, size: u32) -> Instant {
        let now = now.as_nanos();
        let mut todo = size;
        loop {
            if self.left == 0 || self.at() <= now {
                self.advance(now);
            }
            let used = todo.min(self.left);
            self.left -= used;
            todo -= used;
            if todo == 0 {
                return Instant::from_nanos(self.at());
            }
        }
    }

    /// Returns the time of the opportunity in use, in ns.
    fn at(&self) -> u64 {
        let ms = u64::from(self.trace.runs()[self.run].0);
        self.period
            .saturating_mul(self.trace.period().as_nanos())
            .saturating_add(ms * NS_PER_MS)
    }

    /// Moves to the next opportunity after `now`.
    fn advance(&mut self, now: u64) {
        let runs = self.trace.runs();
        self.left = OPPORTUNITY_BYTES;
        if self.of_run < runs[self.run].1 {
            self.of_run += 1;
        } else {
            self.of_run = 1;
            self.run = (self.run + 1) % runs.len();
            self.period += u64::from(self.run == 0);
        }
        if self.at() > now {
            return;
        }
        let length = self.trace.period().as_nanos();
        self.period = now / length;
        let phase = now % length;
        self.run = runs.partition_point(|r| u64::from(r.0) * NS_PER_MS <= phase);
        // The last run ends the period, so it is later than any phase.
        debug_assert!(self.run < runs.len());
        self.of_run = 1;
    }
}
