//! Answers to questions about single versions, and about none.

use pagerace_lab::stats::{holm, median, median_interval, signed_rank};
use serde::Serialize;

use super::{LEVEL, by_version, replies};
use crate::questions::READY;
use crate::stats::{self, Friedman, Scale, Share, friedman};
use crate::store::Person;
use crate::survey::{Answer, Ask, Question, Survey};

/// The answers to a question without a version, or about one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The question.
    pub question: String,
    /// Share of each option.
    pub shares: Vec<Share>,
    /// Share of those who agree, if the question has degrees.
    pub agree: Option<Share>,
}

/// The moments that people chose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moments {
    /// Median in milliseconds.
    pub median: f64,
    /// Ends of an interval that holds the median of all people with a probability of at least 95 %;
    /// `None` with fewer than six people.
    pub interval: Option<(f64, f64)>,
    /// Number of people.
    pub people: usize,
}

/// The answers about a version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Index of the version.
    pub version: usize,
    /// The answers, if the question has options.
    pub distribution: Option<Distribution>,
    /// The moments, if it asks for one.
    pub moments: Option<Moments>,
    /// Median difference from the original, in degrees or milliseconds, of people who judged both.
    pub difference: Option<f64>,
    /// Probability of differences at least as uneven if there were none (Wilcoxon's signed-rank
    /// test), corrected for all versions by Holm's method; `None` of the original.
    pub p: Option<f64>,
    /// `Some(true)` if the version is judged higher than the original, `Some(false)` if lower; `None` if
    /// these answers cannot tell.
    pub higher: Option<bool>,
}

/// The answers about all versions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingFinding {
    /// The question.
    pub question: String,
    /// The versions, in their order.
    pub versions: Vec<Rating>,
    /// Test whether people judge versions differently, of those who judged all.
    pub friedman: Option<Friedman>,
    /// The degree to which people agree (Krippendorff's alpha, ordinal), if the question has degrees.
    pub alpha: Option<f64>,
}

/// Returns what people said of versions, but for the moment when they were ready.
pub(super) fn ratings(survey: &Survey, people: &[&Person]) -> Vec<RatingFinding> {
    let questions = survey.asked(Ask::Version);
    let scales = questions.filter(|one| matches!(one.answer, Answer::Scale { .. }));
    scales
        .filter_map(|question| rating(survey, people, question))
        .collect()
}

/// Returns when versions were ready.
pub(super) fn ready(survey: &Survey, people: &[&Person]) -> Option<RatingFinding> {
    rating(survey, people, survey.question(READY)?)
}

fn rating(survey: &Survey, people: &[&Person], question: &Question) -> Option<RatingFinding> {
    let values = by_version(survey, people, &question.id);
    if values.iter().all(std::collections::BTreeMap::is_empty) {
        return None;
    }
    let versions = survey.versions.len();
    let differences = |version: usize| -> Vec<f64> {
        let both = values
            .iter()
            .filter_map(|own| own.get(&version).zip(own.get(&0)));
        both.map(|(value, original)| value - original).collect()
    };
    let test = |version: usize| {
        let differences = differences(version);
        let tested = (version > 0).then(|| signed_rank(&differences)).flatten();
        tested.map(|test| test.p)
    };
    let tests: Vec<Option<f64>> = (0..versions).map(test).collect();
    let corrected = holm(&tests);
    let one = |version: usize| {
        let own = values.iter().filter_map(|own| own.get(&version).copied());
        let own: Vec<f64> = own.collect();
        let is_moment = question.answer == Answer::Moment;
        let (p, differences) = (corrected[version], differences(version));
        let signs = signed_rank(&differences);
        let found = p.is_some_and(|p| p < LEVEL);
        Rating {
            version,
            moments: median(&own).filter(|_| is_moment).map(|median| Moments {
                median,
                interval: median_interval(&own, 0.95).map(|ends| (ends.low, ends.high)),
                people: own.len(),
            }),
            distribution: (!is_moment).then(|| {
                let options = own.iter().map(|value| *value as usize);
                distribution(question, options)
            }),
            difference: (version > 0).then(|| median(&differences)).flatten(),
            p,
            higher: signs
                .filter(|_| found)
                .map(|test| test.positive > test.negative),
        }
    };
    let rows = values.iter().filter(|own| own.len() == versions);
    let rows: Vec<Vec<f64>> = rows.map(|own| own.values().copied().collect()).collect();
    let options = question.answer.options().len();
    let units = (0..versions).map(|version| {
        let own = values.iter().filter_map(|own| own.get(&version));
        own.map(|value| *value as usize).collect()
    });
    let units: Vec<Vec<usize>> = if options > 0 {
        units.collect()
    } else {
        Vec::new()
    };
    Some(RatingFinding {
        question: question.id.clone(),
        versions: (0..versions).map(one).collect(),
        friedman: friedman(&rows),
        alpha: stats::alpha(&units, options, Scale::Ordinal),
    })
}

/// Returns the answers to the questions at the start and at the end.
pub(super) fn answers(survey: &Survey, people: &[&Person]) -> Vec<Distribution> {
    let questions = survey.asked(Ask::Start).chain(survey.asked(Ask::End));
    let one = |question: &Question| {
        let all = people
            .iter()
            .flat_map(|person| replies(person, &question.id));
        distribution(question, all.filter_map(|(_, value)| value.parse().ok()))
    };
    questions.map(one).collect()
}

/// Counts answers. Those that the survey's file no longer has are left out.
fn distribution(question: &Question, answers: impl Iterator<Item = usize>) -> Distribution {
    let mut counts = vec![0; question.answer.options().len()];
    for answer in answers {
        if let Some(count) = counts.get_mut(answer) {
            *count += 1;
        }
    }
    let of = counts.iter().sum();
    let agree = match question.answer {
        Answer::Scale { agrees_from, .. } => Some(Share {
            count: counts.iter().skip(agrees_from).sum(),
            of,
        }),
        _ => None,
    };
    Distribution {
        question: question.id.clone(),
        shares: counts
            .into_iter()
            .map(|count| Share { count, of })
            .collect(),
        agree,
    }
}
