//! Network timing of one request in progress.

use pagerace_core::{Duration, Instant, Priority, Protocol};

use crate::ids::ConnectionId;
use crate::outcome::ResourceTiming;
use crate::wire::overlap;

/// Events of a request so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) discovered: Instant,
    /// Time at which the browser's scheduler released the request.
    pub(crate) requested: Instant,
    pub(crate) sent: Option<Instant>,
    /// Time at which the server had the complete request, and the server's think time.
    pub(crate) asked: Option<(Instant, Duration)>,
    /// Priority that the server read in the `priority` field.
    pub(crate) priority: Option<Priority>,
    pub(crate) head: Option<Instant>,
    pub(crate) end: Option<Instant>,
    /// The connection that has the request.
    pub(crate) given: Option<ConnectionId>,
    /// Connection and stream, once sent.
    pub(crate) stream: Option<(ConnectionId, u64)>,
    /// True if other requests had used the connection before.
    pub(crate) reused: bool,
    pub(crate) body_received: u64,
    /// True if the response is complete or the request has failed.
    pub(crate) over: bool,
}

/// Times of a connection's set-up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetUp {
    pub(crate) opened: Instant,
    pub(crate) resolved: Option<Instant>,
    pub(crate) connected: Option<Instant>,
}

impl Progress {
    /// Returns the timing of the request. Spans that have not ended are counted up to
    /// `now`, the end of the load. `set_up` is that of the request's connection.
    pub(crate) fn timing(
        &self,
        protocol: Protocol,
        now: Instant,
        set_up: Option<SetUp>,
    ) -> ResourceTiming {
        let sent = self.sent.unwrap_or(now);
        let head = self.head.unwrap_or(now);
        let end = self.end.unwrap_or(now);
        let held = (self.requested, sent);
        let (mut dns, mut connect) = (Duration::ZERO, Duration::ZERO);
        // The first request on a connection pays for the set-up.
        if let Some(s) = set_up.filter(|_| !self.reused) {
            let resolved = s.resolved.unwrap_or(now);
            dns = overlap(held, (s.opened, resolved));
            connect = overlap(held, (resolved, s.connected.unwrap_or(now)));
        }
        ResourceTiming {
            protocol,
            priority: self.priority,
            connection: self.stream.map(|(i, _)| i.0),
            reused: self.reused,
            discovered: self.discovered,
            queued: self.requested.since(self.discovered),
            blocked: sent.since(self.requested).saturating_sub(dns + connect),
            dns,
            connect,
            wait: head.since(sent),
            receive: end.since(head),
            hol_blocked_bytes: 0,
            hol_other_bytes: 0,
        }
    }
}
