//! The numbers that measures make of loads.
//!
//! In each run of a page the names of a measure stand for the values of the contenders that
//! they name; the median over the runs is the page's number, or their rank correlation. A
//! statistic makes one number of those of all pages; a slope is over a property of the pages. If the names say no network, each network has
//! a number of its own, unless the runs of all networks are pooled.
//!
//! # Source
//! Davison and Hinkley 1997, "Bootstrap Methods and their Application", section 3.8: samples of
//! two levels.

use std::collections::BTreeMap;

use pagerace_core::rng::Rng;
use pagerace_lab::stats::{line, median, quantile, signed_rank, spearman};

use crate::claim::{Comparison, Measure, Statistic, With, with_network};
use crate::frame::{Cell, Filter, Frame};
use crate::key::Dimension;

/// Number of resamples behind an interval.
const RESAMPLES: usize = 1_000;
/// The least number of runs, over all pages, for an interval.
const RUNS_MIN: usize = 5;

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
    /// The ends of its 95 % interval over pages and runs; `None` if there are too few, or if
    /// nobody asked.
    pub interval: Option<(f64, f64)>,
}

/// Which networks count together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pooling<'a> {
    /// True if all do.
    pub all: bool,
    /// The networks in the order of their places, for correlations with the network.
    pub networks: &'a [String],
}

impl<'a> Pooling<'a> {
    /// Pools all networks that a filter lists, or none.
    pub(crate) fn of(all: bool, filter: &'a Filter) -> Self {
        let networks = filter.get("network").map_or(&[][..], Vec::as_slice);
        Self { all, networks }
    }
}

/// The cells of each page, by group and page.
type Pages<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a Cell>>;

/// The cells that an expression names on one page, by name.
type Named<'a> = BTreeMap<&'a str, &'a Cell>;

/// The values of a page's runs; the second ones are those to correlate with, or the property of
/// the page.
type Runs = Vec<(f64, f64)>;

/// A place with the runs of each page.
struct Place<'a> {
    race: &'a str,
    network: Option<&'a str>,
    pages: Vec<Runs>,
}

impl Measure {
    /// Returns the numbers of each race, by network unless the names say their networks,
    /// wherever all names have loads. They have no intervals.
    ///
    /// # Errors
    /// A name that no contender or several have, or an unknown network.
    pub fn numbers(&self, frame: &Frame, pooling: Pooling<'_>) -> Result<Vec<Measured>, String> {
        let places = self.places(frame, pooling)?;
        let number = |place: Place<'_>| self.measured(&place, None);
        Ok(places.into_iter().map(number).collect())
    }

    /// The numbers of [`Measure::numbers`] with their intervals: the quantiles of the numbers of
    /// samples of pages, and of their runs, that are drawn with replacement. The draws are always
    /// the same.
    ///
    /// # Errors
    /// As those of [`Measure::numbers`].
    pub fn estimates(&self, frame: &Frame, pooling: Pooling<'_>) -> Result<Vec<Measured>, String> {
        let places = self.places(frame, pooling)?;
        let estimate = |place: Place<'_>| self.measured(&place, self.interval(&place.pages));
        Ok(places.into_iter().map(estimate).collect())
    }

    fn measured(&self, place: &Place<'_>, interval: Option<(f64, f64)>) -> Measured {
        let mut numbers = Vec::new();
        let mut pages = 0;
        for runs in &place.pages {
            let before = numbers.len();
            self.of_page(runs, &mut numbers);
            pages += usize::from(numbers.len() > before);
        }
        Measured {
            race: place.race.to_owned(),
            network: place.network.map(str::to_owned),
            pages,
            number: self.statistic.of(&numbers).filter(|one| !one.is_nan()),
            interval,
        }
    }

    /// The runs of each page in each place.
    fn places<'a>(&self, frame: &'a Frame, pooling: Pooling<'_>) -> Result<Vec<Place<'a>>, String> {
        let names = self.names();
        for name in &names {
            check(frame, name)?;
        }
        let across = names.iter().any(|name| with_network(name).1.is_some());
        // The cells by race, network and page.
        let mut cells: BTreeMap<(&str, Option<&str>), Pages<'_>> = BTreeMap::new();
        for cell in frame.cells() {
            let key = &cell.key;
            let network = (!across).then_some(key.network.as_str());
            let pages = cells.entry((&key.race, network)).or_default();
            pages.entry((&key.group, &key.page)).or_default().push(cell);
        }
        let mut places: BTreeMap<(&str, Option<&str>), BTreeMap<_, Runs>> = BTreeMap::new();
        for ((race, network), pages) in cells {
            let kept = network.filter(|_| !pooling.all);
            for (page, cells) in pages {
                let Some(named) = find(&names, &cells)? else {
                    continue;
                };
                let number = match (&self.with, network) {
                    (Some(With::Network), Some(network)) => {
                        Some(place_of(network, pooling.networks)?)
                    }
                    (Some(With::Requests), _) => frame.facts(page).map(|facts| facts.requests),
                    (Some(With::Kilobytes), _) => frame.facts(page).map(|facts| facts.kilobytes),
                    _ => Some(0.0),
                };
                let place = places.entry((race, kept)).or_default();
                let runs = place.entry(page).or_default();
                // A plan is checked before the facts of its pages are known.
                if let Some(number) = number {
                    runs.extend(self.runs(&named, frame, number));
                }
            }
        }
        if places.is_empty() {
            let place = if across { "" } else { " on one network" };
            return Err(format!("no race has all of {}{place}", names.join(", ")));
        }
        let place = |((race, network), pages): (_, BTreeMap<_, Runs>)| Place {
            race,
            network,
            pages: pages.into_values().collect(),
        };
        Ok(places.into_iter().map(place).collect())
    }

