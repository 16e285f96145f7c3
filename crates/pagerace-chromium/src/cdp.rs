//! The DevTools protocol as JSON over a pipe, with flat sessions: every message
//! of a target carries its `sessionId`.
//!
//! <https://chromedevtools.github.io/devtools-protocol/>. Each call waits for its
//! answer; events that come meanwhile are kept in order. One thread reads the
//! pipe, so that the browser never waits for us to take an event. A dialog that a
//! page opens (`alert`) is accepted at once: it would stop the load.

mod pipe;
mod session;
mod wire;

pub(crate) use pipe::Pipe;
pub use session::Session;
pub(crate) use wire::{Shared, Wire, lock, share};

use serde_json::Value;

/// Something happened in a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Name, such as `Network.dataReceived`.
    pub method: String,
    /// What goes with it.
    pub params: Value,
    /// The session it came from: the page's own, or that of a frame below it.
    pub session: String,
}
