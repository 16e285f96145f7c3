//! The receive window, and how it grows with what the application reads.
//!
//! As Linux: dynamic right-sizing measures the bytes read in a round trip and
//! makes room for more than twice as many (`tcp_rcv_space_adjust`); the window
//! approaches that limit by two segments for each that arrives, in order or
//! beyond a hole (`tcp_grow_window`, which `tcp_event_data_recv` and, with SACK,
//! `tcp_data_queue_ofo` call). Reading stops at a hole, and with it the measure.
//!
//! Left out: memory pressure, and the true size of the kernel's buffers, which
//! depends on drivers. Half of a buffer counts as window, which is where Linux
//! begins (`tcp_adv_win_scale` = 1, since 6.6 `TCP_DEFAULT_SCALING_RATIO`); what
//! is held beyond a hole takes no room. Deviates: from 6.16 on, Linux adds what
//! is held beyond a hole to the room it makes (`tcp_rcvbuf_grow`).

use pagerace_core::{Duration, Instant};

/// `TCP_INIT_CWND` of Linux, where the measure of what is read begins.
const INITIAL_SEGMENTS: u64 = 10;
/// `tcp_event_data_recv` of Linux: what is shorter costs more than it carries.
const LEAST_TO_GROW: u64 = 128;

/// The window that is offered to the peer; in bytes and sequence numbers.
#[derive(Clone, Debug)]
pub(super) struct ReceiveWindow {
    mss: u64,
    /// What is offered at most for now (`rcv_ssthresh`).
    current: u64,
    /// What the buffer has room for (`window_clamp`).
    clamp: u64,
    /// What the buffer may ever have room for.
    max: u64,
    /// The number that the offer ends before; never taken back.
    edge: u64,
    /// Bytes read in the last measured round trip that set a new mark.
    space: u64,
    measured_from: u64,
    measured_since: Instant,
    rtt: Option<Duration>,
}

impl ReceiveWindow {
    pub(super) fn new(mss: u16, initial: u32, buffer_max: u32) -> Self {
        let mss = u64::from(mss);
        let initial = u64::from(initial);
        Self {
            mss,
            current: initial,
            clamp: initial,
            max: (u64::from(buffer_max) / 2).max(initial),
            edge: 1 + initial,
            space: (INITIAL_SEGMENTS * mss).min(initial),
            measured_from: 1,
            measured_since: Instant::ZERO,
            rtt: None,
        }
    }

    /// The number that the peer must not go beyond.
    pub(super) fn edge(&self) -> u64 {
        self.edge
    }

    /// The offer from `next` on, while `unread` bytes take room. It grows in
    /// steps of a segment at least (RFC 9293, section 3.8.6.2.2).
    pub(super) fn advertise(&mut self, next: u64, unread: u64) -> u64 {
        let edge = self.candidate(next, unread);
        if edge >= self.edge + self.mss.min(self.current / 2) {
            self.edge = edge;
        }
        self.edge.saturating_sub(next)
    }

    fn candidate(&self, next: u64, unread: u64) -> u64 {
        next + self.current.min(self.clamp.saturating_sub(unread))
    }

    /// Whether the peer should hear of the window that reading opened: it at
    /// least doubles (`tcp_cleanup_rbuf`).
    pub(super) fn wants_update(&self, next: u64, unread: u64) -> bool {
        let offered = self.edge.saturating_sub(next);
        let now = self.candidate(next, unread).saturating_sub(next);
        let step = self.mss.min(self.current / 2);
        2 * offered <= self.clamp && now >= 2 * offered && now >= offered + step
    }

    /// A segment echoed a timestamp of `rtt` ago.
    pub(super) fn sample_rtt(&mut self, rtt: Duration) {
        self.rtt = Some(match self.rtt {
            None => rtt,
            Some(old) => {
                let old = old.as_nanos();
                Duration::from_nanos(old - old / 8 + rtt.as_nanos() / 8)
            }
        });
    }

    /// A segment brought `new` bytes that were missing, in order or beyond a
    /// hole, while `unread` bytes take room.
    pub(super) fn on_data(&mut self, now: Instant, new: u64, unread: u64) {
        if self.measured_since == Instant::ZERO {
            self.measured_since = now;
        }
        let limit = self.clamp.saturating_sub(unread);
        if new >= LEAST_TO_GROW && self.current < limit {
            self.current = (self.current + 2 * self.mss).min(limit);
        }
    }

    /// The application has read up to number `read`.
    pub(super) fn on_read(&mut self, now: Instant, read: u64) {
        let Some(rtt) = self.rtt else { return };
        if now.since(self.measured_since) < rtt {
            return;
        }
        let copied = read - self.measured_from;
        if copied > self.space {
            // Room for twice as much and a margin, and for the growth seen to
            // go on at twice its pace.
            let target = 2 * copied + 16 * self.mss;
            let growth = u128::from(target) * u128::from(copied - self.space)
                / u128::from(self.space.max(1));
            let growth = u64::try_from(growth).unwrap_or(u64::MAX / 4);
            let target = target.saturating_add(growth.saturating_mul(2));
            self.clamp = self.clamp.max(target.min(self.max));
            self.space = copied;
        }
        self.measured_from = read;
        self.measured_since = now;
    }
}

#[cfg(test)]
mod tests;
