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

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The errors, the winners, Lighthouse: what fits on a terminal.
    Summary,
    /// Everything, down to single cells.
    Full,
}

/// All sections in order. `rerun` is the command that repeats the measurement;
/// it may be empty.
pub fn sections(accuracy: &Accuracy, rerun: &str, extent: Extent) -> Vec<Section> {
    let full = extent == Extent::Full;
    let mut sections = vec![
        head::head(accuracy),
        goals::goals(accuracy),
        errors::errors(accuracy, full),
        winners::winners(accuracy),
    ];
    if full {
        sections.push(differences::differences(accuracy));
    }
    sections.extend(lighthouse::lighthouse(accuracy));
    if full {
        sections.push(why::why(accuracy));
        sections.push(cells::cells(accuracy));
        sections.push(head::rerun(accuracy, rerun));
    }
    sections
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
