//! Predicted differences between two contenders compared with measured ones.
//! Decisions rest on such differences rather than on single values.
//!
//! Only contenders that differ in one respect are compared. A live difference is
//! significant if the p-value of Welch's test of the live runs is below [`LEVEL`];
//! rank tests would need at least four runs per side. The number of pairs is not
//! corrected for, because the result is how often signs agree, not a list of winners.

use std::collections::BTreeMap;

use pagerace_lab::analysis::LEVEL;
use pagerace_lab::contender::Contender;
use pagerace_lab::metric::MetricId;
use pagerace_lab::model_error::DifferenceKind;
use pagerace_lab::stats::{
    Grouped, crossed, differences as paired, lower_share, median, quantile, welch,
};
use pagerace_page::intervention::Effect;
use pagerace_page::{Intervention, PaintEvidence};
use serde::Serialize;

use crate::observation::Observation;
use crate::prediction::Prediction;

/// Returns the respect in which the contenders differ; `None` if they are equal, differ
/// in more than one respect, or differ in interventions of which the first has any.
fn kind(first: &Contender, second: &Contender) -> Option<DifferenceKind> {
    let same = |change: fn(&mut Contender, &Contender)| {
        let mut changed = first.clone();
        change(&mut changed, second);
        changed == *second
    };
    if first == second {
        return None;
    }
    if same(|c, other| c.protocols = other.protocols.clone()) {
        return Some(DifferenceKind::Protocol);
    }
    if same(|c, other| c.strategy = other.strategy.clone()) {
        return Some(DifferenceKind::Strategy);
    }
    if same(|c, other| c.congestion.clone_from(&other.congestion)) {
        return Some(DifferenceKind::Controller);
    }
    if same(|c, other| c.changes = other.changes.clone()) {
        return first.changes.is_empty().then_some(DifferenceKind::Change);
    }
    if !first.interventions.is_empty()
        || !same(|c, other| c.interventions = other.interventions.clone())
    {
        return None;
    }
    let blocks = |one: &Intervention| matches!(one.effect, Effect::Block(_));
    let blocks = second.interventions.all().iter().any(blocks);
    Some(if blocks {
        DifferenceKind::Block
    } else {
        DifferenceKind::Delay
    })
}

/// The difference between two contenders on one page and network, by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// True if the network loses packets at random.
    pub lossy: bool,
    /// True if the page was not used to tune the model.
    pub held_out: bool,
    /// The metric that is compared.
    pub metric: MetricId,
    /// The respect in which the contenders differ.
    pub kind: DifferenceKind,
    /// Both contenders; the first is the baseline.
    pub contenders: [String; 2],
    /// The evidence for the paints of the predicted page.
    pub evidence: PaintEvidence,
    /// The baseline's live median, in the metric's unit.
    pub baseline: f64,
    /// The second contender's live median less the baseline's.
    pub observed: f64,
    /// The predicted difference.
    pub predicted: f64,
    /// P-value of Welch's test of the live runs.
    pub p: Option<f64>,
    /// The simulated differences.
    #[serde(skip)]
    pub simulated: Simulated,
}

/// The differences of simulated runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simulated {
    /// All differences between a run of the second contender and one of the baseline.
    pub crossed: Spread,
    /// The differences of runs with the same seed.
    pub paired: Spread,
    /// The share of `crossed` in which the second contender has the lower value.
    pub sooner: f64,
}

/// Where simulated differences lie, as shares of the baseline's predicted median.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The median.
    pub middle: f64,
    /// The central 95 %.
    pub central95: (f64, f64),
    /// The central 90 %.
    pub central90: (f64, f64),
    /// The central 80 %.
    pub central80: (f64, f64),
}

impl Simulated {
    /// Returns the paired or the crossed differences.
    pub fn of(&self, paired: bool) -> &Spread {
        if paired { &self.paired } else { &self.crossed }
    }
}

impl Difference {
    /// Returns true if the live difference is significant.
    pub(crate) fn is_significant(&self) -> bool {
        self.observed != 0.0 && self.p.is_some_and(|p| p < LEVEL)
    }

    /// Returns true if both differences have the same sign.
    pub(crate) fn same_sign(&self) -> bool {
        self.observed * self.predicted > 0.0
    }

    /// The predicted difference less the live one, as a share of the baseline's
    /// live median.
    pub fn signed_error(&self) -> f64 {
        (self.predicted - self.observed) / self.baseline
    }
}

/// An observation with its prediction.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The observation.
    pub observation: &'a Observation,
    /// The prediction.
    pub prediction: &'a Prediction,
    /// True if the network loses packets at random.
    pub lossy: bool,
    /// True if the page was not used to tune the model.
    pub held_out: bool,
}

