use crate::testing::{ack, at};

use super::*;

/// An acknowledgement at microseconds.
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

/// A round trip of acknowledgements 1 ms apart from `from` on; answers to each
/// leave at once, or half a millisecond later. Returns after how many slow
/// start was over.
fn train(hystart: &mut HyStart, from_ms: u64, length_ms: u64, paced: bool) -> Option<u64> {
    for ms in 0..length_ms {
        let now = (from_ms + ms) * 1_000;
        if hystart.on_ack(&ack_us(now - 100_000, now), 100) {
            return Some(ms);
        }
        let later = if paced { 500 } else { 0 };
        hystart.on_sent(at_us(now + later), 1_200);
        hystart.on_sent(at_us(now + later), 1_200);
    }
    None
}

#[test]
fn a_train_longer_than_half_the_round_trip_ends_slow_start() {
    let mut hystart = HyStart::default();
    assert_eq!(train(&mut hystart, 100, 40, false), None);
    // The first of the next round trip is at 200 ms; half of 100 ms is past
    // with the 51st after it.
    assert_eq!(train(&mut hystart, 200, 60, false), Some(51));
}

/// What left in the first round trip, 22 packets, is acknowledged in a train
/// longer than the second. Returns whether that ended slow start.
fn train_after(prompt: u64, spread: u64) -> bool {
    let mut hystart = HyStart::default();
    assert!(!hystart.on_ack(&ack_us(0, 100_000), 100));
    hystart.on_sent(at_us(100_000), prompt * 1_200);
    hystart.on_sent(at_us(100_500), spread * 1_200);
    // Round trips of 100 to 102 ms: the delay does not count as grown.
    (200..303).any(|ms| {
        let sent = (ms * 1_000 - 102_000).max(100_000);
        hystart.on_ack(&ack_us(sent.min(199_999), ms * 1_000), 100)
    })
}

#[test]
fn the_length_of_a_paced_train_says_nothing() {
    assert!(train_after(22, 0));
    // The first window of a QUIC sender is a burst; it is held back by little.
    assert!(train_after(21, 1));
    assert!(!train_after(16, 6));
    assert!(!train_after(0, 22));
}

#[test]
fn a_gap_ends_the_train() {
    let mut hystart = HyStart::default();
    assert_eq!(train(&mut hystart, 100, 10, false), None);
    assert_eq!(train(&mut hystart, 200, 20, false), None);
    assert_eq!(train(&mut hystart, 223, 60, false), None);
}

#[test]
fn an_eighth_more_delay_in_eight_samples_ends_slow_start() {
    let mut hystart = HyStart::default();
    for _ in 0..20 {
        assert!(!hystart.on_ack(&ack(0, 100), 100));
    }
    // 112 ms are not more than 100 and an eighth; 113 ms are, from the ninth on.
    for _ in 0..20 {
        assert!(!hystart.on_ack(&ack(100, 212), 100));
    }
    let over: Vec<bool> = (0..9)
        .map(|_| hystart.on_ack(&ack(212, 325), 100))
        .collect();
    assert_eq!(
        over,
        [false, false, false, false, false, false, false, false, true]
    );
}

#[test]
fn small_windows_are_let_grow() {
    let mut hystart = HyStart::default();
    hystart.on_ack(&ack(0, 100), 10);
    for _ in 0..20 {
        assert!(!hystart.on_ack(&ack(100, 400), 15));
    }
    assert_eq!(at(100), Instant::from_nanos(100_000_000));
}
