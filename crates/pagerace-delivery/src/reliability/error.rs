//! Errors in the text of a reliability policy.

use thiserror::Error;

/// Error that occurs when a text does not describe a reliability policy. States the text found
/// and the values allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ReliabilityError(pub(super) String);
