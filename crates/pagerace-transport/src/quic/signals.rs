//! Signals between a connection and its congestion controller that quinn-proto's interface
//! does not support.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pagerace_core::Instant;

use super::tap::Space;

/// State shared by the tap, the connection and the controller of one connection. They never
/// run at the same time.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// True at the client's end.
    client: bool,
    /// True once a client has received `HANDSHAKE_DONE`, or a server that answers early
    /// data an ACK in a 1-RTT packet.
    confirmed: AtomicBool,
    /// True if a server answers early data.
    answers_early: AtomicBool,
    /// Bytes of ack-eliciting 1-RTT packets that are neither acknowledged nor lost. Never
    /// more than quinn-proto counts.
    in_flight: AtomicU64,
    /// True if the window or the pacer held data back.
    window_limited: AtomicBool,
    /// True if the pacer holds packets back.
    held: AtomicBool,
    /// Bytes of ack-eliciting packets that have not been reported to the controller.
    untold: AtomicU64,
    /// Bytes of ack-eliciting 1-RTT packets that have not been charged to the pacer.
    unpaced: AtomicU64,
    /// True if there was room but nothing to send. The next fields hold the time in
    /// nanoseconds and the bytes in flight at that time.
    idle: AtomicBool,
    idle_at: AtomicU64,
    idle_in_flight: AtomicU64,
}

impl Signals {
    pub(super) fn new(client: bool) -> Self {
        Self {
            client,
            ..Self::default()
        }
    }

    /// Returns true for a client that does not know yet that the server has completed the
    /// handshake (RFC 9001, section 4.1.2).
    pub(super) fn is_unconfirmed_client(&self) -> bool {
        self.client && !self.confirmed.load(Ordering::Relaxed)
    }

    /// Records that a server sends data before the handshake is complete.
    pub(super) fn set_answers_early(&self) {
        self.answers_early.store(true, Ordering::Relaxed);
    }

    /// Returns true for a server that has sent data before the handshake was complete and
    /// does not know yet that the client can read it.
    pub(super) fn is_unconfirmed_server(&self) -> bool {
        self.answers_early.load(Ordering::Relaxed) && !self.confirmed.load(Ordering::Relaxed)
    }

    pub(super) fn confirm(&self) {
        self.confirmed.store(true, Ordering::Relaxed);
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Records an ack-eliciting packet that was sent.
    pub(super) fn sent(&self, space: Space, bytes: u64) {
        self.untold.fetch_add(bytes, Ordering::Relaxed);
        if space == Space::OneRtt {
            self.in_flight.fetch_add(bytes, Ordering::Relaxed);
            self.unpaced.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Returns the bytes of ack-eliciting packets since the last call, for the controller.
    pub(super) fn take_untold(&self) -> u64 {
        self.untold.swap(0, Ordering::Relaxed)
    }

    /// Returns the bytes of ack-eliciting 1-RTT packets since the last call, for the pacer.
    pub(super) fn take_unpaced(&self) -> u64 {
        self.unpaced.swap(0, Ordering::Relaxed)
    }

    /// Returns true if the pacer holds packets back.
    pub(super) fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    pub(super) fn set_held(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
    }

    /// Records that there is room but nothing to send.
    pub(super) fn set_idle(&self, now: Instant) {
        self.idle.store(true, Ordering::Relaxed);
        self.idle_at.store(now.as_nanos(), Ordering::Relaxed);
        self.idle_in_flight
            .store(self.in_flight(), Ordering::Relaxed);
    }

    /// Takes the time of the last idle moment and the bytes in flight then.
    pub(super) fn take_idle(&self) -> Option<(Instant, u64)> {
        self.idle.swap(false, Ordering::Relaxed).then(|| {
            let at = Instant::from_nanos(self.idle_at.load(Ordering::Relaxed));
            (at, self.idle_in_flight.load(Ordering::Relaxed))
        })
    }

    /// Records that bytes were acknowledged or lost.
    pub(super) fn settled(&self, bytes: u64) {
        self.at_most(self.in_flight().saturating_sub(bytes));
    }

    /// Limits the count of bytes in flight to quinn-proto's count.
    pub(super) fn at_most(&self, bytes: u64) {
        self.in_flight.fetch_min(bytes, Ordering::Relaxed);
    }

    pub(super) fn is_window_limited(&self) -> bool {
        self.window_limited.load(Ordering::Relaxed)
    }

    pub(super) fn set_window_limited(&self, limited: bool) {
        self.window_limited.store(limited, Ordering::Relaxed);
    }
}
