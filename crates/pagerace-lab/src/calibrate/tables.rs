//! What an accuracy says, as sections of sentences and tables; how those are
//! written is another matter.

use super::accuracy::Accuracy;
use crate::metric::MetricId;
use crate::unit::{percent, signed_percent};

mod cells;
mod differences;
mod errors;
mod goals;
mod head;
mod lighthouse;
mod why;
mod winners;

/// What stands where there is no value.
pub const NONE: &str = "–";

/// A heading, sentences and tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs before the tables.
    pub text: Vec<String>,
    /// Makes a list of the paragraphs.
    pub list: bool,
    /// A command, after the paragraphs; empty if there is none.
    pub command: String,
    /// The tables.
    pub tables: Vec<Table>,
}

/// Cells with a header; the first `words` columns are words, the others numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows; may be empty.
    pub caption: String,
    /// Names of the columns, with units where cells have none.
    pub header: Vec<String>,
    /// Columns of words, on the left.
    pub words: usize,
    /// Every row is as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// The parts of an accuracy, by where people meet them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The errors, the winners, Lighthouse: a screenful.
    Terminal,
    /// A page to read: the same by kind of page, network, protocol and strategy, with the
    /// errors of differences.
    Page,
    /// Tables to look things up: pages, causes and single cells.
    Tables,
}

/// All sections in order. `rerun` is the command that repeats the measurement; it may be
/// empty.
pub fn sections(accuracy: &Accuracy, rerun: &str, extent: Extent) -> Vec<Section> {
    let goals = || goals::goals(accuracy);
    let errors = |parts| errors::errors(accuracy, parts);
    let winners = || winners::winners(accuracy);
    let beside = lighthouse::lighthouse(accuracy);
    match extent {
        Extent::Terminal => [head::facts(accuracy), goals(), errors(false), winners()]
            .into_iter()
            .chain(beside)
            .collect(),
        Extent::Page => [
            head::introduction(accuracy),
            goals(),
            errors(true),
            winners(),
            differences::differences(accuracy),
        ]
        .into_iter()
        .chain(beside)
        .chain([head::facts(accuracy), head::rerun(accuracy, rerun)])
        .collect(),
        Extent::Tables => vec![
            head::tables(),
            errors::by_page(accuracy),
            why::why(accuracy),
            cells::cells(accuracy),
        ],
    }
}

impl Table {
    fn new(caption: &str, words: usize, header: &[&str]) -> Self {
        Self {
            caption: caption.to_owned(),
            header: header.iter().map(|name| (*name).to_owned()).collect(),
            words,
            rows: Vec::new(),
        }
    }

    fn add(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.header.len(), "a row fills its table");
        self.rows.push(row);
    }
}

/// A value in words, or a dash.
fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| NONE.to_owned())
}

/// A share as per cent.
fn share(value: Option<f64>) -> String {
    or_none(value.map(|v| {
        if v.is_finite() {
            percent(v)
        } else {
            infinite(v)
        }
    }))
}

/// A share as per cent with its sign.
fn signed(value: Option<f64>) -> String {
    or_none(value.map(|v| {
        if v.is_finite() {
            signed_percent(v)
        } else {
            infinite(v)
        }
    }))
}

fn infinite(value: f64) -> String {
    if value > 0.0 { "∞" } else { "-∞" }.to_owned()
}

/// A value of a metric with its unit.
fn value(metric: MetricId, value: Option<f64>) -> String {
    or_none(value.map(|v| metric.metric().unit.format(v)))
}

fn title(metric: MetricId) -> String {
    metric.metric().title.to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests;
