//! Delay changes that congestion did not cause.

use pagerace_core::{Duration, Instant};

use crate::net::{Path, run};

const RATE: u64 = 20_000_000;

/// Returns a round trip time that rises from 50 to 250 ms in ten seconds and then stays.
fn ramp(now: Instant) -> Duration {
    let share = (now.as_millis_f64() / 10_000.0).min(1.0);
    Duration::from_millis_f64(50.0 + 200.0 * share)
}

/// Agarwal et al., "Mind the Delay" (poster, 2020): a path whose latency rises
/// gradually, almost without a queue.
#[test]
fn a_rising_latency_is_taken_for_congestion_by_those_that_heed_delay() {
    for name in crate::names() {
        let path = Path {
            rate: RATE,
            rtt: ramp,
            queue: 400,
            loss: 0.0,
        };
        let trace = run(path, &[name], Duration::ZERO, 20, 1);
        let share = |from, until| trace.goodput(0, from, until) / RATE as f64;
        let (rising, risen) = (share(0, 10), share(10, 20));
        eprintln!("{name}: {rising:.3} while it rises, {risen:.3} after");
        // The bounds of the rate's share while the latency rises, and afterwards.
        let ([a, b], [c, d]) = match name {
            // Vegas takes all added delay for a queue and shrinks to two packets.
            "vegas" => ([0.10, 0.25], [0.0, 0.02]),
            // YeAH grows like Reno and drains a queue that does not exist.
            "yeah" => ([0.3, 0.7], [0.2, 0.6]),
            // BBR sends two products with the round trip time of up to ten seconds ago.
            "bbr" => ([0.4, 0.8], [0.5, 0.9]),
            // Illinois uses its slowest growth and its largest decrease.
            "illinois" => ([0.85, 1.0], [0.5, 0.9]),
            _ => ([0.9, 1.0], [0.97, 1.0]),
        };
        assert!((a..=b).contains(&rising), "{name}: {rising}");
        assert!((c..=d).contains(&risen), "{name}: {risen}");
    }
}
