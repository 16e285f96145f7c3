//! The value of every choice on every page and network, from rows.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_lab::MetricId;
use pagerace_lab::stats::median;

use super::feature::{Feature, NetworkFacts, PageFacts};
use crate::compare::{Question, broken, values};
use crate::frame::{Cell, Frame};
use crate::key::{Dimension, Key};

/// The loss of a failed load where the best choice loads. It exceeds that of any number of slow
/// loads, so that the rarest failures are preferred first.
const FAILED: f64 = 1e6;

/// Columns that describe visitors and mishaps. No server chooses them.
const NO_CHOICE: [&str; 2] = ["visit", "interventions"];
/// The strategy, controller and policy of the plainest contender of a version of HTTP.
const PLAIN: [(&str, &str); 3] = [
    ("strategy", "sequential"),
    ("congestion", "cubic"),
    ("reliability", "full"),
];

/// A page, by group and name.
pub type PageName = (String, String);

/// A page on a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation {
    /// Index into the population's pages.
    pub page: usize,
    /// Index into the population's networks.
    pub network: usize,
    /// The share of the network among users, divided by the number of pages; those of all
    /// situations add up to 1.
    pub weight: f64,
    /// By choice: the median over the runs, infinite if most loads fail. A choice that breaks
    /// more objects than today's has no lower value than today's.
    pub values: Vec<f64>,
    /// By choice: true if it breaks more objects than today's.
    pub breaks: Vec<bool>,
    /// By feature of the population.
    pub features: Vec<f64>,
}

/// Pages on networks, with the values of all choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    /// The metric; lower is better.
    pub metric: MetricId,
    /// The pages, which count equally.
    pub pages: Vec<PageName>,
    /// The networks with their shares of users, which add up to 1.
    pub networks: Vec<(String, f64)>,
    /// A contender for each choice. The first is today's; the others are in the order of the
    /// alphabet.
    pub choices: Vec<Key>,
    /// The properties that are known of all pages or networks.
    pub features: Vec<Feature>,
    /// Each page on each network.
    pub situations: Vec<Situation>,
    /// The pages that lack loads, each with the loads that it lacks.
    pub left_out: Vec<String>,
}

/// The properties of pages and networks, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct PopulationFacts {
    /// By page.
    pub pages: BTreeMap<PageName, PageFacts>,
    /// By network.
    pub networks: BTreeMap<String, NetworkFacts>,
}

