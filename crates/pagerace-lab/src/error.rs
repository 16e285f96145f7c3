//! Errors of plans, races and files.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why a race cannot be run, read or written.
#[derive(Debug, Error)]
pub enum LabError {
    /// The plan cannot be run.
    #[error("{0}")]
    Plan(String),
    /// The simulator refused a scenario.
    #[error("{0}")]
    Scenario(String),
    /// A live load could not be measured.
    #[error("{0}")]
    Live(String),
    /// The race was interrupted.
    #[error("interrupted after {done} of {total} page loads; nothing was written")]
    Interrupted {
        /// Number of completed loads.
        done: usize,
        /// Total number of loads.
        total: usize,
    },
    /// A file could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file is not a results file of this program.
    #[error("{file}: {reason}")]
    NotResults {
        /// Name of the file.
        file: String,
        /// The problem, and a hint for solving it.
        reason: String,
    },
    /// The metric cannot be explained.
    #[error("{metric} cannot be explained; choose one of {known}")]
    NotExplainable {
        /// The requested metric.
        metric: String,
        /// Names of the explainable metrics.
        known: String,
    },
    /// The metric does not exist.
    #[error("unknown metric \"{name}\"; the metrics are {known}")]
    UnknownMetric {
        /// The requested metric.
        name: String,
        /// Names of all metrics.
        known: String,
    },
}
