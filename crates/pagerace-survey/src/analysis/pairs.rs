//! Preferences between two versions.

use std::collections::BTreeMap;

use pagerace_lab::stats::holm;
use serde::Serialize;

use super::{LEVEL, replies, task_at};
use crate::design::Task;
use crate::stats::{self, Scale, Share, sign_test};
use crate::store::Person;
use crate::survey::{Answer, Survey};

/// The answers about a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairFinding {
    /// Index of the one version.
    pub a: usize,
    /// Index of the other, a later one.
    pub b: usize,
    /// Those who prefer `a`.
    pub prefer_a: Share,
    /// Those who prefer `b`.
    pub prefer_b: Share,
    /// Those without a preference.
    pub neither: Share,
    /// Probability of preferences at least as uneven if there were none (sign test of those with a
    /// preference), corrected for all pairs by Holm's method.
    pub p: f64,
    /// The verdict.
    pub verdict: Verdict,
}

/// The verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// People prefer the first version.
    PreferA,
    /// People prefer the second version.
    PreferB,
    /// Most people have no preference.
    NoPreference,
    /// These answers cannot tell.
    CannotTell,
}

/// The numbers of people who prefer the one, the other, and neither.
type Counts = [usize; 3];

/// Returns a person's preferences: the pair, in the order of the versions, and 0 for the first, 1
/// for the second, or 2. Controls are left out.
pub(super) fn preferences<'a>(
    survey: &'a Survey,
    person: &'a Person,
) -> impl Iterator<Item = ((usize, usize), usize)> + 'a {
    let question = survey.questions.iter();
    let question = question.filter(|one| one.answer == Answer::Preference);
    let all = question.flat_map(|one| replies(person, &one.id));
    all.filter_map(|(place, value)| {
        let Some(Task::Pair {
            left,
            right,
            control: None,
        }) = task_at(person, place)
        else {
            return None;
        };
        let (left, right) = (survey.place(left)?, survey.place(right)?);
        let swapped = usize::from(right < left);
        let choice = match value {
            "left" => swapped,
            "right" => 1 - swapped,
            _ => 2,
        };
        Some(((left.min(right), left.max(right)), choice))
    })
}

/// Counts the preferences of these people.
pub(super) fn counts(survey: &Survey, people: &[&Person]) -> BTreeMap<(usize, usize), Counts> {
    let mut all: BTreeMap<_, Counts> = BTreeMap::new();
    for (pair, choice) in people.iter().flat_map(|person| preferences(survey, person)) {
        all.entry(pair).or_default()[choice] += 1;
    }
    all
}

/// Returns what people said of each pair.
pub(super) fn pairs(survey: &Survey, people: &[&Person]) -> Vec<PairFinding> {
    let counts = counts(survey, people);
    let tests = counts.values().map(|[a, b, _]| Some(sign_test(*a, *b)));
    let tests = holm(&tests.collect::<Vec<_>>());
    let all = counts.into_iter().zip(tests);
    all.map(|(((a, b), counts), p)| {
        let of = counts.iter().sum();
        let [prefer_a, prefer_b, neither] = counts.map(|count| Share { count, of });
        let p = p.unwrap_or(1.0);
        let mostly = neither.interval().is_some_and(|(low, _)| low > 0.5);
        let verdict = match prefer_a.count.cmp(&prefer_b.count) {
            std::cmp::Ordering::Greater if p < LEVEL => Verdict::PreferA,
            std::cmp::Ordering::Less if p < LEVEL => Verdict::PreferB,
            _ if mostly => Verdict::NoPreference,
            _ => Verdict::CannotTell,
        };
        PairFinding {
            a,
            b,
            prefer_a,
            prefer_b,
            neither,
            p,
            verdict,
        }
    })
    .collect()
}

/// Returns how far people agree.
pub(super) fn alpha(survey: &Survey, people: &[&Person]) -> Option<f64> {
    let mut units: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (pair, choice) in people.iter().flat_map(|person| preferences(survey, person)) {
        units.entry(pair).or_default().push(choice);
    }
    let units: Vec<Vec<usize>> = units.into_values().collect();
    stats::alpha(&units, 3, Scale::Nominal)
}
