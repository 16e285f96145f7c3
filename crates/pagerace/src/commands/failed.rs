//! The errors of a command that has no result: all loads failed, or the user interrupted.

use anyhow::Result;
use pagerace_lab::Results;
use thiserror::Error;

use super::files::reasons;

/// Error: every load failed, so there is nothing to compare.
#[derive(Debug, Error)]
#[error("all {loads} {what} failed: {why}")]
pub(crate) struct AllFailed {
    loads: usize,
    what: &'static str,
    why: String,
}

impl AllFailed {
    pub(super) fn new(loads: usize, what: &'static str, why: &[&str]) -> Self {
        let why = reasons(why);
        Self { loads, what, why }
    }
}

/// The user interrupted. The text says how far the work was and which results are kept.
#[derive(Debug, Error)]
#[error("interrupted{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// Returns an error if no load finished.
pub(super) fn all_failed(results: &Results) -> Result<()> {
    let loads = results
        .variants
        .iter()
        .map(|variant| variant.runs.len())
        .sum();
    if results.failed() < loads {
        return Ok(());
    }
    Err(AllFailed::new(loads, "loads", &results.reasons()).into())
}
