//! The worth of each version, from all comparisons at once.

use pagerace_core::Rng;
use pagerace_lab::stats::quantile;
use serde::Serialize;

use super::pairs::counts;
use crate::stats::{Duel, davidson};
use crate::store::Person;
use crate::survey::Survey;

/// Number of samples of people for the intervals.
const SAMPLES: usize = 1_000;
/// The amount that is added to the number of each answer about a pair, so that a version that everybody prefers
/// is not worth infinitely much.
const ADDED: f64 = 0.5;
/// Smallest number of people for intervals.
const PEOPLE_MIN: usize = 6;

/// The worth of a version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// Index of the version.
    pub version: usize,
    /// The chance that a person with a preference prefers it to the original; 0.5 for the original.
    pub preferred: f64,
    /// Ends of the 95 % interval over people, who each answer several times; `None` with too few.
    pub interval: Option<(f64, f64)>,
    /// Its rank, 1 for the version with the largest worth.
    pub rank: usize,
    /// Smallest and largest rank in 95 % of samples of people.
    pub rank_range: Option<(usize, usize)>,
}

/// Returns the worth of each version in their order; nothing if the pairs do not connect all
/// versions, or if nobody has a preference. The intervals are percentiles of the bootstrap over people.
pub(super) fn worths(survey: &Survey, people: &[&Person]) -> Vec<Worth> {
    let versions = survey.versions.len();
    let pairs = counts(survey, people);
    if pairs.values().all(|[a, b, _]| a + b == 0) {
        return Vec::new();
    }
    let Some(logs) = fit(survey, versions, people) else {
        return Vec::new();
    };
    let mut samples: Vec<Vec<f64>> = Vec::new();
    if people.len() >= PEOPLE_MIN {
        let mut rng = Rng::new(survey.seed, "survey/bootstrap");
        for _ in 0..SAMPLES {
            let drawn = (0..people.len()).map(|_| people[rng.below(people.len() as u64) as usize]);
            let drawn: Vec<&Person> = drawn.collect();
            samples.extend(fit(survey, versions, &drawn));
        }
    }
    let ranks_of: Vec<Vec<usize>> = samples.iter().map(|logs| ranks(logs)).collect();
    let own = ranks(&logs);
    let one = |version: usize| {
        let share = |logs: &Vec<f64>| preferred(logs[version]);
        let values: Vec<f64> = samples.iter().map(share).collect();
        let places: Vec<f64> = ranks_of.iter().map(|ranks| ranks[version] as f64).collect();
        let ends = |values: &[f64]| quantile(values, 0.025).zip(quantile(values, 0.975));
        Worth {
            version,
            preferred: preferred(logs[version]),
            interval: ends(&values),
            rank: own[version],
            rank_range: ends(&places)
                .map(|(low, high)| (low.floor() as usize, high.ceil() as usize)),
        }
    };
    (0..versions).map(one).collect()
}

/// Returns the chance of a version against the original, among those with a preference.
fn preferred(log_worth: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_worth))
}

/// Returns the logarithms of the worths.
fn fit(survey: &Survey, versions: usize, people: &[&Person]) -> Option<Vec<f64>> {
    let duel = |((a, b), [prefer_a, prefer_b, neither]): ((usize, usize), [usize; 3])| Duel {
        a,
        b,
        prefer_a: prefer_a as f64 + ADDED,
        prefer_b: prefer_b as f64 + ADDED,
        neither: neither as f64 + ADDED,
    };
    let duels: Vec<Duel> = counts(survey, people).into_iter().map(duel).collect();
    Some(davidson(versions, &duels)?.log_worth)
}

/// Returns the rank of each version: 1 for the largest worth.
fn ranks(logs: &[f64]) -> Vec<usize> {
    let rank = |own: &f64| 1 + logs.iter().filter(|other| *other > own).count();
    logs.iter().map(rank).collect()
}
