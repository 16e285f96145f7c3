//! What a connection and its congestion controller tell each other past
//! quinn-proto, which has no words for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared by the tap, the connection and the controller of one connection;
/// they never run at the same time.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Whether this is the client's end.
    client: bool,
    /// `HANDSHAKE_DONE` was received.
    confirmed: AtomicBool,
    /// Bytes of ack-eliciting 1-RTT packets that are neither acknowledged nor
    /// lost; never more than quinn-proto counts.
    in_flight: AtomicU64,
    /// There was data that the window had no room for.
    window_limited: AtomicBool,
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

    pub(super) fn confirm(&self) {
        self.confirmed.store(true, Ordering::Relaxed);
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// An ack-eliciting 1-RTT packet was sent.
    pub(super) fn sent(&self, bytes: u64) {
        self.in_flight.fetch_add(bytes, Ordering::Relaxed);
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
