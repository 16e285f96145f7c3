//! Agreement between the predicted and the live ranking of contenders on a page
//! and network.

use pagerace_lab::metric::MetricId;
use pagerace_lab::stats::{median, spearman};
use serde::Serialize;

use crate::winner::{Duel, DuelOutcome, Side};

/// The contenders of one page and network, ranked live and as predicted by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// True if the page was not used to tune the model.
    pub held_out: bool,
    /// The metric that is compared.
    pub metric: MetricId,
    /// Number of contenders with both a live and a predicted value.
    pub contenders: usize,
    /// Label of the contender with the lowest live median.
    pub observed_best: String,
    /// Label of the contender with the lowest predicted median; of equals, the
    /// one that is best live.
    pub predicted_best: String,
    /// Agreement of `observed_best` and `predicted_best`.
    pub best: Agreement,
    /// Spearman's correlation of the medians' ranks; `None` with fewer than
    /// three contenders, or if either side is constant.
    pub rho: Option<f64>,
}

/// Agreement between the predicted best contender and the live one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Both are the same contender.
    Same,
    /// The contenders differ, but live the difference is not significant or too
    /// small to notice.
    AsGood,
    /// The live best contender is better than the predicted one.
    Other,
}

/// Counts of agreement on the best contender, and rank correlation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ranks {
    /// Rankings with at least two contenders.
    pub rankings: usize,
    /// See [`Agreement::Same`].
    pub same: usize,
    /// See [`Agreement::AsGood`].
    pub as_good: usize,
    /// See [`Agreement::Other`].
    pub other: usize,
    /// Number of rankings that have a correlation.
    pub correlated: usize,
    /// Median of the correlations.
    pub rho: Option<f64>,
}

/// Ranks `sides`, using their `duels` by the same metric; `None` with fewer
/// than two contenders that have finite values on both sides.
pub(crate) fn ranking(
    sides: &[Side<'_>],
    duels: &[Duel],
    held_out: bool,
    metric: MetricId,
) -> Option<Ranking> {
    let ranked: Vec<(&str, f64, f64)> = sides
        .iter()
        .filter_map(|side| {
            let observed = side.observation.median(metric)?;
            Some((side.label, observed, side.prediction?.median(metric)?))
        })
        .filter(|(_, observed, predicted)| observed.is_finite() && predicted.is_finite())
        .collect();
    if ranked.len() < 2 {
        return None;
    }
    let observed_best = ranked.iter().min_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let predicted = |a: &&(&str, f64, f64), b: &&(&str, f64, f64)| {
        a.2.total_cmp(&b.2)
            .then((a.0 != observed_best).cmp(&(b.0 != observed_best)))
    };
    let predicted_best = ranked.iter().min_by(predicted)?.0;
    let (x, y): (Vec<f64>, Vec<f64>) = ranked.iter().map(|(_, o, p)| (*o, *p)).unzip();
    let first = &sides.first()?.observation;
    Some(Ranking {
        page: first.page.clone(),
        network: first.network.clone(),
        held_out,
        metric,
        contenders: ranked.len(),
        observed_best: observed_best.to_owned(),
        predicted_best: predicted_best.to_owned(),
        best: agreement(duels, observed_best, predicted_best),
        rho: spearman(&x, &y).map(|s| s.rho),
    })
}

fn agreement(duels: &[Duel], observed: &str, predicted: &str) -> Agreement {
    if observed == predicted {
        return Agreement::Same;
    }
    let between = |duel: &&Duel| {
        let [a, b] = duel.contenders.each_ref().map(String::as_str);
        [(a, b), (b, a)].contains(&(observed, predicted))
    };
    match duels.iter().find(between).map(|duel| duel.outcome) {
        Some(DuelOutcome::Unsure | DuelOutcome::TooSmall) => Agreement::AsGood,
        _ => Agreement::Other,
    }
}

impl Ranks {
    /// Summarises the rankings.
    pub fn of<'a>(rankings: impl IntoIterator<Item = &'a Ranking>) -> Self {
        let mut ranks = Self::default();
        let mut rhos = Vec::new();
        for ranking in rankings {
            ranks.rankings += 1;
            *match ranking.best {
                Agreement::Same => &mut ranks.same,
                Agreement::AsGood => &mut ranks.as_good,
                Agreement::Other => &mut ranks.other,
            } += 1;
            rhos.extend(ranking.rho);
        }
        ranks.correlated = rhos.len();
        ranks.rho = median(&rhos);
        ranks
    }
}

#[cfg(test)]
mod tests;
