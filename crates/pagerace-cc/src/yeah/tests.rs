use pagerace_core::Duration;

use crate::Controller;
use crate::loss_based::LossBased;
use crate::testing::{MTU, ack, at, packets};

use super::*;

/// Returns `YeAH` in congestion avoidance with this window in packets, on a path of 100 ms.
fn avoiding(window: u64) -> LossBased<Yeah> {
    let mut yeah = LossBased::<Yeah>::new(1_200);
    yeah.law.meter.on_ack(&ack(0, 100), false);
    yeah.law.meter.restart(at(1_000));
    yeah.aimd.set(window * MTU);
    yeah.aimd.set_ssthresh(MTU);
    yeah
}

fn round(yeah: &mut LossBased<Yeah>, delay: u64) {
    let round = RoundTrip {
        shortest: Duration::from_millis(delay),
        mean: Duration::from_millis(delay),
        samples: 100,
    };
    yeah.law.end_round(&mut yeah.aimd, &round);
}

#[test]
fn with_a_short_queue_it_grows_as_scalable_tcp() {
    // A large window grows by a hundredth, and a small one by a packet per round trip.
    let mut yeah = avoiding(500);
    for _ in 0..500 {
        yeah.on_ack(&ack(500, 600));
    }
    assert_eq!(packets(&yeah), 505);
    let mut yeah = avoiding(50);
    for _ in 0..50 {
        yeah.on_ack(&ack(500, 600));
    }
    assert_eq!(packets(&yeah), 51);
}

#[test]
fn with_a_long_queue_it_grows_as_reno() {
    let mut yeah = avoiding(500);
    // 13 ms exceeds an eighth of 100 ms; 57 queued packets are fewer than 80.
    round(&mut yeah, 113);
    assert_eq!((yeah.law.slow_rounds, packets(&yeah)), (1, 500));
    for _ in 0..500 {
        yeah.on_ack(&ack(500, 600));
    }
    assert_eq!(packets(&yeah), 501);
    round(&mut yeah, 112);
    assert_eq!(yeah.law.slow_rounds, 0);
}

#[test]
fn a_queue_of_more_than_eighty_packets_is_emptied_but_not_below_renos_window() {
    // 500 x 20 / 120 = 83 packets are queued.
    let mut yeah = avoiding(500);
    round(&mut yeah, 120);
    let queued = 500 * MTU * 20 / 120;
    assert_eq!(yeah.window(), 500 * MTU - queued);
    // At most half the window is removed: 500 x 150 / 250 = 300 packets are queued.
    let mut yeah = avoiding(500);
    round(&mut yeah, 250);
    assert_eq!(packets(&yeah), 250);
    let mut yeah = avoiding(500);
    yeah.law.reno_window = 480 * MTU;
    round(&mut yeah, 120);
    assert_eq!((packets(&yeah), yeah.law.reno_window), (480, 481 * MTU));
}

#[test]
fn a_loss_takes_the_queue_and_at_least_an_eighth_and_half_when_others_compete() {
    let lose = |yeah: &mut LossBased<Yeah>| {
        yeah.on_congestion(at(2_000), at(1_900), MTU, false);
        yeah.window()
    };
    let mut yeah = avoiding(400);
    assert_eq!(lose(&mut yeah), 350 * MTU);
    let mut yeah = avoiding(400);
    yeah.law.queued = 70 * MTU;
    assert_eq!(lose(&mut yeah), 330 * MTU);
    let mut yeah = avoiding(400);
    yeah.law.slow_rounds = RHO;
    assert_eq!(lose(&mut yeah), 200 * MTU);
}
