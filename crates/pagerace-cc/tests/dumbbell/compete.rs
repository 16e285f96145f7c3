//! Two flows on one link.

use pagerace_core::Duration;

use crate::net::{Path, Trace, run};

const RATE: u64 = 20_000_000;

/// The second flow starts so much later; 40 ms of round trip and a queue of two
/// products.
fn two(first: &str, second: &str, later_ms: u64, seconds: u64, seed: u64) -> Trace {
    let path = Path {
        rate: RATE,
        rtt: |_| Duration::from_millis(40),
        queue: 133,
        loss: 0.0,
    };
    let later = Duration::from_millis(later_ms);
    run(path, &[first, second], later, seconds, seed)
}

/// Over five minutes, for windows of a hundred packets and losses that do not
/// hit both at once take minutes to even out.
#[test]
fn two_equal_flows_share_fairly() {
    for name in crate::names() {
        for seed in 1..3 {
            let jain = two(name, name, 10, 360, seed).jain(60, 360);
            eprintln!("{name}: {jain:.3}");
            assert!(jain > 0.95, "{name}, seed {seed}: {jain}");
        }
    }
}

/// It takes the queue that it finds for the path (Mo, La, Anantharam and
/// Walrand, "Analysis and Comparison of TCP Reno and Vegas", INFOCOM 1999).
#[test]
fn a_vegas_that_comes_late_gets_more() {
    let trace = two("vegas", "vegas", 500, 120, 1);
    let (first, late) = (trace.goodput(0, 60, 120), trace.goodput(1, 60, 120));
    assert!(late > 3.0 * first, "{first} {late}");
}

/// One run says little: which of two alike flows loses first decides for a minute.
#[test]
fn beside_cubic_those_that_heed_delay_get_little() {
    for name in crate::names() {
        let (mut first, mut second) = (0.0, 0.0);
        for seed in 1..=3 {
            let trace = two("cubic", name, 500, 240, seed);
            first += trace.goodput(0, 60, 240);
            second += trace.goodput(1, 60, 240);
        }
        let share = second / (first + second);
        eprintln!("{name}: {share:.3}");
        let expected = match name {
            // It gives way to the queue of the other.
            "vegas" => 0.0..0.12,
            // Reno's growth, which is slower than CUBIC's; YeAH's too, as long
            // as the other's queue lasts.
            "newreno" | "reno" | "tahoe" | "yeah" => 0.2..0.4,
            // Up to ten packets a round trip, or a third of one.
            "illinois" => 0.2..0.7,
            // Twice the product, whatever the other does.
            "bbr" => 0.4..0.7,
            _ => 0.4..0.6,
        };
        assert!(expected.contains(&share), "{name}: {share}");
    }
}
