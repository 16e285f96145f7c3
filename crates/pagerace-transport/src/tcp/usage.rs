//! Use of the congestion window: detection of whether it limits the sender, and its decay
//! while the connection is idle.
//!
//! A window that is not used must not grow (RFC 7661; Linux's `tcp_is_cwnd_limited`). The
//! window is not reduced while the application sends little without being idle (Linux's
//! `tcp_cwnd_application_limited`).

use pagerace_core::Duration;

/// Recent use of the window, in segments and sequence numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowUse {
    limited: bool,
    /// Maximum number of segments outstanding in the current round (`max_packets_out`).
    most: u64,
    /// The number whose acknowledgement ends the round.
    round_end: u64,
}

impl WindowUse {
    /// Records an attempt to send. `limited` is true if no further segment fits into the
    /// window.
    pub(super) fn observe(&mut self, limited: bool, outstanding: u64, una: u64, next: u64) {
        let grown = !self.limited && outstanding > self.most;
        if una >= self.round_end || limited || grown {
            self.limited = limited;
            self.most = outstanding;
            self.round_end = next;
        }
    }

    /// Returns true if a larger window would let more data out. In slow start a half-used
    /// window counts as used, because the window doubles in a round trip.
    pub(super) fn is_limited(&self, window: u64, slow_start: bool) -> bool {
        self.limited || (slow_start && window < 2 * self.most)
    }
}

/// A window below the controller's, used when the controller's knowledge of the path is
/// outdated or unproven: after an idle time or after lost SYNs.
///
/// Source: RFC 5681, section 4.1, <https://www.rfc-editor.org/rfc/rfc5681#section-4.1>,
/// with Linux's `tcp_cwnd_restart`: the window halves for each retransmission timeout, down
/// to the initial window. Deviates from Linux: slow start leads back to the controller's
/// whole window, while Linux ends it at three quarters of that window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restart {
    window: u64,
    slow_start: bool,
    acked: u64,
}

impl Restart {
    /// Creates a restart window of `window` bytes.
    pub(super) fn at(window: u64) -> Self {
        Self {
            window,
            slow_start: true,
            acked: 0,
        }
    }

    /// Creates the window that remains of `window` after `idle`, if it is smaller.
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

    /// Processes the delivery of a segment: grows by slow start or, after a loss, by one
    /// segment per round trip.
    pub(super) fn on_ack(&mut self, mss: u64) {
        if self.slow_start {
            self.window += mss;
            return;
        }
        self.acked += mss;
        if self.acked >= self.window {
            self.acked -= self.window;
            self.window += mss;
        }
    }

    /// Scales the window by the controller's change from `from` to `to`, and ends slow
    /// start.
    pub(super) fn on_congestion(&mut self, from: u64, to: u64, mss: u64) {
        let share = u128::from(self.window) * u128::from(to.min(from)) / u128::from(from.max(1));
        self.window = (share as u64).max(2 * mss);
        self.slow_start = false;
        self.acked = 0;
    }
}

#[cfg(test)]
mod tests;
