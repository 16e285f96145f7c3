use super::*;

fn ms(value: u64) -> Duration {
    Duration::from_millis(value)
}

fn pairs(values: &[(u64, u64)]) -> Vec<(Duration, Duration)> {
    values.iter().map(|&(a, b)| (ms(a), ms(b))).collect()
}

/// Returns the CLS of shifts given in eighths, which are exact in binary.
fn cls(values: &[(u64, u64)]) -> u64 {
    let shift = |&(at, eighths): &(u64, u64)| (ms(at), eighths as f64 / 8.0);
    let shifts: Vec<_> = values.iter().map(shift).collect();
    (cumulative_layout_shift(&shifts) * 8.0) as u64
}

#[test]
fn shifts_within_a_second_add_up() {
    assert_eq!(cls(&[]), 0);
    assert_eq!(cls(&[(0, 2), (900, 2)]), 4);
    // A gap of a whole second ends the window.
    assert_eq!(cls(&[(0, 2), (1_000, 1)]), 2);
    assert_eq!(cls(&[(0, 2), (1_000, 1), (1_500, 2)]), 3);
}

#[test]
fn a_window_of_shifts_ends_after_five_seconds() {
    let steady: Vec<_> = (0..10).map(|k| (k * 900, 1)).collect();
    // 0 to 4500 ms are six shifts; the seventh, at 5400, begins another window.
    assert_eq!(cls(&steady), 6);
}

#[test]
fn interactive_is_the_end_of_the_last_long_task() {
    let tasks = pairs(&[(100, 80), (1_500, 100), (9_000, 60)]);
    let tti = time_to_interactive(ms(1_000), ms(900), &tasks, &[], ms(9_100));
    assert_eq!(tti, Some(ms(1_600)));
    // The first task is before FCP, and `DOMContentLoaded` delays TTI.
    let tti = time_to_interactive(ms(1_000), ms(1_800), &tasks, &[], ms(9_100));
    assert_eq!(tti, Some(ms(1_800)));
}

#[test]
fn no_window_seen_to_its_end_means_no_tti() {
    let tasks = pairs(&[(1_500, 100)]);
    let of = |until| time_to_interactive(ms(1_000), ms(900), &tasks, &[], ms(until));
    assert_eq!(of(6_599), None);
    assert_eq!(of(6_600), Some(ms(1_600)));
}

#[test]
fn three_requests_are_no_quiet() {
    let of = |requests: &[(u64, u64)]| {
        time_to_interactive(ms(1_000), ms(900), &[], &pairs(requests), ms(8_000))
    };
    assert_eq!(of(&[(0, 4_000), (0, 4_000)]), Some(ms(1_000)));
    assert_eq!(of(&[(0, 4_000), (0, 4_000), (0, 4_000)]), None);
    assert_eq!(of(&[(0, 4_000), (0, 4_000), (0, 2_900)]), Some(ms(1_000)));
}

#[test]
fn blocking_is_what_exceeds_fifty_milliseconds() {
    let tasks = pairs(&[(0, 500), (1_100, 70), (2_000, 50), (2_900, 200)]);
    // The first task ends before FCP and adds nothing; the last one is cut at the end and
    // adds 100 - 50.
    let tbt = total_blocking_time(ms(1_000), ms(3_000), &tasks);
    assert_eq!(tbt, ms(20 + 50));
}
