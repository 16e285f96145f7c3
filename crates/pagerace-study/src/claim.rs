//! Claims: predicates over the results of a study.
//!
//! A claim such as `median over pages of (h2 - h3)/h2 of speed_index_ms > 0` is evaluated
//! separately for each race and network. In each run of a page the names stand for the
//! values of the contenders that they name; the median over the runs is the page's number.
//! A claim holds if it holds on every network.

use std::collections::BTreeMap;

use pagerace_lab::MetricId;
use pagerace_lab::stats::{median, quantile, signed_rank};

use crate::frame::{Cell, Filter, Frame};
use crate::key::Dimension;

mod grammar;

pub use grammar::{Comparison, Expression, Operator, Sentence, Statistic, metric, parse};

/// A claim of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claim in words of the author; empty if there are none.
    pub name: String,
    /// The predicate as it is written.
    pub text: String,
    /// The predicate.
    pub sentence: Sentence,
    /// The loads that count.
    pub filter: Filter,
}

/// A claim on one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The race.
    pub race: String,
    /// The network.
    pub network: String,
    /// Number of pages with a number.
    pub pages: usize,
    /// The deciding number; `None` if no page has one.
    pub number: Option<f64>,
    /// True if the claim holds. Without a deciding number it does not.
    pub holds: bool,
}

/// The cells of each page, by group and page.
type Pages<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a Cell>>;

/// The cells that an expression names on one page, by name.
type Named<'a> = BTreeMap<&'a str, &'a Cell>;

impl Claim {
    /// Returns the metric that the claim needs.
    pub fn metric(&self) -> MetricId {
        self.sentence.metric
    }

    /// Evaluates the claim on each network of each race that has all contenders it names.
    ///
    /// # Errors
    /// A name that no contender or several have, or an unknown column or value of the filter.
    pub fn decide(&self, frame: &Frame) -> Result<Vec<Decision>, String> {
        let frame = frame.filter(&self.filter)?;
        let names = self.sentence.expression.names();
        for name in &names {
            if !frame.cells().iter().any(|cell| cell.key.is_called(name)) {
                return Err(unknown(&frame, name));
            }
        }
        let index = frame.index(self.sentence.metric);
        let mut places: BTreeMap<(&str, &str), Pages<'_>> = BTreeMap::new();
        for cell in frame.cells() {
            let key = &cell.key;
            let pages = places.entry((&key.race, &key.network)).or_default();
            pages.entry((&key.group, &key.page)).or_default().push(cell);
        }
        let mut decisions = Vec::new();
        for ((race, network), pages) in places {
            let mut numbers = Vec::new();
            let mut complete = 0;
            for cells in pages.values() {
                let Some(named) = find(&names, cells)? else {
                    continue;
                };
                complete += 1;
                numbers.extend(self.number(&named, index));
            }
            if complete > 0 {
                let number = self.sentence.statistic.of(&numbers);
                decisions.push(Decision {
                    race: race.to_owned(),
                    network: network.to_owned(),
                    pages: numbers.len(),
                    number,
                    holds: number.is_some_and(|number| self.sentence.holds(number)),
                });
            }
        }
        if decisions.is_empty() {
            return Err(format!(
                "no race has all of {} on one network",
                names.join(", ")
            ));
        }
        Ok(decisions)
    }

    /// Returns the number of a page: the median over its runs.
    fn number(&self, named: &Named<'_>, index: usize) -> Option<f64> {
        let (_, first) = named.first_key_value()?;
        let of_run = |run: u32| {
            let value = |name: &str| named[name].value(index, run);
            self.sentence.expression.value(&value)
        };
        let numbers = first.values(index).filter_map(|(run, _)| of_run(run));
        median(&numbers.collect::<Vec<f64>>())
    }
}

/// Returns the cell of each name; `None` if one has none on this page.
fn find<'a>(names: &[&'a str], cells: &[&'a Cell]) -> Result<Option<Named<'a>>, String> {
    let mut named = Named::new();
    for name in names {
        let found: Vec<&Cell> = cells
            .iter()
            .copied()
            .filter(|cell| cell.key.is_called(name))
            .collect();
        match found.as_slice() {
            [] => return Ok(None),
            [one] => _ = named.insert(name, one),
            [one, other, ..] => {
                return Err(format!(
                    "`{name}` names several contenders, such as {} and {}; give more of the \
                     name in quotes, or choose loads with `where`",
                    one.key.words(),
                    other.key.words()
                ));
            }
        }
    }
    Ok(Some(named))
}

fn unknown(frame: &Frame, name: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    for one in Dimension::of_contenders() {
        for cell in frame.cells() {
            let value = (one.get)(&cell.key).as_str();
            if !known.contains(&value) {
                known.push(value);
            }
        }
    }
    format!(
        "`{name}` names no contender; use words such as {} (minus signs have spaces around them)",
        known.join(", ")
    )
}

impl Statistic {
    /// Returns the deciding number of the pages' numbers.
    fn of(self, numbers: &[f64]) -> Option<f64> {
        match self {
            Self::Median => median(numbers),
            Self::Quantile(p) => quantile(numbers, p),
            Self::Mean if numbers.is_empty() => None,
            Self::Mean => Some(numbers.iter().sum::<f64>() / numbers.len() as f64),
            Self::SignedRankP => signed_rank(numbers).map(|test| test.p),
            Self::Share(comparison, limit) if !numbers.is_empty() => {
                let count = numbers.iter().filter(|n| comparison.holds(**n, limit));
                Some(count.count() as f64 / numbers.len() as f64)
            }
            Self::Share(..) => None,
        }
    }
}

#[cfg(test)]
mod tests;
