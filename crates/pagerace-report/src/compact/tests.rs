use pagerace_core::{Duration, Instant, Protocol};
use pagerace_page::timeline::ResourceTiming;

use super::{deltas, ticks, timing};

#[test]
fn deltas_add_up_again() {
    let steps = deltas([3, 3, 10, 12].into_iter());
    assert_eq!(steps, [3, 0, 7, 2]);
}

#[test]
fn deltas_never_step_back() {
    assert_eq!(deltas([5, 4, 9].into_iter()), [5, 0, 4]);
}

#[test]
fn ticks_are_rounded() {
    assert_eq!(ticks(Instant::from_nanos(14_999)), 1);
    assert_eq!(ticks(Instant::from_nanos(15_000)), 2);
    assert!(ticks(Instant::MAX) > 0, "no overflow");
}

#[test]
fn rounding_errors_of_spans_do_not_add_up() {
    let span = Duration::from_nanos(4_000);
    let timing = timing(&ResourceTiming {
        discovered: Instant::from_nanos(4_000),
        queued: span,
        blocked: span,
        dns: span,
        connect: span,
        wait: span,
        receive: span,
        hol_blocked_bytes: 9,
        hol_other_bytes: 8,
        protocol: Protocol::H2,
        priority: None,
        connection: Some(0),
        reused: true,
    });
    // The end is at 28 µs, which is three ticks. Rounding each span would give none.
    assert_eq!(timing[..7].iter().sum::<u64>(), 3);
    assert_eq!(timing[7..], [9, 8, 2, 1, 1, 0]);
}
