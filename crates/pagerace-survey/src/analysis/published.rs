//! Results of other surveys beside these.

use serde::Serialize;

use super::pairs::PairFinding;
use super::ratings::{Distribution, RatingFinding};
use crate::stats::Share;
use crate::survey::{Answer, Published, Survey};

/// Largest sample that is tried for published shares.
const SAMPLE_MAX: usize = 2_000;

/// A result of another survey, and the same of this one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// The publication.
    pub source: String,
    /// The question that was asked there.
    pub asked: String,
    /// Versions of this survey; empty for questions that concern none.
    pub versions: Vec<String>,
    /// Number of people there, if it is published.
    pub people: Option<usize>,
    /// The smallest number of people that gives all shares of this source.
    pub smallest: Option<usize>,
    /// The shares.
    pub shares: Vec<BesideShare>,
}

/// A published share, and the same of this survey.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideShare {
    /// The answers of these people.
    pub said: String,
    /// Published share in percent.
    pub percent: u32,
    /// Ends of the published share's 95 % interval, for the published number of people or else the
    /// smallest.
    pub interval: Option<(f64, f64)>,
    /// The share here.
    pub here: Share,
}

/// Returns published results beside those here.
pub(super) fn beside(
    survey: &Survey,
    pairs: &[PairFinding],
    ratings: &[RatingFinding],
    answers: &[Distribution],
) -> Vec<Beside> {
    let mut all = Vec::new();
    for one in &survey.published {
        let none = vec![Vec::new()];
        let about = if one.versions.is_empty() {
            &none
        } else {
            &one.versions
        };
        let smallest = smallest_sample(&percents(survey, &one.source));
        for versions in about {
            let places: Option<Vec<usize>> = versions.iter().map(|id| survey.place(id)).collect();
            let Some(places) = places else { continue };
            let shares = here(survey, one, &places, pairs, ratings, answers);
            let Some(shares) = shares else { continue };
            all.push(Beside {
                source: one.source.clone(),
                asked: one.asked.clone(),
                versions: versions.clone(),
                people: one.people,
                smallest,
                shares: together(one, &shares, one.people.or(smallest)),
            });
        }
    }
    all
}

/// Returns all shares that a source gives.
fn percents(survey: &Survey, source: &str) -> Vec<u32> {
    let own = survey.published.iter().filter(|one| one.source == source);
    own.flat_map(|one| &one.shares)
        .map(|share| share.percent)
        .collect()
}

/// Returns the share of each option here.
fn here(
    survey: &Survey,
    one: &Published,
    places: &[usize],
    pairs: &[PairFinding],
    ratings: &[RatingFinding],
    answers: &[Distribution],
) -> Option<Vec<Share>> {
    match (&survey.question(&one.question)?.answer, places) {
        (Answer::Preference, [first, second]) => {
            let key = (*first.min(second), *first.max(second));
            let found = pairs.iter().find(|pair| (pair.a, pair.b) == key)?;
            let (mut own, mut other) = (found.prefer_a, found.prefer_b);
            if second < first {
                (own, other) = (other, own);
            }
            Some(vec![own, other, found.neither])
        }
        (_, [version]) => {
            let found = ratings
                .iter()
                .find(|rating| rating.question == one.question)?;
            Some(
                found.versions[*version]
                    .distribution
                    .as_ref()?
                    .shares
                    .clone(),
            )
        }
        (_, []) => {
            let found = answers
                .iter()
                .find(|answer| answer.question == one.question)?;
            Some(found.shares.clone())
        }
        _ => None,
    }
}

fn together(one: &Published, shares: &[Share], people: Option<usize>) -> Vec<BesideShare> {
    let share = |published: &crate::survey::PublishedShare| {
        let own = published
            .options
            .iter()
            .filter_map(|option| shares.get(*option));
        let interval = people.and_then(|of| {
            let count = (f64::from(published.percent) / 100.0 * of as f64).round() as usize;
            Share { count, of }.interval()
        });
        BesideShare {
            said: published.said.clone(),
            percent: published.percent,
            interval,
            here: Share {
                count: own.map(|share| share.count).sum(),
                of: shares.first().map_or(0, |share| share.of),
            },
        }
    };
    one.shares.iter().map(share).collect()
}

/// Returns the smallest number of people of whom whole numbers give all these shares, rounded to
/// whole percent.
pub fn smallest_sample(percents: &[u32]) -> Option<usize> {
    let gives = |of: usize, percent: u32| {
        let near = (f64::from(percent) / 100.0 * of as f64).round() as usize;
        let rounded = |count: usize| (count as f64 / of as f64 * 100.0).round() as u32;
        (near.saturating_sub(1)..=near + 1).any(|count| count <= of && rounded(count) == percent)
    };
    let mut all = (1..=SAMPLE_MAX).filter(|of| percents.iter().all(|one| gives(*of, *one)));
    all.next().filter(|_| !percents.is_empty())
}
