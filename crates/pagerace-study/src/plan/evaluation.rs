//! The tables, matrices, plots and claims of a plan.

use pagerace_lab::MetricId;
use toml::{Table, Value};

use super::{expected, items};
use crate::claim::{self, Claim};
use crate::frame::Filter;
use crate::matrix::Matrix;
use crate::table::{Kind, TableSpec};

/// Reads `[[table]]`.
pub(super) fn tables(value: Option<Value>) -> Result<Vec<TableSpec>, String> {
    let read = |place: String, mut entry: Entry| {
        let spec = TableSpec {
            name: entry.text("name")?.unwrap_or_default(),
            kind: match entry.text("kind")? {
                None => Kind::default(),
                Some(name) => Kind::named(&name).map_err(|e| format!("{place}: kind: {e}"))?,
            },
            metric: entry.metric("metric")?.unwrap_or_default(),
            with: entry.metric("with")?,
            compare: entry.text("compare")?,
            baseline: entry.text("baseline")?,
            filter: entry.filter()?,
        };
        entry.end("name, kind, metric, with, compare, baseline, where")?;
        Ok(spec)
    };
    entries("table", value, read)
}

/// Reads `[[claim]]`.
pub(super) fn claims(value: Option<Value>) -> Result<Vec<Claim>, String> {
    let read = |place: String, mut entry: Entry| {
        let Some(text) = entry.text("holds")? else {
            return Err(format!(
                "{place}: holds: is missing; write a claim, such as \"median over pages of \
                 (h2 - h3)/h2 of speed_index_ms > 0\""
            ));
        };
        let claim = Claim {
            name: entry.text("name")?.unwrap_or_default(),
            sentence: claim::parse(&text).map_err(|e| format!("{place}: holds: {e}"))?,
            text,
            published: entry.number("published")?,
            expected: entry.flag("expected")?,
            filter: entry.filter()?,
        };
        entry.end("name, holds, published, expected, where")?;
        Ok(claim)
    };
    entries("claim", value, read)
}

/// Reads `[[matrix]]`.
pub(super) fn matrices(value: Option<Value>) -> Result<Vec<Matrix>, String> {
    let read = |place: String, mut entry: Entry| {
        let Some(text) = entry.text("value")? else {
            return Err(format!(
                "{place}: value: is missing; write a measure, such as \"median over pages of \
                 ({{column}} - h2)/h2 of {{row}}\""
            ));
        };
        let name = entry.text("name")?.unwrap_or_default();
        let sides = (entry.texts("rows")?, entry.texts("columns")?);
        let published = entry.numbers("published")?;
        let matrix = Matrix::new(name, &text, sides, published, entry.filter()?)
            .map_err(|error| format!("{place}: {error}"))?;
        entry.end("name, value, rows, columns, published, where")?;
        Ok(matrix)
    };
    entries("matrix", value, read)
}

/// Reads `[[plot]]`.
pub(super) fn plots(value: Option<Value>) -> Result<Vec<TableSpec>, String> {
    let read = |place: String, mut entry: Entry| {
        let Some(name) = entry.text("name")? else {
            return Err(format!("{place}: name: is missing; its file is called so"));
        };
        let spec = TableSpec {
            name,
            kind: Kind::Cdf,
            metric: entry.metric("metric")?.unwrap_or_default(),
            with: None,
            compare: entry.text("compare")?,
            baseline: entry.text("baseline")?,
            filter: entry.filter()?,
        };
        entry.end("name, metric, compare, baseline, where")?;
        Ok(spec)
    };
    entries("plot", value, read)
}

/// An entry of the plan, whose keys are taken one by one.
struct Entry {
    place: String,
    table: Table,
}

fn entries<T>(
    name: &str,
    value: Option<Value>,
    read: impl Fn(String, Entry) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let all = match value {
        None => Vec::new(),
        Some(Value::Array(all)) => all,
        Some(other) => return Err(expected(name, &format!("[[{name}]]"), &other)),
    };
    let mut done = Vec::new();
    for (i, value) in all.into_iter().enumerate() {
        let place = format!("{name} {}", i + 1);
        let Value::Table(table) = value else {
            return Err(expected(&place, &format!("[[{name}]]"), &value));
        };
        let entry = Entry {
            place: place.clone(),
            table,
        };
        done.push(read(place, entry)?);
    }
    Ok(done)
}

impl Entry {
    fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(expected(
                &format!("{}: {key}", self.place),
                "a text",
                &other,
            )),
        }
    }

    /// Returns a list of texts; none if there is no such key.
    fn texts(&mut self, key: &str) -> Result<Vec<String>, String> {
        let Some(value) = self.table.remove(key) else {
            return Ok(Vec::new());
        };
        let text = |item: &Value| match item {
            Value::String(text) => Ok(text.clone()),
            other => Err(self.expected(key, "texts", other)),
        };
        items(&value).iter().map(text).collect()
    }

    /// Returns a flag; false if there is no such key.
    fn flag(&mut self, key: &str) -> Result<bool, String> {
        match self.table.remove(key) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(flag),
            Some(other) => Err(self.expected(key, "true or false", &other)),
        }
    }

    fn number(&mut self, key: &str) -> Result<Option<f64>, String> {
        let value = self.table.remove(key);
        let number = |value| self.number_of(key, &value);
        value.map(number).transpose()
    }

    /// Returns a list of lists of numbers.
    fn numbers(&mut self, key: &str) -> Result<Option<Vec<Vec<f64>>>, String> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        let row = |row: &Value| match row {
            Value::Array(row) => row.iter().map(|item| self.number_of(key, item)).collect(),
            other => Err(self.expected(key, "lists of numbers", other)),
        };
        items(&value)
            .iter()
            .map(row)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn number_of(&self, key: &str, value: &Value) -> Result<f64, String> {
        match value {
            Value::Float(number) => Ok(*number),
            Value::Integer(number) => Ok(*number as f64),
            other => Err(self.expected(key, "a number", other)),
        }
    }

    fn expected(&self, key: &str, wanted: &str, found: &Value) -> String {
        expected(&format!("{}: {key}", self.place), wanted, found)
    }

    fn metric(&mut self, key: &str) -> Result<Option<MetricId>, String> {
        let Some(name) = self.text(key)? else {
            return Ok(None);
        };
        let metric = claim::metric(&name);
        metric
            .map(Some)
            .map_err(|e| format!("{}: {key}: {e}", self.place))
    }

    fn filter(&mut self) -> Result<Filter, String> {
        let place = format!("{}: where", self.place);
        let table = match self.table.remove("where") {
            None => return Ok(Filter::new()),
            Some(Value::Table(table)) => table,
            Some(other) => {
                return Err(expected(
                    &place,
                    "a table, as in { network = \"cable\" }",
                    &other,
                ));
            }
        };
        let mut filter = Filter::new();
        for (column, value) in &table {
            for item in items(value) {
                let Value::String(text) = item else {
                    return Err(expected(&format!("{place}.{column}"), "texts", item));
                };
                filter.entry(column.clone()).or_default().push(text.clone());
            }
        }
        Ok(filter)
    }

    /// Returns an error if a key is left.
    fn end(self, known: &str) -> Result<(), String> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("{}: `{key}` is no key; use {known}", self.place)),
        }
    }
}
