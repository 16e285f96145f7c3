//! Tables of load times by cause.
//!
//! Numbers are never broken. A table that is too wide for the terminal is transposed,
//! then its headers are shortened, and finally its smallest parts are summed up.

use std::collections::BTreeMap;

use comfy_table::{Attribute, Cell, Table};
use pagerace_lab::Plan;
use pagerace_lab::model_error::is_lossy;
use pagerace_lab::why::{Why, steps};
use pagerace_sim::Part;

use super::{WORDS_MIN, fits, table};
use crate::text::wrap;

mod merge;
mod pair;

use merge::merged;
pub(crate) use pair::pair;

/// Maximum number of contenders beside the baseline that get a column.
const COLUMNS_MAX: usize = 3;

/// Note for losses on networks without random loss.
const OVERFLOW: &str = " Loss recovery: this network has no random loss; its queue overflowed.";

/// A table and the notes to print below it.
#[derive(Debug)]
pub(crate) struct Explained {
    pub(crate) table: Table,
    pub(crate) notes: Vec<String>,
}

/// A contender, or several equal ones, with the differences from the baseline in tenths
/// of a millisecond.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    tenths: [i64; 8],
}

impl Row {
    fn get(&self, part: Part) -> i64 {
        self.tenths[part as usize]
    }

    fn sum(&self) -> i64 {
        self.tenths.iter().sum()
    }
}

/// Returns the differences from the baseline as a table with a column for each contender
/// and a row for each part. The table is transposed if there are many contenders or the
/// terminal is narrow. Parts without a difference are omitted. Several pages are
/// averaged.
pub(crate) fn race(plan: &Plan, whys: &[&Why], width: Option<usize>) -> Explained {
    let rows = merged(rows(plan, whys));
    let mut explained = lay_out(plan.noun().one(), &rows, width);
    let lossless = whys
        .iter()
        .all(|why| !is_lossy(&plan.networks[why.network]));
    if lossless && rows.iter().any(|row| row.get(Part::Loss) != 0) {
        explained.notes.push(OVERFLOW.to_owned());
    }
    explained
}

fn lay_out(noun: &str, rows: &[Row], width: Option<usize>) -> Explained {
    let differs = |part: &Part| rows.iter().any(|row| row.get(*part) != 0);
    let (shown, equal): (Vec<Part>, Vec<Part>) = Part::ALL.into_iter().partition(differs);
    let mut upright = upright(rows, &shown, width);
    let mut explained = if rows.len() <= COLUMNS_MAX && fits(&mut upright) {
        let notes = Vec::new();
        Explained {
            table: upright,
            notes,
        }
    } else {
        flat(noun, rows, &shown, width)
    };
    if !equal.is_empty() {
        let titles: Vec<&str> = equal.into_iter().map(Part::title).collect();
        explained
            .notes
            .push(format!(" No difference: {}.", titles.join("; ")));
    }
    explained
}

fn upright(rows: &[Row], shown: &[Part], width: Option<usize>) -> Table {
    let mut header = vec!["ms"];
    header.extend(rows.iter().map(|row| row.name.as_str()));
    let mut upright = sized(table(&header, 1), width);
    for part in shown {
        let mut cells = vec![Cell::new(part.title())];
        cells.extend(rows.iter().map(|row| Cell::new(signed(row.get(*part)))));
        upright.add_row(cells);
    }
    let mut cells = vec!["total".to_owned()];
    cells.extend(rows.iter().map(|row| signed(row.sum())));
    upright.add_row(cells.into_iter().map(bold));
    upright
}

/// Returns a table with one row for each contender, in the first layout that fits the
/// terminal.
fn flat(noun: &str, rows: &[Row], shown: &[Part], width: Option<usize>) -> Explained {
    let full = Heads::new(shown.to_vec(), shown, Part::name);
    let short = Heads::new(shown.to_vec(), shown, short_name);
    let mut by_size = shown.to_vec();
    let size = |part: &Part| rows.iter().map(|row| row.get(*part).abs()).max();
    by_size.sort_by_key(|part| std::cmp::Reverse(size(part)));
    // Summing up a single part would save no space.
    let fewer = (0..shown.len().saturating_sub(1)).rev().map(|count| {
        let kept = |part: &Part| by_size[..count].contains(part);
        let kept = shown.iter().copied().filter(kept).collect();
        Heads::new(kept, shown, short_name)
    });
    let layouts = [full, short].into_iter().chain(fewer);
    first_fitting(layouts.map(|heads| {
        let (table, fits) = heads.table(noun, rows, width);
        let notes = heads.legend().into_iter().collect();
        (Explained { table, notes }, fits)
    }))
}

/// Returns the first layout that fits, or the last one.
fn first_fitting(layouts: impl Iterator<Item = (Explained, bool)>) -> Explained {
    let mut last = None;
    for (explained, fits) in layouts {
        if fits {
            return explained;
        }
        last = Some(explained);
    }
    last.expect("there is always a layout")
}

