//! Errors of surveys.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

/// An error of a survey.
#[derive(Debug, Error)]
pub enum SurveyError {
    /// A file of the survey cannot be read.
    #[error("{path}: cannot be read: {source}; `pagerace survey new` makes a survey's folder", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of the survey cannot be written.
    #[error("{path}: cannot be written: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The survey's file is not as it should be.
    #[error("{path}: {reason}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The field, what was found, and what is expected instead.
        reason: String,
    },
    /// The file of the answers cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: rusqlite::Error,
    },
    /// The file of the answers is that of something else.
    #[error("{path}: holds no answers of this version of Pagerace; move it away", path = path.display())]
    OtherStore {
        /// The file.
        path: PathBuf,
    },
    /// The server cannot listen.
    #[error("{address}: cannot listen there: {source}; choose another with --port or --address")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The system has no random numbers.
    #[error("the operating system provides no random bytes")]
    Random,
}
