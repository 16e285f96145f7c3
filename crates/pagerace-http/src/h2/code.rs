//! Error codes.
//!
//! Source: RFC 9113, section 7.

use crate::fault;

fault::codes! {
    /// An HTTP/2 error code, for `RST_STREAM` and `GOAWAY`.
    u32;
    NO_ERROR = 0x0, stringify!(NO_ERROR), "Nothing went wrong.";
    PROTOCOL_ERROR = 0x1, stringify!(PROTOCOL_ERROR), "An error that no other code describes.";
    INTERNAL_ERROR = 0x2, stringify!(INTERNAL_ERROR), "This end failed.";
    FLOW_CONTROL_ERROR = 0x3, stringify!(FLOW_CONTROL_ERROR), "More than flow control allows.";
    SETTINGS_TIMEOUT = 0x4, stringify!(SETTINGS_TIMEOUT), "Settings were not acknowledged in time.";
    STREAM_CLOSED = 0x5, stringify!(STREAM_CLOSED), "A frame of a stream that is half closed or closed.";
    FRAME_SIZE_ERROR = 0x6, stringify!(FRAME_SIZE_ERROR), "A frame of the wrong size.";
    REFUSED_STREAM = 0x7, stringify!(REFUSED_STREAM), "The request was not processed at all.";
    CANCEL = 0x8, stringify!(CANCEL), "The stream is no longer wanted.";
    COMPRESSION_ERROR = 0x9, stringify!(COMPRESSION_ERROR), "A field section cannot be decoded.";
    CONNECT_ERROR = 0xa, stringify!(CONNECT_ERROR), "The connection of a CONNECT request failed.";
    ENHANCE_YOUR_CALM = 0xb, stringify!(ENHANCE_YOUR_CALM), "The peer causes too much load.";
    INADEQUATE_SECURITY = 0xc, stringify!(INADEQUATE_SECURITY), "The transport is not secure enough.";
    HTTP_1_1_REQUIRED = 0xd, stringify!(HTTP_1_1_REQUIRED), "Retry over HTTP/1.1.";
}

/// A connection error caused by the peer. A GOAWAY with its code is queued. Close the
/// connection after it is written.
pub type ConnectionError = fault::ConnectionError<Code>;

/// A connection error whose stream is not determined yet.
pub(super) type Fault = fault::Fault<Code>;

impl Fault {
    /// Creates a fault with `PROTOCOL_ERROR`.
    pub(super) fn protocol(reason: impl Into<String>) -> Self {
        Self::new(Code::PROTOCOL_ERROR, reason)
    }

    /// Creates a fault with `FRAME_SIZE_ERROR`.
    pub(super) fn size(reason: impl Into<String>) -> Self {
        Self::new(Code::FRAME_SIZE_ERROR, reason)
    }
}