/// The columns of a transposed table.
struct Heads {
    kept: Vec<Part>,
    /// Parts that are summed up as "other".
    other: Vec<Part>,
    name: fn(Part) -> &'static str,
}

impl Heads {
    fn new(kept: Vec<Part>, shown: &[Part], name: fn(Part) -> &'static str) -> Self {
        let other = shown.iter().copied().filter(|part| !kept.contains(part));
        let other = other.collect();
        Self { kept, other, name }
    }

    /// Returns the table, and true if it fits the terminal.
    fn table(&self, noun: &str, rows: &[Row], width: Option<usize>) -> (Table, bool) {
        let mut header = vec![noun];
        header.extend(self.kept.iter().map(|part| (self.name)(*part)));
        header.extend((!self.other.is_empty()).then_some("other"));
        header.push("total");
        let numbers = rows.iter().map(|row| self.numbers(row));
        let numbers: Vec<Vec<String>> = numbers.collect();
        let wide = |column: usize| {
            let cells = numbers.iter().map(|cells| cells[column].len());
            cells.chain([header[column + 1].len()]).max().unwrap_or(0) + 2
        };
        let taken: usize = (0..header.len() - 1).map(wide).sum::<usize>() + 2;
        let room = width.map(|width| width.saturating_sub(taken).max(1));
        let mut table = sized(table(&header, 1), width);
        for (row, numbers) in rows.iter().zip(&numbers) {
            let mut cells = vec![Cell::new(wrap(&row.name, room))];
            let (total, parts) = numbers.split_last().expect("the sum is always there");
            cells.extend(parts.iter().map(Cell::new));
            cells.push(bold(total.clone()));
            table.add_row(cells);
        }
        let words = rows.iter().flat_map(|row| row.name.split(' '));
        let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
        let least = longest.max(noun.len()).max(usize::from(WORDS_MIN) - 2);
        let fits = room.is_none_or(|room| room >= least);
        (table, fits)
    }

    fn numbers(&self, row: &Row) -> Vec<String> {
        let mut numbers: Vec<i64> = self.kept.iter().map(|part| row.get(*part)).collect();
        if !self.other.is_empty() {
            numbers.push(self.other.iter().map(|part| row.get(*part)).sum());
        }
        numbers.push(row.sum());
        numbers.into_iter().map(signed).collect()
    }

    /// Returns an explanation of the abbreviated headers, if there are any.
    fn legend(&self) -> Option<String> {
        let titled = |part: &Part| {
            let (name, title) = ((self.name)(*part), part.title());
            (name != title).then(|| format!("{name}: {title}"))
        };
        let mut entries: Vec<String> = self.kept.iter().filter_map(titled).collect();
        if !self.other.is_empty() {
            let titles: Vec<&str> = self.other.iter().map(|part| part.title()).collect();
            entries.push(format!("other: {}", titles.join(", ")));
        }
        (!entries.is_empty()).then(|| format!(" In ms. {}.", entries.join("; ")))
    }
}

/// Sets the width of a table to another one than the terminal's.
fn sized(mut table: Table, width: Option<usize>) -> Table {
    if let Some(width) = width {
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    table
}

/// Returns a header for narrow terminals.
fn short_name(part: Part) -> &'static str {
    match part {
        Part::SetUp => "set-up",
        Part::RoundTrips => "trips",
        Part::Server => "server",
        Part::Window => "window",
        Part::Bandwidth => "link",
        Part::Queueing => "queue",
        Part::Loss => "loss",
        Part::Browser => "cpu",
    }
}

/// Returns the name and the differences of each contender.
fn rows(plan: &Plan, whys: &[&Why]) -> Vec<Row> {
    let mut sums: BTreeMap<usize, ([i64; 8], i64)> = BTreeMap::new();
    for why in whys {
        let (sum, pages) = sums.entry(why.contender).or_default();
        let (own, base) = (steps(&why.own.parts), steps(&why.base.parts));
        for (sum, (own, base)) in sum.iter_mut().zip(own.into_iter().zip(base)) {
            *sum += own - base;
        }
        *pages += 1;
    }
    let mean = |(contender, (sum, pages)): (usize, ([i64; 8], i64))| {
        let half = pages / 2;
        Row {
            name: plan.label(contender),
            tenths: sum.map(|n| (n + n.signum() * half) / pages),
        }
    };
    sums.into_iter().map(mean).collect()
}

fn bold(text: String) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

/// Formats tenths of a millisecond as milliseconds.
fn plain(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    let size = tenths.unsigned_abs();
    format!("{sign}{}.{}", size / 10, size % 10)
}

/// Like `plain`, with a plus sign for positive numbers.
fn signed(tenths: i64) -> String {
    let sign = if tenths > 0 { "+" } else { "" };
    format!("{sign}{}", plain(tenths))
}

#[cfg(test)]
mod tests;
