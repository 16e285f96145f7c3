//! What can be wrong with a description of a network.

use std::fmt::Write as _;

use thiserror::Error;

/// Why a description of a network was refused.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// Nothing was written.
    #[error(
        "the network is empty; write a name such as `fast-4g`, or `rate 2mbit rtt 100ms loss 2%`"
    )]
    Empty,
    /// The first word is neither a name nor a word of the grammar.
    #[error("no network is called `{name}`{}", suggest(.nearest))]
    UnknownName {
        /// What was written.
        name: String,
        /// Names and words that are spelt almost so, best first.
        nearest: Vec<&'static str>,
    },
    /// A word or a value that does not fit its place.
    #[error("column {column} of the network: found `{found}`, expected {expected}")]
    Unexpected {
        /// Where, counted in characters from 1.
        column: usize,
        /// What was written.
        found: String,
        /// What would fit.
        expected: String,
    },
    /// The text ends where a value is due.
    #[error("the network ends after `{word}`, which needs {expected}")]
    Unfinished {
        /// The last word.
        word: String,
        /// What should follow.
        expected: &'static str,
    },
    /// A word that is written twice, or next to one that says the same.
    #[error("column {column} of the network: `{word}` after `{earlier}`; keep one of them")]
    Conflict {
        /// Where, counted in characters from 1.
        column: usize,
        /// The later word.
        word: String,
        /// The earlier word.
        earlier: String,
    },
    /// A part without which there is no network.
    #[error("the network has no {what}; add for example `{example}`")]
    Lacks {
        /// What is missing.
        what: &'static str,
        /// How it could be written.
        example: &'static str,
    },
    /// A token bucket on a link whose rate changes.
    #[error(
        "a token bucket needs a constant rate, and {direction} follows a {follows}; remove `bucket`, or write `bucket none`"
    )]
    BucketOnChangingRate {
        /// `the downlink` or `the uplink`.
        direction: &'static str,
        /// `trace` or `schedule`.
        follows: &'static str,
    },
    /// The trace cannot be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Why a trace was refused.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("trace {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a file, or far too long.
    #[error("trace {path}: {why}")]
    Unusable {
        /// The file.
        path: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A line that is not what the format wants.
    #[error("trace {path}, line {line}: found `{found}`, expected {expected}")]
    Line {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// What the line says.
        found: String,
        /// What would fit.
        expected: &'static str,
    },
}

fn suggest(nearest: &[&'static str]) -> String {
    let mut text = String::new();
    if let Some((first, others)) = nearest.split_first() {
        let _ = write!(text, "; did you mean `{first}`");
        for name in others {
            let _ = write!(text, " or `{name}`");
        }
        text.push('?');
    } else {
        text.push_str("; describe one in full, as `rate 2mbit rtt 100ms loss 2% queue 1bdp`");
    }
    text
}
