use crate::testing::{MTU, ack, at, packets};

use super::*;

fn build(name: &str) -> Box<dyn Controller> {
    stack(name, MTU as u16).unwrap()
}

/// Acknowledges a packet of this round trip in milliseconds.
fn answer(controller: &mut dyn Controller, now_ms: u64, rtt_ms: u64) {
    controller.on_ack(&ack(now_ms - rtt_ms, now_ms));
    controller.on_ack_end(at(now_ms), 10 * MTU);
}

#[test]
fn other_names_have_no_stack() {
    assert!(stack("reno", 1_200).is_none());
}

#[test]
fn quic_go_begins_with_32_packets_and_keeps_seven_tenths() {
    let mut quic_go = build("quic-go");
    assert_eq!(packets(&*quic_go), 32);
    quic_go.on_congestion(at(100), at(50), MTU, false);
    assert_eq!(quic_go.window(), 32 * MTU * 7 / 10);
    // Losses of packets that were sent before belong to the same event.
    quic_go.on_congestion(at(110), at(90), MTU, false);
    assert_eq!(quic_go.window(), 32 * MTU * 7 / 10);
}

#[test]
fn quic_go_leaves_slow_start_when_the_delay_of_a_round_has_grown() {
    let mut quic_go = build("quic-go");
    for i in 0..20 {
        answer(&mut *quic_go, 200 + i, 100);
    }
    assert_eq!((packets(&*quic_go), quic_go.ssthresh()), (52, None));
    for i in 0..20 {
        answer(&mut *quic_go, 400 + i, 120);
    }
    let window = quic_go.ssthresh().unwrap();
    assert!((52 * MTU..72 * MTU).contains(&window), "{window}");
}

/// Five samples replace the shorter ones, and each of the last five is longer by a quarter or more.
#[test]
fn aioquic_leaves_slow_start_after_five_longer_samples() {
    for (rtt, ends) in [(125, true), (124, false)] {
        let mut aioquic = build("aioquic");
        for i in 0..5 {
            answer(&mut *aioquic, 200 + 2 * i, 100);
        }
        for i in 0..8 {
            answer(&mut *aioquic, 400 + 2 * i, rtt);
        }
        assert_eq!(aioquic.ssthresh(), None);
        answer(&mut *aioquic, 416, rtt);
        assert_eq!(aioquic.ssthresh().is_some(), ends);
        aioquic.on_congestion(at(450), at(420), MTU, false);
        assert_eq!(packets(&*aioquic), 24 / 2);
    }
}

#[test]
fn aioquic_takes_one_sample_in_a_millisecond() {
    let mut aioquic = build("aioquic");
    for i in 0..5 {
        answer(&mut *aioquic, 200 + 2 * i, 100);
    }
    for _ in 0..50 {
        answer(&mut *aioquic, 400, 200);
    }
    assert_eq!(aioquic.ssthresh(), None);
}
