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
use crate::runner::{OnProgress, run_all};
use crate::stats::median;

mod absence;
mod json;
mod round;
mod sentence;

pub use absence::no_pair;
pub(crate) use json::side;
pub use json::{WHY_FORMAT, WHY_SCHEMA, write_why_json};
pub use round::{STEP, steps};
pub use sentence::{cause, sentence};

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
    /// Index of the run that is explained, from zero.
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

/// Returns a typical run: of the middle third of the paired differences, the run whose two
/// values are nearest their medians. `None` if no run has a finite difference.
///
/// The run with the median difference itself may have two unusual values.
pub fn typical_run(base: &Variant, own: &Variant, metric: MetricId) -> Option<usize> {
    let sides = [base.values(metric), own.values(metric)];
    let middle = sides.clone().map(|values| {
        let finite = values.into_iter().flatten().filter(|v| v.is_finite());
        median(&finite.collect::<Vec<f64>>())
    });
    let [Some(base_median), Some(own_median)] = middle else {
        return None;
    };
    let [base, own] = sides;
    let pairs = base.into_iter().zip(own).enumerate();
    let mut runs: Vec<(f64, f64, usize)> = pairs
        .filter_map(|(run, (base, own))| {
            let (base, own) = (base?, own?);
            let away = (base - base_median).abs() / base_median.max(f64::MIN_POSITIVE)
                + (own - own_median).abs() / own_median.max(f64::MIN_POSITIVE);
            (base.is_finite() && own.is_finite()).then_some((own - base, away, run))
        })
        .collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let third = runs.len() / 3;
    let middle = &runs[third..runs.len() - third];
    let nearest = middle
        .iter()
        .min_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
    nearest.map(|(_, _, run)| *run)
}

/// Returns true if a race's contenders are explained by default: they differ in more
/// than the strategy, the metric is explainable, and the pages have navigations.
pub fn is_explained(plan: &Plan) -> bool {
    let several = plan.contenders.len() > 1;
    let loads = plan.pages.iter().all(|page| page.has_navigation());
    several && loads && plan.varying().beyond_strategy() && explainable(plan.metric).is_ok()
}

/// Maximum number of loads that [`explain_network`] runs.
pub fn loads(plan: &Plan) -> usize {
    2 * plan.pages.len() * (plan.contenders.len() - 1)
}

/// Maximum number of contenders of which open ones are explained.
const OPEN_MAX: usize = 3;

/// Explains the plan's metric on one network for every contender that wins, loses or breaks
/// objects, in a [typical run](typical_run), and adds the explanations to [`Results::whys`].
/// If the race has at most three contenders, open ones are explained, too. Contenders
/// without a pair of finished runs are left out.
///
/// # Errors
/// [`LabError::NotExplainable`], and the errors of a race.
pub fn explain_network(
    results: &mut Results,
    network: usize,
    jobs: usize,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<(), LabError> {
    let plan = &results.plan;
    let mut pairs = Vec::new();
    for page in 0..plan.pages.len() {
        let analysis = analyse(results, page, network, plan.metric);
        for (contender, row) in analysis.rows.iter().enumerate() {
            let (mark, few) = (row.mark, plan.contenders.len() <= OPEN_MAX);
            let told = mark.is_gain() || mark.is_loss() || mark == Mark::Broken;
            if contender == plan.baseline || !(told || few && mark == Mark::Open) {
                continue;
            }
            let [base, own] = [plan.baseline, contender].map(|c| results.variant(page, network, c));
            if let Some(run) = typical_run(base, own, plan.metric) {
                pairs.push((page, network, contender, run));
            }
        }
    }
    let whys = explain_pairs(plan, &pairs, jobs, explainer, progress)?;
    results.whys.extend(whys);
    Ok(())
}

/// Page, network, contender and run.
type Pair = (usize, usize, usize, usize);

/// Explains one run of one contender on the first page and network, as
/// [`explain_network`] does; `None` if the metric has no value on either side.
///
/// # Errors
/// As [`explain_network`].
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
    let load = |index: usize| {
        let (page, network, contender, run) = pairs[index / 2];
        let contender = if index.is_multiple_of(2) {
            plan.baseline
        } else {
            contender
        };
        let scenario = plan.scenario(plan.variant_index(page, network, contender), run);
        let explained = explainer(&scenario, plan.run_seed(run), metric)?;
        Ok(explained.map(Split::from))
    };
    let mut splits = run_all(jobs, 2 * pairs.len(), &load, progress)?.into_iter();
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
