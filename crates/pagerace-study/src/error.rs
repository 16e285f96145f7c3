//! Errors of studies. Each names the file, the place and a remedy.

use std::fmt::Display;
use std::path::Path;

use pagerace_lab::LabError;
use thiserror::Error;

/// The reason why a study cannot be read, run or exported.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct StudyError(String);

impl StudyError {
    /// An error whose text says the place.
    pub(crate) fn plain(text: String) -> Self {
        Self(text)
    }

    /// Describes the fault of a file or folder.
    pub(crate) fn at(path: &Path, reason: impl Display) -> Self {
        Self(format!("{}: {reason}", path.display()))
    }

    /// Describes a file or folder that cannot be read.
    pub(crate) fn unreadable(path: &Path, cause: impl Display) -> Self {
        Self::at(path, format_args!("cannot be read: {cause}"))
    }
}

impl From<LabError> for StudyError {
    fn from(error: LabError) -> Self {
        Self(error.to_string())
    }
}
