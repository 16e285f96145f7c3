//! One row for each load, and the columns that Parquet files have.

use std::io::Write;
use std::sync::Arc;

use pagerace_lab::{MetricId, RunSummary, VERSION};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::{Type, TypePtr};

/// The properties that the loads of a cell share: page, network and contender.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The name of the race in the plan.
    pub race: String,
    /// The group of the page; empty if the plan has none.
    pub group: String,
    /// The name of the page.
    pub page: String,
    /// The network.
    pub network: String,
    /// The versions of HTTP.
    pub protocol: String,
    /// The servers' congestion controller.
    pub controller: String,
    /// The state that an earlier visit left behind.
    pub visit: String,
    /// The strategy with its parameters.
    pub strategy: String,
    /// The reliability policy.
    pub reliability: String,
    /// The interventions; `original` if there are none.
    pub interventions: String,
}

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

    /// Compares two rows by cell and run.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        (&self.key, self.run).cmp(&(&other.key, other.run))
    }
}

/// The text columns of a cell.
const TEXTS: [(&str, fn(&Key) -> &String, fn(&mut Key) -> &mut String); 10] = [
    ("race", |key| &key.race, |key| &mut key.race),
    ("group", |key| &key.group, |key| &mut key.group),
    ("page", |key| &key.page, |key| &mut key.page),
    ("network", |key| &key.network, |key| &mut key.network),
    ("protocol", |key| &key.protocol, |key| &mut key.protocol),
    (
        "controller",
        |key| &key.controller,
        |key| &mut key.controller,
    ),
    ("visit", |key| &key.visit, |key| &mut key.visit),
    ("strategy", |key| &key.strategy, |key| &mut key.strategy),
    (
        "reliability",
        |key| &key.reliability,
        |key| &mut key.reliability,
    ),
    (
        "interventions",
        |key| &key.interventions,
        |key| &mut key.interventions,
    ),
];

/// Returns the metrics that simulations have, in the order of the columns.
pub fn metrics() -> impl Iterator<Item = MetricId> {
    MetricId::all().filter(|metric| metric.metric().simulated)
}

/// The values of a column.
enum Column<'a> {
    Texts(Vec<Option<&'a str>>),
    Integers(Vec<i64>),
    Numbers(Vec<Option<f64>>),
}

/// Returns the columns of `rows` with their names.
fn columns(rows: &[Row]) -> Vec<(String, Column<'_>)> {
    let mut columns = Vec::new();
    for (name, text, _) in TEXTS {
        let texts = rows.iter().map(|row| Some(text(&row.key).as_str()));
        columns.push((name.to_owned(), Column::Texts(texts.collect())));
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

/// Returns the schema of a file of rows.
fn schema() -> Result<TypePtr> {
    let mut fields = Vec::new();
    for (name, column) in columns(&[]) {
        let (physical, logical) = match column {
            Column::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Column::Integers(_) => (Physical::INT64, None),
            Column::Numbers(_) => (Physical::DOUBLE, None),
        };
        let repetition = match column {
            Column::Integers(_) => Repetition::REQUIRED,
            _ => Repetition::OPTIONAL,
        };
        let field = Type::primitive_type_builder(&name, physical);
        let field = field.with_repetition(repetition).with_logical_type(logical);
        fields.push(Arc::new(field.build()?));
    }
    let loads = Type::group_type_builder("loads").with_fields(fields);
    Ok(Arc::new(loads.build()?))
}

/// Writes rows as Parquet. The same rows and metadata give the same bytes.
pub struct RowWriter<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> RowWriter<W> {
    /// Begins a file with `metadata`, pairs of key and value.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new(out: W, metadata: &[(&str, String)]) -> Result<Self> {
        let pair = |(key, value): &(&str, String)| KeyValue::new((*key).to_owned(), value.clone());
        let properties = WriterProperties::builder()
            .set_created_by(format!("pagerace {VERSION}"))
            .set_key_value_metadata(Some(metadata.iter().map(pair).collect()))
            .build();
        SerializedFileWriter::new(out, schema()?, Arc::new(properties)).map(Self)
    }

    /// Writes a group of rows.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn write(&mut self, rows: &[Row]) -> Result<()> {
        let mut group = self.0.next_row_group()?;
        for (_, column) in columns(rows) {
            let mut writer = group.next_column()?.expect("the schema has the column");
            match column {
                Column::Texts(texts) => {
                    let present = texts.iter().flatten();
                    let bytes: Vec<ByteArray> = present.map(|text| (*text).into()).collect();
                    let typed = writer.typed::<ByteArrayType>();
                    typed.write_batch(&bytes, Some(&levels(&texts)), None)?;
                }
                Column::Integers(integers) => {
                    let typed = writer.typed::<Int64Type>();
                    typed.write_batch(&integers, None, None)?;
                }
                Column::Numbers(numbers) => {
                    let present: Vec<f64> = numbers.iter().flatten().copied().collect();
                    let typed = writer.typed::<DoubleType>();
                    typed.write_batch(&present, Some(&levels(&numbers)), None)?;
                }
            }
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn close(self) -> Result<()> {
        self.0.close().map(drop)
    }
}

/// Returns the definition levels of optional values: 1 if there is a value.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|v| i16::from(v.is_some())).collect()
}

/// Returns the value of `key` in the metadata of a file.
///
/// # Errors
/// The file is no Parquet file, or its metadata lacks `key`.
pub fn read_metadata(file: impl ChunkReader + 'static, key: &str) -> Result<String> {
    let reader = SerializedFileReader::new(file)?;
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let found = pairs.into_iter().flatten().find(|pair| pair.key == key);
    let value = found.and_then(|pair| pair.value.clone());
    value.ok_or_else(|| ParquetError::General(format!("its metadata lacks {key}")))
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
        let mut key = Key::default();
        for (name, _, text) in TEXTS {
            let Field::Str(value) = next() else {
                return Err(ParquetError::General(format!("column {name} is no text")));
            };
            *text(&mut key) = value;
        }
        let (Field::Long(run), Field::Long(seed)) = (next(), next()) else {
            return Err(ParquetError::General(
                "run or seed is no integer".to_owned(),
            ));
        };
        let mut values = Vec::new();
        for metric in metrics() {
            values.push(match next() {
                Field::Double(value) => Some(value),
                Field::Null => None,
                _ => {
                    let name = metric.metric().key();
                    return Err(ParquetError::General(format!("column {name} is no number")));
                }
            });
        }
        let failure = match next() {
            Field::Str(reason) => Some(reason),
            _ => None,
        };
        // Consecutive rows mostly belong to one cell.
        let shared = rows
            .last()
            .map(|row| &row.key)
            .filter(|last| ***last == key);
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
