//! RACK: a segment is lost if another one that was sent sufficiently later has arrived.
//!
//! Follows RFC 8985, section 6, <https://www.rfc-editor.org/rfc/rfc8985#section-6>.
//! Deviates from the RFC: each segment is declared lost as soon as its own time has passed.
//! The RFC's timer waits for the last of them. The result is the same for segments sent in
//! a burst.

use pagerace_core::{Duration, Instant};

use super::rtt::RttEstimator;
use super::scoreboard::{Delivered, Ordinal, Scoreboard};

/// RFC 8985, section 6.2, step 4: number of segments acknowledged by SACK from which the
/// reordering window is zero, unless reordering has been observed. Also RFC 6675's
/// `DupThresh`.
const DUP_THRESHOLD: usize = 3;
/// Section 6.2, step 4: number of recoveries without spurious retransmissions after which
/// the reordering window shrinks again.
const PERSISTENCE: u32 = 16;

/// RACK's state of a connection.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// The delivered transmission that was sent last.
    latest: Option<Ordinal>,
    /// Round-trip time of that transmission.
    rtt: Duration,
    /// The number after the highest one delivered.
    highest: u64,
    reordering_seen: bool,
    /// Size of the reordering window in quarters of the minimum round-trip time.
    multiplier: u32,
    persistence: u32,
    /// The number that must be acknowledged before a further DSACK counts.
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

    /// Processes a delivered segment (section 6.2, steps 2 and 3). `ambiguous` is true if
    /// an earlier transmission than the last may have been delivered.
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

    /// Records that a segment arrived after one that was sent later.
    pub(super) fn on_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// Processes a DSACK (section 6.2, step 4). `una` and `next` are the bounds of the
    /// outstanding data.
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        if self.dsack_round.is_none_or(|round| una >= round) {
            self.dsack_round = Some(next);
            self.multiplier = self.multiplier.saturating_add(1);
            self.persistence = PERSISTENCE;
        }
    }

    /// Records the end of a recovery.
    pub(super) fn on_recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.multiplier = 1;
        }
    }

    /// Returns the delivered transmission that was sent last.
    pub(super) fn latest(&self) -> Option<Ordinal> {
        self.latest
    }

    /// Returns the time after its transmission at which an overtaken segment is declared
    /// lost: the round-trip time plus the reordering window.
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
