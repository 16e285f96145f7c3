use crate::testing::{MTU, ack, at};

use super::*;

/// Returns a controller that lost a packet at 1 s with a window of `segments`.
fn after_loss(segments: u64) -> Cubic {
    let mut cubic = Cubic::new(1_200);
    while cubic.window() < segments * MTU {
        cubic.on_ack(&ack(0, 100));
    }
    cubic.on_congestion(at(1_000), at(950), MTU, false);
    cubic
}

/// Acknowledges a full window every 100 ms from `from_ms` to `until_ms`.
fn run(cubic: &mut Cubic, from_ms: u64, until_ms: u64) {
    for now_ms in (from_ms..=until_ms).step_by(100) {
        for _ in 0..cubic.window() / MTU {
            cubic.on_ack(&ack(now_ms - 100, now_ms));
            cubic.on_ack_end(at(now_ms), 0);
        }
    }
}

fn segments(cubic: &Cubic) -> f64 {
    cubic.window / 1_200.0
}

#[test]
fn a_loss_leaves_seven_tenths() {
    let cubic = after_loss(1_000);
    assert!((segments(&cubic) - 700.0).abs() < 1e-9);
    assert_eq!(cubic.ssthresh(), Some(840_000));
    assert!((cubic.w_max.unwrap() / 1_200.0 - 1_000.0).abs() < 1e-9);
}

#[test]
fn the_window_follows_the_cubic_curve() {
    // W_max = 1000 segments, of which 700 are left: K = cbrt(300 / 0.4) = 9.0856 s.
    // The target is the curve one round trip ahead, so a window of acknowledgements
    // at t brings the window to W_cubic(t + RTT).
    let mut cubic = after_loss(1_000);
    let k = (300.0_f64 / 0.4).powf(1.0 / 3.0);
    let mut from_ms = 1_101;
    for (until_ms, t) in [(2_001, 1.0), (5_101, 4.1), (10_201, 9.2), (12_201, 11.2)] {
        run(&mut cubic, from_ms, until_ms);
        from_ms = until_ms + 100;
        let curve = 0.4 * (t - k).powi(3) + 1_000.0;
        // The window follows a moving target, so it may deviate by 1 % from the curve.
        let off = segments(&cubic) / curve - 1.0;
        assert!(
            off.abs() < 0.01,
            "t = {t} s: {} of {curve}",
            segments(&cubic)
        );
    }
}

#[test]
fn a_small_window_grows_at_least_as_reno_would() {
    // With 20 segments, K = cbrt(6 / 0.4) = 2.47 s. Reno's pace of 0.53 segments
    // per round trip of 10 ms is far ahead of the curve.
    let mut cubic = after_loss(20);
    for i in 0..10 {
        for _ in 0..cubic.window() / MTU {
            cubic.on_ack(&ack(1_001 + i * 10, 1_011 + i * 10));
        }
    }
    let reno = 14.0 + 10.0 * ALPHA;
    assert!(
        (segments(&cubic) - reno).abs() < 0.5,
        "{} of {reno}",
        segments(&cubic)
    );
}

/// Returns the packets by which a window of ten packets grows after a loss, in `rounds` round
/// trips of `rtt_ms`.
fn grown(mut cubic: Cubic, rounds: u64, rtt_ms: u64) -> f64 {
    // The initial window is ten segments, of which a loss leaves seven.
    cubic.on_congestion(at(1_000), at(950), MTU, false);
    for i in 0..rounds {
        let now = 1_001 + (i + 1) * rtt_ms;
        for _ in 0..cubic.window() / MTU {
            cubic.on_ack(&ack(now - rtt_ms, now));
            cubic.on_ack_end(at(now), 0);
        }
    }
    segments(&cubic) - 7.0
}

#[test]
fn past_the_old_window_only_linux_keeps_the_slow_pace() {
    // At 0.53 segments per round trip of 40 ms, the old window is reached after 6 of them;
    // the curve needs K = cbrt(3 / 0.4) = 1.96 s.
    let linux = grown(Cubic::with_hystart(1_200), 20, 40);
    let rfc = grown(Cubic::new(1_200), 20, 40);
    assert!((linux - 20.0 * ALPHA).abs() < 2.5, "{linux}");
    assert!((rfc - (3.0 + 14.0)).abs() < 3.0, "{rfc}");
}

