use crate::testing::{MTU, ack, at};

use super::*;

/// A link that carries one packet per millisecond (1.2 MB/s) with a round trip
/// time of 40 ms, so 40 packets fill it. Its queue is unlimited.
const SERVICE: u64 = 1;
const RTT: u64 = 40;
const BANDWIDTH: u64 = 1_200_000;

/// Sends as the controller allows, in steps of 0.1 ms.
struct Link {
    bbr: Bbr,
    tick: u64,
    /// Pairs of (sent at, acknowledged at), in ticks.
    in_flight: std::collections::VecDeque<(u64, u64)>,
    free_at: u64,
    credit: f64,
}

const TICKS: u64 = 10;

impl Link {
    fn new() -> Self {
        Self {
            bbr: Bbr::new(1_200),
            tick: 0,
            in_flight: std::collections::VecDeque::new(),
            free_at: 0,
            credit: 0.0,
        }
    }

    fn at(tick: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(tick * 1_000 / TICKS)
    }

    fn step(&mut self) {
        let now = Self::at(self.tick);
        while let Some(&(sent, acked)) = self.in_flight.front() {
            if acked > self.tick {
                break;
            }
            self.in_flight.pop_front();
            let rtt = now.since(Self::at(sent));
            self.bbr.on_ack(&Ack {
                now,
                sent_at: Self::at(sent),
                tcp: None,
                bytes: MTU,
                rtt_latest: rtt,
                rtt_min: Duration::from_millis(RTT + SERVICE),
                rtt_smoothed: rtt,
                app_limited: false,
            });
            self.bbr.on_ack_end(now, self.in_flight.len() as u64 * MTU);
        }
        let per_tick = self.bbr.pacing_rate().unwrap() as f64 / 8e3 / TICKS as f64;
        self.credit = (self.credit + per_tick).min(2.0 * MTU as f64);
        while self.credit >= MTU as f64
            && (self.in_flight.len() as u64 + 1) * MTU <= self.bbr.window()
        {
            self.credit -= MTU as f64;
            self.free_at = self.free_at.max(self.tick) + SERVICE * TICKS;
            self.in_flight
                .push_back((self.tick, self.free_at + RTT * TICKS));
            self.bbr.on_sent(now, MTU);
        }
        self.tick += 1;
    }

    fn run(&mut self, ms: u64) {
        for _ in 0..ms * TICKS {
            self.step();
        }
    }
}

#[test]
fn it_begins_with_the_window_paced_over_a_millisecond_and_then_over_the_round_trip() {
    let mut bbr = Bbr::new(1_200);
    // 12,000 B over 1 ms, times 739/256 and 99/100, in bits.
    let initial = 12_000_000 * HIGH_GAIN * 99 / (UNIT * 100) * 8;
    assert!(bbr.pacing_rate().unwrap().abs_diff(initial) < 8);
    for _ in 0..10 {
        bbr.on_sent(at(0), MTU);
    }
    bbr.on_ack(&ack(0, 100));
    bbr.on_ack_end(at(100), 9 * MTU);
    // The initial window over 100 ms; the acknowledgement then opens one more packet.
    let rate = 120_000 * HIGH_GAIN * 99 / (UNIT * 100) * 8;
    assert!(bbr.pacing_rate().unwrap().abs_diff(rate) < 8);
    assert_eq!(bbr.window(), 11 * MTU);
}

#[test]
fn startup_doubles_until_the_pipe_is_full_then_drains_then_cycles() {
    let mut link = Link::new();
    let mut modes = vec![link.bbr.mode];
    let mut gains = Vec::new();
    for _ in 0..4_000 * TICKS {
        link.step();
        if *modes.last().unwrap() != link.bbr.mode {
            modes.push(link.bbr.mode);
        }
        if link.bbr.mode == Mode::ProbeBw && gains.last() != Some(&link.bbr.pacing_gain) {
            gains.push(link.bbr.pacing_gain);
        }
    }
    assert_eq!(modes, [Mode::Startup, Mode::Drain, Mode::ProbeBw]);
    // The estimates match the link's rate and the path's round trip time.
    let estimate = link.bbr.bandwidth.get();
    assert!(estimate.abs_diff(BANDWIDTH) < BANDWIDTH / 50, "{estimate}");
    let min_rtt = link.bbr.min_rtt.unwrap();
    assert_eq!(min_rtt, Duration::from_millis(RTT + SERVICE));
    // Each cycle paces above the bandwidth, below it, and at it.
    let from = gains.iter().position(|&g| g == CYCLE[0]).unwrap();
    let cycles: Vec<&[u64]> = gains[from..].chunks_exact(3).collect();
    assert!(cycles.len() > 5, "{gains:?}");
    for cycle in cycles {
        assert_eq!(cycle, [CYCLE[0], CYCLE[1], UNIT]);
    }
    // 1.2 MB/s over 41 ms is 41 packets. The window is twice that plus six
    // packets for the hosts, rounded up to an even number.
    assert!(
        (86..=92).contains(&(link.bbr.window() / MTU)),
        "{}",
        link.bbr.window() / MTU
    );
}

