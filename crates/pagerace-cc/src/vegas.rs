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

use crate::aimd::Aimd;
use crate::flight::Flight;
use crate::recovery::Recovery;
use crate::rounds::{DelayMeter, RoundTrip};
use crate::{Ack, Controller};

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
#[derive(Clone, Debug)]
pub struct Vegas {
    aimd: Aimd,
    recovery: Recovery,
    meter: DelayMeter,
    flight: Flight,
    /// True from a congestion event until the first acknowledgement after
    /// recovery, which restarts the measurement.
    is_off: bool,
}

impl Vegas {
    /// Creates the controller in its state at the start of a connection.
    pub fn new(mtu: u16) -> Self {
        Self {
            aimd: Aimd::new(mtu),
            recovery: Recovery::default(),
            meter: DelayMeter::default(),
            flight: Flight::default(),
            is_off: false,
        }
    }

    fn end_round(&mut self, ack: &Ack, round: &RoundTrip) {
        let (mtu, window) = (self.aimd.mtu(), self.aimd.window());
        let (base, rtt) = (self.meter.base().as_nanos(), round.shortest.as_nanos());
        let share = |part: u64, whole: u64| {
            let bytes = u128::from(window) * u128::from(part) / u128::from(whole.max(1));
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        // Diff in the paper: the packets beyond what the path holds without a queue.
        let queued = share(rtt - base, base) / mtu;
        if self.aimd.in_slow_start() {
            if queued > GAMMA {
                // The window that the path holds without a queue, and one packet.
                let carried = share(base, rtt) + mtu;
                self.aimd.reduce(carried.min(window));
            } else if !ack.app_limited {
                self.aimd.slow_start(ack.bytes);
            }
        } else if queued > BETA {
            self.aimd.set(window - mtu);
            let ssthresh = self.aimd.ssthresh().unwrap_or(window);
            self.aimd.set_ssthresh(ssthresh.min(self.aimd.window()));
        } else if queued < ALPHA && !ack.app_limited {
            self.aimd.set(window + mtu);
        }
        // Source: `tcp_current_ssthresh` of Linux.
        if let Some(ssthresh) = self.aimd.ssthresh() {
            self.aimd
                .set_ssthresh(ssthresh.max(self.aimd.window() / 4 * 3));
        }
    }
}

impl Controller for Vegas {
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        if self.flight.is_empty() {
            self.meter.forget(now);
        }
        self.flight.sent(bytes);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.flight.settled(ack.bytes);
        if self.recovery.on_ack(ack) {
            self.meter.on_ack(ack);
            return;
        }
        if std::mem::take(&mut self.is_off) {
            self.meter.restart(ack.now);
        }
        match self.meter.on_ack(ack) {
            Some(round) if round.samples >= MIN_SAMPLES => self.end_round(ack, &round),
            Some(_) if !ack.app_limited => self.aimd.grow(ack.bytes),
            None if self.aimd.in_slow_start() && !ack.app_limited => {
                self.aimd.slow_start(ack.bytes);
            }
            _ => {}
        }
    }

    fn on_ack_end(&mut self, _now: Instant, in_flight: u64) {
        self.flight.set(in_flight);
    }

    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool) {
        self.flight.settled(lost_bytes);
        if self.recovery.on_congestion(now, sent_at, persistent) {
            self.aimd.reduce(self.aimd.window() / 2);
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
    }

    fn ssthresh(&self) -> Option<u64> {
        self.aimd.ssthresh()
    }

    fn name(&self) -> &'static str {
        "vegas"
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
