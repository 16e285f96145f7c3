use super::*;

#[test]
fn spans_saturate_and_instants_subtract() {
    let a = Instant::from_nanos(5);
    let b = a + Duration::from_micros(1);
    assert_eq!(b.since(a), Duration::from_nanos(1_000));
    assert_eq!(a.since(b), Duration::ZERO);
    assert_eq!(Instant::MAX + Duration::from_secs(1), Instant::MAX);
}

#[test]
fn milliseconds_round_to_nanoseconds() {
    assert_eq!(Duration::from_millis_f64(1.5).as_nanos(), 1_500_000);
    assert_eq!(Duration::from_millis_f64(-1.0), Duration::ZERO);
    assert_eq!(Duration::from_millis_f64(f64::NAN), Duration::ZERO);
}

#[test]
fn a_span_prints_in_the_unit_people_read() {
    assert_eq!(Duration::from_micros(1_240).to_string(), "1.2 ms");
    assert_eq!(Duration::from_millis(1_240).to_string(), "1240 ms");
    assert_eq!(Duration::from_millis(12_400).to_string(), "12.40 s");
}

#[test]
#[should_panic(expected = "cannot be negative")]
fn a_negative_span_is_a_bug() {
    let _ = Duration::from_millis(1) - Duration::from_millis(2);
}
