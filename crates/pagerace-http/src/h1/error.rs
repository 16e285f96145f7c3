//! What is wrong with a message.

/// The peer broke the protocol: the connection is of no further use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Error {
    /// What a server answers with; a client only closes.
    pub status: u16,
    /// What was wrong, for people.
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
