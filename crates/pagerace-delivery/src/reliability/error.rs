//! Errors in the text of a reliability policy.

use thiserror::Error;

/// Error that occurs when a text does not describe a reliability policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReliabilityError {
    /// The text is empty.
    #[error("a reliability policy is empty; write one of {known}")]
    Empty {
        /// Names of all policies.
        known: String,
    },
    /// No policy has this name.
    #[error("unknown reliability policy `{name}`; the policies are {known}{suggestion}")]
    Unknown {
        /// The name as written.
        name: String,
        /// Names of all policies.
        known: String,
        /// A suggestion to append to the message, or empty.
        suggestion: String,
    },
    /// The part after the colon is invalid.
    #[error("`{text}`: {problem}; write {usage}")]
    Argument {
        /// The whole text.
        text: String,
        /// Description of the error.
        problem: String,
        /// Syntax of the policy.
        usage: &'static str,
    },
    /// A policy is named twice.
    #[error("`{0}` is named twice; once is enough")]
    Twice(String),
}
