//! `NewReno` as RFC 9002, section 7 and appendix B, has it.
//!
//! Deviates: growth in congestion avoidance is counted in whole packets (RFC
//! 3465's byte counting), where appendix B adds a rounded-down share of a
//! packet for each acknowledgement; the latter falls behind the rule of one
//! packet a round trip that section 7.3.3 sets.

use pagerace_core::Instant;

use crate::{Ack, Controller, initial_window, minimum_window};

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Reno {
    mtu: u16,
    window: u64,
    ssthresh: Option<u64>,
    /// Packets sent up to then belong to the last congestion event.
    recovery_start: Option<Instant>,
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    acked: u64,
}

impl Reno {
    /// At the beginning of a connection.
    pub fn new(mtu: u16) -> Self {
        let window = initial_window(mtu);
        Self {
            mtu,
            window,
            ssthresh: None,
            recovery_start: None,
            acked: 0,
        }
    }
}

impl Controller for Reno {
    fn on_sent(&mut self, _now: Instant, _bytes: u64) {}

    fn on_ack(&mut self, ack: &Ack) {
        // Section 7.8: a window that is not used does not grow.
        let in_recovery = self
            .recovery_start
            .is_some_and(|start| ack.sent_at <= start);
        if in_recovery || ack.app_limited {
            return;
        }
        if self.ssthresh.is_none_or(|ssthresh| self.window < ssthresh) {
            // Section 7.3.1: slow start.
            self.window += ack.bytes;
            return;
        }
        // Section 7.3.3: congestion avoidance.
        self.acked += ack.bytes;
        if self.acked >= self.window {
            self.acked -= self.window;
            self.window += u64::from(self.mtu);
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
        if self.recovery_start.is_none_or(|start| sent_at > start) {
            self.recovery_start = Some(now);
            self.window = (self.window / 2).max(minimum_window(self.mtu));
            self.ssthresh = Some(self.window);
            self.acked = 0;
        }
        if persistent {
            // Section 7.6.2.
            self.recovery_start = None;
            self.window = minimum_window(self.mtu);
            self.acked = 0;
        }
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(minimum_window(mtu));
    }

    fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
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
