//! A single flow on a link.

use pagerace_core::Duration;

use crate::net::{MTU, Path, Trace, run};

/// 12 Mbit/s is one packet per millisecond; 50 ms of round trip time is 50 packets.
const RATE: u64 = 12_000_000;
const BDP: f64 = 50.0;

fn alone(name: &str, queue: usize, seconds: u64) -> Trace {
    let path = Path {
        rate: RATE,
        rtt: |_| Duration::from_millis(50),
        queue,
        loss: 0.0,
    };
    run(path, &[name], Duration::ZERO, seconds, 1)
}

#[test]
fn every_controller_fills_a_link_with_a_queue_of_a_product() {
    for name in crate::names() {
        let trace = alone(name, BDP as usize, 65);
        let share = trace.goodput(0, 5, 65) / RATE as f64;
        eprintln!(
            "{name}: {share:.3} of the rate, queue {:.1}, dropped {}",
            trace.mean_queue(5, 65),
            trace.dropped
        );
        // Tahoe returns to slow start after each loss.
        let least = if name == "tahoe" { 0.85 } else { 0.95 };
        assert!(share > least, "{name}: {share}");
    }
}

#[test]
fn bbr_keeps_its_queue_below_a_product_and_probes_every_ten_seconds() {
    let trace = alone("bbr", 1_000, 65);
    assert!(trace.mean_queue(5, 65) < 0.2 * BDP);
    assert!(*trace.queue[500..].iter().max().unwrap() as f64 <= BDP);
    // Each probe holds the window at four packets for 200 to 330 ms.
    let windows = trace.states[0][500..].iter().map(|state| state.0);
    let low: Vec<bool> = windows.map(|window| window <= 4 * MTU).collect();
    let starts: Vec<usize> = (1..low.len()).filter(|&i| low[i] && !low[i - 1]).collect();
    assert_eq!(starts.len(), 6, "{starts:?}");
    for pair in starts.windows(2) {
        assert!((1_000..1_070).contains(&(pair[1] - pair[0])), "{starts:?}");
    }
    let probing = low.iter().filter(|&&l| l).count();
    assert!((6 * 20..6 * 33).contains(&probing), "{probing}");
    // The gain cycle paces at 5/4 of the link's rate, at 3/4, and at the rate itself.
    for (gain, share) in [(1.25, 1.0 / 8.0), (0.75, 1.0 / 8.0), (1.0, 6.0 / 8.0)] {
        let paced = |rate: u64| (rate as f64 / (0.99 * gain * RATE as f64) - 1.0).abs() < 0.03;
        let seen = trace.states[0][500..1_000]
            .iter()
            .filter(|s| paced(s.1))
            .count() as f64;
        assert!((seen / 500.0 - share).abs() < 0.08, "{gain}: {seen}");
    }
}

#[test]
fn vegas_keeps_its_queue_within_a_few_packets() {
    let trace = alone("vegas", 1_000, 65);
    for second in 10..65 {
        let queue = trace.mean_queue(second, second + 1);
        assert!((1.0..=6.0).contains(&queue), "{second}: {queue}");
    }
    let mean = trace.mean_queue(10, 65);
    assert!((2.0..=6.0).contains(&mean), "{mean}");
    assert_eq!(trace.dropped, 0);
}

/// The path holds 833 packets. On a path that holds fewer packets than the 80
/// that `YeAH` allows to queue, `YeAH` behaves like Reno.
#[test]
fn yeah_empties_a_queue_that_reno_fills() {
    let queue = |name| {
        let path = Path {
            rate: 100_000_000,
            rtt: |_| Duration::from_millis(100),
            queue: 833,
            loss: 0.0,
        };
        let trace = run(path, &[name], Duration::ZERO, 60, 1);
        (trace.mean_queue(20, 60), trace.goodput(0, 20, 60) / 1e8)
    };
    let ((yeah, rate), (reno, _)) = (queue("yeah"), queue("reno"));
    eprintln!("yeah {yeah:.1} at {rate:.3}, reno {reno:.1}");
    assert!(yeah < 80.0 && rate > 0.99, "{yeah} {rate}");
    assert!(reno > 160.0, "{reno}");
}

#[test]
fn hystart_leaves_slow_start_with_fewer_drops() {
    let dropped = |name| alone(name, 50, 5).dropped;
    let (plain, hystart, plus) = (
        dropped("cubic"),
        dropped("cubic-hystart"),
        dropped("cubic-hystart++"),
    );
    eprintln!("drops: {plain}, {hystart}, {plus}");
    assert!(plain >= 50, "{plain}");
    assert!(hystart < 10, "{hystart}");
    // `HyStart`++ continues to grow, more slowly, for five round trips.
    assert!(plus * 3 < plain * 2, "{plus}");
}
