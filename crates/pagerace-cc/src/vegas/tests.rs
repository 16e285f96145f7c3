use pagerace_core::Duration;

use crate::Controller;
use crate::loss_based::LossBased;
use crate::testing::{MTU, ack, at, packets};

use super::*;

/// Returns Vegas on a path of 100 ms, with a round trip that begins at 1 s.
fn begun() -> (LossBased<Vegas>, u64) {
    let mut vegas = LossBased::<Vegas>::new(1_200);
    vegas.on_ack(&ack(900, 1_000));
    vegas.aimd.set(10 * MTU);
    (vegas, 1_000)
}

/// Runs a round trip of `packets` packets with this delay. The last packet ends
/// the round trip and begins the next one.
fn round(vegas: &mut LossBased<Vegas>, ms: &mut u64, packets: u64, delay: u64) {
    for _ in 1..packets {
        vegas.on_ack(&ack(*ms - 1, *ms - 1 + delay));
    }
    vegas.on_ack(&ack(*ms, *ms + delay));
    *ms += delay;
}

/// Returns Vegas in congestion avoidance with a window of 20 packets on a path of 100 ms.
fn avoiding() -> (LossBased<Vegas>, u64) {
    let (mut vegas, ms) = begun();
    vegas.aimd.set(20 * MTU);
    vegas.aimd.set_ssthresh(10 * MTU);
    (vegas, ms)
}

#[test]
fn slow_start_doubles_until_the_queue_holds_more_than_a_packet() {
    let (mut vegas, mut ms) = begun();
    round(&mut vegas, &mut ms, 10, 100);
    round(&mut vegas, &mut ms, 20, 103);
    // 39 x 3 / 100 is one packet.
    assert_eq!((packets(&vegas), vegas.ssthresh()), (40, None));
    // 79 x 10 / 100 is seven packets. The path holds 79 x 100 / 110 packets; one is added.
    round(&mut vegas, &mut ms, 40, 110);
    assert_eq!(packets(&vegas), 79 * 100 / 110 + 1);
    assert_eq!(vegas.ssthresh(), Some(vegas.window()));
}

#[test]
fn the_window_moves_by_a_packet_a_round_trip_towards_two_to_four_queued() {
    // The queue holds 20 x (rtt - 100) / 100 packets.
    for (delay, after) in [
        (100, 21),
        (105, 21),
        (109, 21),
        (110, 20),
        (120, 20),
        (124, 20),
        (125, 19),
        (200, 19),
    ] {
        let (mut vegas, mut ms) = avoiding();
        round(&mut vegas, &mut ms, 20, delay);
        assert_eq!(packets(&vegas), after, "{delay} ms");
    }
}

#[test]
fn the_shortest_delay_of_a_round_trip_counts() {
    let (mut vegas, now) = avoiding();
    for delay in [180, 170, 100, 190] {
        vegas.on_ack(&ack(now - 1, now - 1 + delay));
    }
    vegas.on_ack(&ack(now, now + 180));
    assert_eq!(packets(&vegas), 21);
}

#[test]
fn losses_are_renos() {
    let (mut vegas, now) = avoiding();
    vegas.on_congestion(at(now), at(now - 1), MTU, false);
    assert_eq!((packets(&vegas), vegas.ssthresh()), (10, Some(10 * MTU)));
}

#[test]
fn a_silence_forgets_the_path() {
    let (mut vegas, now) = avoiding();
    vegas.on_ack_end(at(now), 0);
    vegas.on_sent(at(60_000), MTU);
    vegas.on_ack(&ack(60_000, 60_300));
    assert_eq!(vegas.law.meter.base(), Duration::from_millis(300));
}
