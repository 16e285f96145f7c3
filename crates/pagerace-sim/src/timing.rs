//! One request's way through the network, as it happens.

use pagerace_core::{Duration, Instant};

use crate::outcome::ResourceTiming;

/// What is known of a request so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) discovered: Instant,
    pub(crate) requested: Instant,
    /// Set-up that this request paid: look-up and connection.
    pub(crate) dns: Duration,
    pub(crate) connect: Duration,
    pub(crate) sent: Option<Instant>,
    pub(crate) head: Option<Instant>,
    pub(crate) end: Option<Instant>,
    /// Connection and stream, once sent.
    pub(crate) stream: Option<(usize, u64)>,
    pub(crate) body_received: u64,
}

impl Progress {
    pub(crate) fn new(discovered: Instant, requested: Instant) -> Self {
        Self {
            discovered,
            requested,
            dns: Duration::ZERO,
            connect: Duration::ZERO,
            sent: None,
            head: None,
            end: None,
            stream: None,
            body_received: 0,
        }
    }

    /// Spans that have not ended are counted up to `now`, the end of the load.
    pub(crate) fn timing(&self, now: Instant, hol_blocked_bytes: u64) -> ResourceTiming {
        let sent = self.sent.unwrap_or(now);
        let head = self.head.unwrap_or(now);
        let end = self.end.unwrap_or(now);
        let set_up = self.dns + self.connect;
        ResourceTiming {
            discovered: self.discovered,
            queued: self.requested.since(self.discovered),
            blocked: sent.since(self.requested).saturating_sub(set_up),
            dns: self.dns,
            connect: self.connect,
            wait: head.since(sent),
            receive: end.since(head),
            hol_blocked_bytes,
        }
    }
}
