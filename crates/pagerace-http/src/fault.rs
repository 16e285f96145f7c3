//! Error codes and connection errors, which HTTP/2 and HTTP/3 have in the same form.

/// Defines the type `Code` of a protocol's error codes.
macro_rules! codes {
    (
        $(#[$about:meta])* $integer:ty;
        $($name:ident = $value:literal, $text:expr, $doc:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct Code(pub $integer);

        impl Code {
            $(#[doc = $doc] pub const $name: Self = Self($value);)*

            /// Returns the name of the code in the IANA registry, if it is registered.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some($text),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, "0x{:x}", self.0),
                }
            }
        }
    };
}

pub(crate) use codes;

/// A connection error caused by the peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code} on stream {stream}: {reason}")]
pub struct ConnectionError<C> {
    /// The error code to close the connection with.
    pub code: C,
    /// The stream whose bytes caused the error; on HTTP/2, 0 stands for the connection.
    pub stream: u64,
    /// Human-readable reason.
    pub reason: String,
}

/// A connection error whose stream is not determined yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault<C> {
    pub(crate) code: C,
    pub(crate) reason: String,
}

impl<C> Fault<C> {
    pub(crate) fn new(code: C, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
        }
    }

    pub(crate) fn on(self, stream: u64) -> ConnectionError<C> {
        ConnectionError {
            code: self.code,
            stream,
            reason: self.reason,
        }
    }
}
