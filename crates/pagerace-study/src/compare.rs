//! Comparison of the values of one column, such as the protocol, page by page.
//!
//! Runs are paired: run `k` of every contender has the same seed. A page's change is the
//! median of its paired differences as a share of the baseline's median.

use std::collections::BTreeMap;

use pagerace_lab::MetricId;
use pagerace_lab::analysis::relative;
use pagerace_lab::stats::{differences, mann_whitney, median, median_interval, signed_rank};

use crate::frame::{Cell, Frame};
use crate::key::Dimension;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The columns that vary, with their values.
pub type Place = Vec<(&'static str, String)>;

/// Cells by group and page.
type Pages<'a> = BTreeMap<(&'a str, &'a str), &'a Cell>;

/// The metric that counts objects that arrived broken.
const BROKEN: &str = "broken-objects";

/// A comparison to make.
#[derive(Clone, Debug)]
pub struct Question {
    /// The metric.
    pub metric: MetricId,
    /// The column whose values are compared.
    pub column: Dimension,
    /// The value with which the others are compared.
    pub baseline: String,
}

/// The pages on which one value is compared with the baseline, all else being equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The columns that vary in the study, with the values that all its loads share.
    pub place: Place,
    /// The value that is compared.
    pub value: String,
    /// The comparisons, by group and page.
    pub pages: Vec<OnPage>,
}

/// The comparison on one page. `None` is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct OnPage {
    /// The group of the page.
    pub group: String,
    /// The page.
    pub page: String,
    /// Median of the baseline's loads.
    pub baseline: Option<f64>,
    /// Median of the loads.
    pub median: Option<f64>,
    /// Median of the paired differences.
    pub difference: Option<f64>,
    /// Ends of a 95 % interval for this median.
    pub interval: Option<(f64, f64)>,
    /// The difference as a share of the baseline's median. `None` if more objects arrived
    /// broken and the difference is a gain.
    pub change: Option<f64>,
    /// Two-sided probability of Mann and Whitney.
    pub mann_whitney_p: Option<f64>,
    /// Two-sided probability of Wilcoxon's signed-rank test.
    pub signed_rank_p: Option<f64>,
}

/// Returns the metrics that comparisons of `metric` need.
pub fn needed(metric: MetricId) -> Vec<MetricId> {
    let mut all = vec![metric];
    let broken: MetricId = BROKEN.parse().expect("it is in the registry");
    if broken != metric {
        all.push(broken);
    }
    all
}

impl Question {
    /// Builds a question. Without a `column`, the one property of contenders that varies is
    /// compared; without a `baseline`, with its first value in the order of the alphabet.
    ///
    /// # Errors
    /// The column does not exist or does not vary, or no load has the baseline.
    pub fn new(
        frame: &Frame,
        metric: MetricId,
        column: Option<&str>,
        baseline: Option<&str>,
    ) -> Result<Self, String> {
        let column = match column {
            Some("contender") => Dimension::CONTENDER,
            Some(name) => Dimension::named(name)?,
            None => varying_contender(frame)?,
        };
        if matches!(column.name, "page" | "cell" | "group") {
            return Err(format!(
                "`{}` cannot be compared: loads of different pages make no pairs",
                column.name
            ));
        }
        let values = values(frame, column);
        if values.len() < 2 {
            return Err(format!(
                "all loads have the {} {}; choose a column that varies",
                column.name,
                values.join(", ")
            ));
        }
        let baseline = match baseline {
            None => values[0].clone(),
            Some(name) if values.iter().any(|value| value == name) => name.to_owned(),
            Some(name) => called(frame, column, name).ok_or_else(|| {
                format!(
                    "no load, or more than one, has the {} `{name}`, the baseline; there are {}",
                    column.name,
                    values.join(", ")
                )
            })?,
        };
        Ok(Self {
            metric,
            column,
            baseline,
        })
    }
}

