//! `NewReno` as RFC 6582 has it, as far as a controller sees it.
//!
//! What RFC 6582 adds to Reno is where recovery ends: when everything that was
//! outstanding at its beginning has arrived, repairs included (section 3.2,
//! `recover`). Until then further losses, those of repairs too, do not reduce
//! the window again, and nothing opens it; after it the window is what was in
//! flight when the last acknowledgement came and one packet more, up to the
//! threshold (step 3, option 1). What that acknowledgement covers counts as in
//! flight: QUIC acknowledges two packets at a time, and would lose one of them
//! at the end of each recovery.
//! [`Reno`](crate::Reno) is through with recovery a round trip after it began,
//! and then counts the loss of a repair as another congestion.
//!
//! Deviates: there are no sequence numbers here, so "everything that was
//! outstanding" is counted in bytes. Left out: partial acknowledgements, which
//! say what to send again, for the transport knows that by selective ones.

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::flight::Flight;
use crate::recovery::Recovery;
use crate::{Ack, Controller};

/// Halves the window once for all losses until the path is repaired.
#[derive(Clone, Debug)]
pub struct NewReno {
    aimd: Aimd,
    /// For repeated timeouts; what ends recovery is `repair`.
    recovery: Recovery,
    flight: Flight,
    /// Bytes still to be acknowledged before recovery ends.
    repair: Option<u64>,
    /// Recovery ended with the acknowledgement that is being told of.
    repaired: bool,
    /// Bytes that the acknowledgement which is being told of covers.
    covered: u64,
}

impl NewReno {
    /// At the beginning of a connection.
    pub fn new(mtu: u16) -> Self {
        Self {
            aimd: Aimd::new(mtu),
            recovery: Recovery::default(),
            flight: Flight::default(),
            repair: None,
            repaired: false,
            covered: 0,
        }
    }
}

impl Controller for NewReno {
    fn on_sent(&mut self, _now: Instant, bytes: u64) {
        self.flight.sent(bytes);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.flight.settled(ack.bytes);
        self.covered += ack.bytes;
        let before_recovery = self.recovery.on_ack(ack);
        if let Some(left) = self.repair {
            let left = left.saturating_sub(ack.bytes);
            self.repair = (left > 0).then_some(left);
            self.repaired |= left == 0;
        } else if !before_recovery && !ack.app_limited {
            self.aimd.grow(ack.bytes);
        }
    }

    fn on_ack_end(&mut self, _now: Instant, in_flight: u64) {
        self.flight.set(in_flight);
        if self.repair.is_some() && self.flight.is_empty() {
            // Nothing is left that could be acknowledged or lost.
            self.repair = None;
            self.repaired = true;
        }
        let covered = std::mem::take(&mut self.covered);
        if self.repaired {
            self.repaired = false;
            let mtu = self.aimd.mtu();
            let reached = (in_flight + covered).max(mtu) + mtu;
            if reached < self.aimd.window() {
                self.aimd.set(reached);
            }
        }
    }

    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool) {
        let outstanding = self.flight.bytes().max(lost_bytes);
        self.flight.settled(lost_bytes);
        let is_new = self.recovery.on_congestion(now, sent_at, persistent);
        if is_new && (self.repair.is_none() || persistent) {
            self.aimd.reduce(self.aimd.window() / 2);
            self.repair = Some(outstanding);
        }
        if persistent {
            // Section 4: the timer ends recovery.
            self.repair = None;
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
        "newreno"
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
