//! Estimation of the recording's downlink from its transfers.
//!
//! No recorder writes the link's rate (WebPageTest's `_bwDown` is a setting, possibly
//! unlimited). The arrival rate of all responses together is a lower bound of it. A
//! response that waited while the link was busy need not have waited for its server.

use super::entry::Entry;
use super::filter::served_from_cache;

/// Width of a bin, in milliseconds.
const BIN_MS: f64 = 20.0;
/// Number of bins in the window of the highest rate. Shorter bursts come from buffers
/// between the link and the recorder's clock.
const WINDOW: usize = 5;
/// Share of the highest rate above which the link counts as busy.
const BUSY: f64 = 0.8;
/// Minimum number of bytes for an estimate: four initial windows of TCP or QUIC.
const LEAST_BYTES: f64 = 60_000.0;
/// Maximum number of bins; no load has more.
const BINS_MAX: usize = 100_000;

/// Bytes received over time, over all connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Downlink {
    /// Start of the first bin, milliseconds since 1970.
    start: f64,
    /// Bytes in each bin.
    bins: Vec<f64>,
    /// Bytes per bin at the highest rate; 0 if there are too few bytes for an estimate.
    full: f64,
}

impl Downlink {
    /// Estimates the downlink from `entries` with encoded bodies of `bodies` bytes.
    pub(super) fn new(entries: &[Entry], bodies: &[u64]) -> Self {
        let received: Vec<(f64, f64, f64)> = entries
            .iter()
            .zip(bodies)
            .filter(|(entry, _)| !served_from_cache(entry))
            .filter_map(|(entry, &bytes)| {
                let (first, last) = (entry.response_start()?, entry.end?);
                Some((first, last, bytes as f64))
            })
            .filter(|(.., bytes)| *bytes > 0.0)
            .collect();
        let start = received.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
        let end = received.iter().map(|r| r.1).fold(start, f64::max);
        let count = ((end - start) / BIN_MS).ceil();
        if !count.is_finite() {
            return Self::default();
        }
        let mut bins = vec![0.0; (count as usize + 1).min(BINS_MAX)];
        for (first, last, bytes) in &received {
            // A transfer shorter than a bin is spread over a whole bin before its end.
            let first = first.min(last - BIN_MS).max(start);
            let rate = bytes / (last - first).max(BIN_MS);
            spread(
                &mut bins,
                first - start,
                (last - start).max(first - start + BIN_MS),
                rate,
            );
        }
        let window = |w: &[f64]| w.iter().sum::<f64>() / WINDOW as f64;
        let full = bins.windows(WINDOW).map(window).fold(0.0, f64::max);
        let whole: f64 = bins.iter().sum();
        Self {
            start,
            full: if whole < LEAST_BYTES { 0.0 } else { full },
            bins,
        }
    }

    /// Returns a lower bound of the rate in bits per second; `None` without an estimate.
    pub(super) fn rate(&self) -> Option<u64> {
        (self.full > 0.0).then(|| (self.full * 8.0 * 1000.0 / BIN_MS) as u64)
    }

    /// Returns the milliseconds between two times (since 1970) in which the link was
    /// busy.
    pub(super) fn busy(&self, from: f64, to: f64) -> f64 {
        if self.full <= 0.0 {
            return 0.0;
        }
        let busy = |(i, bytes): (usize, &f64)| {
            let (begin, end) = (i as f64 * BIN_MS, (i + 1) as f64 * BIN_MS);
            let overlap = end.min(to - self.start) - begin.max(from - self.start);
            if *bytes >= self.full * BUSY {
                overlap.max(0.0)
            } else {
                0.0
            }
        };
        let first = ((from - self.start) / BIN_MS).floor().max(0.0) as usize;
        let last = ((to - self.start) / BIN_MS).ceil().max(0.0) as usize;
        let bins = self.bins.iter().enumerate();
        bins.skip(first)
            .take(last.saturating_sub(first))
            .map(busy)
            .sum()
    }
}

/// Adds `rate` bytes per millisecond to the bins between two times.
fn spread(bins: &mut [f64], from: f64, to: f64, rate: f64) {
    let first = ((from / BIN_MS).floor().max(0.0) as usize).min(bins.len());
    for (i, bin) in bins.iter_mut().enumerate().skip(first) {
        let (begin, end) = (i as f64 * BIN_MS, (i + 1) as f64 * BIN_MS);
        if begin >= to {
            return;
        }
        *bin += rate * (end.min(to) - begin.max(from)).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// `bytes` received from `first` to `last` milliseconds.
    fn entry(first: u32, last: u32) -> Value {
        json!({
            "startedDateTime": "1970-01-01T00:00:00Z", "time": last,
            "request": {"url": "https://a.test/x"},
            "response": {"status": 200},
            "timings": {"wait": first, "receive": last - first},
        })
    }

    fn downlink(values: &[Value], bodies: &[u64]) -> Downlink {
        let entries = values.iter().enumerate();
        let entries: Vec<Entry> = entries.map(|(i, v)| Entry::parse(i, v, None)).collect();
        Downlink::new(&entries, bodies)
    }

    #[test]
    fn concurrent_transfers_add_up_to_the_rate() {
        // Two transfers of 100 kB in 400 ms each, which overlap for 200 ms: 250 and 500
        // bytes per millisecond.
        let link = downlink(&[entry(100, 500), entry(300, 700)], &[100_000, 100_000]);
        assert_eq!(link.rate(), Some(4_000_000));
        assert!(
            (link.busy(0.0, 1_000.0) - 200.0).abs() < 1.0,
            "{}",
            link.busy(0.0, 1e3)
        );
        assert!((link.busy(350.0, 450.0) - 100.0).abs() < 1.0);
        assert!(link.busy(100.0, 290.0) < 1e-9);
    }

    #[test]
    fn a_few_bytes_tell_nothing() {
        let link = downlink(&[entry(100, 101)], &[14_000]);
        assert_eq!((link.rate(), link.busy(0.0, 1_000.0)), (None, 0.0));
        assert_eq!(downlink(&[], &[]).rate(), None);
    }
}
