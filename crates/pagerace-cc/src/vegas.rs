//! Vegas: uses the delay to keep two to four packets in the queue.
//!
//! Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
//! Internet" (IEEE JSAC 13(8), 1995), with the parameters and the choices of
//! Linux (`net/ipv4/tcp_vegas.c`, 6.x). The window is adjusted once per round
//! trip, by the shortest delay of the round trip. Slow start doubles the window
//! in every round trip, not in every second one. The path's delay is measured
//! anew after an idle period. Losses are handled as by Reno.
//!
//! Left out: Vegas's own retransmissions, which belong to the transport.

use pagerace_core::Instant;

use crate::Ack;
use crate::aimd::Aimd;
use crate::loss_based::{Law, LossEvent};
use crate::rounds::{DelayMeter, RoundTrip};

/// The window grows if fewer packets are queued.
const ALPHA: u64 = 2;
/// The window shrinks if more packets are queued.
const BETA: u64 = 4;
/// Slow start ends if more packets are queued.
const GAMMA: u64 = 1;
/// The minimum number of packets that a round trip is judged by: with fewer,
/// all its acknowledgements may be delayed ones.
const MIN_SAMPLES: u64 = 3;

/// Grows and shrinks the window by the measured delay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vegas {
    meter: DelayMeter,
}

impl Vegas {
    fn end_round(&self, aimd: &mut Aimd, ack: &Ack, round: &RoundTrip) {
        let (mtu, window) = (aimd.mtu(), aimd.window());
        let (base, rtt) = (self.meter.base(), round.shortest);
        // Diff in the paper: the packets beyond what the path holds without a queue.
        let queued = aimd.share(rtt - base, base) / mtu;
        if aimd.in_slow_start() {
            if queued > GAMMA {
                // The window that the path holds without a queue, and one packet.
                let carried = aimd.share(base, rtt) + mtu;
                aimd.reduce(carried.min(window));
            } else if !ack.app_limited {
                aimd.slow_start(ack.bytes);
            }
        } else if queued > BETA {
            aimd.set(window - mtu);
            let ssthresh = aimd.ssthresh().unwrap_or(window);
            aimd.set_ssthresh(ssthresh.min(aimd.window()));
        } else if queued < ALPHA && !ack.app_limited {
            aimd.set(window + mtu);
        }
        // Source: `tcp_current_ssthresh` of Linux.
        if let Some(ssthresh) = aimd.ssthresh() {
            aimd.set_ssthresh(ssthresh.max(aimd.window() / 4 * 3));
        }
    }
}

impl Law for Vegas {
    fn on_idle_end(&mut self, now: Instant) {
        self.meter.forget(now);
    }

    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        let round = self.meter.on_ack(ack, in_recovery);
        if in_recovery {
            return;
        }
        match round {
            Some(round) if round.samples >= MIN_SAMPLES => self.end_round(aimd, ack, &round),
            Some(_) if !ack.app_limited => aimd.grow(ack.bytes),
            None if aimd.in_slow_start() && !ack.app_limited => aimd.slow_start(ack.bytes),
            _ => {}
        }
    }

    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        if event.is_new {
            aimd.reduce(aimd.window() / 2);
        }
        self.meter.pause();
    }
}

#[cfg(test)]
mod tests;
