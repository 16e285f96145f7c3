//! What can be wrong with a plan or a file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a race could not be run, read or written.
#[derive(Debug, Error)]
pub enum LabError {
    /// The plan cannot be run as it is.
    #[error("{0}")]
    Plan(String),
    /// The simulator refused a scenario.
    #[error("{0}")]
    Scenario(String),
    /// A live load could not be measured at all.
    #[error("{0}")]
    Live(String),
    /// The race was stopped from outside.
    #[error("interrupted after {done} of {total} page loads; nothing was written")]
    Interrupted {
        /// Loads that were complete.
        done: usize,
        /// Loads that the race consists of.
        total: usize,
    },
    /// A file could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not a results file of ours.
    #[error("{file}: {reason}")]
    NotResults {
        /// Its name.
        file: String,
        /// What was found, and what to do.
        reason: String,
    },
    /// A metric that nobody can take apart.
    #[error("{metric} cannot be taken apart; {known} can")]
    NotExplainable {
        /// What was asked for.
        metric: String,
        /// All that can.
        known: String,
    },
    /// Two contenders that cannot be compared.
    #[error("{0}")]
    NothingToExplain(String),
    /// A metric that does not exist.
    #[error("no metric is called \"{name}\"; there are {known}")]
    UnknownMetric {
        /// What was asked for.
        name: String,
        /// All there are.
        known: String,
    },
}
