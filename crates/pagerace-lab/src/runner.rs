//! Runs the loads of a plan.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagerace_core::parallel;
use pagerace_report::input::Provenance;
use pagerace_sim::{Outcome, Scenario};

use crate::error::LabError;
use crate::plan::Plan;
use crate::results::{Results, RunSummary, Variant};

/// Loads a page once, given a scenario, a seed, and true to record a trace. The
/// same arguments must give the same outcome. Returns an error if the scenario
/// cannot be run at all; a load that fails is an outcome.
pub type Runner<'a> = dyn Fn(&Scenario, u64, bool) -> Result<Outcome, String> + Sync + 'a;

/// The order in which the loads of a race run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// All runs of a variant before those of the next, so that each scenario is built once.
    #[default]
    ByVariant,
    /// Run 0 of every variant, then run 1, so that drift on a real machine
    /// affects all variants alike. The contender that goes first rotates.
    Interleaved,
}

impl Order {
    /// Returns all loads of the plan in this order.
    pub fn loads(self, plan: &Plan) -> impl Iterator<Item = Load> + '_ {
        (0..plan.loads()).map(move |index| {
            let (variant, run) = self.load(plan, index);
            let (page, network, contender) = plan.variant_parts(variant);
            Load {
                page,
                network,
                contender,
                run,
                seed: plan.run_seed(run),
            }
        })
    }

    /// Returns variant and run of the load at `index` in this order.
    fn load(self, plan: &Plan, index: usize) -> (usize, usize) {
        let runs = plan.runs as usize;
        match self {
            Self::ByVariant => (index / runs, index % runs),
            Self::Interleaved => {
                let (run, place) = (index / plan.variants(), index % plan.variants());
                let (page, network, contender) = plan.variant_parts(place);
                let turned = (contender + run) % plan.contenders.len();
                (plan.variant_index(page, network, turned), run)
            }
        }
    }
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

/// A worker's last scenario, because consecutive loads mostly belong to one variant.
#[derive(Default)]
pub struct Cached(Option<(usize, Scenario)>);

impl Cached {
    /// Returns the scenario of the variant at `index`.
    pub fn scenario(&mut self, plan: &Plan, index: usize) -> &Scenario {
        if self.0.as_ref().is_none_or(|(cached, _)| *cached != index) {
            self.0 = Some((index, plan.scenario(index)));
        }
        &self.0.as_ref().expect("just filled").1
    }
}

/// Runs `total` fallible work items, and stops at the first error.
///
/// # Errors
/// [`LabError::Scenario`] if an item fails, [`LabError::Interrupted`] if
/// `progress` stops the run.
pub fn run_all<T: Send + Sync>(
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
    plan.check()?;
    let order = Order::ByVariant;
    let load = |cached: &mut Cached, index: usize| {
        let (variant, run) = order.load(plan, index);
        let outcome = runner(cached.scenario(plan, variant), plan.run_seed(run), false)?;
        Ok(RunSummary::from(&outcome))
    };
    let summaries = run_all(jobs, plan.loads(), &load, progress)?;
    Ok(collect(plan, order, Provenance::Simulated, summaries))
}

/// Runs every load of `plan` live: one after the other on this thread,
/// [interleaved](Order::Interleaved). `load` measures one load. A failed load
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
    let (order, total) = (Order::Interleaved, plan.loads());
    let mut summaries = Vec::with_capacity(total);
    for (index, next) in order.loads(plan).enumerate() {
        summaries.push(load(next).map_err(LabError::Live)?);
        let done = index + 1;
        // A complete race is worth keeping, even if the last call asked to stop.
        if progress(Progress { done, total }).is_break() && done < total {
            return Err(LabError::Interrupted { done, total });
        }
    }
    Ok(collect(plan, order, Provenance::Live, summaries))
}

/// Builds the results from the summaries of all loads, given in `order`.
fn collect(
    plan: &Plan,
    order: Order,
    provenance: Provenance,
    summaries: Vec<RunSummary>,
) -> Results {
    let mut loads: Vec<((usize, usize), RunSummary)> = summaries
        .into_iter()
        .enumerate()
        .map(|(index, summary)| (order.load(plan, index), summary))
        .collect();
    loads.sort_by_key(|(place, _)| *place);
    let mut loads = loads.into_iter().map(|(_, summary)| summary);
    let variants = (0..plan.variants())
        .map(|index| {
            let (page, network, contender) = plan.variant_parts(index);
            Variant {
                page,
                network,
                contender,
                runs: loads.by_ref().take(plan.runs as usize).collect(),
            }
        })
        .collect();
    Results::new(plan, provenance, variants)
}

#[cfg(test)]
mod tests;
