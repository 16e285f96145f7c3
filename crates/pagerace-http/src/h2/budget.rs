//! Limits on work that costs the peer almost nothing.
//!
//! Source: RFC 9113, section 10.5. The attacks are those of CVE-2019-9511 to 9518,
//! CVE-2023-44487 and CVE-2025-8671.

use super::Limits;
use super::code::{Code, Fault};

/// Number of idle frames that one frame with part of a message offsets.
const IDLE_PER_PROGRESS: u32 = 10;

/// Counters of unproductive work, which productive work reduces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    resets: u32,
    idle_frames: u32,
}

impl Budget {
    /// Counts a request that ended in a reset.
    pub(super) fn reset(&mut self, limits: &Limits) -> Result<(), Fault> {
        self.resets += 1;
        if self.resets <= limits.resets {
            return Ok(());
        }
        let reason = format!("more than {} requests ended in resets", limits.resets);
        Err(Fault::new(Code::ENHANCE_YOUR_CALM, reason))
    }

    /// Counts a complete response.
    pub(super) fn handle_answered(&mut self) {
        self.resets = self.resets.saturating_sub(1);
    }

    /// Counts a received frame that carries no part of a message.
    pub(super) fn idle_frame(&mut self, limits: &Limits) -> Result<(), Fault> {
        self.idle_frames += 1;
        if self.idle_frames <= limits.idle_frames {
            return Ok(());
        }
        let reason = "too many frames that carry no part of a message";
        Err(Fault::new(Code::ENHANCE_YOUR_CALM, reason))
    }

    /// Counts part of a message, sent or received.
    pub(super) fn progress(&mut self) {
        self.idle_frames = self.idle_frames.saturating_sub(IDLE_PER_PROGRESS);
    }
}
