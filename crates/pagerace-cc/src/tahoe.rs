//! Tahoe: slow start, congestion avoidance, and a return to slow start after
//! every loss, as in Jacobson's "Congestion Avoidance and Control" (SIGCOMM
//! 1988) and 4.3BSD-Tahoe.
//!
//! Deviation: the initial window is ten packets and the minimum two (RFC 9002,
//! section 7.2), whereas both were one in 1988. Only lost data is
//! retransmitted, whereas Tahoe went back to the first loss and retransmitted
//! everything after it.

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::recovery::Recovery;
use crate::{Ack, Controller};

/// Returns to slow start after every loss.
#[derive(Clone, Debug)]
pub struct Tahoe {
    aimd: Aimd,
    recovery: Recovery,
}

impl Tahoe {
    /// Creates the controller in its state at the start of a connection.
    pub fn new(mtu: u16) -> Self {
        Self {
            aimd: Aimd::new(mtu),
            recovery: Recovery::default(),
        }
    }
}

impl Controller for Tahoe {
    fn on_sent(&mut self, _now: Instant, _bytes: u64) {}

    fn on_ack(&mut self, ack: &Ack) {
        // In 1988, packets sent before the loss caused duplicate
        // acknowledgements, which do not open the window.
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
        if self.recovery.on_congestion(now, sent_at, persistent) {
            self.aimd.set_ssthresh(self.aimd.window() / 2);
            self.aimd.collapse();
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
        "tahoe"
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
