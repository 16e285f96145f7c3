//! Tables of the packets that responses lose, by category and by time.
//!
//! A packet counts for each request whose response it has bytes of. Srivastava 2024, section 5.5,
//! asks for both: which types of content lose packets, and at what time.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::words;
use serde::Deserialize;

use crate::StudyError;
use crate::frame::{Cell, Filter, Frame};
use crate::key::Dimension;
use crate::plan::fields;
use crate::store::Store;
use crate::table::{FilledTable, Value};

/// The ends of all spans of time but the last, in seconds.
const ENDS: [u32; 5] = [1, 2, 4, 8, 16];

words! {
    /// The rows of a table of losses.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum By {
        /// The categories of requests, the one with most losses first.
        #[default]
        Category = "category": "Categories of requests",
        /// Spans of time since the navigation.
        Time = "time": "Spans of time since the navigation",
    }
}

/// The description of a table of losses.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of keys")]
pub struct LossSpec {
    /// The heading; empty if it has none.
    pub name: String,
    /// The rows.
    pub by: By,
    /// The loads that count.
    #[serde(rename = "where", deserialize_with = "fields::named")]
    pub filter: Filter,
}

/// A request of a load, and the packets that its response lost.
#[derive(Clone, Debug, PartialEq)]
pub struct LossyRequest {
    /// The cell of the load.
    pub cell: String,
    /// The run of the load.
    pub run: u32,
    /// The category.
    pub category: String,
    /// The times at which these packets left, ms after the navigation.
    pub lost_ms: Vec<f64>,
}

/// Sums over requests.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    requests: u32,
    /// Lost packets by span of time.
    lost: [u32; ENDS.len() + 1],
}

impl Sum {
    fn add(&mut self, request: &LossyRequest) {
        self.requests += 1;
        for at in &request.lost_ms {
            let span = ENDS.partition_point(|end| f64::from(*end) * 1_000.0 <= *at);
            self.lost[span] += 1;
        }
    }

    fn lost(&self) -> u32 {
        self.lost.iter().sum()
    }
}

/// The loads of one network and contender.
#[derive(Default)]
struct Place {
    loads: BTreeSet<(String, u32)>,
    categories: BTreeMap<String, Sum>,
}

impl LossSpec {
    /// Checks the table against the cells of a plan.
    ///
    /// # Errors
    /// An unknown column or value of the filter.
    pub fn check(&self, frame: &Frame) -> Result<(), String> {
        frame.filter(&self.filter).map(drop)
    }

    /// Fills in the table with the requests of the loads in `frame`.
    ///
    /// # Errors
    /// An unknown column or value of the filter, or a damaged file.
    pub fn fill(&self, frame: &Frame, store: &Store) -> Result<FilledTable, StudyError> {
        let frame = frame.filter(&self.filter).map_err(StudyError::plain)?;
        let varying = varying(frame.cells());
        let mut of_cell: BTreeMap<&str, Vec<&Cell>> = BTreeMap::new();
        for cell in frame.cells() {
            of_cell.entry(&cell.key.cell).or_default().push(cell);
        }
        let mut places: BTreeMap<Vec<&str>, Place> = BTreeMap::new();
        let cells: Vec<String> = of_cell.keys().map(|cell| (*cell).to_owned()).collect();
        store.requests(&cells, |request| {
            let all = of_cell.get(&*request.cell).into_iter().flatten();
            // Several races may have the same cell, whose loads count once in a place.
            let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
            for cell in all.filter(|cell| cell.has(request.run)) {
                let words = varying.iter().map(|one| one.of(&cell.key).as_str());
                let words: Vec<&str> = words.collect();
                if !seen.insert(words.clone()) {
                    continue;
                }
                let place = places.entry(words).or_default();
                place.loads.insert((request.cell.clone(), request.run));
                let sum = place.categories.entry(request.category.clone());
                sum.or_default().add(&request);
            }
        })?;
        let names = varying.iter().map(|one| one.name.to_owned());
        let header: &[&str] = match self.by {
            By::Category => &[
                "category",
                "requests",
                "lost packets",
                "for each request",
                "of all lost",
            ],
            By::Time => &["time", "lost packets", "most in"],
        };
        let rows = match self.by {
            By::Category => by_category,
            By::Time => by_time,
        };
        let mut all = Vec::new();
        for (words, place) in &places {
            let words = words.iter().map(|word| Value::Text((*word).to_owned()));
            let words: Vec<Value> = words.collect();
            all.extend(
                rows(place)
                    .into_iter()
                    .map(|row| [&words[..], &row].concat()),
            );
        }
        Ok(FilledTable {
            caption: "Lost packets with bytes of responses; means over loads".to_owned(),
            header: names
                .chain(header.iter().map(|name| (*name).to_owned()))
                .collect(),
            left: varying.len() + 1,
            rows: all,
        })
    }
}

