//! Tests of deliveries, losses and timeouts of five segments.

use bytes::Bytes;
use pagerace_core::{Duration, Instant};

use super::{Scoreboard, SegmentState};

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Five segments of ten bytes, sent a millisecond apart.
fn five() -> Scoreboard {
    let mut board = Scoreboard::default();
    for i in 0..5 {
        let data = (Bytes::from(vec![0; 10]), false);
        board.push(at(i), 1 + 10 * i, data, i % 2 == 0);
    }
    board
}

fn ends(delivered: &[super::Delivered]) -> Vec<u64> {
    delivered.iter().map(|d| d.end).collect()
}

#[test]
fn each_segment_is_delivered_once() {
    let (mut board, mut delivered) = (five(), Vec::new());
    board.sack(21..31, &mut delivered);
    board.sack(21..41, &mut delivered);
    assert_eq!(ends(&delivered), [31, 41]);
    assert_eq!((board.in_flight(), board.sacked_segments()), (3, 2));
    delivered.clear();
    board.acknowledge(41, &mut delivered);
    assert_eq!(ends(&delivered), [11, 21]);
    assert_eq!((board.in_flight(), board.sacked_segments()), (1, 0));
    assert_eq!(board.len(), 1);
}

#[test]
fn a_buffer_is_freed_with_its_first_segment() {
    let (mut board, mut delivered) = (five(), Vec::new());
    assert_eq!(board.buffers(), 3);
    board.sack(11..21, &mut delivered);
    assert_eq!(board.buffers(), 3, "a SACK frees nothing");
    board.acknowledge(21, &mut delivered);
    assert_eq!(board.buffers(), 2);
}

#[test]
fn half_a_segment_is_not_delivered() {
    let (mut board, mut delivered) = (five(), Vec::new());
    board.acknowledge(15, &mut delivered);
    board.sack(22..36, &mut delivered);
    assert_eq!(ends(&delivered), [11]);
}

#[test]
fn only_what_was_overtaken_is_lost() {
    let (mut board, mut delivered) = (five(), Vec::new());
    board.sack(31..41, &mut delivered);
    let latest = delivered[0].ordinal;
    let patience = Duration::from_millis(100);
    let (losses, wait) = board.detect_losses(at(101), latest, patience);
    assert_eq!((losses.segments, losses.sent_at), (2, at(1)));
    assert_eq!(wait, Some(Duration::from_millis(1)));
    let (losses, wait) = board.detect_losses(at(500), latest, patience);
    assert_eq!(
        (losses.segments, wait),
        (1, None),
        "the last was sent later"
    );
    assert_eq!(board.in_flight(), 1);
}

#[test]
fn a_retransmission_counts_from_when_it_was_sent() {
    let (mut board, mut delivered) = (five(), Vec::new());
    board.sack(41..51, &mut delivered);
    board.detect_losses(at(200), delivered[0].ordinal, Duration::ZERO);
    assert_eq!(board.retransmit_lost(at(200)).map(|s| s.sequence), Some(1));
    assert_eq!(board.in_flight(), 1);
    let again = board.detect_losses(at(900), delivered[0].ordinal, Duration::ZERO);
    assert_eq!(again.0.segments, 0, "it is the latest of all");
    delivered.clear();
    board.acknowledge(11, &mut delivered);
    assert!(delivered[0].retransmitted && !delivered[0].was_lost);
    assert_eq!(delivered[0].first_sent_at, at(0));
}

#[test]
fn a_timeout_takes_the_first_and_what_is_as_old() {
    let mut board = five();
    let losses = board.time_out(at(102), Duration::from_millis(100));
    assert_eq!((losses.segments, board.in_flight()), (3, 2));
    assert!(board.has_lost());
    board.find_lost();
    assert_eq!((board.has_lost(), board.in_flight()), (false, 5));
    assert!(
        board
            .entries
            .iter()
            .all(|sent| sent.state == SegmentState::InFlight)
    );
    // The segments can be declared lost again.
    let losses = board.detect_losses(at(300), 5, Duration::ZERO).0;
    assert_eq!(losses.segments, 5);
}
