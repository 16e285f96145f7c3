//! What a strategy may know of a response.

use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use serde::{Deserialize, Serialize};

/// A response that a server is sending, as its scheduler sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The request stream's id; unique on its connection, ascending by request.
    pub stream: u64,
    /// The priority that the client signalled, as last updated (RFC 9218).
    pub signal: Priority,
    /// What the server knows of the resource without being told.
    pub facts: Facts,
    /// Bytes of the response on its stream, framing included.
    pub length: u64,
    /// Bytes of them already given to the transport.
    pub sent: u64,
}

/// What a server that knows its site knows of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What it is for.
    pub destination: Destination,
    /// How it runs, if it is a script.
    pub script_mode: ScriptMode,
    /// The priority class that Chromium gives it.
    pub class: RequestPriority,
    /// Whether the first paint waits for it.
    pub render_blocking: bool,
}

impl Response {
    /// Bytes not yet given to the transport.
    pub const fn remaining(&self) -> u64 {
        self.length - self.sent
    }
}
