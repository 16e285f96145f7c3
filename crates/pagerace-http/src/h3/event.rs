//! Events that a connection reports to its owner.

use bytes::Bytes;
use pagerace_core::Priority;

use super::{Code, Settings};
use crate::Field;

/// Bytes to write on a stream now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Stream id. Unidirectional streams have the ids of the first three that an end
    /// opens: 2, 6, 10 for a client, 3, 7, 11 for a server.
    pub stream: u64,
    /// The bytes. Empty if only the end of the stream is to be sent.
    pub data: Bytes,
    /// True if the stream ends after the bytes.
    pub fin: bool,
}

/// An action of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer's settings, which arrive once.
    Settings(Settings),
    /// The head of a request (server) or of the final response (client).
    Headers {
        /// Request stream.
        stream: u64,
        /// The field lines of a well-formed message, pseudo-header fields first.
        fields: Vec<Field>,
        /// The priority from the `priority` field. On a server, a `PRIORITY_UPDATE` that
        /// arrived before the request takes precedence (RFC 9218, section 7).
        priority: Priority,
    },
    /// An interim (1xx) response.
    Interim {
        /// Request stream.
        stream: u64,
        /// The field lines, including `:status`.
        fields: Vec<Field>,
    },
    /// Part of the content, in order; never empty.
    Data {
        /// Request stream.
        stream: u64,
        /// A slice of the received bytes.
        data: Bytes,
    },
    /// An HTTP datagram of a known request. Datagrams may be reordered.
    Datagram {
        /// Request stream.
        stream: u64,
        /// A slice of the received bytes.
        payload: Bytes,
    },
    /// The trailer section.
    Trailers {
        /// Request stream.
        stream: u64,
        /// The field lines, without pseudo-header fields.
        fields: Vec<Field>,
    },
    /// The message is complete. Every complete message ends with this event, also one
    /// without content.
    Finished {
        /// Request stream.
        stream: u64,
    },
    /// The client changed the priority of a request already reported by
    /// [`Event::Headers`]. Omitted parameters have their defaults.
    PriorityUpdate {
        /// Request stream.
        stream: u64,
        /// The complete new priority.
        priority: Priority,
    },
    /// The peer is going away. A server processes no request from stream `id` on; a
    /// client accepts no push from push id `id` on.
    GoAway {
        /// Stream id or push id.
        id: u64,
    },
    /// The message is malformed or refused. Reset the stream and stop reading it, both
    /// with `code`. No more events of the message follow.
    StreamError {
        /// Request stream.
        stream: u64,
        /// The error code for `RESET_STREAM` and `STOP_SENDING`.
        code: Code,
        /// Human-readable reason.
        reason: String,
    },
    /// The peer reset its side of a request stream. No more events of its message follow.
    Reset {
        /// Request stream.
        stream: u64,
        /// The error code that the peer sent.
        code: Code,
    },
    /// The peer asks this end to stop sending on a request stream.
    StopSending {
        /// Request stream.
        stream: u64,
        /// The error code that the peer sent.
        code: Code,
    },
}
