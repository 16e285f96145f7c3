//! The two ends of a connection.

/// Which end of the connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sends requests.
    Client,
    /// Answers them.
    Server,
}
