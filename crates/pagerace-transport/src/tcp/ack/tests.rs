//! Tests of delays, demands and SACK blocks.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "lists of one block are meant"
)]

use pagerace_core::{Duration, Instant};

use super::AckPolicy;
use crate::tcp::ranges::RangeSet;
use crate::tcp::reassembly::Arrival;

const DELAY: Duration = Duration::from_millis(40);
const IDLE: Duration = Duration::from_millis(300);

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn in_order(length: u64) -> Arrival {
    Arrival {
        new: length,
        ..Arrival::default()
    }
}

/// Returns a policy that has used up its quick acknowledgements.
fn settled() -> AckPolicy {
    let mut acks = AckPolicy::new(1448, DELAY);
    for _ in 0..16 {
        receive(&mut acks, 0, 1448);
        assert!(acks.is_due());
        acks.on_sent();
    }
    acks
}

fn receive(acks: &mut AckPolicy, millis: u64, length: u64) {
    let none = RangeSet::default();
    acks.on_data(
        at(millis),
        (1, length, false),
        &in_order(length),
        &none,
        IDLE,
    );
}

#[test]
fn every_second_segment_or_after_forty_milliseconds() {
    let mut acks = settled();
    receive(&mut acks, 10, 1448);
    assert!(!acks.is_due());
    assert_eq!(acks.deadline(), Some(at(50)));
    receive(&mut acks, 20, 1448);
    assert!(acks.is_due());
    acks.on_sent();
    assert_eq!(acks.deadline(), None);
    receive(&mut acks, 30, 500);
    receive(&mut acks, 35, 500);
    assert!(!acks.is_due(), "not two full segments");
    assert_eq!(acks.deadline(), Some(at(70)));
    acks.handle_timeout(at(69));
    assert!(!acks.is_due());
    acks.handle_timeout(at(70));
    assert!(acks.is_due());
    assert_eq!(acks.deadline(), None);
}

#[test]
fn who_answers_soon_acknowledges_every_second_segment_from_the_beginning() {
    let mut acks = AckPolicy::new(1448, DELAY);
    acks.on_data_sent(at(0));
    receive(&mut acks, 20, 1448);
    assert!(acks.is_due(), "what was sent first is no answer");
    acks.on_sent();
    // An answer after 40 ms is late, and one after less is not.
    acks.on_data_sent(at(60));
    receive(&mut acks, 80, 1448);
    assert!(acks.is_due());
    acks.on_sent();
    acks.on_data_sent(at(119));
    receive(&mut acks, 140, 1448);
    assert!(!acks.is_due());
    receive(&mut acks, 150, 1448);
    assert!(acks.is_due());
    acks.on_sent();
    // The expired delay ends the interactive mode, with 12 quick acknowledgements left.
    receive(&mut acks, 160, 1448);
    acks.handle_timeout(at(200));
    assert!(acks.is_due());
    for i in 0..12 {
        acks.on_sent();
        receive(&mut acks, 210, 1448);
        assert!(acks.is_due(), "{i}");
    }
    acks.on_sent();
    receive(&mut acks, 210, 1448);
    assert!(!acks.is_due());
}

#[test]
fn a_duplicate_ends_what_answers_began() {
    let mut acks = settled();
    acks.on_data_sent(at(1));
    let old = Arrival {
        duplicate: Some(1..1449),
        ..Arrival::default()
    };
    acks.on_data(at(2), (1, 1448, false), &old, &RangeSet::default(), IDLE);
    acks.on_sent();
    receive(&mut acks, 3, 1448);
    assert!(acks.is_due());
}

#[test]
fn the_end_of_a_write_is_acknowledged_when_it_is_read() {
    let none = RangeSet::default();
    let write = |acks: &mut AckPolicy, millis, length| {
        acks.on_data(
            at(millis),
            (1, length, true),
            &in_order(length),
            &none,
            IDLE,
        );
        acks.on_drained();
        acks.is_due()
    };
    assert!(write(&mut settled(), 10, 1448));
    assert!(write(&mut settled(), 10, 100));
    // In interactive mode, two short segments are needed.
    let mut acks = settled();
    acks.on_data_sent(at(1));
    assert!(!write(&mut acks, 10, 100));
    assert!(write(&mut acks, 11, 100));
    let mut acks = settled();
    acks.on_data_sent(at(1));
    assert!(!write(&mut acks, 10, 100));
    receive(&mut acks, 11, 100);
    acks.on_drained();
    assert!(acks.is_due(), "short segments that end no write count, too");
    // A segment in the middle of a write causes no acknowledgement on reading.
    let mut acks = settled();
    receive(&mut acks, 10, 1448);
    acks.on_drained();
    assert!(!acks.is_due());
}

#[test]
fn at_once_again_after_silence_and_after_a_duplicate() {
    let mut acks = settled();
    receive(&mut acks, 301, 1448);
    assert!(acks.is_due());
    let mut acks = settled();
    let old = Arrival {
        duplicate: Some(1..1449),
        ..Arrival::default()
    };
    acks.on_data(at(1), (1, 1448, false), &old, &RangeSet::default(), IDLE);
    assert!(acks.is_due());
    let blocks: Vec<_> = acks.blocks(&RangeSet::default()).iter().collect();
    assert_eq!(blocks, [1..1449]);
    let again = acks.blocks(&RangeSet::default()).iter().count();
    assert_eq!(again, 0, "reported once");
}

#[test]
fn a_duplicate_takes_one_of_three_blocks() {
    let mut acks = settled();
    let mut beyond = RangeSet::default();
    for start in [10, 30, 50, 70] {
        beyond.insert(start..start + 10, |_| {});
        let arrival = Arrival {
            new: 10,
            out_of_order: true,
            duplicate: None,
        };
        acks.on_data(at(1), (start, 10, false), &arrival, &beyond, IDLE);
    }
    let arrival = Arrival {
        new: 0,
        out_of_order: true,
        duplicate: Some(30..40),
    };
    acks.on_data(at(1), (30, 10, false), &arrival, &beyond, IDLE);
    let blocks: Vec<_> = acks.blocks(&beyond).iter().collect();
    assert_eq!(blocks, [30..40, 70..80, 50..60]);
    let blocks: Vec<_> = acks.blocks(&beyond).iter().collect();
    assert_eq!(blocks, [70..80, 50..60, 30..40]);
    // Two blocks are joined into one.
    beyond.insert(60..70, |_| {});
    let arrival = Arrival {
        new: 10,
        out_of_order: true,
        duplicate: None,
    };
    acks.on_data(at(1), (60, 10, false), &arrival, &beyond, IDLE);
    let blocks: Vec<_> = acks.blocks(&beyond).iter().collect();
    assert_eq!(blocks, [50..80, 30..40, 10..20]);
}
