//! Whether the model says of two contenders which is better, where reality
//! does.
//!
//! Reality speaks where Mann-Whitney's test of the live runs, corrected by
//! Holm's method over all pairs of one page, network and metric, is below
//! [`LEVEL`]. As in a verdict, a difference below [`NOTICEABLE`] is too small
//! to make a winner: there only the sign is compared, and counted apart.

use serde::Serialize;

use super::observation::Observation;
use super::prediction::Prediction;
use crate::analysis::{LEVEL, NOTICEABLE};
use crate::metric::MetricId;
use crate::stats::{holm, mann_whitney, median};

/// Two contenders on one page and network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Duel {
    /// Short name of the page.
    pub page: String,
    /// The network as the user wrote it.
    pub network: String,
    /// Whether the model was not tuned on this page.
    pub held_out: bool,
    /// By what.
    pub metric: MetricId,
    /// Labels of both.
    pub contenders: [String; 2],
    /// The second one's live median less the first one's, as a share of the
    /// lower of both; negative if the second is better.
    pub observed: Option<f64>,
    /// The same as predicted.
    pub predicted: Option<f64>,
    /// Mann-Whitney's test of the live runs, after Holm's correction.
    pub p: Option<f64>,
    /// What follows.
    pub outcome: Outcome,
}

/// How the model fares in a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Reality does not say which is better.
    Unsure,
    /// The live difference is sure, but too small to notice.
    TooSmall,
    /// The model picks the winner.
    Right,
    /// The model picks the loser.
    Wrong,
    /// The model sees no noticeable difference where there is one.
    Tie,
    /// The model has no value.
    NoPrediction,
}

/// How the model fares in many duels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// All pairs.
    pub pairs: usize,
    /// Those of which reality does not say which is better.
    pub unsure: usize,
    /// Those whose live difference is sure, but too small to notice.
    pub too_small: usize,
    /// See [`Outcome::Right`].
    pub right: usize,
    /// See [`Outcome::Wrong`].
    pub wrong: usize,
    /// See [`Outcome::Tie`].
    pub tie: usize,
    /// See [`Outcome::NoPrediction`].
    pub no_prediction: usize,
    /// Pairs whose live difference is sure, whatever its size, and whose
    /// predicted difference, whatever its size, has the same sign.
    pub same_sign: usize,
}

/// One contender's live runs and predicted median.
pub(super) struct Side<'a> {
    /// Its label.
    pub(super) label: &'a str,
    /// What was measured.
    pub(super) observation: &'a Observation,
    /// What was predicted, if anything was.
    pub(super) prediction: Option<&'a Prediction>,
}

/// Every pair of `sides`, which share page and network.
pub(super) fn duels(sides: &[Side<'_>], held_out: bool, metric: MetricId) -> Vec<Duel> {
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

/// `b − a` as a share of the lower of both. Infinite where only one of them
/// fails or is zero, zero where both are alike.
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

/// How the model fares, given the live difference, its p and the predicted one.
pub fn outcome(observed: Option<f64>, p: Option<f64>, predicted: Option<f64>) -> Outcome {
    let sure = p.is_some_and(|p| p < LEVEL);
    // Equal medians name no winner, whatever the ranks say.
    let Some(observed) = observed.filter(|d| sure && *d != 0.0) else {
        return Outcome::Unsure;
    };
    if observed.abs() < NOTICEABLE {
        return Outcome::TooSmall;
    }
    match predicted {
        None => Outcome::NoPrediction,
        Some(predicted) if predicted.abs() < NOTICEABLE => Outcome::Tie,
        Some(predicted) if (predicted < 0.0) == (observed < 0.0) => Outcome::Right,
        Some(_) => Outcome::Wrong,
    }
}

impl Outcome {
    /// In one word or two, for tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unsure => "unsure",
            Self::TooSmall => "too small",
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Tie => "tie",
            Self::NoPrediction => "no value",
        }
    }
}

impl Duel {
    /// Whether reality says which is better, by however little.
    pub fn is_sure(&self) -> bool {
        self.outcome != Outcome::Unsure
    }

    /// Whether both differences point to the same contender.
    pub fn same_sign(&self) -> bool {
        let signs = self.observed.zip(self.predicted);
        signs.is_some_and(|(o, p)| o * p > 0.0)
    }
}

impl Score {
    /// Of these duels.
    pub fn of<'a>(duels: impl IntoIterator<Item = &'a Duel>) -> Self {
        let mut score = Self::default();
        for duel in duels {
            score.pairs += 1;
            score.same_sign += usize::from(duel.is_sure() && duel.same_sign());
            *match duel.outcome {
                Outcome::Unsure => &mut score.unsure,
                Outcome::TooSmall => &mut score.too_small,
                Outcome::Right => &mut score.right,
                Outcome::Wrong => &mut score.wrong,
                Outcome::Tie => &mut score.tie,
                Outcome::NoPrediction => &mut score.no_prediction,
            } += 1;
        }
        score
    }

    /// Pairs in which reality names a winner.
    pub const fn decided(&self) -> usize {
        self.right + self.wrong + self.tie + self.no_prediction
    }

    /// Pairs whose live difference is sure, whatever its size.
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