impl Situation {
    /// The value of the best choice.
    pub fn best(&self) -> f64 {
        self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The best choice; the first of equals.
    pub fn oracle(&self) -> usize {
        let best = self.best();
        let mut all = self.values.iter();
        all.position(|value| *value <= best)
            .expect("there is a choice")
    }

    /// Returns the logarithm of the value of a choice as a multiple of the best choice's. On
    /// average it ranks policies: being twice as slow on one page and twice as fast on another
    /// cancel, and pages that are slow anyway count no more than others.
    pub fn loss(&self, choice: usize) -> f64 {
        let (value, best) = (self.values[choice], self.best());
        match (value.is_finite(), best.is_finite()) {
            (true, _) => libm::log(value / best),
            (false, true) => FAILED,
            (false, false) => 0.0,
        }
    }
}

/// Returns the networks of these loads.
pub fn networks(frame: &Frame) -> Vec<String> {
    values(frame, dimension("network"))
}

fn dimension(name: &str) -> Dimension {
    Dimension::named(name).expect("the name is a column")
}

/// The loads of a page on a network, by contender.
type Measured<'a> = BTreeMap<&'a str, &'a Cell>;

impl Population {
    /// Gathers the loads of `frame`, whose contenders have names. `shares` are the weights of
    /// networks; those without weight are left out. Pages that lack loads of a choice on a
    /// network are left out. `today` is a contender or a part of its name; by default the
    /// plainest, of HTTP/2 if there is one.
    ///
    /// # Errors
    /// Fewer than two choices or pages; visits or interventions that differ; a page and network
    /// in several races; values of zero, of which nothing is a share.
    pub fn new(
        frame: &Frame,
        metric: MetricId,
        today: Option<&str>,
        shares: &BTreeMap<String, f64>,
        facts: &PopulationFacts,
    ) -> Result<Self, String> {
        let choices = choices(frame, metric, today)?;
        let used: BTreeMap<&str, f64> = shares
            .iter()
            .filter(|(_, share)| **share > 0.0)
            .map(|(name, share)| (name.as_str(), *share))
            .collect();
        let total: f64 = used.values().sum();
        let mut all: BTreeMap<PageName, BTreeMap<&str, Measured<'_>>> = BTreeMap::new();
        for cell in frame.cells() {
            let key = &cell.key;
            let networks = all
                .entry((key.group.clone(), key.page.clone()))
                .or_default();
            let measured = networks.entry(&key.network).or_default();
            if let Some(twin) = measured.values().find(|other| other.key.race != key.race) {
                return Err(format!(
                    "the races {} and {} both have loads of {} on {}; choose one, as with \
                     --where race={}",
                    twin.key.race, key.race, key.page, key.network, key.race
                ));
            }
            measured.insert(&key.contender, cell);
        }
        let mut population = Self {
            metric,
            pages: Vec::new(),
            networks: used
                .iter()
                .map(|(name, share)| ((*name).to_owned(), share / total))
                .collect(),
            features: known_features(facts, all.keys(), used.keys().copied()),
            choices,
            situations: Vec::new(),
            left_out: Vec::new(),
        };
        for (page, networks) in all {
            match population.page(frame, &page, &networks, facts)? {
                Ok(situations) => {
                    population.pages.push(page);
                    population.situations.extend(situations);
                }
                Err(lacks) => population.left_out.push(format!("{} ({lacks})", page.1)),
            }
        }
        let count = population.names().len();
        if count < 2 {
            let left_out = population.left_out.first();
            let left_out =
                left_out.map_or_else(String::new, |one| format!("; left out: {one}, for one"));
            return Err(format!(
                "has all loads of {count} of the pages, and a recommendation needs two at least: \
                 it is tested on pages that it was not learnt from{left_out}"
            ));
        }
        let share = 1.0 / population.pages.len() as f64;
        for situation in &mut population.situations {
            situation.weight *= share;
        }
        Ok(population)
    }

    /// Returns a page on all networks, or the loads that it lacks.
    fn page(
        &self,
        frame: &Frame,
        page: &PageName,
        measured: &BTreeMap<&str, Measured<'_>>,
        facts: &PopulationFacts,
    ) -> Result<Result<Vec<Situation>, String>, String> {
        let index = frame.index(self.metric);
        let none = Measured::new();
        let mut all = Vec::new();
        for (network, (name, weight)) in self.networks.iter().enumerate() {
            let cells = measured.get(name.as_str()).unwrap_or(&none);
            let (mut values, mut broken_by) = (Vec::new(), Vec::new());
            for choice in &self.choices {
                let cell = cells.get(choice.contender.as_str());
                let defined = |cell: &&Cell| -> Vec<f64> {
                    cell.values(index).filter_map(|value| value.1).collect()
                };
                let Some((cell, value)) =
                    cell.and_then(|cell| Some((cell, median(&defined(cell))?)))
                else {
                    let key = self.metric.metric().key();
                    return Ok(Err(format!("no {key} of {} on {name}", choice.contender)));
                };
                if value <= 0.0 {
                    return Err(format!(
                        "{} is 0 on {} with {} on {name}, and no regret is a share of 0; choose \
                         another --metric, such as lcp",
                        self.metric.metric().key(),
                        page.1,
                        choice.contender
                    ));
                }
                values.push(value);
                broken_by.push(broken(frame, cell));
            }
            let breaks: Vec<bool> = broken_by
                .iter()
                .map(|count| *count > broken_by[0])
                .collect();
            let today = values[0];
            for (value, breaks) in values.iter_mut().zip(&breaks) {
                if *breaks {
                    *value = value.max(today);
                }
            }
            let value = |feature: &Feature| {
                let of_network = facts.networks.get(name).and_then(|f| feature.of_network(f));
                of_network.or_else(|| facts.pages.get(page).and_then(|f| feature.of_page(f)))
            };
            all.push(Situation {
                page: self.pages.len(),
                network,
                weight: *weight,
                values,
                breaks,
                features: self.features.iter().filter_map(value).collect(),
            });
        }
        Ok(Ok(all))
    }

