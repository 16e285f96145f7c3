//! Scripted people, who know what they prefer, or click at random.

use std::collections::BTreeMap;

use pagerace_core::Rng;

use crate::design::{Shown, Task, assign};
use crate::store::{Person, Reply};
use crate::survey::{Answer, Ask, Survey};

/// The manner in which a person answers.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Likes versions by these values, in the order of the file. Values that differ by less than
    /// one are the same to the person. Each look at a film is off by a normal error of one.
    Attentive(Vec<f64>),
    /// Clicks at random, and takes time for it.
    Random,
}

/// Returns the answers of people with these manners, to a survey of this seed.
pub(crate) fn people(survey: &Survey, seed: u64, manners: &[Manner]) -> Vec<Person> {
    let mut shown = Shown::default();
    let mut people = Vec::new();
    for (number, manner) in manners.iter().enumerate() {
        let tasks = assign(survey, number as u64, &shown);
        for task in &tasks {
            if let Task::Pair {
                left,
                right,
                control: None,
            } = task
            {
                shown.count(survey, left, right, 1);
            }
        }
        let mut rng = Rng::new(seed, &format!("person/{number}"));
        let answers = answers(survey, &tasks, manner, &mut rng);
        people.push(Person {
            number: number as u64,
            tasks,
            answers,
        });
    }
    people
}

fn answers(
    survey: &Survey,
    tasks: &[Task],
    manner: &Manner,
    rng: &mut Rng,
) -> BTreeMap<(usize, String), Reply> {
    let mut all = BTreeMap::new();
    for place in 0..tasks.len() + 2 {
        let task = place.checked_sub(1).and_then(|place| tasks.get(place));
        let asks = match task {
            Some(Task::Version(_)) => Ask::Version,
            Some(Task::Pair { .. }) => Ask::Pair,
            None if place == 0 => Ask::Start,
            None => Ask::End,
        };
        for question in survey.asked(asks) {
            let value = answer(survey, &question.answer, task, manner, rng);
            let took_ms = Some(8_000);
            all.insert((place, question.id.clone()), Reply { value, took_ms });
        }
    }
    all
}

/// Returns the answer of a person to a question.
pub(crate) fn answer(
    survey: &Survey,
    answer: &Answer,
    task: Option<&Task>,
    manner: &Manner,
    rng: &mut Rng,
) -> String {
    let options = answer.options().len() as u64;
    let liked = match manner {
        Manner::Attentive(liked) => liked,
        Manner::Random => {
            return match answer {
                Answer::Preference => {
                    ["left", "right", "neither"][rng.below(3) as usize].to_owned()
                }
                Answer::Moment => {
                    let longest = survey.versions.iter().map(|one| one.length_ms);
                    let longest = longest.fold(f64::INFINITY, f64::min);
                    rng.below(longest as u64).to_string()
                }
                _ => rng.below(options).to_string(),
            };
        }
    };
    // The plainly slower version is far below all others.
    let value = |id: &str| survey.place(id).map_or(-20.0, |place| liked[place]);
    match (answer, task) {
        (Answer::Preference, Some(Task::Pair { left, right, .. })) => {
            let error = rng.normal() * std::f64::consts::SQRT_2;
            // Of two identical films, both looks have hardly an error.
            let error = if left == right { error / 4.0 } else { error };
            let difference = value(left) - value(right) + error;
            if difference.abs() < 1.0 {
                "neither".to_owned()
            } else if difference > 0.0 {
                "left".to_owned()
            } else {
                "right".to_owned()
            }
        }
        (Answer::Moment, Some(Task::Version(id))) => {
            let version = survey.version(id).expect("it is shown");
            let ready = version.metrics["lcp"] + 200.0 * rng.normal();
            ready.max(version.metrics["fcp"]).round().to_string()
        }
        (_, Some(Task::Version(id))) => {
            let degree = (value(id) + rng.normal() + 2.0).round();
            (degree.clamp(0.0, options as f64 - 1.0) as u64).to_string()
        }
        _ => (options - 1).to_string(),
    }
}
