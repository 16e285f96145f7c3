//! Checks if the model picks the better of two contenders where the live
//! difference is significant.
//!
//! A live difference is significant if the p-value of the Mann-Whitney test of
//! the live runs is below [`LEVEL`], corrected by Holm's method over all pairs
//! of one page, network and metric. As in a verdict, a difference below
//! [`NOTICEABLE`] is too small to name a winner. For such pairs only the sign
//! is compared, and counted separately.

use pagerace_lab::analysis::{LEVEL, NOTICEABLE};
use pagerace_lab::metric::MetricId;
use pagerace_lab::stats::{holm, mann_whitney, median};
use serde::Serialize;

use crate::observation::Observation;
use crate::prediction::Prediction;

/// A comparison of two contenders on one page and network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duel {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// True if the page was not used to tune the model.
    pub held_out: bool,
    /// The metric that is compared.
    pub metric: MetricId,
    /// Labels of both contenders.
    pub contenders: [String; 2],
    /// The second contender's live median less the first's, as a share of the
    /// lower of both; negative if the second is better.
    pub observed: Option<f64>,
    /// The predicted difference, as a share in the same way.
    pub predicted: Option<f64>,
    /// P-value of the Mann-Whitney test of the live runs, after Holm's correction.
    pub p: Option<f64>,
    /// The outcome of the duel.
    pub outcome: DuelOutcome,
}

/// The outcome of a duel for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuelOutcome {
    /// The live difference is not significant.
    Unsure,
    /// The live difference is significant, but too small to notice.
    TooSmall,
    /// The model picks the winner.
    Right,
    /// The model picks the loser.
    Wrong,
    /// The model predicts no noticeable difference, although there is one.
    Tie,
    /// The model has no value.
    NoPrediction,
}

/// Counts of outcomes over many duels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// All pairs.
    pub pairs: usize,
    /// Pairs whose live difference is not significant.
    pub unsure: usize,
    /// Pairs whose live difference is significant, but too small to notice.
    pub too_small: usize,
    /// See [`DuelOutcome::Right`].
    pub right: usize,
    /// See [`DuelOutcome::Wrong`].
    pub wrong: usize,
    /// See [`DuelOutcome::Tie`].
    pub tie: usize,
    /// See [`DuelOutcome::NoPrediction`].
    pub no_prediction: usize,
    /// Pairs with a significant live difference of any size and a predicted
    /// difference of the same sign.
    pub same_sign: usize,
}

/// One contender's live runs and predicted median.
pub(crate) struct Side<'a> {
    /// The contender's label.
    pub(crate) label: &'a str,
    /// The live measurement.
    pub(crate) observation: &'a Observation,
    /// The prediction, if any.
    pub(crate) prediction: Option<&'a Prediction>,
}

/// Compares every pair of `sides`, which share page and network.
pub(crate) fn duels(sides: &[Side<'_>], held_out: bool, metric: MetricId) -> Vec<Duel> {
    let pairs: Vec<(&Side<'_>, &Side<'_>)> = sides
        .iter()
        .enumerate()
        .flat_map(|(i, a)| sides[i + 1..].iter().map(move |b| (a, b)))
        .collect();
    let values: Vec<[Vec<f64>; 2]> = pairs
        .iter()
        .map(|(a, b)| [a, b].map(|side| side.observation.values(metric)))
        .collect();
    let tests = values
        .iter()
        .map(|[a, b]| mann_whitney(a, b).map(|test| test.p));
    let corrected = holm(&tests.collect::<Vec<_>>());
    let duels = pairs.iter().zip(&values).zip(corrected);
    duels
        .map(|(((a, b), [x, y]), p)| {
            let observed = difference(median(x), median(y));
            let [from, to] = [a, b].map(|side| side.prediction.and_then(|p| p.median(metric)));
            let predicted = difference(from, to);
            Duel {
                page: a.observation.page.clone(),
                network: a.observation.network.clone(),
                held_out,
                metric,
                contenders: [a.label.to_owned(), b.label.to_owned()],
                observed,
                predicted,
                p,
                outcome: outcome(observed, p, predicted),
            }
        })
        .collect()
}

/// Returns `b − a` as a share of the lower of both. Infinite if only one of
/// them fails or is zero; zero if they are equal.
pub fn difference(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = (a?, b?);
    if a <= b && b <= a {
        return Some(0.0);
    }
    let (low, sign) = if a < b { (a, 1.0) } else { (b, -1.0) };
    let gap = if a < b { b - a } else { a - b };
    Some(if low > 0.0 {
        sign * gap / low
    } else {
        sign * f64::INFINITY
    })
}

/// Determines the outcome from the live difference, its p-value and the
/// predicted difference.
pub fn outcome(observed: Option<f64>, p: Option<f64>, predicted: Option<f64>) -> DuelOutcome {
    let sure = p.is_some_and(|p| p < LEVEL);
    // Equal medians name no winner, even if the ranks differ significantly.
    let Some(observed) = observed.filter(|d| sure && *d != 0.0) else {
        return DuelOutcome::Unsure;
    };
    if observed.abs() < NOTICEABLE {
        return DuelOutcome::TooSmall;
    }
    match predicted {
        None => DuelOutcome::NoPrediction,
        Some(predicted) if predicted.abs() < NOTICEABLE => DuelOutcome::Tie,
        Some(predicted) if (predicted < 0.0) == (observed < 0.0) => DuelOutcome::Right,
        Some(_) => DuelOutcome::Wrong,
    }
}

impl Duel {
    /// Returns true if the live difference is significant, whatever its size.
    pub fn is_sure(&self) -> bool {
        self.outcome != DuelOutcome::Unsure
    }

    /// Returns true if both differences have the same sign.
    pub fn same_sign(&self) -> bool {
        let signs = self.observed.zip(self.predicted);
        signs.is_some_and(|(o, p)| o * p > 0.0)
    }
}

impl Score {
    /// Counts the outcomes of `duels`.
    pub fn of<'a>(duels: impl IntoIterator<Item = &'a Duel>) -> Self {
        let mut score = Self::default();
        for duel in duels {
            score.pairs += 1;
            score.same_sign += usize::from(duel.is_sure() && duel.same_sign());
            *match duel.outcome {
                DuelOutcome::Unsure => &mut score.unsure,
                DuelOutcome::TooSmall => &mut score.too_small,
                DuelOutcome::Right => &mut score.right,
                DuelOutcome::Wrong => &mut score.wrong,
                DuelOutcome::Tie => &mut score.tie,
                DuelOutcome::NoPrediction => &mut score.no_prediction,
            } += 1;
        }
        score
    }

    /// Number of pairs in which the live runs determine a winner.
    pub const fn decided(&self) -> usize {
        self.right + self.wrong + self.tie + self.no_prediction
    }

    /// Number of pairs with a significant live difference, whatever its size.
    pub const fn sure(&self) -> usize {
        self.decided() + self.too_small
    }

    /// Share of the decided pairs in which the model picks the winner; `None`
    /// if there are none.
    pub fn share_right(&self) -> Option<f64> {
        let decided = self.decided();
        (decided > 0).then(|| self.right as f64 / decided as f64)
    }
}

#[cfg(test)]
mod tests;