/// The columns of networks and contenders that vary among the cells.
fn varying(cells: &[Cell]) -> Vec<Dimension> {
    let varies = |one: &Dimension| {
        let mut all = cells.iter().map(|cell| one.of(&cell.key));
        let first = all.next();
        all.any(|value| Some(value) != first)
    };
    let mut all: Vec<Dimension> = Dimension::all().collect();
    all.retain(|one| !["race", "group", "page", "cell"].contains(&one.name) && varies(one));
    all
}

fn by_category(place: &Place) -> Vec<Vec<Value>> {
    let loads = place.loads.len() as f64;
    let all: u32 = place.categories.values().map(Sum::lost).sum();
    let mut sums: Vec<(&String, &Sum)> = place.categories.iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.lost()));
    let row = |(name, sum): (&String, &Sum)| {
        let lost = f64::from(sum.lost());
        vec![
            Value::Text(name.clone()),
            Value::Number(Some(f64::from(sum.requests) / loads)),
            Value::Number(Some(lost / loads)),
            Value::Number(Some(lost / f64::from(sum.requests))),
            Value::Share((all > 0).then(|| lost / f64::from(all))),
        ]
    };
    sums.into_iter().map(row).collect()
}

fn by_time(place: &Place) -> Vec<Vec<Value>> {
    let loads = place.loads.len() as f64;
    let row = |span: usize| {
        let from = span.checked_sub(1).map_or(0, |before| ENDS[before]);
        let name = match ENDS.get(span) {
            Some(end) => format!("{from} to {end} s"),
            None => format!("after {from} s"),
        };
        let all: u32 = place.categories.values().map(|sum| sum.lost[span]).sum();
        // The first by name wins among equals.
        let lost = |(_, sum): &(&String, &Sum)| sum.lost[span];
        let most = place.categories.iter().rev().max_by_key(lost);
        let most = most.filter(|most| lost(most) > 0);
        let most = most.map_or_else(String::new, |(name, sum)| {
            let share = 100.0 * f64::from(sum.lost[span]) / f64::from(all);
            format!("{name} ({share:.0} %)")
        });
        vec![
            Value::Text(name),
            Value::Number(Some(f64::from(all) / loads)),
            Value::Text(most),
        ]
    };
    (0..=ENDS.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(category: &str, lost_ms: &[f64]) -> LossyRequest {
        LossyRequest {
            cell: "0a".to_owned(),
            run: 0,
            category: category.to_owned(),
            lost_ms: lost_ms.to_vec(),
        }
    }

    fn place() -> Place {
        let mut place = Place::default();
        for run in 0..2 {
            place.loads.insert(("0a".to_owned(), run));
        }
        for (category, lost) in [
            ("images", &[500.0, 1_000.0, 17_000.0][..]),
            ("images", &[]),
            ("fonts", &[900.0]),
        ] {
            let sum = place.categories.entry(category.to_owned());
            sum.or_default().add(&request(category, lost));
        }
        place
    }

    #[test]
    fn categories_with_most_losses_come_first() {
        let number = |value: f64| Value::Number(Some(value));
        let rows = by_category(&place());
        let images = [
            number(1.0),
            number(1.5),
            number(1.5),
            Value::Share(Some(0.75)),
        ];
        assert_eq!(rows[0][0], Value::Text("images".to_owned()));
        assert_eq!(rows[0][1..], images);
        assert_eq!(rows[1][1], number(0.5));
        assert_eq!(rows[1][4], Value::Share(Some(0.25)));
    }

    #[test]
    fn losses_belong_to_the_span_in_which_their_packet_left() {
        let rows = by_time(&place());
        let lost: Vec<&Value> = rows.iter().map(|row| &row[1]).collect();
        let number = |value: f64| Value::Number(Some(value));
        let wanted = [1.0, 0.5, 0.0, 0.0, 0.0, 0.5].map(number);
        assert_eq!(lost, wanted.iter().collect::<Vec<_>>());
        assert_eq!(rows[0][0], Value::Text("0 to 1 s".to_owned()));
        assert_eq!(rows[0][2], Value::Text("fonts (50 %)".to_owned()));
        assert_eq!(rows[2][2], Value::Text(String::new()));
        assert_eq!(rows[5][0], Value::Text("after 16 s".to_owned()));
    }
}
