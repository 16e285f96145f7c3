//! The receive window, which grows with the application's reading.
//!
//! As in Linux, dynamic right-sizing measures the bytes read in a round trip and makes room
//! for more than twice as many (`tcp_rcv_space_adjust`). The window approaches that limit
//! by two segments for each one that arrives, in order or beyond a hole (`tcp_grow_window`,
//! called by `tcp_event_data_recv` and, with SACK, by `tcp_data_queue_ofo`). A hole stops
//! the reading, and with it the measurement.
//!
//! Memory pressure and the true size of the kernel's buffers, which depends on drivers, are
//! not modelled. Half of a buffer counts as window, which is Linux's initial estimate
//! (`tcp_adv_win_scale` = 1, since 6.6 `TCP_DEFAULT_SCALING_RATIO`). Data beyond a hole
//! takes no room. Deviates from Linux since 6.16, which adds data beyond a hole to the room
//! that it makes (`tcp_rcvbuf_grow`).

use pagerace_core::{Duration, Instant};

/// `TCP_INIT_CWND` of Linux: the initial value of the measured segments per round trip.
const INITIAL_SEGMENTS: u64 = 10;
/// `tcp_event_data_recv` of Linux: shorter segments take more room than the bytes that they
/// carry.
const LEAST_TO_GROW: u64 = 128;

/// The window advertised to the peer, in bytes and sequence numbers.
#[derive(Clone, Debug)]
pub(super) struct ReceiveWindow {
    mss: u64,
    /// Current upper limit of the advertised window (`rcv_ssthresh`).
    current: u64,
    /// Room in the buffer (`window_clamp`).
    clamp: u64,
    /// Room in the largest possible buffer.
    max: u64,
    /// The end of the advertised window. It never moves back.
    edge: u64,
    /// The most bytes read so far in a measured round trip.
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

    /// Returns the end of the window, which the peer must not exceed.
    pub(super) fn edge(&self) -> u64 {
        self.edge
    }

    /// Returns the window to advertise from `next` on, while `unread` bytes take room.
    ///
    /// The window grows in steps of at least one segment (RFC 9293, section 3.8.6.2.2).
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

    /// Returns true if reading has at least doubled the window, so that the peer should be
    /// told (`tcp_cleanup_rbuf`).
    pub(super) fn wants_update(&self, next: u64, unread: u64) -> bool {
        let offered = self.edge.saturating_sub(next);
        let now = self.candidate(next, unread).saturating_sub(next);
        let step = self.mss.min(self.current / 2);
        2 * offered <= self.clamp && now >= 2 * offered && now >= offered + step
    }

    /// Adds a round-trip sample, measured by an echoed timestamp.
    pub(super) fn sample_rtt(&mut self, rtt: Duration) {
        self.rtt = Some(match self.rtt {
            None => rtt,
            Some(old) => {
                let old = old.as_nanos();
                Duration::from_nanos(old - old / 8 + rtt.as_nanos() / 8)
            }
        });
    }

    /// Processes a segment with `new` bytes that were missing, in order or beyond a hole,
    /// while `unread` bytes take room.
    pub(super) fn on_data(&mut self, now: Instant, new: u64, unread: u64) {
        if self.measured_since == Instant::ZERO {
            self.measured_since = now;
        }
        let limit = self.clamp.saturating_sub(unread);
        if new >= LEAST_TO_GROW && self.current < limit {
            self.current = (self.current + 2 * self.mss).min(limit);
        }
    }

    /// Records that the application has read up to number `read`.
    pub(super) fn on_read(&mut self, now: Instant, read: u64) {
        let Some(rtt) = self.rtt else { return };
        if now.since(self.measured_since) < rtt {
            return;
        }
        let copied = read - self.measured_from;
        if copied > self.space {
            // Makes room for twice the bytes read and a margin, plus the observed growth at
            // twice its rate.
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
