//! Tail loss probes: one segment after two round trips of silence, so that SACK instead of
//! a retransmission timeout detects a lost tail.
//!
//! Follows RFC 8985, section 7, <https://www.rfc-editor.org/rfc/rfc8985#section-7>.

use pagerace_core::{Duration, Instant};

/// `WCDelAckT` of section 7.2: the maximum time by which a peer may delay the
/// acknowledgement of a single segment.
const WORST_ACK_DELAY: Duration = Duration::from_millis(200);

/// A probe that was sent and has not been accounted for.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    /// `TLP.end_seq`: the number after the highest one sent.
    end: u64,
    /// Time of the segment's first transmission, if the probe was a retransmission. Such a
    /// probe may have repaired a loss.
    repeats: Option<Instant>,
}

/// State of tail loss probing.
#[derive(Clone, Debug, Default)]
pub(super) struct TailProbe {
    at: Option<Instant>,
    pending: bool,
    outstanding: Option<Outstanding>,
}

impl TailProbe {
    /// Sets the timer (section 7.2), at the latest to the retransmission timer's time
    /// `rto_at`. `segments` is the number of outstanding segments.
    pub(super) fn schedule(
        &mut self,
        now: Instant,
        smoothed: Option<Duration>,
        segments: usize,
        rto_at: Instant,
    ) {
        self.at = None;
        let Some(smoothed) = smoothed.filter(|_| self.outstanding.is_none()) else {
            return;
        };
        let mut timeout = smoothed * 2;
        if segments == 1 {
            timeout += WORST_ACK_DELAY;
        }
        self.at = Some((now + timeout).min(rto_at));
    }

    pub(super) fn cancel(&mut self) {
        self.at = None;
        self.pending = false;
    }

    /// Forgets an outstanding probe, as recovery makes probes unnecessary.
    pub(super) fn forget(&mut self) {
        self.cancel();
        self.outstanding = None;
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.at
    }

    /// Returns true if a probe has become due.
    pub(super) fn handle_timeout(&mut self, now: Instant) -> bool {
        if self.at.is_none_or(|at| now < at) {
            return false;
        }
        self.at = None;
        self.pending = true;
        true
    }

    /// Takes the pending probe. Returns true if one has to be sent now.
    pub(super) fn take_pending(&mut self) -> bool {
        std::mem::take(&mut self.pending)
    }

    /// Records that a probe was sent. `end` is the number after the highest one sent.
    pub(super) fn on_sent(&mut self, end: u64, repeats: Option<Instant>) {
        self.outstanding = Some(Outstanding { end, repeats });
    }

    /// Processes an acknowledgement (section 7.4.2). Returns the time at which a lost
    /// segment was sent that the probe has repaired, if any.
    ///
    /// `duplicate` is the end of the range that a DSACK reports, if any. `bare` is true if
    /// the acknowledgement brings nothing new and has no SACK blocks.
    pub(super) fn on_ack(
        &mut self,
        acknowledgement: u64,
        duplicate: Option<u64>,
        bare: bool,
    ) -> Option<Instant> {
        let probe = self.outstanding?;
        if acknowledgement < probe.end {
            return None;
        }
        let Some(sent_at) = probe.repeats else {
            self.outstanding = None;
            return None;
        };
        // A DSACK of another range says nothing about the probe.
        let both_arrived = duplicate == Some(probe.end);
        if !both_arrived && acknowledgement > probe.end {
            self.outstanding = None;
            return Some(sent_at);
        }
        if both_arrived || bare {
            self.outstanding = None;
        }
        None
    }
}
