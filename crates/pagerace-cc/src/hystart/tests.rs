use crate::testing::{ack, at};

use super::*;

/// Returns the instant `us` microseconds after the start.
fn at_us(us: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(us)
}

fn ack_us(sent: u64, now: u64) -> Ack {
    Ack {
        now: at_us(now),
        sent_at: at_us(sent),
        rtt_latest: Duration::from_micros(now - sent),
        ..ack(0, 0)
    }
}

/// Returns true if an acknowledgement of one packet ends slow start.
fn ends(hystart: &mut HyStart, ack: &Ack, window: u64) -> bool {
    hystart.on_packet(ack);
    hystart.on_ack_end(window).is_none()
}

/// Runs a round trip of acknowledgements 1 ms apart, beginning at `from_ms`.
/// Returns the number of acknowledgements before the one that ends slow start.
fn train(hystart: &mut HyStart, from_ms: u64, length_ms: u64) -> Option<u64> {
    (0..length_ms).find(|ms| {
        let now = (from_ms + ms) * 1_000;
        ends(hystart, &ack_us(now - 100_000, now), 100)
    })
}

#[test]
fn a_train_longer_than_half_the_round_trip_ends_slow_start() {
    let mut hystart = HyStart::default();
    assert_eq!(train(&mut hystart, 100, 40), None);
    // The round trip begins at 200 ms. The 51st acknowledgement after its first
    // exceeds half of 101 ms.
    assert_eq!(train(&mut hystart, 200, 60), Some(51));
}

#[test]
fn the_length_of_a_paced_train_says_nothing() {
    let mut hystart = HyStart::default();
    hystart.set_paced();
    assert_eq!(train(&mut hystart, 100, 40), None);
    assert_eq!(train(&mut hystart, 200, 60), None);
    hystart.restart(at(300));
    assert_eq!(train(&mut hystart, 400, 60), None);
}

#[test]
fn a_gap_ends_the_train() {
    let mut hystart = HyStart::default();
    assert_eq!(train(&mut hystart, 100, 10), None);
    assert_eq!(train(&mut hystart, 200, 20), None);
    assert_eq!(train(&mut hystart, 223, 60), None);
}

#[test]
fn an_eighth_more_delay_in_eight_samples_ends_slow_start() {
    let mut hystart = HyStart::default();
    for _ in 0..20 {
        assert!(!ends(&mut hystart, &ack(0, 100), 100));
    }
    // 112 ms does not exceed 100 ms by an eighth; 113 ms does, from the ninth sample on.
    for _ in 0..20 {
        assert!(!ends(&mut hystart, &ack(100, 212), 100));
    }
    let over: Vec<bool> = (0..9)
        .map(|_| ends(&mut hystart, &ack(212, 325), 100))
        .collect();
    assert_eq!(
        over,
        [false, false, false, false, false, false, false, false, true]
    );
}

#[test]
fn small_windows_are_let_grow() {
    let mut hystart = HyStart::default();
    ends(&mut hystart, &ack(0, 100), 10);
    for _ in 0..20 {
        assert!(!ends(&mut hystart, &ack(100, 400), 15));
    }
    assert_eq!(at(100), Instant::from_nanos(100_000_000));
}

#[test]
fn the_latest_packet_of_an_acknowledgement_is_its_sample() {
    let mut hystart = HyStart::default();
    ends(&mut hystart, &ack(0, 100), 100);
    for _ in 0..20 {
        // The first packet's acknowledgement waited 50 ms for the second packet.
        hystart.on_packet(&ack(110, 260));
        hystart.on_packet(&ack(160, 260));
        assert_eq!(hystart.on_ack_end(100), Some(2 * ack(0, 0).bytes));
    }
}

#[test]
fn what_the_application_limits_is_looked_at_and_does_not_grow() {
    let limited = |ack| Ack {
        app_limited: true,
        ..ack
    };
    let mut hystart = HyStart::default();
    hystart.on_packet(&limited(ack(0, 100)));
    assert_eq!(hystart.on_ack_end(100), Some(0));
    let over = (0..9).map(|_| ends(&mut hystart, &limited(ack(100, 300)), 100));
    assert_eq!(over.filter(|&over| over).count(), 1);
}
