use super::*;

fn at(millis: u64) -> Instant {
    Instant::from_nanos(millis * 1_000_000)
}

/// TTI of a load that was observed to its end.
fn interactive(
    fcp: Instant,
    dom_content_loaded: Instant,
    tasks: &[(Instant, Instant)],
    requests: &[(Instant, Instant)],
) -> Instant {
    let tti = time_to_interactive(fcp, dom_content_loaded, tasks, requests, Instant::MAX);
    tti.expect("a quiet window always exists")
}

fn spans(list: &[(u64, u64)]) -> Vec<(Instant, Instant)> {
    list.iter()
        .map(|&(from, until)| (at(from), at(until)))
        .collect()
}

#[test]
fn without_long_tasks_it_is_first_paint_or_dom_content_loaded() {
    assert_eq!(interactive(at(800), at(500), &[], &[]), at(800));
    assert_eq!(interactive(at(800), at(900), &[], &[]), at(900));
}

#[test]
fn it_is_the_end_of_the_last_long_task_before_five_quiet_seconds() {
    let tasks = spans(&[(1_000, 1_200), (5_900, 6_000), (11_001, 11_100)]);
    // The window 1,200 to 5,900 is too short, and 6,000 to 11,001 is long enough.
    assert_eq!(interactive(at(900), at(0), &tasks, &[]), at(6_000));
}

#[test]
fn three_requests_in_flight_break_the_window() {
    let tasks = spans(&[(1_000, 1_200), (7_000, 7_100)]);
    let two = spans(&[(0, 9_000), (0, 9_000)]);
    assert_eq!(interactive(at(900), at(0), &tasks, &two), at(1_200));
    let three = spans(&[(0, 9_000), (0, 9_000), (3_000, 3_001)]);
    assert_eq!(interactive(at(900), at(0), &tasks, &three), at(7_100));
}

#[test]
fn a_request_that_starts_when_another_ends_does_not_count_twice() {
    let relay = spans(&[(0, 9_000), (0, 9_000), (0, 2_000), (2_000, 2_500)]);
    // Three requests are in flight until 2,500. The gap at 2,000 has no length.
    let quiet: Vec<_> = network_quiet(&relay, Instant::MAX)
        .into_iter()
        .filter(|p| p.0 < p.1)
        .collect();
    assert_eq!(quiet, vec![(at(2_500), Instant::MAX)]);
}

#[test]
fn blocking_time_is_what_exceeds_fifty_milliseconds_between_the_two() {
    let tasks = spans(&[(100, 400), (600, 700), (1_000, 1_300)]);
    // The first task is clipped to 300..400 and the last to 1,000..1,100. Each of the three
    // exceeds 50 ms by 50 ms.
    assert_eq!(
        total_blocking_time(at(300), at(1_100), &tasks),
        Duration::from_millis(150)
    );
    assert_eq!(
        total_blocking_time(at(2_000), at(3_000), &tasks),
        Duration::ZERO
    );
}

#[test]
fn exactly_fifty_milliseconds_is_not_long() {
    assert!(!is_long(Duration::from_millis(50)));
    assert!(is_long(Duration::from_nanos(50_000_001)));
}
