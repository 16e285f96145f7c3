//! Errors in the description of a network.

use thiserror::Error;

/// The reason why a description of a network was rejected.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// The description is empty.
    #[error(
        "the network is empty; write a name such as `fast-4g`, or `rate 2mbit rtt 100ms loss 2%`"
    )]
    Empty,
    /// The first word is neither the name of a network nor a keyword of the grammar.
    #[error("unknown network `{name}`{}", suggest(.nearest))]
    UnknownName {
        /// The first word of the description.
        name: String,
        /// Names and keywords with a similar spelling, best match first.
        nearest: Vec<&'static str>,
    },
    /// A word or value that is not allowed at its position.
    #[error("column {column} of the network: found `{found}`, expected {expected}")]
    Unexpected {
        /// The column of the word, counted in characters from 1.
        column: usize,
        /// The word that was found.
        found: String,
        /// The words or values that are allowed.
        expected: String,
    },
    /// The text ends where a value is required.
    #[error("the network ends after `{word}`, which needs {expected}")]
    Unfinished {
        /// The last word.
        word: String,
        /// The value that must follow.
        expected: &'static str,
    },
    /// A keyword that is repeated, or that contradicts an earlier one.
    #[error("column {column} of the network: `{word}` after `{earlier}`; keep one of them")]
    Conflict {
        /// The column of the later word, counted in characters from 1.
        column: usize,
        /// The later word.
        word: String,
        /// The earlier word.
        earlier: String,
    },
    /// A required part is missing.
    #[error("the network has no {what}; add for example `{example}`")]
    Lacks {
        /// The missing part.
        what: &'static str,
        /// An example of the missing part.
        example: &'static str,
    },
    /// A token bucket on a link whose rate changes over time.
    #[error(
        "a token bucket needs a constant rate, and {direction} follows a {follows}; remove `bucket`, or write `bucket none`"
    )]
    BucketOnChangingRate {
        /// `the downlink` or `the uplink`.
        direction: &'static str,
        /// `trace` or `schedule`.
        follows: &'static str,
    },
    /// The trace file cannot be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// The reason why a trace was rejected.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("trace {path}: {source}")]
    Read {
        /// The path of the file.
        path: String,
        /// The error reported by the operating system.
        source: std::io::Error,
    },
    /// The file is not a regular file, is too long, or holds values that are not allowed.
    #[error("trace {path}: {why}")]
    Unusable {
        /// The path of the file.
        path: String,
        /// Description of the error, with a remedy where there is one.
        why: String,
    },
    /// A line does not match the format.
    #[error("trace {path}, line {line}: found `{found}`, expected {expected}")]
    Line {
        /// The path of the file.
        path: String,
        /// The line number, counted from 1.
        line: usize,
        /// The beginning of the line.
        found: String,
        /// The expected content of the line.
        expected: &'static str,
    },
}

fn suggest(nearest: &[&'static str]) -> String {
    if nearest.is_empty() {
        return "; describe one in full, as `rate 2mbit rtt 100ms loss 2% queue 1bdp`".to_owned();
    }
    format!("; did you mean `{}`?", nearest.join("` or `"))
}
