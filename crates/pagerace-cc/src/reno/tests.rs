use crate::Controller;
use crate::loss_based::LossBased;
use crate::testing::{MTU, ack, at};

use super::*;

#[test]
fn slow_start_doubles_in_a_round_trip() {
    let mut reno = LossBased::<Reno>::new(1_200);
    for _ in 0..10 {
        reno.on_ack(&ack(0, 100));
    }
    assert_eq!(reno.window(), 20 * MTU);
}

#[test]
fn a_round_trip_with_losses_halves_the_window_once() {
    let mut reno = LossBased::<Reno>::new(1_200);
    reno.on_congestion(at(100), at(50), MTU, false);
    assert_eq!((reno.window(), reno.ssthresh()), (5 * MTU, Some(5 * MTU)));
    // The packet was sent before the reduction: the same event, without growth.
    reno.on_congestion(at(150), at(100), MTU, false);
    reno.on_ack(&ack(100, 200));
    assert_eq!(reno.window(), 5 * MTU);
    // The packet was sent after the reduction: a new event.
    reno.on_congestion(at(201), at(101), MTU, false);
    assert_eq!(reno.window(), 2 * MTU + MTU / 2);
}

#[test]
fn congestion_avoidance_adds_a_packet_in_a_round_trip() {
    let mut reno = LossBased::<Reno>::new(1_200);
    reno.on_congestion(at(100), at(50), MTU, false);
    for _ in 0..5 {
        reno.on_ack(&ack(101, 201));
    }
    assert_eq!(reno.window(), 6 * MTU);
    for _ in 0..6 {
        reno.on_ack(&ack(201, 301));
    }
    assert_eq!(reno.window(), 7 * MTU);
}

#[test]
fn persistent_congestion_begins_anew_up_to_the_threshold() {
    let mut reno = LossBased::<Reno>::new(1_200);
    reno.on_congestion(at(100), at(50), MTU, true);
    assert_eq!((reno.window(), reno.ssthresh()), (2 * MTU, Some(5 * MTU)));
    // Recovery ends at once, so packets sent before it also grow the window.
    for _ in 0..3 {
        reno.on_ack(&ack(90, 190));
    }
    assert_eq!(reno.window(), 5 * MTU);
}
