//! Tables over pages, made of loads alone.

use pagerace_core::{Words, words};
use pagerace_lab::MetricId;
use pagerace_lab::across::GAIN;
use pagerace_lab::stats::{median, quantile, signed_rank, spearman};
use serde::Deserialize;

use crate::compare::{Compared, OnPage, Question, compare, needed, pairings, values};
use crate::frame::{Filter, Frame};
use crate::plan::fields;

/// The level below which a probability counts as significant.
const LEVEL: f64 = 0.05;
/// The quantiles of tables, in per cent.
const QUANTILES: [u32; 7] = [5, 10, 25, 50, 75, 90, 95];
/// The metric with which [`TableKind::Spearman`] correlates by default.
const BLOCKED: &str = "hol-blocked-bytes";

words! {
    /// The kind of a table.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TableKind {
        /// Medians, changes and tests over all pages.
        #[default]
        Summary = "summary": "Medians, changes and tests over all pages",
        /// One row for each page.
        Pages = "pages": "One row for each page",
        /// The cumulative distribution of the change over the pages.
        Cdf = "cdf": "The distribution of the change over the pages",
        /// Quantiles of the pages' medians.
        Quantiles = "quantiles": "Quantiles of the pages' medians",
        /// Mean and standard deviation over the runs, for each page.
        Deviations = "deviations": "Mean and standard deviation, for each page",
        /// The rank correlation of two metrics' differences, for each page.
        Spearman = "spearman": "The rank correlation of two metrics, for each page",
    }
}

impl TableKind {
    /// Returns the kind called `name`.
    ///
    /// # Errors
    /// Names the kinds that exist.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::of_word(name).ok_or_else(|| {
            let known: Vec<&str> = Self::WORDS.iter().map(|(_, word, _)| *word).collect();
            format!("`{name}` is no kind of table; use {}", known.join(", "))
        })
    }
}

/// The description of a table.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of keys")]
pub struct TableSpec {
    /// The heading; empty if it has none.
    pub name: String,
    /// The kind.
    pub kind: TableKind,
    /// The metric.
    #[serde(deserialize_with = "fields::metric")]
    pub metric: MetricId,
    /// The metric with which [`TableKind::Spearman`] correlates.
    #[serde(deserialize_with = "fields::some_metric")]
    pub with: Option<MetricId>,
    /// The column whose values are compared.
    pub compare: Option<String>,
    /// The value with which the others are compared.
    pub baseline: Option<String>,
    /// The loads that count.
    #[serde(rename = "where", deserialize_with = "fields::named")]
    pub filter: Filter,
}

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number of things.
    Count(usize),
    /// A value of a metric, or a difference of values.
    Metric(MetricId, Option<f64>),
    /// A share; 1 is all.
    Share(Option<f64>),
    /// A change as a share, with a sign.
    Change(Option<f64>),
    /// A probability, or a correlation.
    Number(Option<f64>),
}

/// A table that is filled.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledTable {
    /// A description in one line.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The number of columns at the left that hold text.
    pub left: usize,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl TableSpec {
    /// Returns the metrics that the table needs.
    pub fn metrics(&self) -> Vec<MetricId> {
        let mut all = needed(self.metric);
        if self.kind == TableKind::Spearman && !all.contains(&self.other()) {
            all.push(self.other());
        }
        all
    }

    fn other(&self) -> MetricId {
        let blocked = || BLOCKED.parse().expect("it is in the registry");
        self.with.unwrap_or_else(blocked)
    }

    /// Returns the question of the table to these loads.
    ///
    /// # Errors
    /// An unknown column or value.
    pub fn question(&self, frame: &Frame) -> Result<(Frame, Question), String> {
        let mut frame = frame.filter(&self.filter)?;
        frame.name_contenders();
        let (column, baseline) = (self.compare.as_deref(), self.baseline.as_deref());
        let question = Question::new(&frame, self.metric, column, baseline)?;
        Ok((frame, question))
    }

    /// Fills the table.
    ///
    /// # Errors
    /// An unknown column or value.
    pub fn fill(&self, frame: &Frame) -> Result<FilledTable, String> {
        let (frame, question) = self.question(frame)?;
        Ok(match self.kind {
            TableKind::Summary => summary(&frame, &question),
            TableKind::Pages => pages(&frame, &question),
            TableKind::Cdf => cdf(&frame, &question),
            TableKind::Quantiles => quantiles(&frame, &question),
            TableKind::Deviations => deviations(&frame, &question),
            TableKind::Spearman => correlations(&frame, &question, self.other()),
        })
    }
}

