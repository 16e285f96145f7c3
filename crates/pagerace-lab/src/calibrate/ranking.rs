//! Whether the model ranks the contenders of a page and network as reality
//! does.

use serde::Serialize;

use super::winner::{Duel, Outcome, Side};
use crate::metric::MetricId;
use crate::stats::spearman;

/// The contenders of one page and network, ranked by one metric in both worlds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// Short name of the page.
    pub page: String,
    /// The network as the user wrote it.
    pub network: String,
    /// Whether the model was not tuned on this page.
    pub held_out: bool,
    /// By what.
    pub metric: MetricId,
    /// Contenders with a value in both worlds.
    pub contenders: usize,
    /// Label of the contender with the lowest live median.
    pub observed_best: String,
    /// Label of that with the lowest predicted median; of equals the one that
    /// is best live.
    pub predicted_best: String,
    /// Whether these agree.
    pub best: Agreement,
    /// Spearman's correlation of the medians' ranks; `None` with fewer than
    /// three contenders, or if either never varies.
    pub rho: Option<f64>,
}

/// Whether the model's best contender is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// It is the same.
    Same,
    /// It is another, but reality does not tell it from the best, or only by
    /// too little to notice.
    AsGood,
    /// Reality has a better one.
    Other,
}

/// How often the best contenders agree, and the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ranks {
    /// Rankings of two or more contenders.
    pub rankings: usize,
    /// See [`Agreement::Same`].
    pub same: usize,
    /// See [`Agreement::AsGood`].
    pub as_good: usize,
    /// See [`Agreement::Other`].
    pub other: usize,
    /// Rankings that have a correlation.
    pub correlated: usize,
    /// Median of the correlations.
    pub rho: Option<f64>,
}

/// Ranks `sides`, whose duels by the same metric are `duels`; `None` with
/// fewer than two contenders that have finite values in both worlds.
pub(super) fn ranking(
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
        Some(Outcome::Unsure | Outcome::TooSmall) => Agreement::AsGood,
        _ => Agreement::Other,
    }
}

impl Ranks {
    /// Of these rankings.
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
        ranks.rho = crate::stats::median(&rhos);
        ranks
    }
}

#[cfg(test)]
mod tests;
