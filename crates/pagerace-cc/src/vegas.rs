//! Vegas: keeps two to four packets in the queue, by the delay it sees.
//!
//! Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
//! Internet" (IEEE JSAC 13(8), 1995), with the parameters and the choices of
//! Linux (`net/ipv4/tcp_vegas.c`, 6.x): once for each round trip; the shortest
//! delay of the round trip counts; slow start doubles in each round trip, not
//! in every second; the path's delay is learnt anew after a silence; losses are
//! Reno's.
//!
//! Left out: Vegas's own retransmissions (the transport's part).

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::flight::Flight;
use crate::recovery::Recovery;
use crate::rounds::{DelayMeter, RoundTrip};
use crate::{Ack, Controller};

/// Fewer packets in the queue: faster.
const ALPHA: u64 = 2;
/// More packets in the queue: slower.
const BETA: u64 = 4;
/// More packets in the queue: slow start is over.
const GAMMA: u64 = 1;
/// A round trip with fewer packets may consist of delayed acknowledgements.
const MIN_SAMPLES: u64 = 3;

/// Grows and shrinks by the delay.
#[derive(Clone, Debug)]
pub struct Vegas {
    aimd: Aimd,
    recovery: Recovery,
    meter: DelayMeter,
    flight: Flight,
    /// In recovery, and so without measurement.
    is_off: bool,
}

impl Vegas {
    /// At the beginning of a connection.
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
        // The paper's Diff: packets beyond what the empty path would hold.
        let queued = share(rtt - base, base) / mtu;
        if self.aimd.in_slow_start() {
            if queued > GAMMA {
                // What the path carries, and no queue.
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
        // Linux's `tcp_current_ssthresh`.
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
