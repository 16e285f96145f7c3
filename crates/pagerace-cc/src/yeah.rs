//! `YeAH`-TCP: grows like Scalable TCP while the queue is short and like Reno while
//! it is long. It also drains a long queue by itself if no other flow competes.
//!
//! Baiocchi, Castellani and Vacirca, "`YeAH`-TCP: Yet Another Highspeed TCP" (`PFLDnet`
//! 2007), with the parameters of Linux (`net/ipv4/tcp_yeah.c`). A queue is short if it
//! holds at most 80 packets and adds at most an eighth of the path's delay.

use pagerace_core::Instant;

use crate::Ack;
use crate::aimd::Aimd;
use crate::loss_based::{Law, LossEvent};
use crate::rounds::{DelayMeter, RoundTrip};

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
#[derive(Clone, Debug, Default)]
pub(crate) struct Yeah {
    meter: DelayMeter,
    /// Bytes in the queue during the last round trip.
    queued: u64,
    /// Consecutive slow round trips.
    slow_rounds: u32,
    fast_rounds: u32,
    /// The window that Reno would have, in bytes, and the lower limit for draining. It is
    /// at least the minimum window.
    reno_window: u64,
}

impl Yeah {
    fn end_round(&mut self, aimd: &mut Aimd, round: &RoundTrip) {
        let (mtu, window, least) = (aimd.mtu(), aimd.window(), aimd.minimum());
        let (base, rtt) = (self.meter.base(), round.shortest);
        self.queued = aimd.share(rtt - base, rtt);
        self.reno_window = self.reno_window.max(least);
        let is_long = self.queued > ALPHA * mtu;
        if !is_long && (rtt - base).as_nanos() <= base.as_nanos() / PHI {
            self.fast_rounds += 1;
            if self.fast_rounds > ZETA {
                self.reno_window = least;
                self.fast_rounds = 0;
            }
            self.slow_rounds = 0;
            return;
        }
        if is_long && window > self.reno_window {
            let taken = self.queued.min(window / EPSILON);
            aimd.reduce((window - taken).max(self.reno_window));
        }
        if self.reno_window <= least {
            self.reno_window = (aimd.window() / 2).max(least);
        } else {
            self.reno_window += mtu;
        }
        self.slow_rounds += 1;
    }
}

impl Law for Yeah {
    fn on_idle_end(&mut self, now: Instant) {
        self.meter.forget(now);
    }

    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        let round = self.meter.on_ack(ack, in_recovery);
        if in_recovery || ack.app_limited {
            return;
        }
        if aimd.in_slow_start() || self.slow_rounds > 0 {
            aimd.grow(ack.bytes);
        } else {
            let every = aimd.window().min(SCALABLE * aimd.mtu());
            aimd.avoid(ack.bytes, every);
        }
        if let Some(round) = round.filter(|round| round.samples >= MIN_SAMPLES) {
            self.end_round(aimd, &round);
        }
    }

    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        if event.is_new {
            let window = aimd.window();
            let taken = if self.slow_rounds < RHO {
                self.queued.min(window / 2).max(window / DELTA)
            } else {
                window / 2
            };
            aimd.reduce(window - taken);
            self.fast_rounds = 0;
            self.reno_window /= 2;
        }
        self.meter.pause();
    }
}

#[cfg(test)]
mod tests;
