//! The tables and claims of a plan.

use pagerace_lab::MetricId;
use toml::{Table, Value};

use super::{expected, items};
use crate::claim::{self, Claim};
use crate::frame::Filter;
use crate::table::TableSpec;

/// Reads `[[table]]`.
pub(super) fn tables(value: Option<Value>) -> Result<Vec<TableSpec>, String> {
    let read = |place: String, mut entry: Entry| {
        let spec = TableSpec {
            name: entry.text("name")?.unwrap_or_default(),
            kind: match entry.text("kind")? {
                None => crate::table::Kind::default(),
                Some(name) => name.parse().map_err(|e| format!("{place}: kind: {e}"))?,
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
            filter: entry.filter()?,
        };
        entry.end("name, holds, where")?;
        Ok(claim)
    };
    entries("claim", value, read)
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
