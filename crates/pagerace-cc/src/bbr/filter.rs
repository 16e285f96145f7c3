//! Windowed filters for BBR's model of the path.

use std::collections::VecDeque;

use pagerace_core::Instant;

use crate::mul_div;

/// The highest delivery rate of recent round trips.
///
/// Linux keeps the best three samples. This filter keeps every sample that can still
/// become the maximum, so the maximum is exact.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxBandwidth {
    /// Pairs of (round trip, bytes per second), in which later samples are slower.
    samples: VecDeque<(u64, u64)>,
}

impl MaxBandwidth {
    /// The maximum in bytes per second; 0 before the first sample.
    pub(super) fn get(&self) -> u64 {
        self.samples.front().map_or(0, |&(_, rate)| rate)
    }

    /// Adds a sample of `round` and drops samples more than `window` round trips older.
    pub(super) fn update(&mut self, round: u64, window: u64, rate: u64) {
        while self.samples.back().is_some_and(|&(_, r)| r <= rate) {
            self.samples.pop_back();
        }
        self.samples.push_back((round, rate));
        while self
            .samples
            .front()
            .is_some_and(|&(r, _)| r + window < round)
        {
            self.samples.pop_front();
        }
    }
}

/// The number of round trips per bin of [`Aggregation`]: `bbr_extra_acked_win_rtts`.
const BIN: u32 = 5;
/// The maximum bytes counted in an epoch, in packets:
/// `bbr_ack_epoch_acked_reset_thresh`.
const EPOCH_PACKETS: u64 = 1 << 20;

/// The maximum excess of acknowledged over expected bytes in the last five to ten
/// round trips. The excess comes from acknowledgements that arrive in bunches.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    epoch_start: Instant,
    epoch_acked: u64,
    bins: [u64; 2],
    bin: usize,
    bin_rounds: u32,
}

impl Aggregation {
    /// The maximum excess in bytes.
    pub(super) fn extra(&self) -> u64 {
        self.bins[0].max(self.bins[1])
    }

    /// Begins a new measurement at `now`.
    pub(super) fn restart(&mut self, now: Instant) {
        self.epoch_start = now;
        self.epoch_acked = 0;
    }

    /// Records `acked` acknowledged bytes on a path of `bandwidth` bytes per second.
    pub(super) fn update(
        &mut self,
        now: Instant,
        round_start: bool,
        acked: u64,
        bandwidth: u64,
        window: u64,
        mtu: u64,
    ) {
        if round_start {
            self.bin_rounds += 1;
            if self.bin_rounds >= BIN {
                self.bin_rounds = 0;
                self.bin = 1 - self.bin;
                self.bins[self.bin] = 0;
            }
        }
        let elapsed = now.since(self.epoch_start).as_nanos();
        let mut expected = mul_div(bandwidth, elapsed, 1_000_000_000);
        if self.epoch_acked <= expected || self.epoch_acked + acked >= EPOCH_PACKETS * mtu {
            self.restart(now);
            expected = 0;
        }
        self.epoch_acked += acked;
        let extra = (self.epoch_acked - expected).min(window);
        self.bins[self.bin] = self.bins[self.bin].max(extra);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::at;

    use super::*;

    #[test]
    fn the_fastest_of_the_last_rounds_counts() {
        let mut max = MaxBandwidth::default();
        assert_eq!(max.get(), 0);
        for (round, rate, fastest) in [
            (1, 100, 100),
            (2, 80, 100),
            (3, 90, 100),
            (11, 10, 100),
            (12, 10, 90),
            (13, 10, 90),
            (14, 10, 10),
            (15, 20, 20),
        ] {
            max.update(round, 10, rate);
            assert_eq!(max.get(), fastest, "round {round}");
        }
    }

    #[test]
    fn bunches_of_acknowledgements_are_what_exceeds_the_bandwidth() {
        // At 1000 B/s, bunches of 500 bytes arrive every half second.
        let mut aggregation = Aggregation::default();
        for ms in (500..5_000).step_by(500) {
            aggregation.update(at(ms), false, 500, 1_000, 10_000, 100);
        }
        assert_eq!(aggregation.extra(), 500);
        // Three bunches arrive at once.
        aggregation.update(at(5_000), false, 1_500, 1_000, 10_000, 100);
        assert_eq!(aggregation.extra(), 1_500);
        // The maximum is forgotten after ten round trips.
        for i in 0..10 {
            aggregation.update(at(10_000 + i * 1_000), true, 100, 1_000, 10_000, 100);
        }
        assert_eq!(aggregation.extra(), 100);
    }
}
