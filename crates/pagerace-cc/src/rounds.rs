//! Round trips as a sender counts them, and what each of them measured.

use pagerace_core::{Duration, Instant};

use crate::Ack;

/// Tells round trips apart.
///
/// A round trip ends with the first acknowledgement of something that was
/// sent since it began. There are no sequence numbers here: what was sent at
/// the very instant at which a round trip began was sent in answer to the
/// acknowledgement that began it, and so belongs to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    began: Option<Instant>,
}

impl Rounds {
    /// Whether this acknowledgement ends a round trip; if so, the next begins.
    /// The first acknowledgement of all ends one.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> bool {
        let ends = self.began.is_none_or(|began| ack.sent_at >= began);
        if ends {
            self.began = Some(ack.now);
        }
        ends
    }

    /// A round trip begins at `now`, whatever came before.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.began = Some(now);
    }
}

/// What a round trip measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundTrip {
    /// The shortest time of a packet.
    pub(crate) shortest: Duration,
    /// The average time of a packet.
    pub(crate) mean: Duration,
    /// How many packets were measured.
    pub(crate) samples: u64,
}

/// Measures the delay of each round trip, and the extremes of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelayMeter {
    rounds: Rounds,
    base: Option<Duration>,
    longest: Duration,
    shortest: Option<Duration>,
    sum: Duration,
    samples: u64,
}

impl DelayMeter {
    /// Takes a packet's time; returns the round trip that ends with it, which
    /// includes it.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> Option<RoundTrip> {
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

    /// Drops what the current round trip measured and begins another one.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.rounds.restart(now);
        self.clear();
    }

    /// Forgets everything, the extremes too.
    pub(crate) fn forget(&mut self, now: Instant) {
        *self = Self::default();
        self.rounds.restart(now);
    }

    /// The shortest time of all, taken for that of an empty path.
    pub(crate) fn base(&self) -> Duration {
        self.base.unwrap_or(Duration::ZERO)
    }

    /// The longest time of all.
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
