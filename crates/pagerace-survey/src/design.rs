//! The order in which each person sees films.
//!
//! People see each version alone in the rows of a Williams design, so that each version is as often
//! first as last, and follows each other one equally often. Of the pairs that some people see, each
//! person gets those that were shown least. Each pair has each of its versions on the left as often
//! as on the right. Pairs and controls come in random order.
//!
//! # Source
//! Williams 1949, "Experimental Designs Balanced for the Estimation of Residual Effects of
//! Treatments".

use std::collections::BTreeMap;

use pagerace_core::Rng;

use crate::survey::{Survey, Tasks};

/// Comparisons with a known answer that hardly anybody misses, for each person. One who answers at
/// random gets three right once in 27 times.
const SLOWER_CONTROLS: usize = 3;
/// Comparisons of identical films for each person.
const IDENTICAL_CONTROLS: usize = 2;
/// Pairs without the original for each person.
const SOMETIMES: usize = 3;
/// Largest number of pairs that everybody compares.
const ALWAYS_MAX: usize = 8;

/// One task of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A version alone.
    Version(String),
    /// Two films.
    Pair {
        /// The film on the left, or the first.
        left: String,
        /// The film on the right, or the second.
        right: String,
        /// The purpose of the comparison, if its answer is known.
        control: Option<Control>,
    },
}

/// A comparison whose answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// One film is plainly slower.
    Slower,
    /// Both films are the same.
    Identical,
}

impl Control {
    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Identical => "identical",
        }
    }

    /// Returns the control with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Slower, Self::Identical]
            .into_iter()
            .find(|control| control.name() == name)
    }
}

/// The number of times that pairs were shown: in all, and with the first version (of the file) on the left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown(BTreeMap<(String, String), (u64, u64)>);

impl Shown {
    /// Counts a pair that was shown.
    pub fn count(&mut self, survey: &Survey, left: &str, right: &str, times: u64) {
        let swapped = survey.place(right) < survey.place(left);
        let key = if swapped {
            (right, left)
        } else {
            (left, right)
        };
        let entry = self.0.entry((key.0.to_owned(), key.1.to_owned()));
        let (all, straight) = entry.or_default();
        *all += times;
        *straight += if swapped { 0 } else { times };
    }

    fn of(&self, survey: &Survey, pair: &[String; 2]) -> (u64, u64) {
        let [a, b] = pair;
        let swapped = survey.place(b) < survey.place(a);
        let key = if swapped { (b, a) } else { (a, b) };
        let found = self.0.get(&(key.0.clone(), key.1.clone()));
        found.copied().unwrap_or_default()
    }
}

/// Returns what people are shown by default: each version alone, all pairs with the original, and
/// some of the others. With many versions, no pair is seen by all people.
pub fn tasks(versions: &[String]) -> Tasks {
    let pair = |a: usize, b: usize| [versions[a].clone(), versions[b].clone()];
    let with_original = (1..versions.len()).map(|b| pair(0, b));
    let others = (1..versions.len()).flat_map(|a| (a + 1..versions.len()).map(move |b| (a, b)));
    let others = others.map(|(a, b)| pair(a, b));
    let few = versions.len() - 1 <= ALWAYS_MAX;
    let (always, sometimes): (Vec<_>, Vec<_>) = if few {
        (with_original.collect(), others.collect())
    } else {
        (Vec::new(), with_original.chain(others).collect())
    };
    let per_person = if few {
        SOMETIMES
    } else {
        ALWAYS_MAX + SOMETIMES
    };
    Tasks {
        each_version: few,
        always,
        sometimes_per_person: per_person.min(sometimes.len()),
        sometimes,
        slower_controls: SLOWER_CONTROLS,
        identical_controls: IDENTICAL_CONTROLS,
    }
}

/// Returns what the person with this number (from 0) is shown, given what earlier ones were.
pub fn assign(survey: &Survey, number: u64, shown: &Shown) -> Vec<Task> {
    let mut rng = Rng::new(survey.seed, &format!("survey/person/{number}"));
    let Tasks {
        each_version,
        always,
        sometimes,
        sometimes_per_person,
        slower_controls,
        identical_controls,
    } = &survey.tasks;
    let mut alone = Vec::new();
    if *each_version {
        let order = williams(survey, number);
        let versions = order.into_iter().map(|place| &survey.versions[place]);
        alone.extend(versions.map(|version| Task::Version(version.id.clone())));
    }
    let mut least: Vec<&[String; 2]> = sometimes.iter().collect();
    shuffle(&mut rng, &mut least);
    least.sort_by_key(|pair| shown.of(survey, pair).0);
    let chosen = always
        .iter()
        .chain(least.into_iter().take(*sometimes_per_person));
    let mut pairs: Vec<Task> = chosen
        .map(|pair| {
            let (all, straight) = shown.of(survey, pair);
            let [a, b] = pair.each_ref().map(|id| survey.place(id));
            let in_order = match (2 * straight).cmp(&all) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Greater => false,
                std::cmp::Ordering::Equal => rng.chance(0.5),
            };
            let swapped = in_order != (a < b);
            let [left, right] = pair.clone();
            task(left, right, swapped, None)
        })
        .collect();
    let original = &survey.versions[0].id;
    let first_left = rng.chance(0.5);
    pairs.extend((0..*slower_controls).map(|place| {
        let swapped = first_left == place.is_multiple_of(2);
        let slower = survey.slower.id.clone();
        task(original.clone(), slower, swapped, Some(Control::Slower))
    }));
    pairs.extend((0..*identical_controls).map(|_| {
        let place = rng.below(survey.versions.len() as u64) as usize;
        let id = &survey.versions[place].id;
        task(id.clone(), id.clone(), false, Some(Control::Identical))
    }));
    shuffle(&mut rng, &mut pairs);
    alone.into_iter().chain(pairs).collect()
}

fn task(left: String, right: String, swapped: bool, control: Option<Control>) -> Task {
    let (left, right) = if swapped {
        (right, left)
    } else {
        (left, right)
    };
    Task::Pair {
        left,
        right,
        control,
    }
}

/// Returns the order of the versions for a person: a row of a Williams design, whose versions are
/// drawn anew for every design.
fn williams(survey: &Survey, number: u64) -> Vec<usize> {
    let n = survey.versions.len();
    // An odd number of versions takes a second square with the rows reversed.
    let rows = if n.is_multiple_of(2) { n } else { 2 * n } as u64;
    let (design, row) = (number / rows, (number % rows) as usize);
    let mut rng = Rng::new(survey.seed, &format!("survey/design/{design}"));
    let mut names: Vec<usize> = (0..n).collect();
    shuffle(&mut rng, &mut names);
    let zigzag = |place: usize| {
        if place.is_multiple_of(2) {
            (n - place / 2) % n
        } else {
            place.div_ceil(2)
        }
    };
    let mut order: Vec<usize> = (0..n)
        .map(|place| names[(zigzag(place) + row) % n])
        .collect();
    if row >= n {
        order.reverse();
    }
    order
}

/// Puts items into a random order (Fisher and Yates).
fn shuffle<T>(rng: &mut Rng, items: &mut [T]) {
    for place in (1..items.len()).rev() {
        items.swap(place, rng.below(place as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests;
