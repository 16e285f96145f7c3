//! The properties of a response that a strategy may use.

use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use serde::{Deserialize, Serialize};

/// A response that a server is sending, as seen by the server's scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Id of the request stream. Unique on its connection and ascending in request order.
    pub stream: u64,
    /// The priority that the client signalled, as last updated (RFC 9218).
    pub signal: Priority,
    /// The server's own knowledge of the resource, independent of signals.
    pub facts: Facts,
    /// Bytes of the response on its stream, including framing.
    pub length: u64,
    /// Bytes of the response already passed to the transport.
    pub sent: u64,
}

/// The knowledge that a server has of a resource of its own site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Destination of the request.
    pub destination: Destination,
    /// Execution mode, if the resource is a script.
    pub script_mode: ScriptMode,
    /// Priority class that Chromium assigns to the request.
    pub class: RequestPriority,
    /// True if the first paint waits for the resource.
    pub render_blocking: bool,
    /// The priority that the site sets in its response, which counts more than the client's signal
    /// (RFC 9218, section 8).
    pub served: Option<Priority>,
}

impl Response {
    /// Returns the priority that the response's own field sets, or else the client's signal.
    pub fn priority(&self) -> Priority {
        self.facts.served.unwrap_or(self.signal)
    }

    /// Returns the bytes not yet passed to the transport.
    pub const fn remaining(&self) -> u64 {
        self.length - self.sent
    }
}
