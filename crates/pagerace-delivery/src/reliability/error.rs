//! What is wrong with a policy as it was written.

use thiserror::Error;

/// A text that is no reliability policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReliabilityError {
    /// Nothing was written.
    #[error("a reliability policy is empty; write one of {known}")]
    Empty {
        /// Names of all policies.
        known: String,
    },
    /// No policy has this name.
    #[error("`{name}` is no reliability policy; there are {known}{suggestion}")]
    Unknown {
        /// The name.
        name: String,
        /// Names of all policies.
        known: String,
        /// What may have been meant, as an addition to the sentence; or empty.
        suggestion: String,
    },
    /// Something after the colon means nothing.
    #[error("`{text}`: {problem}; write {usage}")]
    Argument {
        /// All of the text.
        text: String,
        /// What is wrong.
        problem: String,
        /// How the policy is written.
        usage: &'static str,
    },
    /// A policy was named twice.
    #[error("`{0}` is named twice; once is enough")]
    Twice(String),
}
