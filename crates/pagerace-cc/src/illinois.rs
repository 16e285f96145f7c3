//! TCP-Illinois: losses trigger a window reduction; the queueing delay sets the
//! rate of growth and the size of the reduction.
//!
//! Liu, Basar and Srikant, "TCP-Illinois: A Loss- and Delay-Based Congestion
//! Control Algorithm for High-Speed Networks" (Performance Evaluation 65, 2008;
//! first at VALUETOOLS 2006), with the parameters and the choices of Linux
//! (`net/ipv4/tcp_illinois.c`, 6.x): growth and decrease are set once per round
//! trip, and a timeout resets them to Reno's.

use pagerace_core::Duration;

use crate::Ack;
use crate::aimd::Aimd;
use crate::loss_based::{Law, LossEvent};
use crate::rounds::{DelayMeter, RoundTrip};

/// Growth in packets per round trip: with a full queue, and with an empty one.
const ALPHA: (f64, f64) = (0.3, 10.0);
/// Share of the window that a loss removes: with an empty queue, and with a full one.
const BETA: (f64, f64) = (0.125, 0.5);
/// Reno's growth and decrease.
const RENO: (f64, f64) = (1.0, 0.5);
/// Shares of the longest queueing delay. Growth is fastest up to the first share,
/// decrease is smallest up to the second, and decrease is largest from the third.
const SHARES: (f64, f64, f64) = (0.01, 0.1, 0.8);
/// Window in packets below which growth and decrease are Reno's.
const WINDOW_THRESHOLD: u64 = 15;
/// Number of round trips with little delay before growth is fastest again.
const THETA: u32 = 5;

/// Grows more slowly and shrinks further as the queue fills.
#[derive(Clone, Debug)]
pub(crate) struct Illinois {
    meter: DelayMeter,
    /// Growth in packets per round trip.
    alpha: f64,
    /// Share of the window that a loss removes.
    beta: f64,
    /// True if the delay has exceeded the first share.
    was_above: bool,
    /// Round trips since then in which the delay did not exceed it.
    low_rounds: u32,
}

impl Default for Illinois {
    fn default() -> Self {
        Self {
            meter: DelayMeter::default(),
            alpha: ALPHA.1,
            beta: BETA.1,
            was_above: false,
            low_rounds: 0,
        }
    }
}

impl Illinois {
    fn end_round(&mut self, aimd: &Aimd, round: &RoundTrip) {
        if aimd.window() < WINDOW_THRESHOLD * aimd.mtu() {
            (self.alpha, self.beta) = RENO;
            return;
        }
        let base = self.meter.base();
        let seconds = |delay: Duration| delay.saturating_sub(base).as_secs_f64();
        let (average, longest) = (seconds(round.mean), seconds(self.meter.longest()));
        self.alpha = self.next_alpha(average, longest);
        self.beta = beta(average, longest);
    }

    /// Equation 4 of the paper, with its hysteresis.
    fn next_alpha(&mut self, average: f64, longest: f64) -> f64 {
        let low = longest * SHARES.0;
        if average > low {
            self.was_above = true;
            let (average, longest) = (average - low, longest - low);
            let steepness = (ALPHA.1 - ALPHA.0) / ALPHA.0;
            return longest * ALPHA.1 / (longest + average * steepness);
        }
        if self.was_above {
            self.low_rounds += 1;
            if self.low_rounds < THETA {
                return self.alpha;
            }
            self.was_above = false;
            self.low_rounds = 0;
        }
        ALPHA.1
    }
}

/// Equation 5 of the paper.
fn beta(average: f64, longest: f64) -> f64 {
    let (low, high) = (longest * SHARES.1, longest * SHARES.2);
    if average <= low {
        return BETA.0;
    }
    if average >= high {
        return BETA.1;
    }
    BETA.0 + (BETA.1 - BETA.0) * (average - low) / (high - low)
}

impl Law for Illinois {
    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        if let Some(round) = self.meter.on_ack(ack, in_recovery)
            && !in_recovery
        {
            self.end_round(aimd, &round);
        }
        if in_recovery || ack.app_limited {
            return;
        }
        if aimd.in_slow_start() {
            aimd.slow_start(ack.bytes);
        } else {
            let every = aimd.window() as f64 / self.alpha;
            aimd.avoid(ack.bytes, every as u64);
        }
    }

    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        if event.is_new {
            let left = aimd.window() as f64 * (1.0 - self.beta);
            aimd.reduce(left as u64);
        }
        if event.persistent {
            (self.alpha, self.beta) = RENO;
            (self.was_above, self.low_rounds) = (false, 0);
            self.meter.restart(event.now);
        }
    }
}

#[cfg(test)]
mod tests;
