//! The DevTools protocol as JSON over a pipe, with flat sessions: every message of a
//! target contains its `sessionId`.
//!
//! <https://chromedevtools.github.io/devtools-protocol/>. Each call waits for its answer,
//! and events that arrive meanwhile are kept in order. A thread reads the pipe, so that
//! the browser never blocks on writing an event. A dialog that a page opens (`alert`) is
//! accepted at once, because it would block the load.

mod pipe;
mod session;
mod wire;

pub(crate) use pipe::Pipe;
pub use session::Session;
pub(crate) use wire::{Shared, Wire, lock, share};

use serde_json::Value;

/// An event of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name, such as `Network.dataReceived`.
    pub method: String,
    /// The parameters of the event.
    pub params: Value,
    /// The session that sent the event: that of the page, or of a frame below it.
    pub session: String,
}
