use proptest::prelude::*;

use super::*;

fn piece(from: u64, to: u64, ms: u64) -> Piece {
    Piece {
        from,
        to,
        lasts: Duration::from_millis(ms),
    }
}

fn at_ms(schedule: &Schedule, ms: u64) -> u64 {
    schedule.at(Instant::from_nanos(ms * 1_000_000))
}

#[test]
fn steps_change_at_their_time_and_the_last_value_stays() {
    let pieces = vec![piece(10, 10, 5), piece(30, 30, 2)];
    let schedule = Schedule::new(pieces, End::Stays(20)).unwrap();
    let values: Vec<u64> = [0, 4, 5, 6, 7, 1_000_000]
        .map(|ms| at_ms(&schedule, ms))
        .into();
    assert_eq!(values, [10, 10, 30, 30, 20, 20]);
    assert_eq!(schedule.at(Instant::from_nanos(4_999_999)), 10);
    assert_eq!(
        (schedule.max(), schedule.length()),
        (30, Duration::from_millis(7))
    );
}

#[test]
fn a_ramp_is_a_straight_line_up_or_down() {
    let up = Schedule::new(vec![piece(50, 250, 10)], End::Stays(250)).unwrap();
    let values: Vec<u64> = [0, 1, 5, 9, 10, 99].map(|ms| at_ms(&up, ms)).into();
    assert_eq!(values, [50, 70, 150, 230, 250, 250]);
    // The value is rounded down: after a third of a millisecond it is 6 2/3 above 50.
    assert_eq!(up.at(Instant::from_nanos(333_333)), 56);
    let down = Schedule::new(vec![piece(250, 50, 10)], End::Stays(50)).unwrap();
    assert_eq!(at_ms(&down, 3), 190);
    assert_eq!(down.at(Instant::from_nanos(333_333)), 243);
}

#[test]
fn pieces_that_repeat_begin_again() {
    let schedule = Schedule::new(vec![piece(1, 1, 3), piece(4, 8, 4)], End::Repeats).unwrap();
    for ms in 0..7 {
        assert_eq!(at_ms(&schedule, ms), at_ms(&schedule, ms + 7_000));
    }
    assert_eq!(at_ms(&schedule, 5), 6);
}

#[test]
fn schedules_that_make_no_sense_are_refused() {
    assert!(
        Schedule::new(vec![], End::Repeats)
            .unwrap_err()
            .contains("has 0")
    );
    let endless = vec![piece(1, 1, 1); 1_001];
    assert!(Schedule::new(endless, End::Repeats).is_err());
    let timeless = Schedule::new(vec![piece(1, 1, 0)], End::Repeats);
    assert!(timeless.unwrap_err().contains("lasts 0ms"));
    assert!(Schedule::new(vec![piece(1, 1, 3_600_001)], End::Repeats).is_err());
    for json in [
        r#"{"pieces":[],"end":"repeats"}"#,
        r#"{"pieces":[{"from":1,"to":2,"lasts":3}]}"#,
        r#"{"pieces":[{"from":1,"to":2,"lasts":3,"speed":4}],"end":"repeats"}"#,
        r#"{"pieces":[{"from":1,"to":2,"lasts":3}],"end":"repeats","begin":4}"#,
    ] {
        assert!(serde_json::from_str::<Schedule>(json).is_err(), "{json}");
    }
    let good = r#"{"pieces":[{"from":1,"to":2,"lasts":3}],"end":{"stays":7}}"#;
    assert!(serde_json::from_str::<Schedule>(good).is_ok());
}

proptest! {
    #[test]
    fn a_value_lies_between_the_ends_of_its_piece(
        from in 0..=1_000_000_000_000_u64,
        to in 0..=1_000_000_000_000_u64,
        lasts in 1..=3_600_000_000_000_u64,
        share in 0.0..1.0_f64,
    ) {
        let piece = Piece { from, to, lasts: Duration::from_nanos(lasts) };
        let schedule = Schedule::new(vec![piece], End::Stays(to)).unwrap();
        let x = (lasts as f64 * share) as u64;
        let value = schedule.at(Instant::from_nanos(x));
        prop_assert!((from.min(to)..=from.max(to)).contains(&value));
        // The value is within one unit of the line.
        let line = (to as f64 - from as f64).mul_add(x as f64 / lasts as f64, from as f64);
        prop_assert!((value as f64 - line).abs() <= 1.0 + line * 1e-9);
        prop_assert_eq!(schedule.at(Instant::ZERO), from);
        prop_assert_eq!(schedule.at(Instant::from_nanos(lasts)), to);
    }
}