    /// Returns the names of the pages, without groups: a page of several groups is one.
    pub fn names(&self) -> BTreeSet<&str> {
        self.pages.iter().map(|(_, name)| name.as_str()).collect()
    }

    /// Returns the plainest choice of a version of HTTP, such as `h3`.
    pub(crate) fn plainest(&self, protocol: &str) -> Option<usize> {
        let of = |choice: &usize| self.choices[*choice].property("protocol") == protocol;
        (0..self.choices.len())
            .filter(of)
            .min_by_key(|choice| strangeness(&self.choices[*choice]))
    }
}

/// Returns the key that orders contenders by the number of properties that differ from the
/// plainest.
fn strangeness(key: &Key) -> ([bool; 3], &str) {
    let differs = PLAIN.map(|(column, value)| dimension(column).of(key) != value);
    (differs, &key.contender)
}

/// Returns the contenders, today's first.
fn choices(frame: &Frame, metric: MetricId, today: Option<&str>) -> Result<Vec<Key>, String> {
    for column in NO_CHOICE {
        let all = values(frame, dimension(column));
        if all.len() > 1 {
            return Err(format!(
                "no server chooses the {column}, and there are {}; choose one, as with --where \
                 '{column}={}'",
                all.join(", "),
                all[0]
            ));
        }
    }
    let cells = frame.cells().iter();
    let by_name: BTreeMap<&str, &Key> = cells
        .map(|cell| (cell.key.contender.as_str(), &*cell.key))
        .collect();
    if by_name.len() < 2 {
        let only = by_name
            .values()
            .next()
            .map_or_else(String::new, |key| key.words());
        return Err(format!(
            "all loads have the contender {only}; a recommendation needs two choices at least"
        ));
    }
    let mut all: Vec<Key> = by_name.into_values().cloned().collect();
    let first = if let Some(text) = today {
        let column = Some(Dimension::CONTENDER.name);
        let question = Question::new(frame, metric, column, Some(text))?;
        let mut names = all.iter().map(|key| &key.contender);
        names.position(|name| *name == question.baseline)
    } else {
        let all = all.iter().enumerate();
        let plainest =
            all.min_by_key(|(_, key)| (key.property("protocol") != "h2", strangeness(key)));
        plainest.map(|(place, _)| place)
    };
    all[..=first.unwrap_or(0)].rotate_right(1);
    Ok(all)
}

/// Returns the features that all pages or all networks have.
fn known_features<'a>(
    facts: &PopulationFacts,
    pages: impl Iterator<Item = &'a PageName>,
    mut networks: impl Iterator<Item = &'a str>,
) -> Vec<Feature> {
    let mut features = Vec::new();
    if networks.all(|name| facts.networks.contains_key(name)) {
        features.extend(Feature::OF_NETWORKS);
    }
    let pages: Vec<Option<&PageFacts>> = pages.map(|name| facts.pages.get(name)).collect();
    let known = |feature: &Feature| {
        let mut pages = pages.iter();
        pages.all(|facts| facts.is_some_and(|facts| feature.of_page(facts).is_some()))
    };
    features.extend(Feature::OF_PAGES.into_iter().filter(known));
    features
}
