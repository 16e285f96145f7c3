//! Errors of reading a transfer sequence.

use thiserror::Error;

use super::{MAX_OBJECTS, MAX_SIZE_BYTES};

/// An error that prevents reading a transfer sequence. The message names the place, the
/// finding and a remedy. Entries count from 1, in the order of the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SequenceError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}; check the path and its permissions")]
    Read {
        /// The file.
        file: String,
        /// Error reported by the operating system.
        source: std::io::Error,
    },
    /// The file exceeds the size limit.
    #[error("{file}: larger than {limit} bytes; a transfer sequence holds one page load")]
    TooLarge {
        /// The file.
        file: String,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The text is not valid JSON.
    #[error(
        "{file}: line {line}, column {column}: not valid JSON ({message}); write the sequence \
         again with `pagerace objects`"
    )]
    Json {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// Message of the JSON parser.
        message: String,
    },
    /// The text is JSON, but not a non-empty array.
    #[error(
        "{file}: expected an array of objects, found {found}; `pagerace objects` writes \
         transfer_sequence.json"
    )]
    NotASequence {
        /// The file.
        file: String,
        /// Description of the value found.
        found: String,
    },
    /// The array has too many objects for one page load.
    #[error("{file}: more than {MAX_OBJECTS} objects; a transfer sequence holds one page load")]
    TooManyObjects {
        /// The file.
        file: String,
    },
    /// An entry is not an object.
    #[error("{file}: entry {entry}: expected an object, found {found}; remove or replace it")]
    NotAnObject {
        /// The file.
        file: String,
        /// 1-based position in the array.
        entry: usize,
        /// Description of the value found.
        found: String,
    },
    /// An entry has an unknown field.
    #[error(
        "{file}: entry {entry}: unknown field \"{field}\"; remove it, or write one of: {}",
        .known.join(", ")
    )]
    UnknownField {
        /// The file.
        file: String,
        /// 1-based position in the array.
        entry: usize,
        /// Name of the field, shortened.
        field: String,
        /// Names of the known fields.
        known: &'static [&'static str],
    },
    /// An entry has a field twice.
    #[error("{file}: entry {entry}: {field} is given twice; keep one")]
    RepeatedField {
        /// The file.
        file: String,
        /// 1-based position in the array.
        entry: usize,
        /// Name of the field.
        field: &'static str,
    },
    /// An entry lacks a required field.
    #[error("{file}: entry {entry}: {field} is missing; write {expected}")]
    MissingField {
        /// The file.
        file: String,
        /// 1-based position in the array.
        entry: usize,
        /// Name of the field.
        field: &'static str,
        /// Description of a valid value.
        expected: &'static str,
    },
    /// A field has an invalid value.
    #[error("{file}: entry {entry}: {field}: found {found}; write {expected}")]
    Field {
        /// The file.
        file: String,
        /// 1-based position in the array.
        entry: usize,
        /// Name of the field.
        field: &'static str,
        /// Description of the value found.
        found: String,
        /// Description of a valid value.
        expected: &'static str,
    },
    /// Two entries have the same value of a field that must be unique.
    #[error(
        "{file}: entry {entry}: {field} {value} is that of entry {first} already; give each object \
         its own"
    )]
    Shared {
        /// The file.
        file: String,
        /// 1-based position of the second entry.
        entry: usize,
        /// Name of the field.
        field: &'static str,
        /// Value of the field.
        value: String,
        /// 1-based position of the first entry.
        first: usize,
    },
}

// Descriptions of valid values, including the limits.
pub(super) const ID: &str = "a whole number from 0 to 4294967295, one for each object";
pub(super) const CATEGORY: &str = "ads, images, html, javascript, json, css, fonts or others";
pub(super) const EXTENSION: &str = "1 to 16 lower-case ASCII letters and digits, such as js";
pub(super) const SIZE: &str = "the bytes of the body, a whole number up to 4294967296";
pub(super) const START: &str = "milliseconds since the navigation began, from 0 to 86400000";
pub(super) const TIME: &str = "milliseconds from 0 to 86400000, or null if unknown";
pub(super) const FILE_NAME: &str =
    "the name of a file, without folders: up to 128 ASCII letters, digits and . - _, not first a .";
pub(super) const URL: &str = "text of at most 2000 characters, without control characters";
pub(super) const FLAG: &str = "true or false";

const _: () = assert!(MAX_SIZE_BYTES == 4_294_967_296 && super::MAX_URL_CHARS == 2_000);
const _: () = assert!(super::MAX_TIME.as_nanos() == 86_400_000_000_000);
