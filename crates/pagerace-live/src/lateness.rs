//! Statistics of how late the emulator, or a probe's bottleneck, delivered packets.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// Number of buckets per doubling. The upper bound of a bucket exceeds its lower bound by
/// at most one eighth.
const STEPS: u64 = 8;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// Histogram of the differences between due and actual delivery times, with eight buckets
/// per doubling. Quantiles are upper bounds of buckets, so they are at most 12.5 % too
/// high.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lateness {
    buckets: Vec<u64>,
    count: u64,
    max: Duration,
}

impl Lateness {
    /// Maximum lateness of 99 % of the packets in an acceptable run.
    pub(crate) const P99_MAX: Duration = Duration::from_millis(1);
    /// Lateness that at most [`LATE_SHARE_MAX`](Self::LATE_SHARE_MAX) of the packets may
    /// exceed.
    pub const LATE: Duration = Duration::from_millis(5);
    /// Maximum share of packets that are later than [`LATE`](Self::LATE).
    pub const LATE_SHARE_MAX: f64 = 0.001;

    /// Adds a packet.
    pub fn add(&mut self, late: Duration) {
        let bucket = bucket_of(late.as_nanos());
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.max = self.max.max(late);
    }

    /// Returns the number of packets.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the median lateness.
    pub fn p50(&self) -> Duration {
        self.quantile(0.5)
    }

    /// Returns the 99th percentile of the lateness.
    pub fn p99(&self) -> Duration {
        self.quantile(0.99)
    }

    /// Returns the maximum lateness.
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Returns the lateness that a share `q` of the packets did not exceed; zero without
    /// packets.
    pub fn quantile(&self, q: f64) -> Duration {
        let rank = ((q * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, packets) in self.buckets.iter().enumerate() {
            seen += packets;
            if seen >= rank {
                return Duration::from_nanos(upper_end(bucket)).min(self.max);
            }
        }
        self.max
    }

    /// Returns the share of packets that were later than `bound`, to the precision of the
    /// buckets. The bucket that contains `bound` does not count.
    pub(crate) fn share_beyond(&self, bound: Duration) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let beyond = self.buckets.iter().skip(bucket_of(bound.as_nanos()) + 1);
        beyond.sum::<u64>() as f64 / self.count as f64
    }

    /// Returns true if the run is valid: 99 % of the packets were at most 1 ms late, and
    /// no more than one in a thousand was more than 5 ms late.
    ///
    /// A page takes tens of sequential round trips with two deliveries each. A constant
    /// lateness of 0.1 ms thus adds some milliseconds to a load of seconds, far less than
    /// the differences of interest. A rare delay matters only on the critical path, and
    /// then only for its own duration. With real-time scheduling, a quiet machine has 0.1
    /// to 0.2 ms at the 99th percentile. A p99 beyond 1 ms means that the emulator did
    /// not get a processor when it was due.
    pub fn is_acceptable(&self) -> bool {
        self.p99() <= Self::P99_MAX && self.share_beyond(Self::LATE) <= Self::LATE_SHARE_MAX
    }
}

impl fmt::Display for Lateness {
    /// `p50 0.07 ms, p99 0.14 ms, max 0.31 ms of 5210 packets`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms of {} packets",
            self.p50().as_millis_f64(),
            self.p99().as_millis_f64(),
            self.max().as_millis_f64(),
            self.count
        )
    }
}

/// Returns a bucket of one value below `STEPS`, and one of `STEPS` per doubling above.
fn bucket_of(nanos: u64) -> usize {
    if nanos < STEPS {
        return nanos as usize;
    }
    let doublings = nanos.ilog2() - STEP_BITS;
    let step = (nanos >> doublings) - STEPS;
    ((u64::from(doublings) + 1) * STEPS + step) as usize
}

/// Returns the highest value of a bucket.
fn upper_end(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let (doublings, step) = (bucket / STEPS - 1, bucket % STEPS);
    ((STEPS + step) << doublings) + ((1 << doublings) - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(micros: impl IntoIterator<Item = u64>) -> Lateness {
        let mut lateness = Lateness::default();
        for us in micros {
            lateness.add(Duration::from_micros(us));
        }
        lateness
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let lateness = of(1..=1_000);
        assert_eq!(lateness.count(), 1_000);
        assert_eq!(lateness.max(), Duration::from_millis(1));
        for (q, exact) in [(0.5, 500.0), (0.99, 990.0), (0.001, 1.0)] {
            let us = lateness.quantile(q).as_millis_f64() * 1e3;
            assert!(us >= exact && us <= exact * 1.125, "{q}: {us} for {exact}");
        }
        assert_eq!(Lateness::default().p99(), Duration::ZERO);
    }

    #[test]
    fn acceptable_is_as_stated() {
        let run = |late: usize, us| {
            let on_time = vec![80; 10_000 - late];
            of(on_time.into_iter().chain(vec![us; late])).is_acceptable()
        };
        assert!(run(0, 0));
        assert!(run(99, 4_000), "below one in a hundred");
        assert!(!run(101, 4_000), "p99");
        assert!(run(10, 20_000), "one in a thousand");
        assert!(!run(11, 20_000), "more than that");
        assert!(Lateness::default().is_acceptable());
    }

    proptest! {
        #[test]
        fn buckets_hold_their_values(nanos in 0_u64..(1 << 62)) {
            let bucket = bucket_of(nanos);
            prop_assert!(nanos <= upper_end(bucket));
            prop_assert!(bucket == 0 || nanos > upper_end(bucket - 1));
            prop_assert!(upper_end(bucket) - nanos <= nanos / STEPS);
        }
    }
}
