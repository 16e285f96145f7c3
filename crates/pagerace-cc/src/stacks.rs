//! Controllers that single QUIC implementations run, so that they can be recognised from outside.
//!
//! Both are Reno with a slow start of their own:
//!
//! - quic-go 0.65 (`internal/congestion/cubic_sender.go`, `hybrid_slow_start.go`) begins with 32
//!   packets, leaves slow start when the delay of a round has grown, and keeps 0.7 of the window
//!   after a loss. `HyStart` is Linux's here. Left out: spurious losses.
//! - aioquic 1.7 (`quic/congestion/reno.py`, `base.py`) leaves slow start when round trips have
//!   been longer by a quarter for five samples.

use pagerace_core::{Duration, Instant};

use crate::aimd::Aimd;
use crate::hystart::HyStart;
use crate::loss_based::{Law, LossBased, LossEvent};
use crate::{Ack, Controller};

/// Initial window of quic-go in packets: `initialCongestionWindow`.
const QUIC_GO_WINDOW: u64 = 32;

/// Builds the controller of an implementation: `quic-go` or `aioquic`.
pub fn stack(name: &str, mtu: u16) -> Option<Box<dyn Controller>> {
    match name {
        "quic-go" => {
            let mut controller = LossBased::<QuicGo>::new(mtu);
            controller.aimd.set(QUIC_GO_WINDOW * u64::from(mtu));
            controller.law.hystart.set_paced();
            Some(Box::new(controller))
        }
        "aioquic" => Some(Box::new(LossBased::<Aioquic>::new(mtu))),
        _ => None,
    }
}

#[derive(Clone, Debug, Default)]
struct QuicGo {
    hystart: HyStart,
}

impl Law for QuicGo {
    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        if in_recovery {
            return;
        }
        if aimd.in_slow_start() {
            self.hystart.on_packet(ack);
        } else if !ack.app_limited {
            aimd.grow(ack.bytes);
        }
    }

    fn on_ack_end(&mut self, aimd: &mut Aimd, _in_flight: u64) {
        if !aimd.in_slow_start() {
            return;
        }
        match self.hystart.on_ack_end(aimd.window() / aimd.mtu()) {
            Some(bytes) => aimd.slow_start(bytes),
            None => aimd.set_ssthresh(aimd.window()),
        }
    }

    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        self.hystart.forget_packets();
        if event.is_new {
            aimd.reduce(aimd.window() * 7 / 10);
        }
        if event.persistent {
            self.hystart.restart(event.now);
        }
    }
}

/// Number of round trips that aioquic compares: `QuicRttMonitor._size`.
const SAMPLES: usize = 5;

/// Least time between them: `K_GRANULARITY`.
const GRANULARITY: Duration = Duration::from_millis(1);

#[derive(Clone, Debug, Default)]
struct Aioquic {
    /// The last round trips.
    samples: [Duration; SAMPLES],
    taken: usize,
    at: Instant,
    /// The smallest of their largest so far.
    least: Option<Duration>,
    increases: usize,
    /// The last packet of the acknowledgement being processed.
    latest: Option<Ack>,
}

impl Aioquic {
    /// Takes a sample. Returns true if the round trip grows.
    fn grows(&mut self, now: Instant, rtt: Duration) -> bool {
        if now <= self.at + GRANULARITY {
            return false;
        }
        self.at = now;
        self.samples[self.taken % SAMPLES] = rtt;
        self.taken += 1;
        if self.taken < SAMPLES {
            return false;
        }
        let [first, rest @ ..] = self.samples;
        let (shortest, longest) = rest
            .iter()
            .fold((first, first), |(a, b), s| (a.min(*s), b.max(*s)));
        let least = self.least.map_or(longest, |least| least.min(longest));
        self.least = Some(least);
        let more = shortest.saturating_sub(least);
        if more * 4 >= least {
            self.increases += 1;
        } else if more > Duration::ZERO {
            self.increases = 0;
        }
        self.increases >= SAMPLES
    }
}

impl Law for Aioquic {
    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        if self
            .latest
            .is_none_or(|latest| ack.sent_at >= latest.sent_at)
        {
            self.latest = Some(*ack);
        }
        if !in_recovery && !ack.app_limited {
            aimd.grow(ack.bytes);
        }
    }

    fn on_ack_end(&mut self, aimd: &mut Aimd, _in_flight: u64) {
        if let Some(latest) = self.latest.take()
            && aimd.ssthresh().is_none()
            && self.grows(latest.now, latest.rtt_latest)
        {
            aimd.set_ssthresh(aimd.window());
        }
    }
}

#[cfg(test)]
mod tests;
