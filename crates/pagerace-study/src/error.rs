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
    /// A folder could not be created.
    #[error("{}: cannot be created: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file holds no loads that statistics could use.
    #[error("{}: {reason}", path.display())]
    Loads {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A folder holds loads with different settings.
    #[error(
        "{}: holds two kinds of loads of {page} with {contender} on {network}, which differ in \
         settings; write those of one plan to a file with `pagerace study export`, and name it",
        path.display()
    )]
    Mixed {
        /// The folder or file.
        path: PathBuf,
        /// The page.
        page: String,
        /// The contender.
        contender: String,
        /// The network.
        network: String,
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
