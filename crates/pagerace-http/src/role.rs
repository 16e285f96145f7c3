//! Roles of the two ends of a connection.

/// The role of one end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The end that sends requests.
    Client,
    /// The end that sends responses.
    Server,
}
