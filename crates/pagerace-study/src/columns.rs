//! Columns of values in Parquet files.

use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use pagerace_core::Duration;
use pagerace_lab::VERSION;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use crate::shard::digest;

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column<'a> {
    /// Texts; `None` is null.
    Texts(Vec<Option<&'a str>>),
    /// Integers.
    Integers(Vec<i64>),
    /// Numbers; `None` is null.
    Numbers(Vec<Option<f64>>),
}

/// Columns with their names, in order.
pub type Columns<'a> = Vec<(String, Column<'a>)>;

/// Builds the columns of rows.
#[derive(Debug)]
pub struct Of<'a, R>(pub &'a [R]);

impl<'a, R> Of<'a, R> {
    /// Returns a column of texts.
    pub fn texts(
        &self,
        name: &str,
        get: impl Fn(&'a R) -> Option<&'a str>,
    ) -> (String, Column<'a>) {
        let texts = self.0.iter().map(get).collect();
        (name.to_owned(), Column::Texts(texts))
    }

    /// Returns a column of integers below 2^63.
    pub fn integers(&self, name: &str, get: impl Fn(&'a R) -> u64) -> (String, Column<'a>) {
        let integers = self.0.iter().map(|row| get(row) as i64).collect();
        (name.to_owned(), Column::Integers(integers))
    }

    /// Returns a column of numbers.
    pub fn numbers(&self, name: &str, get: impl Fn(&'a R) -> Option<f64>) -> (String, Column<'a>) {
        let numbers = self.0.iter().map(get).collect();
        (name.to_owned(), Column::Numbers(numbers))
    }

    /// Returns a column of times in milliseconds.
    pub fn times(&self, name: &str, get: impl Fn(&'a R) -> Duration) -> (String, Column<'a>) {
        self.numbers(name, |row| Some(get(row).as_millis_f64()))
    }
}

/// A value that becomes a row.
pub trait Record: Sized {
    /// The name of the table.
    const TABLE: &'static str;

    /// Returns the columns of `rows` with their names; those of no rows have the names and
    /// types of all.
    fn columns(rows: &[Self]) -> Columns<'_>;
}

/// Returns the schema of a file.
fn schema<R: Record>() -> Result<TypePtr> {
    let mut fields = Vec::new();
    for (name, column) in R::columns(&[]) {
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
    let table = Type::group_type_builder(R::TABLE).with_fields(fields);
    Ok(Arc::new(table.build()?))
}

/// Writes rows as Parquet. The same rows and metadata give the same bytes.
pub struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file of rows of type `R`.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new<R: Record>(out: W) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_created_by(format!("pagerace {VERSION}"))
            .build();
        let file = SerializedFileWriter::new(out, schema::<R>()?, Arc::new(properties))?;
        Ok(Self { file })
    }

    /// Writes a group of rows.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn write<R: Record>(&mut self, rows: &[R]) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for (_, column) in R::columns(rows) {
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

    /// Adds `metadata`, pairs of key and value, and ends the file.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn close(mut self, metadata: &[(&str, String)]) -> Result<()> {
        for (key, value) in metadata {
            let pair = KeyValue::new((*key).to_owned(), value.clone());
            self.file.append_key_value_metadata(pair);
        }
        self.file.close().map(drop)
    }
}

/// Returns the definition levels of optional values: 1 if there is a value.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|v| i16::from(v.is_some())).collect()
}

/// The metadata key of a file's seal: the digest of the file with zeros in this place.
const SEAL: &str = "pagerace.digest";
/// The bytes before the digest in a file: the key, and the type and length of a text.
const BEFORE_SEAL: &[u8] = b"pagerace.digest\x18\x20";
/// The place of a digest.
const NO_SEAL: &str = "00000000000000000000000000000000";

/// Returns the bytes of a sealed file of rows. A seal shows damage anywhere in the file.
///
/// # Errors
/// Errors of the library.
pub(crate) fn sealed_file<R: Record>(rows: &[R], metadata: &[(&str, String)]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = TableWriter::new::<R>(&mut bytes)?;
    writer.write(rows)?;
    writer.close(&[metadata, &[(SEAL, NO_SEAL.to_owned())]].concat())?;
    let place = place_of_seal(&bytes).expect("the metadata has the key");
    let digest = digest(&bytes);
    bytes[place..place + digest.len()].copy_from_slice(digest.as_bytes());
    Ok(bytes)
}

/// Returns true if the file is sealed and undamaged.
pub(crate) fn is_intact(bytes: &[u8]) -> bool {
    let Some(place) = place_of_seal(bytes) else {
        return false;
    };
    let mut original = bytes.to_vec();
    let seal = &mut original[place..place + NO_SEAL.len()];
    seal.copy_from_slice(NO_SEAL.as_bytes());
    digest(&original).as_bytes() == &bytes[place..place + NO_SEAL.len()]
}

/// Returns the place of the digest in a sealed file. The metadata comes last.
fn place_of_seal(bytes: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(BEFORE_SEAL.len() + NO_SEAL.len());
    let found = windows.rposition(|window| window.starts_with(BEFORE_SEAL))?;
    Some(found + BEFORE_SEAL.len())
}

/// Calls `read`, and makes an error of a panic: the library's decoders panic on some files
/// that are damaged.
///
/// # Errors
/// The errors of `read`.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    result.unwrap_or_else(|_| {
        let reason = "its values cannot be decoded";
        Err(ParquetError::General(reason.to_owned()))
    })
}

/// Returns the value of `key` in the metadata of a file.
///
/// # Errors
/// The file is no Parquet file, or its metadata lacks `key`.
pub fn read_metadata(file: impl ChunkReader + 'static, key: &str) -> Result<String> {
    let reader = SerializedFileReader::new(file)?;
    metadata_of(&reader, key)
}

/// Returns the value of `key` in the metadata of a file that is read.
///
/// # Errors
/// The metadata lacks `key`.
pub(crate) fn metadata_of<C: ChunkReader + 'static>(
    reader: &SerializedFileReader<C>,
    key: &str,
) -> Result<String> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let found = pairs.into_iter().flatten().find(|pair| pair.key == key);
    let value = found.and_then(|pair| pair.value.clone());
    value.ok_or_else(|| ParquetError::General(format!("its metadata lacks {key}")))
}

#[cfg(test)]
mod tests;
