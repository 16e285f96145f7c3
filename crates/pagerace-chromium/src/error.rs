//! Errors of the browser, its files, and its helper programs.

use std::io;
use std::path::PathBuf;

use pagerace_core::Duration;

/// The reason why a load cannot be measured or recorded.
#[derive(Debug, thiserror::Error)]
pub enum ChromiumError {
    /// Chromium is not installed.
    #[error(
        "no Chromium found (looked for {looked_for}); install it (Debian: apt install chromium), or name the program with --chromium PATH or $PAGERACE_CHROMIUM; races in simulation work without it"
    )]
    NotFound {
        /// The names and paths that were tried.
        looked_for: String,
    },
    /// The program cannot be started.
    #[error("cannot start {executable}: {source}")]
    Start {
        /// The path of the program.
        executable: PathBuf,
        /// The error reported by the operating system.
        source: io::Error,
    },
    /// A file or folder for the browser cannot be created or read.
    #[error("cannot use {path}: {source}; give a writable folder with free space")]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error reported by the operating system.
        source: io::Error,
    },
    /// The browser has ended, or has closed its end of the pipe.
    #[error("Chromium exited early; its last output: {said}")]
    Ended {
        /// The last lines of the browser's standard error.
        said: String,
    },
    /// The browser did not answer or finish in time.
    #[error(
        "Chromium took more than {waited} for {what}; the machine is busy or the page never ends: \
         give it more time"
    )]
    Timeout {
        /// The awaited answer or event.
        what: String,
        /// The time for which it was awaited.
        waited: Duration,
    },
    /// The browser refused a call.
    #[error("Chromium refused {method}: {message}")]
    Refused {
        /// The method of the DevTools protocol.
        method: String,
        /// The error message from Chromium.
        message: String,
    },
    /// An answer lacks a field that the protocol guarantees.
    #[error("Chromium's answer to {method} has no {missing}; it may be too old or too new")]
    Answer {
        /// The method of the DevTools protocol.
        method: String,
        /// The missing field.
        missing: &'static str,
    },
    /// The document could not be loaded.
    #[error("cannot load {url}: {reason}")]
    Navigation {
        /// The address of the document.
        url: String,
        /// Chromium's error code, such as `net::ERR_NAME_NOT_RESOLVED`.
        reason: String,
    },
    /// The renderer crashed.
    #[error("the page's process crashed while it loaded {url}")]
    Crashed {
        /// The address of the page.
        url: String,
    },
    /// A file is not a network log.
    #[error("{path} is not a network log of Chromium: {found}")]
    NetLog {
        /// The path of the file.
        path: PathBuf,
        /// Description of the error.
        found: String,
    },
    /// A program for Node.js cannot be installed or run.
    #[error("{program} is not available: {reason}")]
    Node {
        /// The name of the program.
        program: &'static str,
        /// The reason, with a remedy where there is one.
        reason: String,
    },
}