#[test]
fn it_probes_the_round_trip_every_ten_seconds_for_200_ms() {
    let mut link = Link::new();
    let mut probes: Vec<(f64, f64)> = Vec::new();
    let mut was = false;
    for _ in 0..45_000 * TICKS {
        link.step();
        let is = link.bbr.mode == Mode::ProbeRtt;
        let now = Link::at(link.tick).as_millis_f64();
        if is && !was {
            probes.push((now, now));
        }
        if is {
            probes.last_mut().unwrap().1 = now;
            let settled = now > probes.last().unwrap().0 + 100.0;
            assert!(!settled || link.in_flight.len() <= 4);
        }
        was = is;
    }
    assert_eq!(probes.len(), 4, "{probes:?}");
    for pair in probes.windows(2) {
        let apart = pair[1].0 - pair[0].0;
        assert!((10_000.0..10_600.0).contains(&apart), "{probes:?}");
    }
    for (from, until) in probes {
        // Before the 200 ms begin, the excess packets must leave, which takes up
        // to two round trips.
        assert!((200.0..330.0).contains(&(until - from)), "{from} {until}");
    }
}

#[test]
fn a_loss_conserves_packets_for_a_round_trip_and_then_restores_the_window() {
    let mut link = Link::new();
    link.run(3_000);
    let before = link.bbr.window();
    let now = Link::at(link.tick);
    let lost = 3;
    let latest = link.in_flight[lost - 1].0;
    link.in_flight.drain(..lost);
    link.bbr
        .on_congestion(now, Link::at(latest), lost as u64 * MTU, false);
    while link.bbr.began {
        link.step();
    }
    // Each packet that leaves the network permits one new packet.
    let window = link.bbr.window();
    assert!(window <= before / 2 + 4 * MTU, "{window} of {before}");
    for _ in 0..20 * TICKS {
        link.step();
        assert!(matches!(
            link.bbr.losses,
            Losses::Recovery { conserve: true, .. }
        ));
        assert_eq!(link.bbr.window(), window);
    }
    link.run(100);
    assert_eq!(link.bbr.losses, Losses::None);
    assert!(link.bbr.window() >= before - 4 * MTU);
}

#[test]
fn a_timeout_begins_with_little_and_ends_with_the_old_window() {
    let mut link = Link::new();
    link.run(3_000);
    let before = link.bbr.window();
    let (now, latest) = (Link::at(link.tick), link.in_flight.back().unwrap().0);
    let lost = link.in_flight.len() as u64 * MTU;
    link.in_flight.clear();
    link.bbr.on_congestion(now, Link::at(latest), lost, true);
    assert_eq!(link.bbr.window(), 2 * MTU);
    // Slow start follows, paced at the estimate.
    link.run(400);
    assert!(link.bbr.window() >= before - 4 * MTU);
    assert_eq!(link.bbr.losses, Losses::None);
}

#[test]
fn what_the_application_did_not_send_does_not_lower_the_estimate() {
    let mut link = Link::new();
    link.run(3_000);
    let estimate = link.bbr.bandwidth.get();
    // One packet every 100 ms for a minute is the application's rate, not the path's.
    let mut now = Link::at(link.tick);
    while let Some((sent, acked)) = link.in_flight.pop_front() {
        now = Link::at(acked);
        link.bbr.on_ack(&ack_at(Link::at(sent), now));
        let left = link.in_flight.len() as u64 * MTU;
        link.bbr.on_app_limited(now, left);
        link.bbr.on_ack_end(now, left);
    }
    for _ in 0..600 {
        link.bbr.on_app_limited(now, 0);
        link.bbr.on_sent(now, MTU);
        assert!(link.bbr.idle_restart);
        link.bbr.on_app_limited(now, MTU);
        let later = now + Duration::from_millis(RTT + SERVICE);
        link.bbr.on_ack(&ack_at(now, later));
        link.bbr.on_ack_end(later, 0);
        now += Duration::from_millis(100);
    }
    assert_eq!(link.bbr.bandwidth.get(), estimate);
    // A restart after idle takes the place of a `ProbeRtt` phase.
    assert_ne!(link.bbr.mode, Mode::ProbeRtt);
}

fn ack_at(sent_at: Instant, now: Instant) -> Ack {
    let rtt = now.since(sent_at);
    Ack {
        now,
        sent_at,
        tcp: None,
        bytes: MTU,
        rtt_latest: rtt,
        rtt_min: Duration::from_millis(RTT + SERVICE),
        rtt_smoothed: rtt,
        app_limited: false,
    }
}
