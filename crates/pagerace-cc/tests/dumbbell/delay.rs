//! Delay that congestion did not cause.

use pagerace_core::{Duration, Instant};

use crate::net::{Path, run};

const RATE: u64 = 20_000_000;

/// From 50 to 250 ms in ten seconds, and then as long.
fn ramp(now: Instant) -> Duration {
    let share = (now.as_millis_f64() / 10_000.0).min(1.0);
    Duration::from_millis_f64(50.0 + 200.0 * share)
}

/// Agarwal et al., "Mind the Delay" (poster, 2020): a path whose latency rises
/// gradually, without any queue to speak of.
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
        // The least and the most of the rate while it rises, and after.
        let ([a, b], [c, d]) = match name {
            // More delay is more queue: down to two packets.
            "vegas" => ([0.10, 0.25], [0.0, 0.02]),
            // Reno, and it empties a queue that is not there.
            "yeah" => ([0.3, 0.7], [0.2, 0.6]),
            // Twice the product with the round trip of ten seconds ago.
            "bbr" => ([0.4, 0.8], [0.5, 0.9]),
            // Its slowest growth, and its deepest fall.
            "illinois" => ([0.85, 1.0], [0.5, 0.9]),
            _ => ([0.9, 1.0], [0.97, 1.0]),
        };
        assert!((a..=b).contains(&rising), "{name}: {rising}");
        assert!((c..=d).contains(&risen), "{name}: {risen}");
    }
}
