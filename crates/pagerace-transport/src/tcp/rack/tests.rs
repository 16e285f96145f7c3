//! Tests of the reordering window.

use bytes::Bytes;
use pagerace_core::{Duration, Instant};

use super::Rack;
use crate::tcp::rtt::RttEstimator;
use crate::tcp::scoreboard::{Delivered, Scoreboard};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn at(millis: u64) -> Instant {
    Instant::ZERO + ms(millis)
}

fn rtt() -> RttEstimator {
    let mut rtt = RttEstimator::new(ms(200));
    rtt.sample(ms(80));
    rtt
}

/// Ten segments sent at once. `sacked` segments after the first have arrived.
fn board(sacked: u64) -> (Scoreboard, Vec<Delivered>) {
    let (mut board, mut delivered) = (Scoreboard::default(), Vec::new());
    for i in 0..10 {
        let data = (Bytes::from(vec![0; 10]), false);
        board.push(at(0), 1 + 10 * i, data, true);
    }
    board.sack(11..11 + 10 * sacked, &mut delivered);
    (board, delivered)
}

#[test]
fn waits_a_quarter_round_trip_until_three_segments_overtook() {
    for (sacked, window) in [(1, 20), (2, 20), (3, 0)] {
        let (board, delivered) = board(sacked);
        let mut rack = Rack::new();
        for d in &delivered {
            rack.on_delivered(at(80), d, false);
        }
        assert_eq!(
            rack.patience(&board, &rtt(), false),
            ms(80 + window),
            "{sacked}"
        );
        assert_eq!(rack.patience(&board, &rtt(), true), ms(80));
    }
}

#[test]
fn keeps_the_window_once_reordering_was_seen() {
    let (mut board, mut delivered) = board(5);
    board.acknowledge(11, &mut delivered);
    let mut rack = Rack::new();
    for d in &delivered {
        rack.on_delivered(at(80), d, false);
    }
    assert_eq!(rack.patience(&board, &rtt(), true), ms(100));
    // Each round trip with a spurious retransmission adds a quarter, up to SRTT.
    for (una, window) in [(50, 40), (50, 40), (90, 60), (130, 80), (170, 80)] {
        rack.on_duplicate(una, una + 40);
        assert_eq!(rack.patience(&board, &rtt(), true), ms(80 + window));
    }
    for _ in 0..16 {
        assert_eq!(rack.patience(&board, &rtt(), true), ms(160));
        rack.on_recovered();
    }
    assert_eq!(rack.patience(&board, &rtt(), true), ms(100));
}

#[test]
fn an_ambiguous_delivery_says_nothing() {
    let (_, delivered) = board(1);
    let mut rack = Rack::new();
    rack.on_delivered(at(10), &delivered[0], true);
    assert_eq!(rack.latest(), None);
}
