//! Round trips as a sender counts them, and the delays measured in each.

use pagerace_core::{Duration, Instant};

use crate::Ack;

/// Detects the boundaries between round trips.
///
/// A round trip ends with the first acknowledgement of a packet that was sent
/// since the round trip began. The controllers see no sequence numbers. A
/// packet sent at the very instant at which a round trip began was sent in
/// response to the acknowledgement that began it, and so belongs to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    began: Option<Instant>,
}

impl Rounds {
    /// Returns true if this acknowledgement ends a round trip and begins the
    /// next. The first acknowledgement of a connection does.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> bool {
        let ends = self.began.is_none_or(|began| ack.sent_at >= began);
        if ends {
            self.began = Some(ack.now);
        }
        ends
    }

    /// Begins a round trip at `now`, regardless of earlier packets.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.began = Some(now);
    }
}

/// The delays measured in one round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundTrip {
    /// The shortest round trip time of a packet.
    pub(crate) shortest: Duration,
    /// The mean round trip time of the packets.
    pub(crate) mean: Duration,
    /// The number of packets measured.
    pub(crate) samples: u64,
}

/// Measures the delay in each round trip, and the extremes over all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelayMeter {
    rounds: Rounds,
    base: Option<Duration>,
    longest: Duration,
    shortest: Option<Duration>,
    sum: Duration,
    samples: u64,
    is_paused: bool,
}

impl DelayMeter {
    /// Records a packet's round trip time. Returns the round trip that this
    /// packet ends, including this packet. `in_recovery` is true if the packet was sent
    /// before recovery began.
    pub(crate) fn on_ack(&mut self, ack: &Ack, in_recovery: bool) -> Option<RoundTrip> {
        if !in_recovery && std::mem::take(&mut self.is_paused) {
            self.restart(ack.now);
        }
        let rtt = ack.rtt_latest;
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.longest = self.longest.max(rtt);
        let shortest = self.shortest.map_or(rtt, |shortest| shortest.min(rtt));
        self.shortest = Some(shortest);
        self.sum += rtt;
        self.samples += 1;
        if !self.rounds.on_ack(ack) {
            return None;
        }
        let ended = RoundTrip {
            shortest,
            mean: Duration::from_nanos(self.sum.as_nanos() / self.samples),
            samples: self.samples,
        };
        self.clear();
        Some(ended)
    }

    /// Discards what is measured until the first acknowledgement after recovery, which
    /// begins another round trip.
    pub(crate) fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Discards the measurements of the current round trip and begins another one.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.rounds.restart(now);
        self.clear();
    }

    /// Discards all measurements, including the extremes.
    pub(crate) fn forget(&mut self, now: Instant) {
        *self = Self {
            is_paused: self.is_paused,
            ..Self::default()
        };
        self.rounds.restart(now);
    }

    /// The shortest round trip time seen, taken as the path's delay without a queue.
    pub(crate) fn base(&self) -> Duration {
        self.base.unwrap_or(Duration::ZERO)
    }

    /// The longest round trip time seen.
    pub(crate) fn longest(&self) -> Duration {
        self.longest
    }

    fn clear(&mut self) {
        self.shortest = None;
        self.sum = Duration::ZERO;
        self.samples = 0;
    }
}

#[cfg(test)]
mod tests;
