//! Errors in the description of a network.

use thiserror::Error;

/// The reason why a description of a network was rejected: the position, the text found and the
/// text that is expected.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NetworkError(pub(crate) String);

/// The reason why a trace was rejected: the file, its line, and the text that is expected.
#[derive(Debug, Error)]
#[error("trace {0}")]
pub struct TraceError(pub(crate) String);

impl From<TraceError> for NetworkError {
    fn from(error: TraceError) -> Self {
        Self(error.to_string())
    }
}
