//! Repetition of selected runs with full recording.
//!
//! A load depends only on its scenario and seed, so a repeated run equals the original.

use pagerace_sim::Outcome;

use crate::error::LabError;
use crate::results::Results;
use crate::runner::{OnProgress, Runner, run_all};

/// A selected run of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// Index into [`Results::variants`].
    pub variant: usize,
    /// Index of the run, from zero.
    pub run: usize,
}

/// Selects the median run of every variant by the plan's metric.
pub fn median_runs(results: &Results) -> Vec<Choice> {
    let metric = results.plan.metric;
    results
        .variants
        .iter()
        .enumerate()
        .map(|(variant, v)| Choice {
            variant,
            run: v.median_run(metric),
        })
        .collect()
}

/// Repeats each choice with a trace and passes its outcome to `keep`, on any
/// thread. Returns the results of `keep` in the order of `choices`. Outcomes are
/// dropped after `keep` returns, because a trace of a large page takes megabytes.
///
/// # Errors
/// [`LabError::Scenario`] or [`LabError::Interrupted`], as in a race.
pub fn record<T: Send + Sync>(
    results: &Results,
    choices: &[Choice],
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
    keep: &(impl Fn(Choice, Outcome) -> T + Sync),
) -> Result<Vec<T>, LabError> {
    let load = |index: usize| {
        let choice = choices[index];
        let scenario = results.plan.scenario(choice.variant, choice.run);
        Ok(keep(
            choice,
            runner(&scenario, results.plan.run_seed(choice.run), true)?,
        ))
    };
    run_all(jobs, choices.len(), &load, progress)
}
