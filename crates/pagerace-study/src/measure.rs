//! The numbers that measures make of loads.
//!
//! In each run of a page the names of a measure stand for the values of the contenders that
//! they name; the median over the runs is the page's number. A statistic makes one number of
//! those of all pages. If the names say no network, each network has a number of its own.

use std::collections::BTreeMap;

use pagerace_lab::stats::{median, quantile, signed_rank};

use crate::claim::{Comparison, Measure, Statistic, with_network};
use crate::frame::{Cell, Frame};
use crate::key::Dimension;

/// The number of a measure in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The race.
    pub race: String,
    /// The network; `None` if the names say their networks.
    pub network: Option<String>,
    /// Number of pages with a number.
    pub pages: usize,
    /// The number; `None` if no page has one.
    pub number: Option<f64>,
}

/// The cells of each page, by group and page.
type Pages<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a Cell>>;

/// The cells that an expression names on one page, by name.
type Named<'a> = BTreeMap<&'a str, &'a Cell>;

impl Measure {
    /// Returns the numbers of each race, by network unless the names say their networks,
    /// wherever all names have loads.
    ///
    /// # Errors
    /// A name that no contender or several have, or an unknown network.
    pub fn numbers(&self, frame: &Frame) -> Result<Vec<Measured>, String> {
        let names = self.expression.names();
        for name in &names {
            check(frame, name)?;
        }
        let across = names.iter().any(|name| with_network(name).1.is_some());
        let index = frame.index(self.metric);
        let mut places: BTreeMap<(&str, Option<&str>), Pages<'_>> = BTreeMap::new();
        for cell in frame.cells() {
            let key = &cell.key;
            let network = (!across).then_some(key.network.as_str());
            let pages = places.entry((&key.race, network)).or_default();
            pages.entry((&key.group, &key.page)).or_default().push(cell);
        }
        let mut all = Vec::new();
        for ((race, network), pages) in places {
            let mut numbers = Vec::new();
            let mut complete = 0;
            for cells in pages.values() {
                let Some(named) = find(&names, cells)? else {
                    continue;
                };
                complete += 1;
                numbers.extend(self.of_page(&named, index));
            }
            if complete > 0 {
                all.push(Measured {
                    race: race.to_owned(),
                    network: network.map(str::to_owned),
                    pages: numbers.len(),
                    number: self.statistic.of(&numbers),
                });
            }
        }
        if all.is_empty() {
            let place = if across { "" } else { " on one network" };
            return Err(format!("no race has all of {}{place}", names.join(", ")));
        }
        Ok(all)
    }

    /// Returns the number of a page: the median over its runs.
    fn of_page(&self, named: &Named<'_>, index: usize) -> Option<f64> {
        let (_, first) = named.first_key_value()?;
        let of_run = |run: u32| {
            let value = |name: &str| named[name].value(index, run);
            self.expression.value(&value)
        };
        let numbers = first.values(index).filter_map(|(run, _)| of_run(run));
        median(&numbers.collect::<Vec<f64>>())
    }
}

/// Returns true if a cell has the contender, and the network if there is one, of a name.
fn fits(cell: &Cell, name: &str) -> bool {
    let (contender, network) = with_network(name);
    network.is_none_or(|network| cell.key.network == network) && cell.key.is_called(contender)
}

/// Returns the cell of each name; `None` if one has none on this page.
fn find<'a>(names: &[&'a str], cells: &[&'a Cell]) -> Result<Option<Named<'a>>, String> {
    let mut named = Named::new();
    for name in names {
        let found: Vec<&Cell> = cells
            .iter()
            .copied()
            .filter(|cell| fits(cell, name))
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

/// Rejects a name that no load has.
fn check(frame: &Frame, name: &str) -> Result<(), String> {
    if frame.cells().iter().any(|cell| fits(cell, name)) {
        return Ok(());
    }
    let (contender, network) = with_network(name);
    let mut known: Vec<&str> = Vec::new();
    if let Some(network) = network {
        let all = frame.cells().iter();
        let called = all.filter(|cell| cell.key.is_called(contender));
        known.extend(called.map(|cell| cell.key.network.as_str()));
        known.sort_unstable();
        known.dedup();
        if !known.is_empty() {
            return Err(format!(
                "`{contender}` has no loads on the network `{network}`, but on {}",
                known.join(", ")
            ));
        }
    }
    for one in Dimension::of_contenders() {
        for cell in frame.cells() {
            let value = one.of(&cell.key).as_str();
            if !known.contains(&value) {
                known.push(value);
            }
        }
    }
    Err(format!(
        "`{contender}` names no contender; use words such as {} (minus signs have spaces around \
         them)",
        known.join(", ")
    ))
}

impl Statistic {
    /// Reduces the pages' numbers to one; `None` if there are none.
    fn of(self, numbers: &[f64]) -> Option<f64> {
        let share = |comparison: Comparison, limit: f64| {
            let count = numbers.iter().filter(|n| comparison.holds(**n, limit));
            count.count() as f64 / numbers.len() as f64
        };
        match self {
            Self::Median => median(numbers),
            Self::Quantile(p) => quantile(numbers, p),
            Self::SignedRankP => signed_rank(numbers).map(|test| test.p),
            _ if numbers.is_empty() => None,
            Self::Mean => Some(numbers.iter().sum::<f64>() / numbers.len() as f64),
            Self::Share(comparison, limit) => Some(share(comparison, limit)),
            Self::NetShare(limit) => {
                Some(share(Comparison::More, limit) - share(Comparison::Less, -limit))
            }
        }
    }
}