/// Begins a table whose first columns are those that vary, and the one that is compared.
fn begin(
    question: &Question,
    all: &[Compared],
    texts: &[&str],
    numbers: &[&str],
    what: &str,
) -> FilledTable {
    let place = all.first().map_or(&[][..], |one| &one.place);
    let mut header: Vec<String> = place.iter().map(|(name, _)| (*name).to_owned()).collect();
    header.extend(texts.iter().map(|text| (*text).to_owned()));
    let left = header.len();
    header.extend(numbers.iter().map(|text| (*text).to_owned()));
    let key = question.metric.metric().key();
    FilledTable {
        caption: format!("{what} of {key}; baseline: {}", question.baseline),
        header,
        left,
        rows: Vec::new(),
    }
}

fn head(one: &Compared) -> Vec<Value> {
    let place = one.place.iter().map(|(_, value)| value);
    let all = place.chain([&one.value]);
    all.map(|text| Value::Text(text.clone())).collect()
}

fn changes(one: &Compared) -> Vec<f64> {
    one.pages.iter().filter_map(|page| page.change).collect()
}

fn summary(frame: &Frame, question: &Question) -> FilledTable {
    let all = compare(frame, question);
    let numbers = [
        "pages",
        "baseline",
        "median",
        "change",
        "change q5",
        "change q25",
        "change q75",
        "change q95",
        "gain >5 %",
        "lose >5 %",
        "sure gain",
        "sure loss",
        "p over pages",
    ];
    let what = "medians over pages, and changes page by page,";
    let mut table = begin(question, &all, &[question.column.name], &numbers, what);
    for one in &all {
        let of = |get: fn(&OnPage) -> Option<f64>| {
            let values: Vec<f64> = one.pages.iter().filter_map(get).collect();
            Value::Metric(question.metric, median(&values))
        };
        let changes = changes(one);
        let count = |wanted: &dyn Fn(&OnPage) -> bool| {
            Value::Count(one.pages.iter().filter(|page| wanted(page)).count())
        };
        let sure = |page: &OnPage| page.mann_whitney_p.is_some_and(|p| p < LEVEL);
        let mut row = head(one);
        row.extend([
            Value::Count(one.pages.len()),
            of(|page| page.baseline),
            of(|page| page.median),
            Value::Change(median(&changes)),
        ]);
        row.extend([0.05, 0.25, 0.75, 0.95].map(|p| Value::Change(quantile(&changes, p))));
        row.extend([
            count(&|page| page.change.is_some_and(|change| change < -GAIN)),
            count(&|page| page.change.is_some_and(|change| change > GAIN)),
            count(&|page| sure(page) && page.change.is_some_and(|change| change < 0.0)),
            count(&|page| sure(page) && page.difference.is_some_and(|d| d > 0.0)),
            Value::Number(signed_rank(&changes).map(|test| test.p)),
        ]);
        table.rows.push(row);
    }
    table
}

fn pages(frame: &Frame, question: &Question) -> FilledTable {
    let all = compare(frame, question);
    let texts = [question.column.name, "group", "page"];
    let numbers = [
        "baseline",
        "median",
        "difference",
        "low",
        "high",
        "change",
        "Mann-Whitney p",
        "signed-rank p",
    ];
    let what = "medians, and medians of paired differences with 95 % intervals,";
    let mut table = begin(question, &all, &texts, &numbers, what);
    for one in &all {
        for page in &one.pages {
            let metric = |value| Value::Metric(question.metric, value);
            let mut row = head(one);
            row.extend([&page.group, &page.page].map(|text| Value::Text(text.clone())));
            row.extend([
                metric(page.baseline),
                metric(page.median),
                metric(page.difference),
                metric(page.interval.map(|(low, _)| low)),
                metric(page.interval.map(|(_, high)| high)),
                Value::Change(page.change),
                Value::Number(page.mann_whitney_p),
                Value::Number(page.signed_rank_p),
            ]);
            table.rows.push(row);
        }
    }
    table
}

