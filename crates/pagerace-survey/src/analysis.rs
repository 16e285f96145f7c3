//! The people who count, and the findings from their answers.

mod excluded;
mod metrics;
mod pairs;
mod published;
mod ratings;
mod worth;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::stats::detectable;
use crate::store::Person;
use crate::survey::Survey;

pub(crate) use excluded::reasons;
pub use excluded::{Excluded, Reason};
pub use metrics::{Predictor, ReadyAgainst};
pub use pairs::{PairFinding, Verdict};
pub use published::{Beside, BesideShare, smallest_sample};
pub use ratings::{Distribution, Moments, Rating, RatingFinding};
pub use worth::Worth;

/// The level of tests: a difference is named if chance gives one as large less often than this,
/// over all comparisons of its kind.
pub const LEVEL: f64 = 0.05;
/// The probability with which a difference should be found.
pub const POWER: f64 = 0.8;
/// The share of cases in which a model of three variables agrees with the majority of people in pairs of loads:
/// SpeedPerception (Gao, Dey and Ahammad 2017, arXiv 1704.01220).
pub const SPEED_PERCEPTION: f64 = 0.87;

/// The findings of a survey.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// Number of people who began.
    pub began: usize,
    /// Number of people who count.
    pub count: usize,
    /// The people who do not.
    pub excluded: Vec<Excluded>,
    /// The pairs that people compared, in the order of the versions.
    pub pairs: Vec<PairFinding>,
    /// The smallest share, among those with a preference, that a pair finds with the probability
    /// [`POWER`]: for the pair that most people compared, and without other pairs.
    pub detectable: Option<f64>,
    /// The worth of each version, in their order; empty if the answers do not determine it.
    pub worths: Vec<Worth>,
    /// The degree to which people agree in their preferences (Krippendorff's alpha, nominal).
    pub preference_alpha: Option<f64>,
    /// The questions that people answered about each version.
    pub ratings: Vec<RatingFinding>,
    /// The moment when each version was ready.
    pub ready: Option<RatingFinding>,
    /// Answers to the questions at the start and at the end.
    pub answers: Vec<Distribution>,
    /// The share of pairs in which each metric names the version that most people prefer.
    pub predictors: Vec<Predictor>,
    /// The moments at which versions were ready, compared with metrics.
    pub ready_against: Vec<ReadyAgainst>,
    /// Results of other surveys beside these.
    pub published: Vec<Beside>,
}

/// Returns what these people's answers tell.
pub fn analyse(survey: &Survey, people: &[Person]) -> Findings {
    let (counted, excluded) = excluded::split(survey, people);
    let pairs = pairs::pairs(survey, &counted);
    let ready = ratings::ready(survey, &counted);
    let ratings = ratings::ratings(survey, &counted);
    let answers = ratings::answers(survey, &counted);
    let most = pairs
        .iter()
        .map(|pair| pair.prefer_a.count + pair.prefer_b.count)
        .max();
    Findings {
        began: people.len(),
        count: counted.len(),
        detectable: most.and_then(|n| detectable(n, LEVEL, POWER)),
        worths: worth::worths(survey, &counted),
        preference_alpha: pairs::alpha(survey, &counted),
        predictors: metrics::predictors(survey, &pairs, ready.as_ref()),
        ready_against: metrics::ready_against(survey, ready.as_ref()),
        published: published::beside(survey, &pairs, &ratings, &answers),
        excluded,
        pairs,
        ratings,
        ready,
        answers,
    }
}

/// Returns a person's answers to a question, with the places of the tasks.
fn replies<'a>(person: &'a Person, question: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let all = person.answers.iter();
    let own = all.filter(move |((_, name), _)| name == question);
    own.map(|((place, _), reply)| (*place, reply.value.as_str()))
}

/// Returns the index of the task at a place, which counts from 1.
fn task_at(person: &Person, place: usize) -> Option<&crate::design::Task> {
    person.tasks.get(place.checked_sub(1)?)
}

/// Returns the values of each person for each version that answers a question about versions.
fn by_version(survey: &Survey, people: &[&Person], question: &str) -> Vec<BTreeMap<usize, f64>> {
    let of_person = |person: &&Person| {
        let own = replies(person, question).filter_map(|(place, value)| {
            let crate::design::Task::Version(id) = task_at(person, place)? else {
                return None;
            };
            Some((survey.place(id)?, value.parse().ok()?))
        });
        own.collect()
    };
    people.iter().map(of_person).collect()
}

#[cfg(test)]
mod tests;
