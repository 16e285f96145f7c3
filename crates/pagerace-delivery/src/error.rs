//! Errors in the text of a strategy.

/// Error that occurs when a text does not describe a strategy. States the text found and the
/// values allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StrategyError(pub(crate) String);
