//! BBR version 1 as Linux has it (`net/ipv4/tcp_bbr.c`, 6.x), which is the
//! algorithm of Cardwell et al., "BBR: Congestion-Based Congestion Control"
//! (ACM Queue 14(5), 2016), and of draft-cardwell-iccrg-bbr-congestion-control-00,
//! with Linux's allowance for bunched acknowledgements.
//!
//! It estimates the path's bandwidth (the fastest delivery of ten round trips)
//! and its round trip without queue (the shortest of ten seconds), and sends at
//! the former with at most two products of both in flight.
//!
//! Deviates: the first phase of the gain cycle is chosen by a hash of the time
//! and of what was delivered, where Linux draws a random number; recovery ends
//! when something sent after the latest loss was found is acknowledged, and
//! after a timeout when as many bytes are as were outstanding, where Linux
//! compares sequence numbers; two packets are the least window. Before the
//! first acknowledgement it paces for a round trip of 1 ms, for it is not told
//! of the handshake's.
//! Left out: the long-term estimate for paths with a token-bucket policer
//! (`lt_bw`), which Linux turns to when a fifth of the packets was lost in two
//! intervals in a row; not believing a delayed acknowledgement's round trip;
//! undoing a recovery that turned out to be needless.

use pagerace_core::{Duration, Instant};

use crate::rate::{RateSampler, Sample};
use crate::recovery::Recovery;
use crate::{Ack, Controller, initial_window, minimum_window};

mod filter;
mod phases;
mod window;

use filter::{Aggregation, MaxBandwidth};

/// Gains are in 256ths, as in Linux.
const UNIT: u64 = 256;
/// 2/ln 2: doubles the rate in each round trip of `Startup`.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
/// Its inverse: empties in a round trip the queue that `Startup` made.
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
/// The gain cycle of `ProbeBw`: probe, drain, cruise.
const CYCLE: [u64; 8] = [
    UNIT * 5 / 4,
    UNIT * 3 / 4,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
];
/// How long the bandwidth filter remembers, in round trips.
const BANDWIDTH_ROUNDS: u64 = 10;
/// The window in `ProbeRtt`, and the least otherwise; in packets.
const MIN_PACKETS: u64 = 4;
/// Per cent of the bandwidth at which to pace, to keep the queue short.
const PACING_PERCENT: u64 = 99;
/// What an unknown round trip is taken for.
const NOMINAL_RTT: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Doubles the rate to find the bandwidth.
    Startup,
    /// Empties the queue that came of it.
    Drain,
    /// Sends at the bandwidth, and now and then a bit faster.
    ProbeBw,
    /// Nearly stops, to see the round trip of an empty queue.
    ProbeRtt,
}

/// What the losses make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Losses {
    None,
    /// Over when something sent after `found`, the time of the latest loss,
    /// is acknowledged: many losses in a row are one recovery. In its first
    /// round trip (`conserve`) a packet is sent for each that leaves.
    Recovery {
        conserve: bool,
        found: Instant,
    },
    /// A timeout; so many bytes until it is over.
    Timeout {
        left: u64,
    },
}

/// Paces at the path's bandwidth.
#[derive(Clone, Debug)]
pub struct Bbr {
    mtu: u16,
    mode: Mode,
    window: u64,
    /// The window before recovery or `ProbeRtt`.
    prior_window: u64,
    /// Bytes per second.
    pacing_rate: u64,
    pacing_gain: u64,
    window_gain: u64,
    sampler: RateSampler,
    bandwidth: MaxBandwidth,
    aggregation: Aggregation,
    round: u64,
    round_start: bool,
    /// A round trip ends with what was sent after so much was delivered.
    next_round_delivered: u64,
    min_rtt: Option<Duration>,
    min_rtt_at: Option<Instant>,
    rtt_smoothed: Duration,
    has_seen_rtt: bool,
    full_bandwidth: u64,
    full_rounds: u32,
    is_full: bool,
    cycle: usize,
    cycle_at: Instant,
    probe_rtt_until: Option<Instant>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    recovery: Recovery,
    losses: Losses,
    /// Recovery began or ended with what is being told of.
    began: bool,
    ended: bool,
    ssthresh: Option<u64>,
}

impl Bbr {
    /// At the beginning of a connection.
    pub fn new(mtu: u16) -> Self {
        let mut new = Self {
            mtu,
            mode: Mode::Startup,
            window: initial_window(mtu),
            prior_window: 0,
            pacing_rate: 0,
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            sampler: RateSampler::default(),
            bandwidth: MaxBandwidth::default(),
            aggregation: Aggregation::default(),
            round: 0,
            round_start: false,
            next_round_delivered: 0,
            min_rtt: None,
            min_rtt_at: None,
            rtt_smoothed: Duration::ZERO,
            has_seen_rtt: false,
            full_bandwidth: 0,
            full_rounds: 0,
            is_full: false,
            cycle: 0,
            cycle_at: Instant::ZERO,
            probe_rtt_until: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            recovery: Recovery::default(),
            losses: Losses::None,
            began: false,
            ended: false,
            ssthresh: None,
        };
        new.pace_initially(NOMINAL_RTT);
        new
    }

