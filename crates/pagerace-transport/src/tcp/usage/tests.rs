//! Tests of the use of a window, and of its decay in idle times.

use pagerace_core::Duration;

use super::{Restart, WindowUse};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn a_window_counts_as_used_for_one_round() {
    let mut usage = WindowUse::default();
    usage.observe(true, 100, 0, 100);
    assert!(usage.is_limited(100, false));
    usage.observe(false, 10, 90, 110);
    assert!(usage.is_limited(100, false), "the round is not over");
    usage.observe(false, 10, 100, 120);
    assert!(!usage.is_limited(100, false));
}

#[test]
fn in_slow_start_half_of_it_is_enough() {
    let mut usage = WindowUse::default();
    usage.observe(false, 50, 0, 50);
    assert!(!usage.is_limited(100, true));
    usage.observe(false, 51, 0, 51);
    assert!(usage.is_limited(100, true) && !usage.is_limited(100, false));
}

#[test]
fn each_idle_timeout_halves() {
    let left = |idle| Restart::after_idle(ms(idle), ms(300), 100, 10).map(|r| r.window());
    assert_eq!(left(300), None);
    assert_eq!(left(301), Some(50));
    assert_eq!(left(601), Some(25));
    assert_eq!(left(10_000), Some(10));
    let small = Restart::after_idle(ms(10_000), ms(300), 8, 10);
    assert!(small.is_none(), "never more than there was");
}

#[test]
fn grows_as_slow_start_until_a_loss() {
    let mut restart = Restart::at(20);
    for _ in 0..10 {
        restart.on_ack(2);
    }
    assert_eq!(restart.window(), 40);
    restart.on_congestion(100, 70, 2);
    assert_eq!(restart.window(), 28);
    for _ in 0..13 {
        restart.on_ack(2);
    }
    assert_eq!(restart.window(), 28);
    restart.on_ack(2);
    assert_eq!(restart.window(), 30);
}
