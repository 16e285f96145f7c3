//! The modes of BBR and the gain cycle of `ProbeBw`.

use std::cmp::Ordering;

use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, Instant};

use super::{Bbr, CYCLE, DRAIN_GAIN, HIGH_GAIN, MIN_PACKETS, Mode, UNIT};
use crate::rate::Sample;

/// The number of phases from which the first one is drawn; all but the draining one.
const CYCLE_STARTS: u64 = 7;
/// The window gain in `ProbeBw`, which leaves room for late acknowledgements.
const WINDOW_GAIN: u64 = 2 * UNIT;
/// The lifetime of the minimum round trip time estimate.
const MIN_RTT_AGE: Duration = Duration::from_secs(10);
/// The minimum time that `ProbeRtt` stays at the minimum window.
const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// The number of round trips without a bandwidth increase of a quarter after
/// which the pipe counts as full.
const FULL_ROUNDS: u32 = 3;

impl Bbr {
    pub(super) fn is_next_phase(&self, now: Instant, sample: &Sample) -> bool {
        let elapsed = now.since(self.cycle_at);
        let is_full_length = elapsed > self.min_rtt.unwrap_or(Duration::MAX);
        let in_flight = self.in_flight_with_next(sample.prior_in_flight);
        match self.pacing_gain.cmp(&UNIT) {
            // Probing lasts until the queue is built or overflows.
            Ordering::Greater => {
                let target = self.target_in_flight(self.pacing_gain);
                is_full_length && (sample.lost > 0 || in_flight >= target)
            }
            // Draining lasts until the queue is gone.
            Ordering::Less => is_full_length || in_flight <= self.target_in_flight(UNIT),
            Ordering::Equal => is_full_length,
        }
    }

    pub(super) fn advance_cycle(&mut self, now: Instant) {
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.cycle_at = now;
    }

    pub(super) fn enter_probe_bw(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        let drawn = derive_seed(now.as_nanos() ^ self.sampler.delivered(), "bbr cycle");
        self.cycle = CYCLE.len() - 1 - (drawn % CYCLE_STARTS) as usize;
        self.advance_cycle(now);
    }

    pub(super) fn check_full(&mut self, sample: &Sample) {
        let app_limited = sample.rate.is_some_and(|rate| rate.app_limited);
        if self.is_full || !self.round_start || app_limited {
            return;
        }
        let bandwidth = self.bandwidth.get();
        if bandwidth >= self.full_bandwidth.saturating_mul(5) / 4 {
            self.full_bandwidth = bandwidth;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= FULL_ROUNDS;
    }

    pub(super) fn check_drain(&mut self, now: Instant, sample: &Sample) {
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
            self.ssthresh = Some(self.target_in_flight(UNIT));
        }
        if self.mode == Mode::Drain
            && self.in_flight_with_next(sample.in_flight) <= self.target_in_flight(UNIT)
        {
            self.enter_probe_bw(now);
        }
    }

    pub(super) fn update_min_rtt(&mut self, now: Instant, sample: &Sample) {
        let since = *self.min_rtt_at.get_or_insert(now);
        let expired = now.since(since) > MIN_RTT_AGE;
        if let Some(rtt) = sample.rtt
            && (expired || self.min_rtt.is_none_or(|min_rtt| rtt < min_rtt))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = Some(now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.save_window();
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_until = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(now, sample.in_flight);
        }
        self.idle_restart = false;
    }

    pub(super) fn probe_rtt(&mut self, now: Instant, in_flight: u64) {
        // The low delivery rates of this mode must not lower the bandwidth estimate.
        self.sampler.on_app_limited(in_flight);
        if self.probe_rtt_until.is_none() {
            if in_flight <= MIN_PACKETS * self.mtu() {
                self.probe_rtt_until = Some(now + PROBE_RTT_TIME);
                self.probe_rtt_round_done = false;
                self.next_round_delivered = self.sampler.delivered();
            }
            return;
        }
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done(now);
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.probe_rtt_until.is_none_or(|until| now <= until) {
            return;
        }
        self.min_rtt_at = Some(now);
        self.window = self.window.max(self.prior_window);
        if self.is_full {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    pub(super) fn update_gains(&mut self) {
        (self.pacing_gain, self.window_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw => (CYCLE[self.cycle], WINDOW_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }
}
