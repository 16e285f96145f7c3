use super::*;

/// Sends packets of 1,200 bytes as soon as they may leave. Returns their departure times in
/// nanoseconds.
fn departures(rate: u64, count: usize, start: Instant) -> Vec<u64> {
    let (mut pacer, mut now) = (Pacer::default(), start);
    (0..count)
        .map(|_| {
            while let Some(at) = pacer.held_until(now, 1_200, rate) {
                assert!(at > now);
                now = at;
            }
            pacer.charge(now, 1_200, rate);
            now.as_nanos()
        })
        .collect()
}

#[test]
fn two_leave_at_once_and_the_rest_at_the_rate() {
    // At 9.6 Mbit/s, packets of 9.6 kbit leave once per millisecond.
    let at = departures(9_600_000, 5, Instant::ZERO);
    assert_eq!(at, [0, 0, 1_000_000, 2_000_000, 3_000_000]);
}

#[test]
fn a_pause_earns_no_more_than_one_burst() {
    let mut pacer = Pacer::default();
    pacer.charge(Instant::ZERO, 1_200, 9_600_000);
    let later = Instant::from_nanos(5_000_000_000);
    pacer.charge(later, 1_200, 9_600_000);
    assert_eq!(pacer.held_until(later, 1_200, 9_600_000), None);
    pacer.charge(later, 1_200, 9_600_000);
    let next = later + Duration::from_millis(1);
    assert_eq!(pacer.held_until(later, 1_200, 9_600_000), Some(next));
}

#[test]
fn small_packets_leave_more_often() {
    let mut pacer = Pacer::default();
    let mut sent = 0;
    while pacer.held_until(Instant::ZERO, 1_200, 9_600_000).is_none() {
        pacer.charge(Instant::ZERO, 100, 9_600_000);
        sent += 100;
    }
    assert_eq!(sent, 1_300);
}

#[test]
fn no_rate_divides_by_zero_or_overflows() {
    let mut pacer = Pacer::default();
    pacer.charge(Instant::from_nanos(u64::MAX - 1), u64::MAX, 0);
    assert_eq!(
        pacer.held_until(Instant::ZERO, u64::from(u16::MAX), u64::MAX),
        Some(Instant::MAX)
    );
}
