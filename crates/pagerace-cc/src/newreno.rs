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
//! at the start of recovery is counted in bytes. Over TCP, only data first sent
//! before it counts, and losses of other data begin another recovery afterwards.
//! QUIC does not tell repairs from new data. Left out: partial
//! acknowledgements, which select the data to retransmit; the transport uses
//! selective acknowledgements for that.

use pagerace_core::Instant;

use crate::Ack;
use crate::aimd::Aimd;
use crate::loss_based::{Law, LossEvent};

/// Halves the window once for all losses of a recovery period.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewReno {
    /// Bytes that must still be acknowledged before recovery ends.
    repair: Option<u64>,
    /// Time of the losses at which recovery began.
    start: Instant,
    /// True if the acknowledgement being processed ended recovery.
    repaired: bool,
    /// Bytes covered by the acknowledgement being processed.
    covered: u64,
}

impl Law for NewReno {
    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        self.covered += ack.bytes;
        if let Some(left) = self.repair {
            // Data that was sent later does not repair anything.
            let repairs = ack.tcp.is_none_or(|tcp| tcp.first_sent_at <= self.start);
            let left = left.saturating_sub(if repairs { ack.bytes } else { 0 });
            self.repair = (left > 0).then_some(left);
            self.repaired |= left == 0;
        } else if !in_recovery && !ack.app_limited && !ack.tcp.is_some_and(|tcp| tcp.sacked) {
            // RFC 5681, section 3.1: only cumulative acknowledgements open the window.
            aimd.grow(ack.bytes);
        }
    }

    fn on_ack_end(&mut self, aimd: &mut Aimd, in_flight: u64) {
        if self.repair.is_some() && in_flight == 0 {
            // No outstanding packet can still be acknowledged or lost.
            self.repair = None;
            self.repaired = true;
        }
        let covered = std::mem::take(&mut self.covered);
        if std::mem::take(&mut self.repaired) {
            let reached = (in_flight + covered).max(aimd.mtu()) + aimd.mtu();
            if reached < aimd.window() {
                aimd.set(reached);
            }
        }
    }

    fn on_lost_in_recovery(&mut self, aimd: &mut Aimd, now: Instant, outstanding: u64) -> bool {
        self.recover(aimd, now, outstanding);
        true
    }

    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        if event.is_new && (self.repair.is_none() || event.persistent) {
            self.recover(aimd, event.now, event.outstanding);
        }
        if event.persistent {
            // Section 4: a timeout ends recovery.
            self.repair = None;
        }
    }
}

impl NewReno {
    fn recover(&mut self, aimd: &mut Aimd, now: Instant, outstanding: u64) {
        aimd.reduce(aimd.window() / 2);
        self.repair = Some(outstanding);
        self.start = now;
    }
}

#[cfg(test)]
mod tests;