/// Returns the differences among `pairs` that have both values by `metric`.
///
/// # Panics
/// Panics if a value is not a number.
pub fn differences(pairs: &[Pair<'_>], metric: MetricId) -> Vec<Difference> {
    let mut all = Vec::new();
    for first in pairs {
        let here = pairs.iter().filter(|second| {
            // Loads in different settings differ in more than their contenders.
            second.observation.page == first.observation.page
                && second.observation.network == first.observation.network
                && second.observation.setting == first.observation.setting
        });
        all.extend(here.filter_map(|second| difference(first, second, metric)));
    }
    all
}

/// Returns `None` also if the contenders are in the reverse order.
fn difference(first: &Pair<'_>, second: &Pair<'_>, metric: MetricId) -> Option<Difference> {
    let [a, b] = [first, second].map(|pair| &pair.observation.contender);
    let kind = kind(a, b)?;
    if has_symmetric_kind(kind) && rank(a) > rank(b) {
        return None;
    }
    let [x, y] = [first, second].map(|pair| pair.observation.values(metric));
    let (from, to) = (median(&x)?, median(&y)?);
    let predicted = [first, second].map(|pair| pair.prediction.median(metric));
    let predicted = predicted[1]? - predicted[0]?;
    let finite = [from, to, predicted].iter().all(|value| value.is_finite());
    let simulated = simulated(first.prediction, second.prediction, metric)?;
    (finite && from > 0.0).then(|| Difference {
        page: first.observation.page.clone(),
        network: first.observation.network.clone(),
        lossy: first.lossy,
        held_out: first.held_out,
        metric,
        kind,
        contenders: [a, b].map(ToString::to_string),
        evidence: first.prediction.evidence,
        baseline: from,
        observed: to - from,
        predicted,
        p: welch(&x, &y),
        simulated,
    })
}

/// Returns the spread of the simulated differences; `None` without any.
fn simulated(first: &Prediction, second: &Prediction, metric: MetricId) -> Option<Simulated> {
    let values = |one: &Prediction| -> Vec<Option<f64>> {
        one.all_runs.iter().map(|run| run.value(metric)).collect()
    };
    let grouped = |one: &Prediction| -> Vec<Grouped> {
        let all = values(one).into_iter().zip(&one.groups);
        all.filter_map(|(value, group)| Some((value?, *group)))
            .collect()
    };
    let pairs = paired(values(second).into_iter().zip(values(first)));
    let all = crossed(&grouped(second), &grouped(first));
    let base: Vec<f64> = values(first).into_iter().flatten().collect();
    let base = median(&base)?;
    Some(Simulated {
        sooner: lower_share(&all)?,
        crossed: spread(&all, base)?,
        paired: spread(&pairs, base)?,
    })
}

/// Returns the spread; `None` if the baseline is no share of anything, as a blocking time of zero.
fn spread(differences: &[f64], base: f64) -> Option<Spread> {
    if !(base > 0.0 && base.is_finite()) {
        return None;
    }
    let at = |p: f64| Some(quantile(differences, p)? / base);
    let central = |beyond: f64| Some((at(beyond)?, at(1.0 - beyond)?));
    Some(Spread {
        middle: at(0.5)?,
        central95: central(0.025)?,
        central90: central(0.05)?,
        central80: central(0.1)?,
    })
}

/// Returns true if neither contender is a change of the other.
pub(crate) fn has_symmetric_kind(kind: DifferenceKind) -> bool {
    !matches!(
        kind,
        DifferenceKind::Block | DifferenceKind::Delay | DifferenceKind::Change
    )
}

/// Sort key that puts the plainer contender first: older protocols, `sequential`, `cubic`.
fn rank(contender: &Contender) -> (String, bool, String, bool, String) {
    let strategy = contender.strategy.to_string();
    let congestion = contender.congestion.clone();
    (
        contender.protocols.to_string(),
        strategy != "sequential",
        strategy,
        congestion != "cubic",
        congestion,
    )
}

/// The error of predicted differences of one kind, by one metric, on one class of networks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DifferenceErrors {
    /// The respect in which the contenders differ.
    pub kind: DifferenceKind,
    /// The metric that is compared.
    pub metric: MetricId,
    /// True if the networks lose packets at random.
    pub lossy: bool,
    /// The evidence for the paints of the pages.
    pub evidence: PaintEvidence,
    /// Number of pairs of contenders on a page and network.
    pub pairs: usize,
    /// Number of pairs with a significant live difference.
    pub significant: usize,
    /// Number of significant pairs whose predicted difference has the same sign.
    pub sign_right: usize,
    /// Median distance between the predicted and the live difference, as a share
    /// of the baseline's live median.
    pub p50: Option<f64>,
    /// 95th percentile of the distance, as a share of the baseline's live median.
    pub p95: Option<f64>,
    /// Median of the signed error: positive if the second contender is predicted
    /// too slow relative to the first.
    pub bias: Option<f64>,
    /// Median distance in the metric's unit.
    pub distance: Option<f64>,
}

/// Computes the errors by kind, metric, class of networks and evidence, in this order.
pub fn model_errors<'a>(all: impl IntoIterator<Item = &'a Difference>) -> Vec<DifferenceErrors> {
    let mut groups = BTreeMap::<_, Vec<&Difference>>::new();
    for one in all {
        let key = (one.kind, one.metric, one.lossy, one.evidence);
        groups.entry(key).or_default().push(one);
    }
    let error = |((kind, metric, lossy, evidence), all): (
        (DifferenceKind, MetricId, bool, PaintEvidence),
        Vec<&Difference>,
    )| {
        let signed: Vec<f64> = all.iter().map(|one| one.signed_error()).collect();
        let sizes: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        let gaps = all.iter().map(|one| (one.predicted - one.observed).abs());
        let significant = || all.iter().filter(|one| one.is_significant());
        DifferenceErrors {
            kind,
            metric,
            lossy,
            evidence,
            pairs: all.len(),
            significant: significant().count(),
            sign_right: significant().filter(|one| one.same_sign()).count(),
            p50: quantile(&sizes, 0.5),
            p95: quantile(&sizes, 0.95),
            bias: median(&signed),
            distance: median(&gaps.collect::<Vec<f64>>()),
        }
    };
    groups.into_iter().map(error).collect()
}

#[cfg(test)]
mod tests;
