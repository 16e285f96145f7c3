//! What a connection tells its owner.

use bytes::Bytes;
use pagerace_core::Priority;

use super::{Code, Settings};
use crate::Field;

/// Bytes to write on a stream now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Stream id. Unidirectional ones are those that QUIC gives the first three
    /// opened: 2, 6, 10 for a client, 3, 7, 11 for a server.
    pub stream: u64,
    /// May be empty where only the end is to be told.
    pub data: Bytes,
    /// Whether the stream ends after them.
    pub fin: bool,
}

/// Something the peer did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer's settings; once.
    Settings(Settings),
    /// The head of a request (server) or of the final response (client).
    Headers {
        /// Request stream.
        stream: u64,
        /// Pseudo-header fields first; the message is well-formed.
        fields: Vec<Field>,
        /// What it signals: its `priority` field, which on a server yields to
        /// an update that came before (RFC 9218, section 7).
        priority: Priority,
    },
    /// An interim (1xx) response.
    Interim {
        /// Request stream.
        stream: u64,
        /// With `:status`.
        fields: Vec<Field>,
    },
    /// Part of the content, in order; never empty.
    Data {
        /// Request stream.
        stream: u64,
        /// A slice of what was handed in.
        data: Bytes,
    },
    /// An HTTP datagram of a request that is known; in no order.
    Datagram {
        /// Request stream.
        stream: u64,
        /// A slice of what was handed in.
        payload: Bytes,
    },
    /// The trailer section.
    Trailers {
        /// Request stream.
        stream: u64,
        /// No pseudo-header fields.
        fields: Vec<Field>,
    },
    /// The message is complete. Always comes, also after a head without content.
    Finished {
        /// Request stream.
        stream: u64,
    },
    /// The client wants another priority for a request already reported by
    /// [`Event::Headers`]. Omitted parameters have their defaults.
    PriorityUpdate {
        /// Request stream.
        stream: u64,
        /// The whole new signal.
        priority: Priority,
    },
    /// The peer is going away: a server processes no request from stream `id`
    /// on, a client accepts no push from push `id` on.
    GoAway {
        /// Stream id or push id.
        id: u64,
    },
    /// The message is malformed or refused: reset the stream and stop reading
    /// it, both with `code`. No more events of it follow.
    StreamError {
        /// Request stream.
        stream: u64,
        /// For `RESET_STREAM` and `STOP_SENDING`.
        code: Code,
        /// What was wrong, for people.
        reason: String,
    },
    /// The peer reset its side of a request stream. No more events of it follow.
    Reset {
        /// Request stream.
        stream: u64,
        /// As the peer gave it.
        code: Code,
    },
    /// The peer no longer wants what we send on a request stream.
    StopSending {
        /// Request stream.
        stream: u64,
        /// As the peer gave it.
        code: Code,
    },
}
