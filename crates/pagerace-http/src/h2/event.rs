//! Events that a connection reports to its owner.

use bytes::Bytes;
use pagerace_core::{Dependency, Priority};

use super::Code;
use crate::Field;

/// An action of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer's settings arrived, or changed:
    /// [`Connection::peer_settings`](super::Connection::peer_settings).
    Settings,
    /// The head of a request (server) or of the final response (client).
    Headers {
        /// Stream id.
        stream: u64,
        /// The field lines of a well-formed message, pseudo-header fields first.
        fields: Vec<Field>,
        /// The priority from the `priority` field. On a server, a `PRIORITY_UPDATE` that
        /// arrived before the request takes precedence (RFC 9218, section 7).
        priority: Priority,
        /// The position in RFC 7540's dependency tree, if the request has one and the
        /// client has not declared that it ignores these priorities.
        dependency: Option<Dependency>,
    },
    /// An interim (1xx) response.
    Interim {
        /// Stream id.
        stream: u64,
        /// The field lines, including `:status`.
        fields: Vec<Field>,
    },
    /// Part of the content, in order; never empty. Polling the event consumes the bytes,
    /// which reopens the windows.
    Data {
        /// Stream id.
        stream: u64,
        /// A slice of the received bytes.
        data: Bytes,
    },
    /// The trailer section.
    Trailers {
        /// Stream id.
        stream: u64,
        /// The field lines, without pseudo-header fields.
        fields: Vec<Field>,
    },
    /// The message is complete. Every complete message ends with this event, also one
    /// without content.
    Finished {
        /// Stream id.
        stream: u64,
    },
    /// The peer reset the stream. On a client, also a request that the server will not
    /// process after its GOAWAY, with `REFUSED_STREAM`. Nothing more can be sent on the
    /// stream.
    Reset {
        /// Stream id.
        stream: u64,
        /// The error code that the peer sent.
        code: Code,
    },
    /// The client changed the priority of a request already reported by
    /// [`Event::Headers`]. Omitted parameters have their defaults.
    PriorityUpdate {
        /// Stream id.
        stream: u64,
        /// The complete new priority.
        priority: Priority,
    },
    /// The client positions a stream in RFC 7540's dependency tree. The stream may be
    /// idle or closed.
    Dependency {
        /// Stream id.
        stream: u64,
        /// The new position.
        dependency: Dependency,
    },
    /// On a server: a stream's send window was exhausted and has reopened.
    Writable {
        /// Stream id.
        stream: u64,
    },
    /// On a server: the connection's send window was exhausted and has reopened.
    WindowOpened,
    /// The peer is going away and processes no stream above `last`.
    GoAway {
        /// Stream id.
        last: u64,
    },
    /// The message is malformed or refused. `RST_STREAM` with `code` is queued, and
    /// nothing more can be sent on the stream.
    StreamError {
        /// Stream id.
        stream: u64,
        /// The error code in the `RST_STREAM`.
        code: Code,
        /// Human-readable reason.
        reason: String,
    },
}
