//! What a connection and its congestion controller tell each other past
//! quinn-proto, which has no words for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pagerace_core::Instant;

use super::tap::Space;

/// Shared by the tap, the connection and the controller of one connection;
/// they never run at the same time.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Whether this is the client's end.
    client: bool,
    /// `HANDSHAKE_DONE` was received by a client, an acknowledgement of a 1-RTT
    /// packet by a server.
    confirmed: AtomicBool,
    /// A server answers early data.
    answers_early: AtomicBool,
    /// Bytes of ack-eliciting 1-RTT packets that are neither acknowledged nor
    /// lost; never more than quinn-proto counts.
    in_flight: AtomicU64,
    /// There was data that the window or the pacer held back.
    window_limited: AtomicBool,
    /// The pacer holds packets back.
    held: AtomicBool,
    /// Bytes of ack-eliciting packets that the controller was not told of.
    untold: AtomicU64,
    /// Likewise of 1-RTT packets and the pacer.
    unpaced: AtomicU64,
    /// Nothing was to be sent although there was room: nanoseconds, and the
    /// bytes in flight then.
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

    /// Whether this is a client that does not know yet that the server has
    /// completed the handshake (RFC 9001, section 4.1.2).
    pub(super) fn is_unconfirmed_client(&self) -> bool {
        self.client && !self.confirmed.load(Ordering::Relaxed)
    }

    /// A server sends data before the handshake is complete.
    pub(super) fn set_answers_early(&self) {
        self.answers_early.store(true, Ordering::Relaxed);
    }

    /// Whether this is a server that has sent data before the handshake was
    /// complete, and does not know yet that any of it can be read.
    pub(super) fn is_unconfirmed_server(&self) -> bool {
        self.answers_early.load(Ordering::Relaxed) && !self.confirmed.load(Ordering::Relaxed)
    }

    pub(super) fn confirm(&self) {
        self.confirmed.store(true, Ordering::Relaxed);
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// An ack-eliciting packet was sent.
    pub(super) fn sent(&self, space: Space, bytes: u64) {
        self.untold.fetch_add(bytes, Ordering::Relaxed);
        if space == Space::OneRtt {
            self.in_flight.fetch_add(bytes, Ordering::Relaxed);
            self.unpaced.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Bytes of ack-eliciting packets since the last call, for the controller.
    pub(super) fn take_untold(&self) -> u64 {
        self.untold.swap(0, Ordering::Relaxed)
    }

    /// Bytes of ack-eliciting 1-RTT packets since the last call, for the pacer.
    pub(super) fn take_unpaced(&self) -> u64 {
        self.unpaced.swap(0, Ordering::Relaxed)
    }

    /// Whether the pacer holds packets back.
    pub(super) fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    pub(super) fn set_held(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
    }

    /// Nothing is to be sent although there is room.
    pub(super) fn set_idle(&self, now: Instant) {
        self.idle.store(true, Ordering::Relaxed);
        self.idle_at.store(now.as_nanos(), Ordering::Relaxed);
        self.idle_in_flight
            .store(self.in_flight(), Ordering::Relaxed);
    }

    /// When that was last, and the bytes in flight then; once.
    pub(super) fn take_idle(&self) -> Option<(Instant, u64)> {
        self.idle.swap(false, Ordering::Relaxed).then(|| {
            let at = Instant::from_nanos(self.idle_at.load(Ordering::Relaxed));
            (at, self.idle_in_flight.load(Ordering::Relaxed))
        })
    }

    /// Bytes were acknowledged or lost.
    pub(super) fn settled(&self, bytes: u64) {
        self.at_most(self.in_flight().saturating_sub(bytes));
    }

    /// quinn-proto counts `bytes` in flight.
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
