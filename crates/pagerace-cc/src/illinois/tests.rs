use crate::Controller;
use crate::loss_based::LossBased;
use crate::testing::{MTU, ack, at, packets};

use super::*;

/// Returns Illinois in congestion avoidance with a window of 100 packets, on a
/// path of 100 ms where the queueing delay has reached 100 ms.
fn experienced() -> LossBased<Illinois> {
    let mut illinois = LossBased::<Illinois>::new(1_200);
    illinois.law.meter.on_ack(&ack(0, 100), false);
    illinois.law.meter.on_ack(&ack(0, 200), false);
    illinois.law.meter.restart(at(1_000));
    illinois.aimd.set(100 * MTU);
    illinois.aimd.set_ssthresh(50 * MTU);
    illinois
}

/// Ends a round trip in which every packet took `delay` ms; returns growth and decrease.
fn round(illinois: &mut LossBased<Illinois>, delay: u64) -> (f64, f64) {
    let round = RoundTrip {
        shortest: Duration::from_millis(delay),
        mean: Duration::from_millis(delay),
        samples: 100,
    };
    illinois.law.end_round(&illinois.aimd, &round);
    (illinois.law.alpha, illinois.law.beta)
}

#[test]
fn growth_and_decrease_follow_the_published_curves() {
    // With d_m = 100 ms: d_1 = 1, d_2 = 10, d_3 = 80 ms. Growth is
    // k1 / (k2 + d_a) with k1 = 99 x 10 x 0.3 / 9.7 and k2 = 99 x 0.3 / 9.7 - 1;
    // decrease is linear from 1/8 to 1/2.
    let (k1, k2) = (99.0 * 10.0 * 0.3 / 9.7, 99.0 * 0.3 / 9.7 - 1.0);
    for (queued, beta) in [
        (2, 0.125),
        (10, 0.125),
        (45, 0.312_5),
        (80, 0.5),
        (100, 0.5),
    ] {
        let mut illinois = experienced();
        let (alpha, got) = round(&mut illinois, 100 + queued);
        let wanted = k1 / (k2 + queued as f64);
        assert!((alpha - wanted).abs() < 1e-9, "{queued}: {alpha}");
        assert!((got - beta).abs() < 1e-9, "{queued}: {got}");
    }
    let mut illinois = experienced();
    assert!((round(&mut illinois, 200).0 - 0.3).abs() < 1e-9);
    assert!((experienced().law.next_alpha(0.0005, 0.1) - 10.0).abs() < 1e-9);
}

#[test]
fn growth_is_fastest_again_after_five_round_trips_without_queue() {
    let mut illinois = experienced();
    let (slow, _) = round(&mut illinois, 150);
    for _ in 0..4 {
        assert_eq!(round(&mut illinois, 100).0.to_bits(), slow.to_bits());
    }
    assert!((round(&mut illinois, 100).0 - 10.0).abs() < 1e-9);
}

#[test]
fn the_window_grows_by_alpha_packets_a_round_trip_and_loses_its_share() {
    let mut illinois = experienced();
    illinois.law.alpha = 10.0;
    for _ in 0..105 {
        illinois.on_ack(&ack(500, 600));
    }
    assert_eq!(packets(&illinois), 110);
    illinois.law.beta = 0.125;
    illinois.on_congestion(at(2_000), at(1_900), MTU, false);
    assert_eq!(illinois.window(), 110 * MTU * 7 / 8);
}

#[test]
fn a_small_window_is_renos() {
    let mut illinois = experienced();
    illinois.aimd.set(14 * MTU);
    assert_eq!(round(&mut illinois, 100), (1.0, 0.5));
}
