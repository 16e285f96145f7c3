//! One row for each load.

use std::sync::Arc;

use pagerace_lab::{MetricId, RunSummary};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;

use crate::columns::{Columns, Of, Record};
use crate::key::{Dimension, Key};

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
        let of = Of(rows);
        let dimension = |one: Dimension| of.texts(one.name, move |row| Some(one.of(&row.key)));
        let mut columns: Columns<'_> = Dimension::all().map(dimension).collect();
        columns.push(of.integers("run", |row| row.run.into()));
        columns.push(of.integers("seed", |row| row.seed));
        for (i, metric) in metrics().enumerate() {
            columns.push(of.numbers(&metric.metric().key(), |row| row.values[i]));
        }
        columns.push(of.texts("failure", |row| row.failure.as_deref()));
        columns
    }
}

/// Calls `see` with each row of a file: key, run, and the values of `metrics`; also with those of
/// `seed` and `failure` that `others` names.
///
/// # Errors
/// The file is no Parquet file, or lacks a column.
pub(crate) fn read_rows(
    file: impl ChunkReader + 'static,
    metrics: &[MetricId],
    others: &[&str],
    mut see: impl FnMut(Row),
) -> Result<()> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader
        .metadata()
        .file_metadata()
        .schema_descr()
        .root_schema();
    let keys: Vec<String> = metrics.iter().map(|metric| metric.metric().key()).collect();
    let names = Dimension::all()
        .map(|one| one.name)
        .chain(["run"])
        .chain(keys.iter().map(String::as_str));
    let wanted: Vec<&str> = names.chain(others.iter().copied()).collect();
    let mut fields = schema.get_fields().to_vec();
    fields.retain(|field| wanted.contains(&field.name()));
    let missing = |name: &&&str| fields.iter().all(|field| field.name() != **name);
    if let Some(name) = wanted.iter().find(missing) {
        return Err(ParquetError::General(format!(
            "has no column {name}; give a file that `pagerace study export` or \
             `pagerace corpus --loads` wrote"
        )));
    }
    let wanted = Type::group_type_builder(schema.name()).with_fields(fields);
    let mut last = Arc::new(Key::default());
    for record in reader.get_row_iter(Some(wanted.build()?))? {
        let mut key = Key::default();
        let (mut run, mut seed, mut failure) = (None, 0, None);
        let mut values = vec![None; metrics.len()];
        // The fields come in the order of the file.
        for (name, field) in record?.get_column_iter() {
            match field {
                Field::Str(text) if name == "failure" => failure = Some(text.clone()),
                Field::Str(text) => {
                    if let Ok(one) = Dimension::named(name) {
                        one.set(&mut key, text);
                    }
                }
                Field::Long(number) if name == "run" => run = u32::try_from(*number).ok(),
                Field::Long(number) if name == "seed" => seed = *number as u64,
                Field::Double(value) => {
                    if let Some(i) = keys.iter().position(|key| key == name) {
                        values[i] = Some(*value);
                    }
                }
                _ => {}
            }
        }
        // Consecutive rows mostly belong to one cell.
        if *last != key {
            last = Arc::new(key);
        }
        see(Row {
            key: Arc::clone(&last),
            run: run.ok_or_else(|| ParquetError::General("has no runs".to_owned()))?,
            seed,
            values,
            failure,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
