//! Errors of studies. Each names the file, the place and what to do.

use std::io;
use std::path::PathBuf;

use pagerace_lab::LabError;
use thiserror::Error;

/// The reason why a study cannot be read, run or exported.
#[derive(Debug, Error)]
pub enum StudyError {
    /// A file or folder could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The plan is invalid.
    #[error("{}: {reason}", path.display())]
    Plan {
        /// The plan.
        path: PathBuf,
        /// The place, what was found and what is expected.
        reason: String,
    },
    /// A file of results is damaged or of another version.
    #[error("{}: {reason}; remove the file and run the study again", path.display())]
    Shard {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A load could not be run, or a file not be written.
    #[error(transparent)]
    Lab(#[from] LabError),
}