/// Returns the values of a column, in order.
pub fn values(frame: &Frame, column: Dimension) -> Vec<String> {
    let mut all: Vec<String> = frame
        .cells()
        .iter()
        .map(|cell| column.of(&cell.key))
        .cloned()
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Returns the only contender that a part of its name fits.
fn called(frame: &Frame, column: Dimension, name: &str) -> Option<String> {
    if column != Dimension::CONTENDER {
        return None;
    }
    let fits = |cell: &&Cell| cell.key.is_called(name);
    let mut found = frame
        .cells()
        .iter()
        .filter(fits)
        .map(|cell| &cell.key.contender);
    let first = found.next()?;
    found.all(|other| other == first).then(|| first.clone())
}

fn varying_contender(frame: &Frame) -> Result<Dimension, String> {
    let varying = Dimension::of_contenders().filter(|one| values(frame, *one).len() > 1);
    let varying: Vec<Dimension> = varying.collect();
    match varying.as_slice() {
        [one] => Ok(*one),
        [] => Err("all loads have the same contender; there is nothing to compare".to_owned()),
        several => {
            let names: Vec<&str> = several.iter().map(|one| one.name).collect();
            Err(format!(
                "several columns vary ({}); say which to compare, or compare contender",
                names.join(", ")
            ))
        }
    }
}

/// The cells of one value and of the baseline, all else being equal.
#[derive(Clone, Debug)]
pub(crate) struct Pairing<'a> {
    /// The columns that vary besides page and group, with their values.
    pub place: Place,
    /// The value that is compared.
    pub value: String,
    /// The baseline's cell and the value's, by group and page.
    pub cells: Vec<(&'a Cell, &'a Cell)>,
}

/// Returns the cells of every other value with those of the baseline, separately for each
/// combination of all other columns but page and group.
pub(crate) fn pairings<'a>(frame: &'a Frame, question: &Question) -> Vec<Pairing<'a>> {
    let column = question.column;
    let outer = |one: &Dimension| {
        let whole = column == Dimension::CONTENDER && one.is_of_contenders();
        ![column.name, "page", "group", "cell"].contains(&one.name)
            && !whole
            && values(frame, *one).len() > 1
    };
    let outer: Vec<Dimension> = Dimension::all().filter(outer).collect();
    let mut all: BTreeMap<(Place, &str), Pages<'a>> = BTreeMap::new();
    for cell in frame.cells() {
        let page = (cell.key.group.as_str(), cell.key.page.as_str());
        let property = |one: &Dimension| (one.name, one.of(&cell.key).clone());
        let place = outer.iter().map(property).collect();
        let group = (place, column.of(&cell.key).as_str());
        all.entry(group).or_default().insert(page, cell);
    }
    let pairing = |((place, value), pages): (&(Vec<_>, &str), &Pages<'a>)| {
        let base = all.get(&(place.clone(), question.baseline.as_str()))?;
        let both = |(page, own): (&(&str, &str), &&'a Cell)| Some((*base.get(page)?, *own));
        (*value != question.baseline).then(|| Pairing {
            place: place.clone(),
            value: (*value).to_owned(),
            cells: pages.iter().filter_map(both).collect(),
        })
    };
    all.iter().filter_map(pairing).collect()
}

/// Compares every other value with the baseline, page by page.
pub fn compare(frame: &Frame, question: &Question) -> Vec<Compared> {
    let compared = |one: Pairing<'_>| {
        let pages = one.cells.iter();
        let pages = pages.map(|(base, own)| on_page(frame, question.metric, base, own));
        Compared {
            pages: pages.collect(),
            place: one.place,
            value: one.value,
        }
    };
    pairings(frame, question)
        .into_iter()
        .map(compared)
        .collect()
}

fn on_page(frame: &Frame, metric: MetricId, base: &Cell, own: &Cell) -> OnPage {
    let index = frame.index(metric);
    let defined = |cell: &Cell| -> Vec<f64> { cell.values(index).filter_map(|v| v.1).collect() };
    let (x, y) = (defined(own), defined(base));
    let pairs = own.values(index);
    let paired = differences(pairs.map(|(run, value)| (value, base.value(index, run))));
    let reference = median(&y);
    let difference = median(&paired);
    let gain = difference.is_some_and(|difference| difference < 0.0);
    let honest = !gain || broken(frame, own) <= broken(frame, base);
    OnPage {
        group: own.key.group.clone(),
        page: own.key.page.clone(),
        baseline: reference,
        median: median(&x),
        difference,
        interval: median_interval(&paired, CONFIDENCE).map(|i| (i.low, i.high)),
        change: relative(difference, reference).filter(|_| honest),
        mann_whitney_p: mann_whitney(&x, &y).map(|test| test.p),
        signed_rank_p: signed_rank(&paired).map(|test| test.p),
    }
}

/// Returns the number of objects that arrived broken in the loads of a cell.
pub(crate) fn broken(frame: &Frame, cell: &Cell) -> f64 {
    let broken: MetricId = BROKEN.parse().expect("it is in the registry");
    let index = frame.index(broken);
    cell.values(index).filter_map(|(_, value)| value).sum()
}

#[cfg(test)]
mod tests;