/// Sets means and standard deviations over the runs beside those of the baseline.
fn deviations(frame: &Frame, question: &Question) -> FilledTable {
    let index = frame.index(question.metric);
    let all = compare(frame, question);
    let texts = [question.column.name, "group", "page"];
    let numbers = ["baseline", "baseline deviation", "mean", "deviation"];
    let what = "means and standard deviations over the runs of a page";
    let mut table = begin(question, &all, &texts, &numbers, what);
    for (one, compared) in pairings(frame, question).iter().zip(&all) {
        for (base, own) in &one.cells {
            let mut row = head(compared);
            row.extend([&own.key.group, &own.key.page].map(|text| Value::Text(text.clone())));
            for cell in [base, own] {
                let values: Vec<f64> = cell.values(index).filter_map(|(_, value)| value).collect();
                let count = values.len() as f64;
                let mean = (count > 0.0).then(|| values.iter().sum::<f64>() / count);
                let deviation = mean.filter(|mean| count > 1.0 && mean.is_finite());
                let deviation = deviation.map(|mean| {
                    let squares = values.iter().map(|value| (value - mean) * (value - mean));
                    libm::sqrt(squares.sum::<f64>() / (count - 1.0))
                });
                row.extend([mean, deviation].map(|one| Value::Metric(question.metric, one)));
            }
            table.rows.push(row);
        }
    }
    table
}

fn cdf(frame: &Frame, question: &Question) -> FilledTable {
    let all = compare(frame, question);
    let what = "cumulative distribution of the pages' change";
    let texts = [question.column.name];
    let mut table = begin(question, &all, &texts, &["change", "share of pages"], what);
    for one in &all {
        let mut changes = changes(one);
        changes.sort_by(f64::total_cmp);
        for (i, change) in changes.iter().enumerate() {
            let share = (i + 1) as f64 / changes.len() as f64;
            let mut row = head(one);
            row.extend([Value::Change(Some(*change)), Value::Share(Some(share))]);
            table.rows.push(row);
        }
    }
    table
}

fn quantiles(frame: &Frame, question: &Question) -> FilledTable {
    let mut all = compare(frame, question);
    // The baseline has a row, too: it is compared with another value.
    let mut others = values(frame, question.column).into_iter();
    if let Some(other) = others.find(|value| *value != question.baseline) {
        let turned = Question {
            baseline: other,
            ..question.clone()
        };
        let back = compare(frame, &turned).into_iter();
        all.extend(back.filter(|one| one.value == question.baseline));
    }
    all.sort_by(|a, b| (&a.place, &a.value).cmp(&(&b.place, &b.value)));
    let names = QUANTILES.map(|percent| format!("q{percent}"));
    let mut numbers = vec!["pages"];
    numbers.extend(names.iter().map(String::as_str));
    let what = "quantiles over pages of the medians";
    let mut table = begin(question, &all, &[question.column.name], &numbers, what);
    for one in &all {
        let medians: Vec<f64> = one.pages.iter().filter_map(|page| page.median).collect();
        let mut row = head(one);
        row.push(Value::Count(medians.len()));
        row.extend(QUANTILES.map(|percent| {
            let value = quantile(&medians, f64::from(percent) / 100.0);
            Value::Metric(question.metric, value)
        }));
        table.rows.push(row);
    }
    table
}

/// Correlates the paired differences of two metrics, for each page and value, over the
/// runs.
fn correlations(frame: &Frame, question: &Question, other: MetricId) -> FilledTable {
    let (mine, theirs) = (frame.index(question.metric), frame.index(other));
    let all = compare(frame, question);
    let what = format!(
        "rank correlation, over the runs of a page, with {} of the paired differences",
        other.metric().key()
    );
    let texts = [question.column.name, "group", "page"];
    let mut table = begin(question, &all, &texts, &["runs", "rho", "p"], &what);
    for (one, compared) in pairings(frame, question).iter().zip(&all) {
        for (base, own) in &one.cells {
            let difference = |index: usize, run: u32| {
                let difference = own.value(index, run)? - base.value(index, run)?;
                (!difference.is_nan()).then_some(difference)
            };
            let runs = own.values(mine).map(|(run, _)| run);
            let both =
                runs.filter_map(|run| Some((difference(mine, run)?, difference(theirs, run)?)));
            let (x, y): (Vec<f64>, Vec<f64>) = both.unzip();
            let correlation = spearman(&x, &y);
            let mut row = head(compared);
            row.extend([&own.key.group, &own.key.page].map(|text| Value::Text(text.clone())));
            row.extend([
                Value::Count(x.len()),
                Value::Number(correlation.map(|c| c.rho)),
                Value::Number(correlation.map(|c| c.p)),
            ]);
            table.rows.push(row);
        }
    }
    table
}

#[cfg(test)]
mod tests;
