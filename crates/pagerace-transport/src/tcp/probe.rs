//! Tail loss probes: one segment after two round trips of silence, so that a
//! lost tail is found by SACK and not by a retransmission timeout.
//!
//! Follows RFC 8985, section 7, <https://www.rfc-editor.org/rfc/rfc8985#section-7>.

use pagerace_core::{Duration, Instant};

/// `WCDelAckT` of section 7.2: how long a peer may delay the acknowledgement of
/// a single segment.
const WORST_ACK_DELAY: Duration = Duration::from_millis(200);

/// A probe that is not accounted for.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    /// `TLP.end_seq`: the number behind the highest one sent.
    end: u64,
    /// When it was sent before, if it was: then it may have repaired a loss.
    repeats: Option<(Instant, u64)>,
}

/// What an acknowledgement tells of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RepairedLoss {
    pub(super) sent_at: Instant,
    pub(super) bytes: u64,
}

/// State of tail loss probing.
#[derive(Clone, Debug, Default)]
pub(super) struct TailProbe {
    at: Option<Instant>,
    pending: bool,
    outstanding: Option<Outstanding>,
}

impl TailProbe {
    /// Sets the timer (section 7.2). `segments` are outstanding; it never runs
    /// longer than the retransmission timer.
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

    /// Recovery makes probes needless; one on its way is forgotten.
    pub(super) fn forget(&mut self) {
        self.cancel();
        self.outstanding = None;
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.at
    }

    /// Whether a probe became due.
    pub(super) fn handle_timeout(&mut self, now: Instant) -> bool {
        if self.at.is_none_or(|at| now < at) {
            return false;
        }
        self.at = None;
        self.pending = true;
        true
    }

    /// Whether a probe is to be sent now; asked once.
    pub(super) fn take_pending(&mut self) -> bool {
        std::mem::take(&mut self.pending)
    }

    /// A probe was sent; `end` is the number behind the highest one sent.
    pub(super) fn on_sent(&mut self, end: u64, repeats: Option<(Instant, u64)>) {
        self.outstanding = Some(Outstanding { end, repeats });
    }

    /// Source: section 7.4.2. `duplicate`: the peer said that it had the probe's
    /// bytes already. `bare`: an acknowledgement that brings nothing new.
    pub(super) fn on_ack(
        &mut self,
        acknowledgement: u64,
        duplicate: bool,
        bare: bool,
    ) -> Option<RepairedLoss> {
        let probe = self.outstanding?;
        if acknowledgement < probe.end {
            return None;
        }
        let Some((sent_at, bytes)) = probe.repeats else {
            self.outstanding = None;
            return None;
        };
        if duplicate {
            self.outstanding = None;
        } else if acknowledgement > probe.end {
            self.outstanding = None;
            return Some(RepairedLoss { sent_at, bytes });
        } else if bare {
            self.outstanding = None;
        }
        None
    }
}
