//! What a connection tells its owner.

use bytes::Bytes;
use pagerace_core::{Dependency, Priority};

use super::Code;
use crate::Field;

/// Something the peer did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer's settings came, or changed:
    /// [`Connection::peer_settings`](super::Connection::peer_settings).
    Settings,
    /// The head of a request (server) or of the final response (client).
    Headers {
        /// Stream id.
        stream: u64,
        /// Pseudo-header fields first; the message is well-formed.
        fields: Vec<Field>,
        /// What it signals: its `priority` field, which on a server yields to
        /// an update that came before (RFC 9218, section 7).
        priority: Priority,
        /// Its place in RFC 7540's tree, if it tells one and the client has not
        /// said that it means nothing.
        dependency: Option<Dependency>,
    },
    /// An interim (1xx) response.
    Interim {
        /// Stream id.
        stream: u64,
        /// With `:status`.
        fields: Vec<Field>,
    },
    /// Part of the content, in order; never empty. Taking the event consumes
    /// the bytes: the windows open again.
    Data {
        /// Stream id.
        stream: u64,
        /// A slice of what was handed in.
        data: Bytes,
    },
    /// The trailer section.
    Trailers {
        /// Stream id.
        stream: u64,
        /// No pseudo-header fields.
        fields: Vec<Field>,
    },
    /// The message is complete. Always comes, also after a head without content.
    Finished {
        /// Stream id.
        stream: u64,
    },
    /// The peer gave the stream up; on a client also what the server will not
    /// process after its GOAWAY, with `REFUSED_STREAM`. Nothing more can be
    /// sent on it.
    Reset {
        /// Stream id.
        stream: u64,
        /// As the peer gave it.
        code: Code,
    },
    /// The client wants another priority for a request already reported by
    /// [`Event::Headers`]. Omitted parameters have their defaults.
    PriorityUpdate {
        /// Stream id.
        stream: u64,
        /// The whole new signal.
        priority: Priority,
    },
    /// The client places a stream in RFC 7540's tree. It may be one that has
    /// not begun, or that is over.
    Dependency {
        /// Stream id.
        stream: u64,
        /// Where.
        dependency: Dependency,
    },
    /// On a server: a stream's own window had nothing left, and has again.
    Writable {
        /// Stream id.
        stream: u64,
    },
    /// On a server: the connection's window had nothing left, and has again.
    WindowOpened,
    /// The peer is going away and processes no stream above `last`.
    GoAway {
        /// Stream id.
        last: u64,
    },
    /// The message is malformed or refused. `RST_STREAM` with `code` is queued;
    /// nothing more can be sent on the stream.
    StreamError {
        /// Stream id.
        stream: u64,
        /// As in the `RST_STREAM`.
        code: Code,
        /// What was wrong, for people.
        reason: String,
    },
}
