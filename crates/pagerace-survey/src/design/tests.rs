use std::collections::BTreeMap;

use super::{Control, Shown, Task, assign, tasks};
use crate::fake;
use crate::survey::Survey;

/// Returns what this many people are shown, one after the other.
fn all(survey: &Survey, people: u64) -> Vec<Vec<Task>> {
    let mut shown = Shown::default();
    let mut all = Vec::new();
    for number in 0..people {
        let tasks = assign(survey, number, &shown);
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
        all.push(tasks);
    }
    all
}

#[test]
fn each_version_is_first_and_follows_each_other_equally_often() {
    for (versions, people) in [(4, 8), (7, 28)] {
        let survey = fake::survey(versions);
        let mut firsts: BTreeMap<String, u32> = BTreeMap::new();
        let mut followers: BTreeMap<(String, String), u32> = BTreeMap::new();
        for tasks in all(&survey, people) {
            let alone = tasks.iter().filter_map(|task| match task {
                Task::Version(id) => Some(id.clone()),
                Task::Pair { .. } => None,
            });
            let alone: Vec<String> = alone.collect();
            assert_eq!(alone.len(), versions);
            *firsts.entry(alone[0].clone()).or_default() += 1;
            for two in alone.windows(2) {
                *followers
                    .entry((two[0].clone(), two[1].clone()))
                    .or_default() += 1;
            }
        }
        let even = people as u32 / versions as u32;
        assert!(
            firsts.len() == versions && firsts.values().all(|n| *n == even),
            "{firsts:?}"
        );
        assert_eq!(followers.len(), versions * (versions - 1));
        assert!(followers.values().all(|n| *n == even), "{followers:?}");
    }
}

#[test]
fn pairs_are_shown_equally_often_and_on_both_sides() {
    let survey = fake::survey(7);
    let (mut left, mut right) = (BTreeMap::new(), BTreeMap::new());
    let people = all(&survey, 40);
    for task in people.iter().flatten() {
        if let Task::Pair {
            left: one,
            right: other,
            control: None,
        } = task
        {
            let straight = survey.place(one) < survey.place(other);
            let (key, side) = if straight {
                ((one, other), &mut left)
            } else {
                ((other, one), &mut right)
            };
            *side.entry(key).or_insert(0_u32) += 1;
        }
    }
    assert_eq!(left.len(), 21);
    for (pair, straight) in &left {
        let all = straight + right[pair];
        // Everybody sees pairs with the original; the other 15 share 3 places of 40 people.
        let expected = if pair.0 == "1" { 40 } else { 8 };
        assert_eq!(all, expected, "{pair:?}");
        assert!(straight.abs_diff(all / 2) <= 1, "{pair:?}");
    }
}

#[test]
fn controls_are_hidden_among_the_pairs() {
    let survey = fake::survey(7);
    let mut places = [0_u32; 14];
    for tasks in all(&survey, 60) {
        assert_eq!(tasks.len(), survey.tasks_per_person());
        let mut found = Vec::new();
        for (place, task) in tasks[7..].iter().enumerate() {
            if let Task::Pair {
                left,
                right,
                control: Some(control),
            } = task
            {
                found.push(*control);
                places[place] += 1;
                match control {
                    Control::Identical => assert_eq!(left, right),
                    Control::Slower => {
                        let mut both = [left.as_str(), right.as_str()];
                        both.sort_unstable();
                        assert_eq!(both, ["1", "slower"]);
                    }
                }
            }
        }
        let identical = found.iter().filter(|one| **one == Control::Identical);
        assert_eq!((found.len(), identical.count()), (5, 2));
    }
    assert!(places.iter().all(|n| *n > 5), "{places:?}");
}

#[test]
fn many_versions_are_too_many_for_everybody() {
    let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let tasks = tasks(&names);
    assert!(tasks.always.is_empty() && !tasks.each_version);
    assert_eq!(
        (tasks.sometimes.len(), tasks.sometimes_per_person),
        (190, 11)
    );
    let few = super::tasks(&names[..2]);
    assert_eq!((few.always.len(), few.sometimes_per_person), (1, 0));
}
