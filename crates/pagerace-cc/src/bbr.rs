//! BBR version 1 as implemented by Linux (`net/ipv4/tcp_bbr.c`, 6.x): the
//! algorithm of Cardwell et al., "BBR: Congestion-Based Congestion Control" (ACM
//! Queue 14(5), 2016), and of draft-cardwell-iccrg-bbr-congestion-control-00, with
//! Linux's allowance for aggregated acknowledgements.
//!
//! BBR estimates the path's bandwidth (the highest delivery rate of ten round
//! trips) and its round trip time without a queue (the minimum of ten seconds). It
//! paces at the bandwidth and keeps at most two bandwidth-delay products in flight.
//!
//! Deviations: the first phase of the gain cycle is chosen by a hash of the time
//! and the delivered bytes, whereas Linux draws a random number. Recovery ends
//! when a packet sent after the latest loss was detected is acknowledged; after a
//! timeout, it ends when as many bytes are acknowledged as were outstanding. Linux
//! compares sequence numbers in both cases. The minimum window is two packets.
//! Before the first acknowledgement, the sender paces for a round trip of 1 ms,
//! because the controller is not told the handshake's round trip time.
//! Left out: the long-term bandwidth estimate for token-bucket policers (`lt_bw`), which
//! Linux uses after losing a fifth of the packets in two consecutive intervals; ignoring
//! the round trip time of delayed acknowledgements; undoing a spurious recovery.

use pagerace_core::{Duration, Instant};

use crate::rate::{RateSampler, Sample};
use crate::recovery::Recovery;
use crate::{Ack, Controller, initial_window, minimum_window, mul_div};

mod filter;
mod phases;
mod window;

use filter::{Aggregation, MaxBandwidth};

/// The unit of gains, which are in 256ths as in Linux.
const UNIT: u64 = 256;
/// 2/ln 2: the gain that doubles the rate in each round trip of `Startup`.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
/// The inverse of [`HIGH_GAIN`], which drains the queue that `Startup` built in
/// one round trip.
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
/// The length of the bandwidth filter in round trips.
const BANDWIDTH_ROUNDS: u64 = 10;
/// The window in `ProbeRtt`, and the least window outside of packet conservation;
/// in packets.
const MIN_PACKETS: u64 = 4;
/// The pacing rate in per cent of the bandwidth; the margin keeps the queue short.
const PACING_PERCENT: u64 = 99;
/// The round trip time assumed before the first measurement.
const NOMINAL_RTT: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Doubles the rate in each round trip to find the bandwidth.
    #[default]
    Startup,
    /// Drains the queue that `Startup` built.
    Drain,
    /// Paces at the bandwidth and periodically probes for more.
    ProbeBw,
    /// Reduces the data in flight to measure the round trip time without a queue.
    ProbeRtt,
}

/// The state of loss recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Losses {
    #[default]
    None,
    /// Ends when a packet sent after `found`, the time of the latest loss, is
    /// acknowledged; consecutive losses therefore share one recovery. In its first
    /// round trip (`conserve`), one packet is sent for each that leaves the network.
    Recovery { conserve: bool, found: Instant },
    /// Recovery from a timeout, with the bytes left to acknowledge before it ends.
    Timeout { left: u64 },
}

/// Paces at the estimated bandwidth of the path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bbr {
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
    /// The delivered bytes at the start of the round trip. It ends with the
    /// acknowledgement of a packet that was sent after that.
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
    /// True if recovery began since the last update of the window.
    began: bool,
    ended: bool,
    ssthresh: Option<u64>,
}

impl Bbr {
    /// Creates the controller in its state at the start of a connection.
    pub(crate) fn new(mtu: u16) -> Self {
        let mut new = Self {
            mtu,
            window: initial_window(mtu),
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            ..Self::default()
        };
        new.pace_initially(NOMINAL_RTT);
        new
    }

    fn mtu(&self) -> u64 {
        u64::from(self.mtu)
    }

    /// Paces the window over the round trip, with the gain of `Startup`.
    fn pace_initially(&mut self, rtt: Duration) {
        let rate = mul_div(self.window, 1_000_000_000, rtt.as_nanos().max(1_000));
        self.pacing_rate = paced(rate, HIGH_GAIN);
    }

    /// Sets the pacing rate from the bandwidth estimate. Until the pipe is full,
    /// the estimate can only raise the rate.
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

/// Returns `rate` in bytes per second times the gain and the pacing margin.
fn paced(rate: u64, gain: u64) -> u64 {
    mul_div(rate, gain * PACING_PERCENT, UNIT * 100)
}

impl Controller for Bbr {
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        self.min_rtt_at.get_or_insert(now);
        if self.sampler.in_flight() == 0 && self.sampler.is_app_limited() {
            // The sender restarts after an idle period, which must not cause a burst.
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

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
