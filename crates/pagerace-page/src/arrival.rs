//! Rate at which the responses of a page arrived.

/// Width of a bin in milliseconds.
const BIN_MS: f64 = 20.0;
/// Maximum number of bins; no load has more.
const BINS_MAX: usize = 100_000;

/// The arrival of a response's body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Arrival of the first byte in milliseconds since any one time.
    pub first: f64,
    /// Arrival of the last byte, since the same time.
    pub last: f64,
    /// Number of bytes.
    pub bytes: f64,
}

/// Returns the highest rate in bits per second at which the responses together arrived during
/// `window` milliseconds. Received bytes are spread evenly from first to last byte. Responses more
/// than 2,000 seconds after the first do not count. 0 without responses.
pub fn highest_rate(arrivals: &[Arrival], window: f64) -> f64 {
    let firsts = arrivals.iter().map(|arrival| arrival.first);
    let start = firsts.fold(f64::INFINITY, f64::min);
    let lasts = arrivals.iter().map(|arrival| arrival.last);
    let end = lasts.fold(start, f64::max);
    let count = ((end - start) / BIN_MS).ceil();
    if !count.is_finite() {
        return 0.0;
    }
    let width = (window / BIN_MS).round().max(1.0) as usize;
    let mut bins = vec![0.0; (count as usize + 1).clamp(width, BINS_MAX.max(width))];
    for arrival in arrivals {
        // A transfer shorter than a bin is spread over a whole bin before its end.
        let first = arrival.first.min(arrival.last - BIN_MS).max(start) - start;
        let last = (arrival.last - start).max(first + BIN_MS);
        let rate = arrival.bytes / (last - first);
        let begin = (first / BIN_MS) as usize;
        for (i, bin) in bins.iter_mut().enumerate().skip(begin) {
            let (from, to) = (i as f64 * BIN_MS, (i + 1) as f64 * BIN_MS);
            if from >= last {
                break;
            }
            *bin += rate * (to.min(last) - from.max(first)).max(0.0);
        }
    }
    let bytes = bins.windows(width).map(|bins| bins.iter().sum());
    bytes.fold(0.0, f64::max) * 8.0 * 1000.0 / (width as f64 * BIN_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_transfers_add_up_to_the_rate() {
        // Two transfers of 100 kB in 400 ms each, which overlap for 200 ms: 250 and 500
        // bytes per millisecond.
        let arrival = |first, last| Arrival {
            first,
            last,
            bytes: 100_000.0,
        };
        let both = [arrival(100.0, 500.0), arrival(300.0, 700.0)];
        assert!((highest_rate(&both, 100.0) - 4e6).abs() < 1.0);
        assert!((highest_rate(&both, 600.0) - 200_000.0 * 8.0 / 0.6).abs() < 1.0);
        // The window may be longer than the load.
        assert!((highest_rate(&both, 1_000.0) - 200_000.0 * 8.0).abs() < 1.0);
    }

    #[test]
    fn a_transfer_without_duration_takes_a_bin() {
        let at_once = Arrival {
            first: 5.0,
            last: 5.0,
            bytes: 2_500.0,
        };
        assert!((highest_rate(&[at_once], 20.0) - 1e6).abs() < 1.0);
        assert_eq!(highest_rate(&[], 20.0).to_bits(), 0.0_f64.to_bits());
    }
}
