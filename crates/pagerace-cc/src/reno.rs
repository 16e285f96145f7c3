//! Reno as RFC 9002, section 7 and appendix B, has it, which are the rules of
//! RFC 5681 with the window reduced once for the losses of a round trip.
//!
//! Deviates: growth in congestion avoidance is counted in whole packets (RFC
//! 3465's byte counting), where appendix B adds a rounded-down share of a
//! packet for each acknowledgement; the latter falls behind the rule of one
//! packet a round trip that section 7.3.3 sets.
//!
//! Left out: what the Reno of 1990 did when several packets of one window were
//! lost (it halved for each of them, or waited for its timer). How losses are
//! found and repaired is the transport's part here, and both of ours
//! know by selective acknowledgements which packets are missing.

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
    /// At the beginning of a connection.
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
        // Section 7.8: a window that is not used does not grow.
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
        // Section 7.3.2: once for each round trip.
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