#[test]
fn linux_keeps_its_pace_for_a_32nd_of_a_second() {
    // A loss leaves 7 of 10 packets. The curve begins at 7.0, and what it is below the
    // plateau is rounded down, so that the first packet comes after 7 acknowledgements.
    let mut linux = Linux::default();
    let window = linux.on_loss(10);
    assert_eq!(window, 7);
    let mut told = |now_ms: u64, window: u64| {
        linux.on_packet(&ack(now_ms - 5, now_ms));
        linux.on_ack_end(window)
    };
    let first: Vec<u64> = (0..7).map(|i| told(1_000 + i, 7)).collect();
    assert_eq!(first, [0, 0, 0, 0, 0, 0, 1]);
    // With the new window the pace is computed anew. Reno's estimate is not ahead, and the
    // curve has no further packet.
    assert_eq!(told(1_010, 8), 0);
    // By now Reno's estimate is 10 packets, but the pace is still that of the curve.
    let rest: u64 = (0..30).map(|i| told(1_011 + i, 8)).sum();
    assert_eq!(rest, 0);
    assert_eq!(
        told(1_042, 8),
        1,
        "the acknowledgements of the rest count at once"
    );
}

#[test]
fn linux_rounds_down_what_a_loss_leaves() {
    let mut linux = Linux::default();
    assert_eq!(linux.on_loss(5), 3);
    assert_eq!(linux.on_loss(2), 2);
}

/// Returns a controller that reached 20 packets in slow start with a delay of 100 ms,
/// and then received `acks` acknowledgements of two packets each with twice the delay.
fn delayed(acks: u64) -> Cubic {
    let mut cubic = Cubic::with_hystart(1_200);
    for _ in 0..10 {
        cubic.on_ack(&ack(0, 100));
        cubic.on_ack_end(at(100), 0);
    }
    for _ in 0..acks {
        cubic.on_ack(&ack(100, 300));
        cubic.on_ack(&ack(100, 300));
        cubic.on_ack_end(at(300), 0);
    }
    cubic
}

#[test]
fn hystart_counts_acknowledgements_and_not_their_packets() {
    assert_eq!(delayed(0).window(), 20 * MTU);
    assert_eq!(delayed(8).ssthresh(), None);
    assert_eq!(delayed(8).window(), 36 * MTU);
    // The ninth acknowledgement ends slow start before it can grow the window.
    assert_eq!(delayed(9).ssthresh(), Some(36 * MTU));
    assert_eq!(delayed(9).window(), 36 * MTU);
}

#[test]
fn until_the_first_loss_linux_grows_by_a_twentieth() {
    let mut cubic = delayed(9);
    run(&mut cubic, 400, 1_300);
    let grown = segments(&cubic) / 36.0;
    // A twentieth in each of ten round trips, in whole packets.
    assert!((1.5..1.63).contains(&grown), "{grown}");
}

#[test]
fn a_second_loss_below_the_plateau_lowers_it_further() {
    let mut cubic = after_loss(1_000);
    cubic.on_congestion(at(2_000), at(1_500), MTU, false);
    // 700 is below 1000, so the new plateau is 700 x (1 + 0.7) / 2.
    assert!((cubic.w_max.unwrap() / 1_200.0 - 595.0).abs() < 1e-9);
    assert!((segments(&cubic) - 490.0).abs() < 1e-9);
}

#[test]
fn losses_of_one_round_trip_count_once() {
    let mut cubic = after_loss(100);
    cubic.on_congestion(at(1_050), at(999), MTU, false);
    cubic.on_ack(&ack(1_000, 1_100));
    assert!((segments(&cubic) - 70.0).abs() < 1e-9);
}

#[test]
fn time_in_which_nothing_was_sent_does_not_count() {
    let mut busy = after_loss(1_000);
    run(&mut busy, 1_101, 3_001);
    let mut idle = busy.clone();
    // Ten seconds without data, or with too little of it, shift the curve by as much.
    idle.on_sent(at(13_001), MTU);
    let mut limited = busy.clone();
    limited.on_ack(&Ack {
        app_limited: true,
        ..ack(12_901, 13_001)
    });
    run(&mut busy, 3_101, 4_001);
    for mut paused in [idle, limited] {
        run(&mut paused, 13_101, 14_001);
        assert!((segments(&paused) - segments(&busy)).abs() < 1e-6);
    }
}

#[test]
fn persistent_congestion_begins_anew_and_then_on_the_plateau() {
    let mut cubic = after_loss(1_000);
    cubic.on_congestion(at(2_000), at(1_500), MTU, true);
    assert_eq!(cubic.window(), 2 * MTU);
    while segments(&cubic) < 490.0 {
        cubic.on_ack(&ack(2_000, 2_100));
    }
    cubic.on_ack(&ack(2_100, 2_200));
    assert_eq!(cubic.epoch.as_ref().map(|e| e.k), Some(0.0));
}
