//! Reno as specified by RFC 9002, section 7 and appendix B: the rules of RFC
//! 5681, with one window reduction for all losses of a round trip.
//!
//! Deviation: congestion avoidance counts whole packets (RFC 3465's byte
//! counting), whereas appendix B adds a rounded-down share of a packet for each
//! acknowledgement. The rounding falls behind the rule of one packet per round
//! trip that section 7.3.3 sets.
//!
//! Left out: the reaction of the Reno of 1990 to several losses in one window
//! (it halved the window for each of them, or waited for its timer). Loss
//! detection and retransmission belong to the transport here, and both
//! transports know from selective acknowledgements which packets are missing.

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::recovery::Recovery;
use crate::{Ack, Controller};

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Reno {
    aimd: Aimd,
    recovery: Recovery,
}

impl Reno {
    /// Creates the controller in its state at the start of a connection.
    pub fn new(mtu: u16) -> Self {
        Self {
            aimd: Aimd::new(mtu),
            recovery: Recovery::default(),
        }
    }
}

impl Controller for Reno {
    fn on_sent(&mut self, _now: Instant, _bytes: u64) {}

    fn on_ack(&mut self, ack: &Ack) {
        // Section 7.8: an underutilised window does not grow.
        if !self.recovery.on_ack(ack) && !ack.app_limited {
            self.aimd.grow(ack.bytes);
        }
    }

    fn on_congestion(
        &mut self,
        now: Instant,
        sent_at: Instant,
        _lost_bytes: u64,
        persistent: bool,
    ) {
        // Section 7.3.2: one reduction per round trip.
        if self.recovery.on_congestion(now, sent_at, persistent) {
            self.aimd.reduce(self.aimd.window() / 2);
        }
        if persistent {
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
        "reno"
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