    /// The values of the runs of a page. Their partner is `other`, unless it is a value.
    fn runs(&self, named: &Named<'_>, frame: &Frame, other: f64) -> Runs {
        let Some((_, first)) = named.first_key_value() else {
            return Runs::new();
        };
        let index = frame.index(self.metric);
        let of = |index: usize, run: u32| move |name: &str| named[name].value(index, run);
        let pair = |run: u32| {
            let value = self.expression.value(&of(index, run))?;
            let other = match &self.with {
                Some(With::Value(other, metric)) => other.value(&of(frame.index(*metric), run))?,
                _ => other,
            };
            Some((value, other))
        };
        first
            .values(index)
            .filter_map(|(run, _)| pair(run))
            .collect()
    }

    /// Adds the number of a page with the property of the page, or those of its runs.
    fn of_page(&self, runs: &[(f64, f64)], numbers: &mut Runs) {
        let values: Vec<f64> = runs.iter().map(|(value, _)| *value).collect();
        let property = runs.first().map_or(0.0, |(_, property)| *property);
        if self.over_loads {
            numbers.extend(values.iter().map(|value| (*value, property)));
        } else if self.correlates() {
            let others: Vec<f64> = runs.iter().map(|(_, other)| *other).collect();
            let correlation = spearman(&values, &others);
            numbers.extend(correlation.map(|correlation| (correlation.rho, property)));
        } else {
            // Between minus and plus infinity, there is no median.
            let median = median(&values).filter(|number| !number.is_nan());
            numbers.extend(median.map(|number| (number, property)));
        }
    }

    fn interval(&self, pages: &[Runs]) -> Option<(f64, f64)> {
        if pages.iter().map(Vec::len).sum::<usize>() < RUNS_MIN {
            return None;
        }
        // Samples of pages say nothing about the extremes of all. Those are of the pages at hand.
        let extreme = matches!(self.statistic, Statistic::Quantile(p) if p <= 0.0 || p >= 1.0);
        let mut rng = Rng::new(0, "bootstrap over pages and runs");
        let mut below = |count: usize| rng.below(count as u64) as usize;
        let mut drawn = Runs::new();
        let mut draw = || {
            let mut numbers = Vec::with_capacity(pages.len());
            for own in pages {
                let runs = if extreme {
                    own
                } else {
                    &pages[below(pages.len())]
                };
                drawn.clear();
                drawn.extend((0..runs.len()).map(|_| runs[below(runs.len())]));
                self.of_page(&drawn, &mut numbers);
            }
            self.statistic.of(&numbers)
        };
        let numbers: Vec<f64> = (0..RESAMPLES)
            .filter_map(|_| draw().filter(|number| !number.is_nan()))
            .collect();
        let ends = quantile(&numbers, 0.025).zip(quantile(&numbers, 0.975));
        ends.filter(|(low, high)| !low.is_nan() && !high.is_nan())
    }
}

/// The place of a network in the list.
fn place_of(network: &str, networks: &[String]) -> Result<f64, String> {
    let place = networks.iter().position(|one| one == network);
    let place = place.ok_or_else(|| {
        format!(
            "a correlation with the network needs their order; list them in `where`, {network} \
             included"
        )
    })?;
    Ok(place as f64)
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
    /// Reduces the pages' numbers to one; `None` if there are none. The second ones are the
    /// properties of the pages.
    fn of(self, pages: &[(f64, f64)]) -> Option<f64> {
        if self == Self::Slope {
            // Failed loads have no finite time.
            let finite = pages.iter().filter(|(number, _)| number.is_finite());
            let points: Vec<(f64, f64)> = finite.map(|(number, x)| (*x, *number)).collect();
            return line(&points).map(|line| line.slope);
        }
        let numbers: Vec<f64> = pages.iter().map(|(number, _)| *number).collect();
        let numbers = numbers.as_slice();
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
            Self::Slope => None,
        }
    }
}
