//! The error that all loads failed, so that there is no result.

use std::fmt;

use anyhow::Result;
use pagerace_lab::{Results, Variant};

use super::files::reasons;

/// Error: every load failed, so there is nothing to compare.
#[derive(Debug)]
pub(crate) struct AllFailed {
    loads: usize,
    what: &'static str,
    why: String,
}

impl fmt::Display for AllFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { loads, what, why } = self;
        write!(f, "all {loads} {what} failed: {why}")
    }
}

impl std::error::Error for AllFailed {}

impl AllFailed {
    pub(super) fn new(loads: usize, what: &'static str, why: &[&str]) -> Self {
        let why = reasons(why);
        Self { loads, what, why }
    }
}

/// Returns an error if no load finished.
pub(super) fn all_failed(results: &Results) -> Result<()> {
    let failed: usize = results.variants.iter().map(Variant::failed).sum();
    let loads = results
        .variants
        .iter()
        .map(|variant| variant.runs.len())
        .sum();
    if failed < loads {
        return Ok(());
    }
    Err(AllFailed::new(loads, "loads", &results.reasons()).into())
}
