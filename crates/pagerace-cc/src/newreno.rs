//! The congestion control part of `NewReno` (RFC 6582).
//!
//! RFC 6582 changes the end of Reno's recovery. Recovery lasts until all data
//! that was outstanding at its start has arrived, including retransmissions
//! (section 3.2, `recover`). Until then, further losses, including those of
//! retransmissions, do not reduce the window again, and nothing opens it.
//! Afterwards, the window is the data in flight at the last acknowledgement
//! plus one packet, up to the threshold (step 3, option 1). The data covered by
//! that acknowledgement counts as in flight: QUIC acknowledges two packets at a
//! time, and would otherwise lose one of them at the end of each recovery.
//! In contrast, [`Reno`](crate::Reno) ends recovery a round trip after it
//! began, and treats the loss of a retransmission as another congestion event.
//!
//! Deviation: the controllers see no sequence numbers, so the data outstanding
//! at the start of recovery is counted in bytes. Left out: partial
//! acknowledgements, which select the data to retransmit; the transport uses
//! selective acknowledgements for that.

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::flight::Flight;
use crate::recovery::Recovery;
use crate::{Ack, Controller};

/// Halves the window once for all losses of a recovery period.
#[derive(Clone, Debug)]
pub struct NewReno {
    aimd: Aimd,
    /// Detects repeated timeouts; `repair` determines the end of recovery.
    recovery: Recovery,
    flight: Flight,
    /// Bytes that must still be acknowledged before recovery ends.
    repair: Option<u64>,
    /// True if the acknowledgement being processed ended recovery.
    repaired: bool,
    /// Bytes covered by the acknowledgement being processed.
    covered: u64,
}

impl NewReno {
    /// Creates the controller in its state at the start of a connection.
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
            // No outstanding packet can still be acknowledged or lost.
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
            // Section 4: a timeout ends recovery.
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
