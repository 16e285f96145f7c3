//! Sends a SYN or SYN-ACK until it is answered.
//!
//! Deviates from Linux: timeouts double from the first one on. Linux since 6.5 keeps the
//! first ones at a second (`tcp_syn_linear_timeouts`).

use pagerace_core::{Duration, Instant};

/// Source: RFC 6298, section 2.1.
const FIRST_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(super) struct SynSender {
    retries: u32,
    tries: u32,
    timeouts: u64,
    pending: bool,
    at: Option<Instant>,
}

impl SynSender {
    /// Creates the state. If `pending` is true, the first SYN or SYN-ACK is due at once.
    pub(super) fn new(retries: u32, pending: bool) -> Self {
        Self {
            retries,
            tries: 0,
            timeouts: 0,
            pending,
            at: None,
        }
    }

    /// Requests that the SYN or SYN-ACK be sent (again) now.
    pub(super) fn send(&mut self) {
        self.pending = true;
    }

    /// Returns the number of times that the SYN or SYN-ACK was sent.
    pub(super) fn tries(&self) -> u32 {
        self.tries
    }

    pub(super) fn timeouts(&self) -> u64 {
        self.timeouts
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.at
    }

    /// # Errors
    /// Returns the reason for giving up after the last retransmission timed out.
    pub(super) fn handle_timeout(&mut self, now: Instant) -> Result<(), String> {
        if self.at.is_none_or(|at| now < at) {
            return Ok(());
        }
        self.at = None;
        self.timeouts += 1;
        if self.timeouts > u64::from(self.retries) {
            return Err(format!(
                "the handshake was not answered, after {} retransmissions",
                self.retries
            ));
        }
        self.pending = true;
        Ok(())
    }

    /// Takes the pending SYN or SYN-ACK. Returns the number of previous transmissions, or
    /// `None` if none is pending.
    pub(super) fn poll(&mut self, now: Instant) -> Option<u32> {
        if !std::mem::take(&mut self.pending) {
            return None;
        }
        self.at = Some(now + FIRST_TIMEOUT * (1 << self.timeouts.min(16)));
        self.tries += 1;
        Some(self.tries - 1)
    }
}
