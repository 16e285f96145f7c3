//! The people who are left out, by the rules of the survey's file.

use serde::Serialize;

use super::{replies, task_at};
use crate::design::{Control, Task};
use crate::questions::READY;
use crate::store::Person;
use crate::survey::{Answer, Survey, Version};

/// A person who does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// Number of the person, from 0.
    pub person: u64,
    /// The rules that leave the person out.
    pub reasons: Vec<Reason>,
}

/// A rule that leaves people out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Did not prefer the original to the plainly slower version.
    MissedSlower,
    /// Preferred one of two identical films.
    PreferredIdentical,
    /// Called films ready before anything was painted.
    ReadyBeforePaint,
    /// Answered before anything was painted.
    Hasty,
    /// Did not answer enough tasks.
    Unfinished,
}

impl Reason {
    /// All of them, in the order of [`Rules::in_words`](crate::survey::Rules::in_words).
    pub const ALL: [Self; 5] = [
        Self::MissedSlower,
        Self::PreferredIdentical,
        Self::ReadyBeforePaint,
        Self::Hasty,
        Self::Unfinished,
    ];

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MissedSlower => "missed-slower",
            Self::PreferredIdentical => "preferred-identical",
            Self::ReadyBeforePaint => "ready-before-paint",
            Self::Hasty => "hasty",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Divides people into those who count and those who do not.
pub(super) fn split<'a>(survey: &Survey, people: &'a [Person]) -> (Vec<&'a Person>, Vec<Excluded>) {
    let (mut counted, mut excluded) = (Vec::new(), Vec::new());
    for person in people {
        let reasons = reasons(survey, person);
        if reasons.is_empty() {
            counted.push(person);
        } else {
            excluded.push(Excluded {
                person: person.number,
                reasons,
            });
        }
    }
    (counted, excluded)
}

/// Returns the rules that leave a person out.
pub(crate) fn reasons(survey: &Survey, person: &Person) -> Vec<Reason> {
    let rules = &survey.rules;
    let mut preference = survey.questions.iter();
    let preference = preference.find(|one| one.answer == Answer::Preference);
    let preference = preference.map_or("", |one| one.id.as_str());
    let (mut missed, mut preferred) = (0, 0);
    let (mut pairs, mut hasty) = (0, 0);
    for (place, value) in replies(person, preference) {
        let Some(Task::Pair {
            left,
            right,
            control,
        }) = task_at(person, place)
        else {
            continue;
        };
        let chosen = match value {
            "left" => Some(left),
            "right" => Some(right),
            _ => None,
        };
        match control {
            Some(Control::Slower) => missed += usize::from(chosen != Some(&survey.versions[0].id)),
            Some(Control::Identical) => preferred += usize::from(chosen.is_some()),
            None => {}
        }
        pairs += 1;
        let first = [left, right].map(|id| survey.version(id).and_then(first_paint));
        let first = first.into_iter().flatten().reduce(f64::min);
        let took = person.answers[&(place, preference.to_owned())].took_ms;
        let is_hasty = first
            .zip(took)
            .is_some_and(|(first, took)| (took as f64) < first);
        hasty += usize::from(is_hasty);
    }
    let (mut films, mut early) = (0, 0);
    for (place, value) in replies(person, READY) {
        let (Some(Task::Version(id)), Ok(ready)) = (task_at(person, place), value.parse::<f64>())
        else {
            continue;
        };
        films += 1;
        let first = survey.version(id).and_then(first_paint);
        early += usize::from(first.is_some_and(|first| ready < first));
    }
    let answered = (1..=person.tasks.len()).filter(|place| {
        let mut all = person.answers.keys();
        all.any(|(own, _)| own == place)
    });
    let answered = answered.count();
    let above = |part: usize, of: usize, most: f64| part as f64 > most * of as f64;
    let broken = [
        missed > rules.slower_missed_max,
        preferred > rules.identical_preferred_max,
        above(early, films, rules.ready_before_paint_share_max),
        above(hasty, pairs, rules.hasty_share_max),
        (answered as f64) < rules.answered_share_min * person.tasks.len() as f64,
    ];
    let all = Reason::ALL.into_iter().zip(broken);
    all.filter(|(_, broken)| *broken)
        .map(|(reason, _)| reason)
        .collect()
}

/// Returns when a film first shows something.
fn first_paint(version: &Version) -> Option<f64> {
    version.metrics.get("fcp").copied()
}
