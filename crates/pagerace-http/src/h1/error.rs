//! Protocol errors.

/// A protocol error of the peer, after which the connection is unusable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Error {
    /// The status that a server responds with. A client only closes the connection.
    pub status: u16,
    /// Human-readable reason.
    pub reason: String,
}

impl Error {
    pub(super) fn bad(reason: impl Into<String>) -> Self {
        Self::with(400, reason)
    }

    pub(super) fn with(status: u16, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
        }
    }
}
