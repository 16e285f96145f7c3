//! Runs a plan on all cores.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagerace_sim::{Outcome, Scenario};

use crate::error::LabError;
use crate::parallel;
use crate::plan::Plan;
use crate::results::{Results, RunSummary, Variant};

/// Loads a page once: scenario, seed, whether to record a trace. The same
/// arguments must give the same outcome. An error says why the scenario cannot
/// be run at all; a load that fails is an outcome.
pub type Runner<'a> = dyn Fn(&Scenario, u64, bool) -> Result<Outcome, String> + Sync + 'a;

/// How far a race is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Loads that are complete.
    pub done: usize,
    /// Loads in all.
    pub total: usize,
}

/// Told after each load, from any thread; breaks the race off by returning
/// [`ControlFlow::Break`].
pub type OnProgress<'a> = dyn Fn(Progress) -> ControlFlow<()> + Sync + 'a;

/// A worker's last scenario: consecutive loads mostly belong to one variant.
#[derive(Default)]
pub(crate) struct Cached(Option<(usize, Scenario)>);

impl Cached {
    /// The scenario of the variant at `index`.
    pub(crate) fn scenario(&mut self, plan: &Plan, index: usize) -> &Scenario {
        if self.0.as_ref().is_none_or(|(cached, _)| *cached != index) {
            self.0 = Some((index, plan.scenario(index)));
        }
        &self.0.as_ref().expect("just filled").1
    }
}

/// Runs `total` pieces of work that may fail, and stops at the first error.
///
/// # Errors
/// [`LabError::Scenario`] of a piece that failed, [`LabError::Interrupted`] if
/// `progress` broke off.
pub(crate) fn run_all<T: Send + Sync>(
    jobs: usize,
    total: usize,
    work: &(impl Fn(&mut Cached, usize) -> Result<T, String> + Sync),
    progress: &OnProgress<'_>,
) -> Result<Vec<T>, LabError> {
    let reached = AtomicUsize::new(0);
    let error = Mutex::new(None);
    let note = |reason: String| {
        error
            .lock()
            .expect("no holder panics")
            .get_or_insert(reason);
    };
    let attempt = |cached: &mut Cached, index: usize| work(cached, index).map_err(note).ok();
    let tell = |done: usize| {
        if error.lock().expect("no holder panics").is_some() {
            return ControlFlow::Break(());
        }
        reached.fetch_max(done, Ordering::Relaxed);
        progress(Progress { done, total })
    };
    let all = parallel::map(jobs, total, &attempt, &tell);
    if let Some(reason) = error.into_inner().expect("no holder panics") {
        return Err(LabError::Scenario(reason));
    }
    let done = reached.into_inner();
    all.and_then(|slots| slots.into_iter().collect())
        .ok_or(LabError::Interrupted { done, total })
}

/// Runs every load of `plan` on `jobs` threads. The results depend on the
/// plan alone, not on `jobs`.
///
/// # Errors
/// [`LabError::Plan`] or [`LabError::Scenario`] if the plan cannot be run,
/// [`LabError::Interrupted`] if `progress` broke off.
pub fn run_race(
    plan: &Plan,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<Results, LabError> {
    plan.check()?;
    let runs = plan.runs as usize;
    let load = |cached: &mut Cached, index: usize| {
        let (variant, run) = (index / runs, index % runs);
        let outcome = runner(cached.scenario(plan, variant), plan.run_seed(run), false)?;
        Ok(RunSummary::from(&outcome))
    };
    let mut summaries = run_all(jobs, plan.loads(), &load, progress)?.into_iter();
    let variants = (0..plan.variants())
        .map(|index| {
            let (page, network, contender) = plan.variant_parts(index);
            Variant {
                page,
                network,
                contender,
                runs: summaries.by_ref().take(runs).collect(),
            }
        })
        .collect();
    Ok(Results {
        plan: plan.clone(),
        variants,
        whys: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
