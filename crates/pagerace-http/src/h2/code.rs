//! Error codes.
//!
//! Source: RFC 9113, section 7.

use std::fmt;

/// An HTTP/2 error code, for `RST_STREAM` and `GOAWAY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(pub u32);

macro_rules! codes {
    ($($name:ident = $value:literal, $doc:literal;)*) => {
        impl Code {
            $(#[doc = $doc] pub const $name: Self = Self($value);)*

            /// Returns the name of the code in the IANA registry, if it is registered.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    NO_ERROR = 0x0, "Nothing went wrong.";
    PROTOCOL_ERROR = 0x1, "An error that no other code describes.";
    INTERNAL_ERROR = 0x2, "This end failed.";
    FLOW_CONTROL_ERROR = 0x3, "More than flow control allows.";
    SETTINGS_TIMEOUT = 0x4, "Settings were not acknowledged in time.";
    STREAM_CLOSED = 0x5, "A frame of a stream that is half closed or closed.";
    FRAME_SIZE_ERROR = 0x6, "A frame of the wrong size.";
    REFUSED_STREAM = 0x7, "The request was not processed at all.";
    CANCEL = 0x8, "The stream is no longer wanted.";
    COMPRESSION_ERROR = 0x9, "A field section cannot be decoded.";
    CONNECT_ERROR = 0xa, "The connection of a CONNECT request failed.";
    ENHANCE_YOUR_CALM = 0xb, "The peer causes too much load.";
    INADEQUATE_SECURITY = 0xc, "The transport is not secure enough.";
    HTTP_1_1_REQUIRED = 0xd, "Retry over HTTP/1.1.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "0x{:x}", self.0),
        }
    }
}

/// A connection error caused by the peer. A GOAWAY with `code` is queued. Close the
/// connection after it is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code} on stream {stream}: {reason}")]
pub struct ConnectionError {
    /// The error code in the GOAWAY.
    pub code: Code,
    /// The stream of the frame that caused the error, or 0 for the connection.
    pub stream: u64,
    /// Human-readable reason.
    pub reason: String,
}

/// A connection error whose stream is not determined yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) reason: String,
}

impl Fault {
    pub(super) fn new(code: Code, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
        }
    }

    /// Creates a fault with `PROTOCOL_ERROR`.
    pub(super) fn protocol(reason: impl Into<String>) -> Self {
        Self::new(Code::PROTOCOL_ERROR, reason)
    }

    /// Creates a fault with `FRAME_SIZE_ERROR`.
    pub(super) fn size(reason: impl Into<String>) -> Self {
        Self::new(Code::FRAME_SIZE_ERROR, reason)
    }
}
