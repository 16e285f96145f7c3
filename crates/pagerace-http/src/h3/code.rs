//! Error codes.
//!
//! Source: RFC 9114, section 8.1; RFC 9204, section 8.3; RFC 9297, section 5.2.

use crate::fault;

fault::codes! {
    /// An HTTP/3 error code, for `RESET_STREAM`, `STOP_SENDING` and `CONNECTION_CLOSE`.
    u64;
    DATAGRAM_ERROR = 0x33, "H3_DATAGRAM_ERROR", "A datagram that breaks RFC 9297.";
    NO_ERROR = 0x100, "H3_NO_ERROR", "Nothing went wrong.";
    GENERAL_PROTOCOL_ERROR = 0x101, "H3_GENERAL_PROTOCOL_ERROR", "An error that no other code \
                                     describes.";
    INTERNAL_ERROR = 0x102, "H3_INTERNAL_ERROR", "This end failed.";
    STREAM_CREATION_ERROR = 0x103, "H3_STREAM_CREATION_ERROR", "A stream that may not be opened.";
    CLOSED_CRITICAL_STREAM = 0x104, "H3_CLOSED_CRITICAL_STREAM", "A stream that must stay open was closed.";
    FRAME_UNEXPECTED = 0x105, "H3_FRAME_UNEXPECTED", "A frame that may not be there.";
    FRAME_ERROR = 0x106, "H3_FRAME_ERROR", "A frame of the wrong size or layout.";
    EXCESSIVE_LOAD = 0x107, "H3_EXCESSIVE_LOAD", "The peer causes too much load.";
    ID_ERROR = 0x108, "H3_ID_ERROR", "A stream or push ID used wrongly.";
    SETTINGS_ERROR = 0x109, "H3_SETTINGS_ERROR", "Wrong settings.";
    MISSING_SETTINGS = 0x10a, "H3_MISSING_SETTINGS", "The control stream does not begin with SETTINGS.";
    REQUEST_REJECTED = 0x10b, "H3_REQUEST_REJECTED", "The request was not processed at all.";
    REQUEST_CANCELLED = 0x10c, "H3_REQUEST_CANCELLED", "The request or response is no longer wanted.";
    REQUEST_INCOMPLETE = 0x10d, "H3_REQUEST_INCOMPLETE", "The stream ended before the request did.";
    MESSAGE_ERROR = 0x10e, "H3_MESSAGE_ERROR", "A malformed message.";
    CONNECT_ERROR = 0x10f, "H3_CONNECT_ERROR", "The connection of a CONNECT request failed.";
    VERSION_FALLBACK = 0x110, "H3_VERSION_FALLBACK", "Retry over HTTP/1.1.";
    QPACK_DECOMPRESSION_FAILED = 0x200, "QPACK_DECOMPRESSION_FAILED", "A field section cannot be decoded.";
    QPACK_ENCODER_STREAM_ERROR = 0x201, "QPACK_ENCODER_STREAM_ERROR", "A wrong encoder instruction.";
    QPACK_DECODER_STREAM_ERROR = 0x202, "QPACK_DECODER_STREAM_ERROR", "A wrong decoder instruction.";
}

/// A connection error caused by the peer. Close the connection with its code, and with its
/// reason as the reason phrase of `CONNECTION_CLOSE`.
pub type ConnectionError = fault::ConnectionError<Code>;

/// A connection error whose stream is not determined yet.
pub(super) type Fault = fault::Fault<Code>;
