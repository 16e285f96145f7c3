//! Lighthouse's prediction of the same pages, as a second opinion.

use anyhow::Result;
use pagerace_lab::Plan;
use pagerace_lab::calibrate::lighthouse::LighthousePrediction;

use crate::cli::live::CalibrateArgs;
use crate::progress::Watch;

/// What Lighthouse's simulation says of each page and network.
pub(super) fn lighthouse(
    _args: &CalibrateArgs,
    _plan: &Plan,
    _watch: &Watch,
) -> Result<Vec<LighthousePrediction>> {
    Ok(Vec::new())
}
