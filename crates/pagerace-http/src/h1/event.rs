//! What a connection tells its owner.

use bytes::Bytes;

use super::Error;
use crate::Field;

/// Something the peer did. `stream` is the number of the request, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The head of a request (server) or of the final response (client).
    Headers {
        /// Number of the request.
        stream: u64,
        /// Pseudo-header fields first.
        fields: Vec<Field>,
    },
    /// An interim (1xx) response.
    Interim {
        /// Number of the request.
        stream: u64,
        /// With `:status`.
        fields: Vec<Field>,
    },
    /// Part of the content, in order; never empty.
    Data {
        /// Number of the request.
        stream: u64,
        /// The bytes, without chunk headers.
        data: Bytes,
    },
    /// The trailer section of content in chunks, if it has one.
    Trailers {
        /// Number of the request.
        stream: u64,
        /// No pseudo-header fields.
        fields: Vec<Field>,
    },
    /// The message is complete. Always comes, also after a head without content.
    Finished {
        /// Number of the request.
        stream: u64,
    },
    /// Server only: this request is no request. Answer it with the status of
    /// `error`, in its turn; nothing after it is read.
    StreamError {
        /// Number of the request.
        stream: u64,
        /// Why.
        error: Error,
    },
}
