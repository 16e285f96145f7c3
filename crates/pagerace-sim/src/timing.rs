//! One request's way through the network, as it happens.

use pagerace_core::{Duration, Instant, Priority, Protocol};

use crate::objects::ObjectState;
use crate::outcome::ResourceTiming;
use crate::wire::overlap;

/// What is known of a request so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) protocol: Protocol,
    pub(crate) discovered: Instant,
    /// The browser's scheduler let it go.
    pub(crate) requested: Instant,
    pub(crate) sent: Option<Instant>,
    /// The server has all of the request, and how long it thinks.
    pub(crate) asked: Option<(Instant, Duration)>,
    /// What the server read in its `priority` field.
    pub(crate) priority: Option<Priority>,
    pub(crate) head: Option<Instant>,
    pub(crate) end: Option<Instant>,
    /// Connection and stream, once sent.
    pub(crate) stream: Option<(usize, u64)>,
    /// Whether other requests had used the connection.
    pub(crate) reused: bool,
    pub(crate) body_received: u64,
    /// The response is complete, or the request has failed.
    pub(crate) over: bool,
    /// Something of the response is missing for good: what the page makes of it.
    pub(crate) incomplete: Option<ObjectState>,
}

/// When a connection was set up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetUp {
    pub(crate) opened: Instant,
    pub(crate) resolved: Instant,
    pub(crate) connected: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(protocol: Protocol, discovered: Instant, requested: Instant) -> Self {
        Self {
            protocol,
            discovered,
            requested,
            sent: None,
            asked: None,
            priority: None,
            head: None,
            end: None,
            stream: None,
            reused: false,
            body_received: 0,
            over: false,
            incomplete: None,
        }
    }

    /// Spans that have not ended are counted up to `now`, the end of the load.
    /// `set_up`: of its connection.
    pub(crate) fn timing(&self, now: Instant, set_up: Option<SetUp>) -> ResourceTiming {
        let sent = self.sent.unwrap_or(now);
        let head = self.head.unwrap_or(now);
        let end = self.end.unwrap_or(now);
        let held = (self.requested, sent);
        let (mut dns, mut connect) = (Duration::ZERO, Duration::ZERO);
        // Whoever comes first pays for the set-up.
        if let Some(s) = set_up.filter(|_| !self.reused) {
            dns = overlap(held, (s.opened, s.resolved));
            connect = overlap(held, (s.resolved, s.connected.unwrap_or(now)));
        }
        ResourceTiming {
            protocol: self.protocol,
            priority: self.priority,
            connection: self.stream.map(|(i, _)| i as u32),
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
