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
    /// The text is not valid JSON, or has a value of another type, or an unknown, missing
    /// or repeated field.
    #[error("{file}: line {line}, column {column}: {message}; `pagerace objects` writes sequences")]
    Json {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// Message of the parser.
        message: String,
    },
    /// The array is empty.
    #[error("{file}: has no objects; a transfer sequence holds one page load")]
    Empty {
        /// The file.
        file: String,
    },
    /// The array has too many objects for one page load.
    #[error("{file}: more than {MAX_OBJECTS} objects; a transfer sequence holds one page load")]
    TooManyObjects {
        /// The file.
        file: String,
    },
    /// An entry is invalid.
    #[error("{file}: entry {entry}: {problem}")]
    Entry {
        /// The file.
        file: String,
        /// 1-based position in the array.
        entry: usize,
        /// Error in the entry.
        problem: EntryError,
    },
}

/// An error in one entry.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EntryError {
    /// A field has an invalid value.
    #[error("{field}: found {found}; write {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Description of the value found.
        found: String,
        /// Description of a valid value.
        expected: &'static str,
    },
    /// An earlier entry has the same value of a field that must be unique.
    #[error("{field} {value} is that of entry {first} already; give each object its own")]
    Shared {
        /// Name of the field.
        field: &'static str,
        /// Value of the field.
        value: String,
        /// 1-based position of the first entry.
        first: usize,
    },
}

impl EntryError {
    pub(super) fn field(field: &'static str, found: String, expected: &'static str) -> Self {
        Self::Field {
            field,
            found,
            expected,
        }
    }

    pub(super) fn at(self, file: &str, entry: usize) -> SequenceError {
        SequenceError::Entry {
            file: file.to_owned(),
            entry,
            problem: self,
        }
    }
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

const _: () = assert!(MAX_SIZE_BYTES == 4_294_967_296 && super::MAX_URL_CHARS == 2_000);
const _: () = assert!(super::MAX_TIME.as_nanos() == 86_400_000_000_000);
