//! Why one contender is slower than another: a metric's time of a pair of runs,
//! taken apart along the critical path by the simulator.

use pagerace_core::Duration;
use pagerace_net::Network;
use pagerace_sim::{Explainable, Explained, Part, Parts, Scenario, Step};

use crate::analysis::{Mark, analyse};
use crate::error::LabError;
use crate::metric::MetricId;
use crate::model_error::is_lossy;
use crate::plan::Plan;
use crate::results::{Results, Variant};
use crate::runner::{Cached, OnProgress, run_all};

mod absence;
mod json;
mod round;
mod sentence;

pub use absence::no_pair;
pub use json::{WHY_FORMAT, WHY_SCHEMA, write_why_json};
pub use round::{STEP, steps};
pub use sentence::sentence;

/// Loads a page once and takes a metric apart; `None` if the load has no such
/// metric. An error says why the scenario cannot be run.
pub type Explainer<'a> =
    dyn Fn(&Scenario, u64, Explainable) -> Result<Option<Explained>, String> + Sync + 'a;

/// A contender beside the baseline, in one run of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// Index into [`Plan::pages`].
    pub page: usize,
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Index into [`Plan::contenders`].
    pub contender: usize,
    /// The run, from zero: that whose difference is the median.
    pub run: usize,
    /// What was taken apart.
    pub metric: Explainable,
    /// The baseline's time.
    pub base: Split,
    /// The contender's time.
    pub own: Split,
}

/// A metric's time, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The metric's value: the sum of `parts`.
    pub total: Duration,
    /// Where it went.
    pub parts: Parts,
    /// The critical path, from the navigation to the metric.
    pub path: Vec<Step>,
}

impl Why {
    /// How much more time than the baseline the contender spends on `part`, in
    /// nanoseconds.
    pub fn difference(&self, part: Part) -> i64 {
        nanos(self.own.parts.get(part)) - nanos(self.base.parts.get(part))
    }

    /// How much later than the baseline's the contender's metric is, in
    /// nanoseconds: the sum of the differences of all parts.
    pub fn total_difference(&self) -> i64 {
        nanos(self.own.total) - nanos(self.base.total)
    }
}

/// What a part is called on this network: where nothing is lost at random, a loss is a
/// packet that the queue had no room for.
pub fn title(part: Part, network: &Network) -> &'static str {
    if part == Part::Loss && !is_lossy(network) {
        "queue overflow: loss recovery, HOL blocking"
    } else {
        part.title()
    }
}

/// A span in signed nanoseconds; those of a load fit by far.
fn nanos(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)
}

/// What the simulator calls `metric`.
///
/// # Errors
/// [`LabError::NotExplainable`] names those that can be taken apart.
pub fn explainable(metric: MetricId) -> Result<Explainable, LabError> {
    let name = metric.metric().name;
    let found = Explainable::ALL.into_iter().find(|e| e.name() == name);
    found.ok_or_else(|| LabError::NotExplainable {
        metric: name.to_owned(),
        known: Explainable::ALL.map(Explainable::name).join(", "),
    })
}

/// The run whose difference between two variants is the (lower) median, the
/// earliest of equals; `None` if no run has a value in both.
pub fn median_pair(base: &Variant, own: &Variant, metric: MetricId) -> Option<usize> {
    let pairs = base.values(metric).into_iter().zip(own.values(metric));
    let mut differences: Vec<(f64, usize)> = pairs
        .enumerate()
        .filter_map(|(run, (base, own))| Some((own? - base?, run)))
        .filter(|(difference, _)| difference.is_finite())
        .collect();
    differences.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let middle = differences.len().checked_sub(1)? / 2;
    let value = differences[middle].0;
    let first = differences.iter().find(|(d, _)| *d >= value);
    first.map(|(_, run)| *run)
}

/// Whether a race's contenders are explained without being asked: if they
/// differ in more than the strategy, and the metric can be taken apart.
pub fn is_explained(plan: &Plan) -> bool {
    let several = plan.contenders.len() > 1;
    several && plan.varying().beyond_strategy() && explainable(plan.metric).is_ok()
}

/// How many loads [`explain_race`] runs at most.
pub fn loads(plan: &Plan) -> usize {
    2 * plan.pages.len() * plan.networks.len() * (plan.contenders.len() - 1)
}

/// Takes the plan's metric apart for every contender that surely differs from the
/// baseline, in the run whose difference is the median, and leaves it in
/// [`Results::whys`]. A contender that has no pair of finished runs is left out.
///
/// # Errors
/// [`LabError::NotExplainable`], and those of a race.
pub fn explain_race(
    results: &mut Results,
    jobs: usize,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<(), LabError> {
    let plan = &results.plan;
    let mut pairs = Vec::new();
    for variant in &results.variants {
        let analysis = analyse(results, variant.page, variant.network, plan.metric);
        let mark = analysis.rows[variant.contender].mark;
        if !matches!(
            mark,
            Mark::Better | Mark::Worse | Mark::WithinModel | Mark::Broken
        ) {
            continue;
        }
        let base = results.variant(variant.page, variant.network, plan.baseline);
        if let Some(run) = median_pair(base, variant, plan.metric) {
            pairs.push((variant.page, variant.network, variant.contender, run));
        }
    }
    results.whys = explain_pairs(plan, &pairs, jobs, explainer, progress)?;
    Ok(())
}

/// Page, network, contender and run.
type Pair = (usize, usize, usize, usize);

/// As [`explain_race`], for one run of one contender of the first page and
/// network; `None` if the metric has no value on either side.
///
/// # Errors
/// As [`explain_race`].
pub fn explain_run(
    plan: &Plan,
    contender: usize,
    run: usize,
    jobs: usize,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<Option<Why>, LabError> {
    let whys = explain_pairs(plan, &[(0, 0, contender, run)], jobs, explainer, progress)?;
    Ok(whys.into_iter().next())
}

fn explain_pairs(
    plan: &Plan,
    pairs: &[Pair],
    jobs: usize,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<Vec<Why>, LabError> {
    let metric = explainable(plan.metric)?;
    let load = |cached: &mut Cached, index: usize| {
        let (page, network, contender, run) = pairs[index / 2];
        let contender = if index.is_multiple_of(2) {
            plan.baseline
        } else {
            contender
        };
        let scenario = cached.scenario(plan, plan.variant_index(page, network, contender));
        let explained = explainer(scenario, plan.run_seed(run), metric)?;
        Ok(explained.map(Split::from))
    };
    let splits = run_all(jobs, 2 * pairs.len(), &load, progress)?;
    let mut splits = splits.into_iter();
    let mut whys = Vec::new();
    for &(page, network, contender, run) in pairs {
        if let (Some(base), Some(own)) = (splits.next().flatten(), splits.next().flatten()) {
            whys.push(Why {
                page,
                network,
                contender,
                run,
                metric,
                base,
                own,
            });
        }
    }
    Ok(whys)
}

impl From<Explained> for Split {
    fn from(explained: Explained) -> Self {
        assert_eq!(
            explained.parts.total(),
            explained.total,
            "the simulator's parts add up"
        );
        Self {
            total: explained.total,
            parts: explained.parts,
            path: explained.path,
        }
    }
}

#[cfg(test)]
mod tests;