    fn mtu(&self) -> u64 {
        u64::from(self.mtu)
    }

    /// The window over the round trip, times the gain of `Startup`.
    fn pace_initially(&mut self, rtt: Duration) {
        let nanos = u128::from(rtt.as_nanos().max(1_000));
        let rate = u128::from(self.window) * 1_000_000_000 / nanos;
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        self.pacing_rate = paced(rate, HIGH_GAIN);
    }

    /// While the pipe is not full, the rate only rises.
    fn set_pacing_rate(&mut self, gain: u64) {
        let rate = paced(self.bandwidth.get(), gain);
        if !self.has_seen_rtt && !self.rtt_smoothed.is_zero() {
            self.has_seen_rtt = true;
            self.pace_initially(self.rtt_smoothed);
        }
        if self.is_full || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn update_bandwidth(&mut self, sample: &Sample) {
        self.round_start = false;
        let Some(rate) = sample.rate else { return };
        if rate.prior_delivered >= self.next_round_delivered {
            self.next_round_delivered = self.sampler.delivered();
            self.round += 1;
            self.round_start = true;
            if let Losses::Recovery { conserve, .. } = &mut self.losses {
                *conserve = false;
            }
        }
        if !rate.app_limited || rate.bytes_per_second >= self.bandwidth.get() {
            self.bandwidth
                .update(self.round, BANDWIDTH_ROUNDS, rate.bytes_per_second);
        }
    }

    fn update_aggregation(&mut self, now: Instant, sample: &Sample) {
        if sample.rate.is_some() {
            let (bandwidth, mtu) = (self.bandwidth.get(), self.mtu());
            self.aggregation.update(
                now,
                self.round_start,
                sample.acked,
                bandwidth,
                self.window,
                mtu,
            );
        }
    }
}

/// `rate` bytes per second with a gain and the margin.
fn paced(rate: u64, gain: u64) -> u64 {
    let rate = u128::from(rate) * u128::from(gain * PACING_PERCENT) / u128::from(UNIT * 100);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

impl Controller for Bbr {
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        self.min_rtt_at.get_or_insert(now);
        if self.sampler.in_flight() == 0 && self.sampler.is_app_limited() {
            // Nothing was to be sent for a while: no burst now.
            self.idle_restart = true;
            self.aggregation.restart(now);
            match self.mode {
                Mode::ProbeBw => self.set_pacing_rate(UNIT),
                Mode::ProbeRtt => self.check_probe_rtt_done(now),
                Mode::Startup | Mode::Drain => {}
            }
        }
        self.sampler.on_sent(now, bytes);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.sampler.on_ack(ack);
        self.rtt_smoothed = ack.rtt_smoothed;
        self.recovery.on_ack(ack);
        match &mut self.losses {
            Losses::None => {}
            Losses::Recovery { found, .. } => {
                if ack.sent_at > *found {
                    self.losses = Losses::None;
                    self.ended = true;
                }
            }
            Losses::Timeout { left } => {
                *left = left.saturating_sub(ack.bytes);
                if *left == 0 {
                    self.losses = Losses::None;
                    self.ended = true;
                }
            }
        }
    }

    fn on_ack_end(&mut self, now: Instant, in_flight: u64) {
        let Some(sample) = self.sampler.on_ack_end(now, in_flight) else {
            return;
        };
        self.update_bandwidth(&sample);
        self.update_aggregation(now, &sample);
        if self.mode == Mode::ProbeBw && self.is_next_phase(now, &sample) {
            self.advance_cycle(now);
        }
        self.check_full(&sample);
        self.check_drain(now, &sample);
        self.update_min_rtt(now, &sample);
        self.update_gains();
        self.set_pacing_rate(self.pacing_gain);
        self.set_window(&sample);
    }

    fn on_app_limited(&mut self, _now: Instant, in_flight: u64) {
        self.sampler.on_app_limited(in_flight);
    }

    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool) {
        let outstanding = self.sampler.in_flight().max(lost_bytes);
        self.sampler.on_lost(lost_bytes);
        let is_new = self.recovery.on_congestion(now, sent_at, persistent);
        if persistent {
            self.save_window();
            self.losses = Losses::Timeout { left: outstanding };
            self.began = false;
            self.full_bandwidth = 0;
            let window = self.sampler.in_flight() + self.mtu();
            self.window = window.clamp(minimum_window(self.mtu), self.window);
        } else if let Losses::Recovery { found, .. } = &mut self.losses {
            *found = now;
        } else if is_new && self.losses == Losses::None {
            self.save_window();
            self.losses = Losses::Recovery {
                conserve: true,
                found: now,
            };
            self.began = true;
        }
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn pacing_rate(&self) -> Option<u64> {
        Some(self.pacing_rate.saturating_mul(8).max(1))
    }

    fn owns_recovery(&self) -> bool {
        true
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(minimum_window(mtu));
    }

    fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
    }

    fn name(&self) -> &'static str {
        "bbr"
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
