//! Two flows that share a link.

use pagerace_core::Duration;

use crate::net::{Path, Trace, run};

const RATE: u64 = 20_000_000;

/// Runs two flows, the second of which starts `later_ms` after the first. The
/// round trip time is 40 ms, and the queue holds two bandwidth-delay products.
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

/// Goodput is measured over five minutes: windows of a hundred packets, and losses
/// that hit one flow at a time, take minutes to even out. With Linux's CUBIC it takes longer,
/// because the window follows the estimate of Reno's late.
#[test]
fn two_equal_flows_share_fairly() {
    for name in crate::names() {
        for seed in 1..3 {
            let seconds = if name == "cubic-hystart" { 1_260 } else { 360 };
            let jain = two(name, name, 10, seconds, seed).jain(60, seconds as usize);
            eprintln!("{name}: {jain:.3}");
            assert!(jain > 0.95, "{name}, seed {seed}: {jain}");
        }
    }
}

/// The late flow takes the existing queue for part of the path's delay (Mo, La, Anantharam
/// and Walrand, "Analysis and Comparison of TCP Reno and Vegas", INFOCOM 1999).
#[test]
fn a_vegas_that_comes_late_gets_more() {
    let trace = two("vegas", "vegas", 500, 120, 1);
    let (first, late) = (trace.goodput(0, 60, 120), trace.goodput(1, 60, 120));
    assert!(late > 3.0 * first, "{first} {late}");
}

/// Goodput is summed over three seeds: of two similar flows, the first to lose a
/// packet falls behind for a minute.
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
            // Vegas yields to the queue of the other flow.
            "vegas" => 0.0..0.12,
            // Reno grows more slowly than CUBIC. YeAH does too while the other
            // flow's queue lasts.
            "newreno" | "reno" | "tahoe" | "yeah" => 0.2..0.4,
            // Illinois adds between ten and a third of a packet per round trip.
            "illinois" => 0.2..0.7,
            // BBR keeps two products in flight, whatever the other flow does.
            "bbr" => 0.4..0.7,
            _ => 0.4..0.6,
        };
        assert!(expected.contains(&share), "{name}: {share}");
    }
}
