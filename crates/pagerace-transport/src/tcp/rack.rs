//! RACK: a segment is lost if one that was sent sufficiently later arrived.
//!
//! Follows RFC 8985, section 6, <https://www.rfc-editor.org/rfc/rfc8985#section-6>.
//! Deviates: each segment is judged as soon as its own time is over, where the
//! RFC's timer waits for the last of them; with a burst, both come to the same.

use pagerace_core::{Duration, Instant};

use super::rtt::RttEstimator;
use super::scoreboard::{Delivered, Ordinal, Scoreboard};

/// RFC 8985, section 6.2, step 4: segments that overtook another after which
/// reordering is no longer believed in, unless it was seen before. Also RFC 6675's `DupThresh`.
const DUP_THRESHOLD: usize = 3;
/// Section 6.2, step 4: recoveries without needless retransmission after which
/// the reordering window shrinks again.
const PERSISTENCE: u32 = 16;

/// What RACK remembers of the connection.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// The latest-sent transmission that was delivered.
    latest: Option<Ordinal>,
    /// Its round trip.
    rtt: Duration,
    /// The number behind the highest one delivered.
    highest: u64,
    reordering_seen: bool,
    /// Quarters of the shortest round trip in the reordering window.
    multiplier: u32,
    persistence: u32,
    /// A further DSACK counts from here on.
    dsack_round: Option<u64>,
}

impl Rack {
    pub(super) fn new() -> Self {
        Self {
            latest: None,
            rtt: Duration::ZERO,
            highest: 0,
            reordering_seen: false,
            multiplier: 1,
            persistence: 0,
            dsack_round: None,
        }
    }

    /// A segment was delivered. `ambiguous`: perhaps by an earlier transmission
    /// than its last one. Source: section 6.2, steps 2 and 3.
    pub(super) fn on_delivered(&mut self, now: Instant, segment: &Delivered, ambiguous: bool) {
        if segment.end >= self.highest {
            self.highest = segment.end;
        } else if !segment.retransmitted {
            self.reordering_seen = true;
        }
        if ambiguous || self.latest.is_some_and(|latest| segment.ordinal < latest) {
            return;
        }
        self.latest = Some(segment.ordinal);
        self.rtt = now.since(segment.sent_at);
    }

    /// A segment arrived after one that was sent later.
    pub(super) fn on_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// The peer reported a segment that it had already. `una` and `next` bound
    /// what is outstanding. Source: section 6.2, step 4.
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        if self.dsack_round.is_none_or(|round| una >= round) {
            self.dsack_round = Some(next);
            self.multiplier = self.multiplier.saturating_add(1);
            self.persistence = PERSISTENCE;
        }
    }

    /// A recovery came to its end.
    pub(super) fn on_recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.multiplier = 1;
        }
    }

    /// The latest-sent transmission that was delivered.
    pub(super) fn latest(&self) -> Option<Ordinal> {
        self.latest
    }

    /// How long after it was sent an overtaken segment is lost: the round trip
    /// and the reordering window.
    pub(super) fn patience(
        &self,
        board: &Scoreboard,
        rtt: &RttEstimator,
        recovering: bool,
    ) -> Duration {
        let certain = recovering || board.sacked_segments() >= DUP_THRESHOLD;
        if certain && !self.reordering_seen {
            return self.rtt;
        }
        let quarters = rtt.minimum().as_nanos() / 4 * u64::from(self.multiplier);
        let window = Duration::from_nanos(quarters).min(rtt.smoothed().unwrap_or_default());
        self.rtt + window
    }
}

#[cfg(test)]
mod tests;
