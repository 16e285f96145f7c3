//! What can go wrong with a browser, its files, and the programs around it.

use std::io;
use std::path::PathBuf;

use pagerace_core::Duration;

/// A load cannot be measured or recorded.
#[derive(Debug, thiserror::Error)]
pub enum ChromiumError {
    /// There is no Chromium.
    #[error(
        "no Chromium found (looked for {looked_for}); install it (Debian: apt install chromium), or name the program with --chromium PATH or $PAGERACE_CHROMIUM; races in simulation work without it"
    )]
    NotFound {
        /// Names and paths that were tried.
        looked_for: String,
    },
    /// The program cannot be started.
    #[error("cannot start {executable}: {source}")]
    Start {
        /// Which program.
        executable: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder for the browser cannot be made or read.
    #[error("cannot use {path}: {source}; give a folder that may be written and has room")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The browser ended, or closed its end of the pipe.
    #[error("Chromium ended before its work was done; the last that it said: {said}")]
    Ended {
        /// The last lines of its standard error.
        said: String,
    },
    /// The browser did not answer or did not get there in time.
    #[error(
        "Chromium took more than {waited} for {what}; a busy machine or a page that never ends: give it more time"
    )]
    Timeout {
        /// What was awaited.
        what: String,
        /// How long.
        waited: Duration,
    },
    /// A call was refused.
    #[error("Chromium refused {method}: {message}")]
    Refused {
        /// Method of the DevTools protocol.
        method: String,
        /// In Chromium's words.
        message: String,
    },
    /// An answer lacks what the protocol promises.
    #[error("Chromium's answer to {method} has no {missing}; it may be too old or too new")]
    Answer {
        /// Method of the DevTools protocol.
        method: String,
        /// What is not there.
        missing: &'static str,
    },
    /// The document could not be loaded.
    #[error("cannot load {url}: {reason}")]
    Navigation {
        /// Address.
        url: String,
        /// Chromium's word, such as `net::ERR_NAME_NOT_RESOLVED`.
        reason: String,
    },
    /// The renderer crashed.
    #[error("the page's process crashed while it loaded {url}")]
    Crashed {
        /// Address.
        url: String,
    },
    /// A device has no such name.
    #[error("no device is called {name:?}; choose desktop, mobile or tablet")]
    Device {
        /// What was written.
        name: String,
    },
    /// A network log is none.
    #[error("{path} is no network log of Chromium: {found}")]
    NetLog {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// A program for Node.js cannot be installed or run.
    #[error("{program} is not available: {reason}")]
    Node {
        /// Which.
        program: &'static str,
        /// Why, and what helps.
        reason: String,
    },
}
