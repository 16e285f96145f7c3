//! One row for each load.

use std::sync::Arc;

use pagerace_lab::{MetricId, RunSummary};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};
use parquet::record::Field;

use crate::columns::{Column, Columns, Record};
use crate::key::{DIMENSIONS, Key};

/// One load.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The cell.
    pub key: Arc<Key>,
    /// The number of the run, from 0. Loads of one run share the seed.
    pub run: u32,
    /// The seed of the run.
    pub seed: u64,
    /// The [`metrics`]: `None` if undefined, infinity if the load
    /// never reaches the value.
    pub values: Vec<Option<f64>>,
    /// The reason why the load did not finish, if it failed.
    pub failure: Option<String>,
}

impl Row {
    /// Builds the row of a load.
    pub fn new(key: Arc<Key>, run: u32, seed: u64, load: &RunSummary) -> Self {
        let values = metrics().map(|metric| load.value(metric)).collect();
        Self {
            key,
            run,
            seed,
            values,
            failure: load.failure.clone(),
        }
    }
}

/// Returns the metrics that simulations have, in the order of the columns.
pub fn metrics() -> impl Iterator<Item = MetricId> {
    MetricId::all().filter(|metric| metric.metric().simulated)
}

impl Record for Row {
    const TABLE: &'static str = "loads";

    fn columns(rows: &[Self]) -> Columns<'_> {
        let mut columns = Vec::new();
        for one in DIMENSIONS {
            let texts = rows.iter().map(|row| Some((one.get)(&row.key).as_str()));
            columns.push((one.name.to_owned(), Column::Texts(texts.collect())));
        }
        let runs = rows.iter().map(|row| i64::from(row.run)).collect();
        columns.push(("run".to_owned(), Column::Integers(runs)));
        // Seeds are below 2^53.
        let seeds = rows.iter().map(|row| row.seed as i64).collect();
        columns.push(("seed".to_owned(), Column::Integers(seeds)));
        for (i, metric) in metrics().enumerate() {
            let numbers = rows.iter().map(|row| row.values[i]).collect();
            columns.push((metric.metric().key(), Column::Numbers(numbers)));
        }
        let failures = rows.iter().map(|row| row.failure.as_deref()).collect();
        columns.push(("failure".to_owned(), Column::Texts(failures)));
        columns
    }
}

/// Reads all rows of a file.
///
/// # Errors
/// The file is no Parquet file, or has other columns.
pub fn read_rows(file: impl ChunkReader + 'static) -> Result<Vec<Row>> {
    let reader = SerializedFileReader::new(file)?;
    let mut rows: Vec<Row> = Vec::new();
    for record in reader.get_row_iter(None)? {
        let record = record?;
        let mut fields = record.get_column_iter().map(|(_, field)| field);
        let mut next = || fields.next().cloned().unwrap_or(Field::Null);
        let refuse = |reason: String| Err(ParquetError::General(reason));
        let mut key = Key::default();
        for one in DIMENSIONS {
            let Field::Str(value) = next() else {
                return refuse(format!("column {} is no text", one.name));
            };
            *(one.get_mut)(&mut key) = value;
        }
        let (Field::Long(run), Field::Long(seed)) = (next(), next()) else {
            return refuse("run or seed is no integer".to_owned());
        };
        let mut values = Vec::new();
        for metric in metrics() {
            values.push(match next() {
                Field::Double(value) => Some(value),
                Field::Null => None,
                _ => return refuse(format!("column {} is no number", metric.metric().key())),
            });
        }
        let failure = match next() {
            Field::Str(reason) => Some(reason),
            _ => None,
        };
        // Consecutive rows mostly belong to one cell.
        let last = rows.last().map(|row| &row.key);
        let shared = last.filter(|last| ***last == key);
        rows.push(Row {
            key: shared.map_or_else(|| Arc::new(key.clone()), Arc::clone),
            run: run as u32,
            seed: seed as u64,
            values,
            failure,
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
