//! Rate at which the responses of a recording arrived.
//!
//! No recorder writes the link's rate (WebPageTest's `_bwDown` is a setting, possibly
//! unlimited). The highest rate of all responses together is near it.

use pagerace_page::{Arrival, highest_rate};

use super::entry::Entry;
use super::filter::served_from_cache;

/// Window of the highest rate, in milliseconds. Shorter bursts come from buffers between the
/// link and the recorder's clock.
const WINDOW_MS: f64 = 100.0;
/// Minimum number of bytes for an estimate: four initial windows of TCP or QUIC.
const LEAST_BYTES: f64 = 60_000.0;
/// Minimum number of these bytes that must arrive in longer times than bursts: two initial windows.
const LEAST_STEADY_BYTES: f64 = 30_000.0;
/// Minimum milliseconds in which responses arrive without a pause. Shorter bursts fit the
/// congestion window or the buffers, and tell nothing of the link.
const LEAST_MS: f64 = 20.0;
/// Milliseconds by which recorded times may be wrong.
const ROUNDING_MS: f64 = 2.0;

/// Returns the highest rate at which responses arrived, in bits per second, from `entries` with
/// encoded bodies of `bodies` bytes. `None` if too few bytes arrived without a pause to tell.
pub(super) fn downlink(entries: &[Entry], bodies: &[u64]) -> Option<u64> {
    let received: Vec<Arrival> = entries
        .iter()
        .zip(bodies)
        .filter(|(entry, _)| !served_from_cache(entry))
        .filter_map(|(entry, &bytes)| {
            Some(Arrival {
                first: entry.first_byte?,
                last: entry.end?,
                bytes: bytes as f64,
            })
        })
        .filter(|arrival| arrival.bytes > 0.0)
        .collect();
    let bytes = |arrivals: &[Arrival]| arrivals.iter().map(|a| a.bytes).sum::<f64>();
    let steady = without_bursts(received.clone());
    let tells = bytes(&received) >= LEAST_BYTES && bytes(&steady) >= LEAST_STEADY_BYTES;
    let rate = tells.then(|| highest_rate(&received, WINDOW_MS) as u64);
    rate.filter(|rate| *rate > 0)
}

/// Returns the responses that arrived while at least one response was arriving for [`LEAST_MS`].
fn without_bursts(mut arrivals: Vec<Arrival>) -> Vec<Arrival> {
    arrivals.sort_by(|a, b| a.first.total_cmp(&b.first));
    let mut kept = Vec::with_capacity(arrivals.len());
    let mut rest = arrivals.as_slice();
    while let Some(first) = rest.first() {
        let mut last = first.last;
        let apart = |arrival: &Arrival| {
            let apart = arrival.first > last + ROUNDING_MS;
            last = last.max(arrival.last);
            apart
        };
        let count = rest.iter().position(apart).unwrap_or(rest.len());
        let (period, next) = rest.split_at(count);
        let end = period.iter().map(|a| a.last).fold(0.0, f64::max);
        if end - first.first >= LEAST_MS {
            kept.extend_from_slice(period);
        }
        rest = next;
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_few_bytes_tell_no_rate() {
        let value = json!({
            "startedDateTime": "1970-01-01T00:00:00Z", "time": 500,
            "request": {"url": "https://a.test/x"},
            "response": {"status": 200},
            "timings": {"wait": 100, "receive": 400},
        });
        let rate = |bytes| downlink(&[Entry::parse(0, &value, None)], &[bytes]);
        assert_eq!(rate(14_000), None);
        assert_eq!(rate(100_000), Some(2_000_000));
        assert_eq!(downlink(&[], &[]), None);
    }

    #[test]
    fn bursts_tell_no_rate() {
        let arrival = |first: f64, lasts: f64| Arrival {
            first,
            last: first + lasts,
            bytes: 14_000.0,
        };
        let bursts: Vec<Arrival> = (0..9_i32)
            .map(|n| arrival(f64::from(n) * 300.0, 1.0))
            .collect();
        assert_eq!(without_bursts(bursts.clone()), []);
        let long = [arrival(5_000.0, 40.0), arrival(5_030.0, 40.0)];
        let all = [&bursts[..], &long].concat();
        assert_eq!(without_bursts(all), long);
    }
}
