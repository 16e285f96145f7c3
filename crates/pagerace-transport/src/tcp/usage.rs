//! Whether the congestion window is what holds the sender back, and what an
//! idle time leaves of it.
//!
//! A window that is not used must not grow (RFC 7661; Linux's
//! `tcp_is_cwnd_limited`). Left out: shrinking the window while the application
//! sends little without being idle (`tcp_cwnd_application_limited`).

use pagerace_core::Duration;

/// How much of the window was used lately; in bytes and sequence numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowUse {
    limited: bool,
    /// Most bytes in flight in the current round.
    most: u64,
    /// The round ends when this number is acknowledged.
    round_end: u64,
}

impl WindowUse {
    /// Something was sent, or could not be. `limited`: no further whole segment
    /// fits the window.
    pub(super) fn observe(&mut self, limited: bool, in_flight: u64, una: u64, next: u64) {
        let grown = !self.limited && in_flight > self.most;
        if una >= self.round_end || limited || grown {
            self.limited = limited;
            self.most = in_flight;
            self.round_end = next;
        }
    }

    /// Whether a larger window would let more out. In slow start, a window that
    /// is half used counts as used, for it doubles in a round trip.
    pub(super) fn is_limited(&self, window: u64, slow_start: bool) -> bool {
        self.limited || (slow_start && window < 2 * self.most)
    }
}

/// A window below the controller's: after an idle time what is known of the
/// path is old.
///
/// Source: RFC 5681, section 4.1, <https://www.rfc-editor.org/rfc/rfc5681#section-4.1>,
/// with Linux's `tcp_cwnd_restart`: a half for each retransmission timeout, down
/// to the initial window. Deviates: slow start leads back to the controller's
/// whole window, in Linux to three quarters of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restart {
    window: u64,
    slow_start: bool,
    acked: u64,
}

impl Restart {
    /// Begins at `window` bytes.
    pub(super) fn at(window: u64) -> Self {
        Self {
            window,
            slow_start: true,
            acked: 0,
        }
    }

    /// What `idle` leaves of `window`, if it is less.
    pub(super) fn after_idle(
        idle: Duration,
        timeout: Duration,
        window: u64,
        initial: u64,
    ) -> Option<Self> {
        let mut left = window;
        let mut idle = idle.saturating_sub(timeout);
        while !idle.is_zero() && left > initial {
            left /= 2;
            idle = idle.saturating_sub(timeout);
        }
        let left = left.max(initial.min(window));
        (left < window).then(|| Self::at(left))
    }

    pub(super) fn window(&self) -> u64 {
        self.window
    }

    /// Grows as slow start or, after a loss, by a segment a round trip.
    pub(super) fn on_ack(&mut self, bytes: u64, mss: u64) {
        if self.slow_start {
            self.window += bytes;
            return;
        }
        self.acked += bytes;
        if self.acked >= self.window {
            self.acked -= self.window;
            self.window += mss;
        }
    }

    /// The controller went from one window to another.
    pub(super) fn on_congestion(&mut self, from: u64, to: u64, mss: u64) {
        let share = u128::from(self.window) * u128::from(to.min(from)) / u128::from(from.max(1));
        self.window = (share as u64).max(2 * mss);
        self.slow_start = false;
        self.acked = 0;
    }
}

#[cfg(test)]
mod tests;
