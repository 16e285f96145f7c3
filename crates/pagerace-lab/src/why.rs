//! Explanation of the difference between two contenders: in a pair of runs, the
//! simulator splits a metric's time along the critical path.

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
use crate::stats::median_place;

mod absence;
mod json;
mod round;
mod sentence;

pub use absence::no_pair;
pub use json::{WHY_FORMAT, WHY_SCHEMA, write_why_json};
pub use round::{STEP, steps};
pub use sentence::sentence;

/// Loads a page once and explains a metric; `None` if the load has no value of it.
/// Returns an error if the scenario cannot be run.
pub type Explainer<'a> =
    dyn Fn(&Scenario, u64, Explainable) -> Result<Option<Explained>, String> + Sync + 'a;

/// The explanation of a contender's difference from the baseline, in one pair of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// Index into [`Plan::pages`].
    pub page: usize,
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Index into [`Plan::contenders`].
    pub contender: usize,
    /// Index of the run with the median difference, from zero.
    pub run: usize,
    /// The metric that is explained.
    pub metric: Explainable,
    /// The baseline's time.
    pub base: Split,
    /// The contender's time.
    pub own: Split,
}

/// A metric's time, split into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The metric's value: the sum of `parts`.
    pub total: Duration,
    /// The time spent on each part.
    pub parts: Parts,
    /// The critical path, from the navigation to the metric.
    pub path: Vec<Step>,
}

impl Why {
    /// Returns how much more time the contender spends on `part` than the baseline, in
    /// nanoseconds.
    pub fn difference(&self, part: Part) -> i64 {
        nanos(self.own.parts.get(part)) - nanos(self.base.parts.get(part))
    }

    /// Returns how much later the contender reaches the metric than the baseline, in
    /// nanoseconds. This is the sum of the differences of all parts.
    pub fn total_difference(&self) -> i64 {
        nanos(self.own.total) - nanos(self.base.total)
    }
}

/// Returns the title of a part on this network. Without random loss, every loss is a
/// queue overflow.
pub fn title(part: Part, network: &Network) -> &'static str {
    if part == Part::Loss && !is_lossy(network) {
        "queue overflow: loss recovery, HOL blocking"
    } else {
        part.title()
    }
}

/// Converts a duration to signed nanoseconds; those of a load are far from the limit.
fn nanos(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns the simulator's name of `metric`.
///
/// # Errors
/// [`LabError::NotExplainable`] with the explainable metrics.
pub fn explainable(metric: MetricId) -> Result<Explainable, LabError> {
    let name = metric.metric().name;
    let found = Explainable::ALL.into_iter().find(|e| e.name() == name);
    found.ok_or_else(|| LabError::NotExplainable {
        metric: name.to_owned(),
        known: Explainable::ALL.map(Explainable::name).join(", "),
    })
}

/// Returns the earliest run with the (lower) median difference between two variants;
/// `None` if no run has a finite difference.
pub fn median_pair(base: &Variant, own: &Variant, metric: MetricId) -> Option<usize> {
    let pairs = base.values(metric).into_iter().zip(own.values(metric));
    median_place(pairs.map(|(base, own)| Some(own? - base?)))
}

/// Returns true if a race's contenders are explained by default: they differ in more
/// than the strategy, and the metric is explainable.
pub fn is_explained(plan: &Plan) -> bool {
    let several = plan.contenders.len() > 1;
    several && plan.varying().beyond_strategy() && explainable(plan.metric).is_ok()
}

/// Maximum number of loads that [`explain_race`] runs.
pub fn loads(plan: &Plan) -> usize {
    2 * plan.pages.len() * plan.networks.len() * (plan.contenders.len() - 1)
}

/// Explains the plan's metric for every contender that is marked as better, worse,
/// within the model's error or breaking objects, in the run with the median
/// difference, and stores the explanations in [`Results::whys`]. Contenders without a
/// pair of finished runs are left out.
///
/// # Errors
/// [`LabError::NotExplainable`], and the errors of a race.
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

/// Explains one run of one contender on the first page and network, as
/// [`explain_race`] does; `None` if the metric has no value on either side.
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
