//! Runs the loads of a plan.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagerace_core::parallel;
use pagerace_report::input::Provenance;
use pagerace_sim::{Outcome, Scenario};

use crate::analysis::{Comparison, analyse};
use crate::error::LabError;
use crate::plan::Plan;
use crate::results::{Results, RunSummary};

/// Loads a page once, given a scenario, a seed, and true to record a trace. The
/// same arguments must give the same outcome. Returns an error if the scenario
/// cannot be run at all; a load that fails is an outcome.
pub type Runner<'a> = dyn Fn(&Scenario, u64, bool) -> Result<Outcome, String> + Sync + 'a;

/// Returns all loads of a live race in order: run 0 of every variant, then run 1, so that
/// drift on a real machine affects all variants alike. The contender that goes first rotates.
pub fn interleaved(plan: &Plan) -> impl Iterator<Item = Load> + '_ {
    (0..plan.loads()).map(|index| {
        let (run, place) = (index / plan.variants(), index % plan.variants());
        let (page, network, contender) = plan.variant_parts(place);
        Load {
            page,
            network,
            contender: (contender + run) % plan.contenders.len(),
            run,
            seed: plan.run_seed(run),
        }
    })
}

/// One load of a race, as indices into the plan and the run's seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Index into [`Plan::pages`].
    pub page: usize,
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Index into [`Plan::contenders`].
    pub contender: usize,
    /// Index of the run within the variant, from zero.
    pub run: usize,
    /// The run's seed, the same for all variants.
    pub seed: u64,
}

/// The progress of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of completed loads.
    pub done: usize,
    /// Total number of loads.
    pub total: usize,
}

/// Called after each load, from any thread. Stops the race by returning
/// [`ControlFlow::Break`].
pub type OnProgress<'a> = dyn Fn(Progress) -> ControlFlow<()> + Sync + 'a;

/// Runs `total` fallible work items, and stops at the first error.
///
/// # Errors
/// [`LabError::Scenario`] if an item fails, [`LabError::Interrupted`] if
/// `progress` stops the run.
pub fn run_all<T: Send + Sync>(
    jobs: usize,
    total: usize,
    work: &(impl Fn(usize) -> Result<T, String> + Sync),
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
    let attempt = |(): &mut (), index: usize| work(index).map_err(note).ok();
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

/// Runs every load of `plan` on `jobs` threads in the simulator. The results
/// depend only on the plan, not on `jobs`.
///
/// # Errors
/// [`LabError::Plan`] or [`LabError::Scenario`] if the plan cannot be run,
/// [`LabError::Interrupted`] if `progress` stops the run.
pub fn run_race(
    plan: &Plan,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<Results, LabError> {
    let mut results = Results::planned(plan, Provenance::Simulated);
    for network in 0..plan.networks.len() {
        run_network(&mut results, network, jobs, runner, progress)?;
    }
    Ok(results)
}

/// Runs every load on one network of the plan, as [`run_race`] does, and adds the runs to
/// [planned](Results::planned) results.
///
/// # Errors
/// As [`run_race`].
pub fn run_network(
    results: &mut Results,
    network: usize,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<(), LabError> {
    let plan = results.plan.clone();
    plan.check()?;
    let (pages, contenders) = (plan.pages.len(), plan.contenders.len());
    let later = (plan.networks.len() - network - 1) * pages * contenders * plan.runs as usize;
    let mut open: Vec<usize> = (0..pages).collect();
    let mut runs = 0..plan.first_runs();
    while !open.is_empty() {
        // Contenders of a page follow each other, so that a stopped race has whole pairs.
        let loads: Vec<(usize, usize, usize)> = open
            .iter()
            .flat_map(|page| (0..contenders).map(move |contender| (*page, contender)))
            .flat_map(|(page, contender)| runs.clone().map(move |run| (page, contender, run)))
            .collect();
        let load = |index: usize| {
            let (page, contender, run) = loads[index];
            let variant = plan.variant_index(page, network, contender);
            summary(&plan, runner, variant, run)
        };
        let done: usize = results.variants.iter().map(|one| one.runs.len()).sum();
        let rest = open.len() * contenders * (plan.runs as usize).saturating_sub(runs.end);
        let total = done + loads.len() + rest + later;
        let tell = |now: Progress| {
            let done = done + now.done;
            progress(Progress { done, total })
        };
        let summaries = run_all(jobs, loads.len(), &load, &tell).map_err(|error| match error {
            LabError::Interrupted { done: here, .. } => {
                let done = done + here;
                LabError::Interrupted { done, total }
            }
            other => other,
        })?;
        for ((page, contender, _), summary) in loads.iter().zip(summaries) {
            let place = plan.variant_index(*page, network, *contender);
            results.variants[place].runs.push(summary);
        }
        open.retain(|page| runs.end < plan.most_runs() && !stands(results, *page, network));
        runs = runs.end..plan.more_runs(runs.end);
    }
    Ok(())
}

/// Runs a load of the variant at `variant`.
pub(crate) fn summary(
    plan: &Plan,
    runner: &Runner<'_>,
    variant: usize,
    run: usize,
) -> Result<RunSummary, String> {
    let outcome = runner(&plan.scenario(variant, run), plan.run_seed(run), false)?;
    Ok(RunSummary::from(&outcome))
}

/// Returns true if more runs would hardly change any conclusion on this page and network.
fn stands(results: &Results, page: usize, network: usize) -> bool {
    let analysis = analyse(results, page, network, results.plan.metric);
    analysis.rows.iter().all(Comparison::is_firm)
}

/// Runs every load of `plan` live: one after the other on this thread,
/// [interleaved]. `load` measures one load. A failed load
/// is a result; an error ends the race. The caller adds
/// [`Results::environment`].
///
/// # Errors
/// As [`run_race`]; [`LabError::Live`] holds the error of `load`.
pub fn run_live(
    plan: &Plan,
    mut load: impl FnMut(Load) -> Result<RunSummary, String>,
    progress: &OnProgress<'_>,
) -> Result<Results, LabError> {
    plan.check()?;
    let total = plan.loads();
    let mut results = Results::planned(plan, Provenance::Live);
    for (index, next) in interleaved(plan).enumerate() {
        let place = plan.variant_index(next.page, next.network, next.contender);
        let summary = load(next).map_err(LabError::Live)?;
        results.variants[place].runs.push(summary);
        let done = index + 1;
        // A complete race is worth keeping, even if the last call asked to stop.
        if progress(Progress { done, total }).is_break() && done < total {
            return Err(LabError::Interrupted { done, total });
        }
    }
    Ok(results)
}

#[cfg(test)]
mod tests;
