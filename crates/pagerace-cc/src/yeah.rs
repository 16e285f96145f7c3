//! `YeAH`-TCP: grows like Scalable TCP while the queue is short and like Reno while
//! it is long. It also drains a long queue by itself if no other flow competes.
//!
//! Baiocchi, Castellani and Vacirca, "`YeAH`-TCP: Yet Another Highspeed TCP" (`PFLDnet`
//! 2007), with the parameters of Linux (`net/ipv4/tcp_yeah.c`). A queue is short if it
//! holds at most 80 packets and adds at most an eighth of the path's delay.

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::flight::Flight;
use crate::recovery::Recovery;
use crate::rounds::{DelayMeter, RoundTrip};
use crate::{Ack, Controller, minimum_window};

/// The queue length in packets above which the queue is drained: `TCP_YEAH_ALPHA`.
const ALPHA: u64 = 80;
/// A queueing delay is long above the path's delay divided by this: `TCP_YEAH_PHY`.
const PHI: u64 = 8;
/// Draining removes at most the window divided by this: 2 to the power of
/// `TCP_YEAH_EPSILON`.
const EPSILON: u64 = 2;
/// A loss removes at least the window divided by this: 2 to the power of `TCP_YEAH_DELTA`.
const DELTA: u64 = 8;
/// The number of consecutive slow round trips from which other flows are assumed
/// to compete: `TCP_YEAH_RHO`.
const RHO: u32 = 16;
/// The number of fast round trips after which no flow is assumed to compete:
/// `TCP_YEAH_ZETA`.
const ZETA: u32 = 50;
/// Scalable TCP adds a packet per this many packets at most:
/// `TCP_SCALABLE_AI_CNT`.
const SCALABLE: u64 = 100;
/// The minimum number of packets that a round trip is judged by, as in Vegas: with
/// fewer, all its acknowledgements may be delayed ones.
const MIN_SAMPLES: u64 = 3;

/// Switches between fast and slow growth by the length of the queue.
#[derive(Clone, Debug)]
pub struct Yeah {
    aimd: Aimd,
    recovery: Recovery,
    meter: DelayMeter,
    flight: Flight,
    /// Bytes in the queue during the last round trip.
    queued: u64,
    /// Consecutive slow round trips.
    slow_rounds: u32,
    fast_rounds: u32,
    /// The window that Reno would have, in bytes, and the lower limit for draining.
    reno_window: u64,
    is_off: bool,
}

impl Yeah {
    /// Creates the controller in its state at the start of a connection.
    pub fn new(mtu: u16) -> Self {
        Self {
            aimd: Aimd::new(mtu),
            recovery: Recovery::default(),
            meter: DelayMeter::default(),
            flight: Flight::default(),
            queued: 0,
            slow_rounds: 0,
            fast_rounds: 0,
            reno_window: minimum_window(mtu),
            is_off: false,
        }
    }

    fn least(&self) -> u64 {
        2 * self.aimd.mtu()
    }

    fn grow(&mut self, ack: &Ack) {
        let window = self.aimd.window();
        if self.aimd.in_slow_start() {
            self.aimd.slow_start(ack.bytes);
        } else if self.slow_rounds > 0 {
            self.aimd.avoid(ack.bytes, window);
        } else {
            let every = window.min(SCALABLE * self.aimd.mtu());
            self.aimd.avoid(ack.bytes, every);
        }
    }

    fn end_round(&mut self, round: &RoundTrip) {
        let (mtu, window) = (self.aimd.mtu(), self.aimd.window());
        let (base, rtt) = (self.meter.base().as_nanos(), round.shortest.as_nanos());
        let delay = rtt - base;
        let queued = u128::from(window) * u128::from(delay) / u128::from(rtt.max(1));
        self.queued = u64::try_from(queued).unwrap_or(u64::MAX);
        let is_long = self.queued > ALPHA * mtu;
        if !is_long && delay <= base / PHI {
            self.fast_rounds += 1;
            if self.fast_rounds > ZETA {
                self.reno_window = self.least();
                self.fast_rounds = 0;
            }
            self.slow_rounds = 0;
            return;
        }
        if is_long && window > self.reno_window {
            let taken = self.queued.min(window / EPSILON);
            self.aimd.reduce((window - taken).max(self.reno_window));
        }
        if self.reno_window <= self.least() {
            self.reno_window = (self.aimd.window() / 2).max(self.least());
        } else {
            self.reno_window += mtu;
        }
        self.slow_rounds += 1;
    }
}

impl Controller for Yeah {
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        if self.flight.is_empty() {
            self.meter.forget(now);
        }
        self.flight.sent(bytes);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.flight.settled(ack.bytes);
        let in_recovery = self.recovery.on_ack(ack);
        if !in_recovery && std::mem::take(&mut self.is_off) {
            self.meter.restart(ack.now);
        }
        let round = self.meter.on_ack(ack);
        if in_recovery || ack.app_limited {
            return;
        }
        self.grow(ack);
        if let Some(round) = round
            && round.samples >= MIN_SAMPLES
        {
            self.end_round(&round);
        }
    }

    fn on_ack_end(&mut self, _now: Instant, in_flight: u64) {
        self.flight.set(in_flight);
    }

    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool) {
        self.flight.settled(lost_bytes);
        if self.recovery.on_congestion(now, sent_at, persistent) {
            let window = self.aimd.window();
            let taken = if self.slow_rounds < RHO {
                self.queued.min(window / 2).max(window / DELTA)
            } else {
                window / 2
            };
            self.aimd.reduce(window - taken);
            self.fast_rounds = 0;
            self.reno_window = (self.reno_window / 2).max(self.least());
        }
        self.is_off = true;
        if persistent {
            self.aimd.collapse();
        }
    }

    fn window(&self) -> u64 {
        self.aimd.window()
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.aimd.set_mtu(mtu);
        self.reno_window = self.reno_window.max(self.least());
    }

    fn ssthresh(&self) -> Option<u64> {
        self.aimd.ssthresh()
    }

    fn name(&self) -> &'static str {
        "yeah"
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
