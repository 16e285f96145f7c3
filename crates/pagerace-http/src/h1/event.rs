//! Events that a connection reports to its owner.

use bytes::Bytes;

use super::Error;
use crate::Field;

/// An action of the peer. `stream` is the number of the request, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The head of a request (server) or of the final response (client).
    Headers {
        /// Number of the request.
        stream: u64,
        /// The field lines, pseudo-header fields first.
        fields: Vec<Field>,
    },
    /// An interim (1xx) response.
    Interim {
        /// Number of the request.
        stream: u64,
        /// The field lines, including `:status`.
        fields: Vec<Field>,
    },
    /// Part of the content, in order; never empty.
    Data {
        /// Number of the request.
        stream: u64,
        /// The bytes, without chunked framing.
        data: Bytes,
    },
    /// The trailer section of chunked content, if there is one.
    Trailers {
        /// Number of the request.
        stream: u64,
        /// The field lines, without pseudo-header fields.
        fields: Vec<Field>,
    },
    /// The message is complete. Every complete message ends with this event, also one
    /// without content.
    Finished {
        /// Number of the request.
        stream: u64,
    },
    /// Server only: the request is malformed. Answer it with the status of `error`, in
    /// its turn. Nothing after the request is read.
    StreamError {
        /// Number of the request.
        stream: u64,
        /// The error.
        error: Error,
    },
}
