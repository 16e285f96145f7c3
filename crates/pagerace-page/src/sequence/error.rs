//! Why a text is no transfer sequence.

use thiserror::Error;

use super::{MAX_OBJECTS, MAX_SIZE_BYTES};

/// A transfer sequence that cannot be read; says where, what was found and what to
/// do about it. Entries count from 1, as they stand in the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SequenceError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}; check the path and its permissions")]
    Read {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// More bytes than we are willing to hold.
    #[error("{file}: larger than {limit} bytes; a transfer sequence holds one page load")]
    TooLarge {
        /// The file.
        file: String,
        /// The bound, in bytes.
        limit: usize,
    },
    /// Not JSON.
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
        /// What the parser expected.
        message: String,
    },
    /// JSON, but no array of objects.
    #[error(
        "{file}: expected an array of objects, found {found}; `pagerace objects` writes \
         transfer_sequence.json"
    )]
    NotASequence {
        /// The file.
        file: String,
        /// What is there.
        found: String,
    },
    /// Too many objects for one page load.
    #[error("{file}: more than {MAX_OBJECTS} objects; a transfer sequence holds one page load")]
    TooManyObjects {
        /// The file.
        file: String,
    },
    /// An entry is no object.
    #[error("{file}: entry {entry}: expected an object, found {found}; remove or replace it")]
    NotAnObject {
        /// The file.
        file: String,
        /// 1-based place in the array.
        entry: usize,
        /// What is there.
        found: String,
    },
    /// A field that a sequence does not have.
    #[error(
        "{file}: entry {entry}: unknown field \"{field}\"; remove it, or write one of: {}",
        .known.join(", ")
    )]
    UnknownField {
        /// The file.
        file: String,
        /// 1-based place in the array.
        entry: usize,
        /// Its name, shortened.
        field: String,
        /// Those that there are.
        known: &'static [&'static str],
    },
    /// A field that is there twice.
    #[error("{file}: entry {entry}: {field} is there twice; keep one")]
    RepeatedField {
        /// The file.
        file: String,
        /// 1-based place in the array.
        entry: usize,
        /// Its name.
        field: &'static str,
    },
    /// A field that has to be there.
    #[error("{file}: entry {entry}: {field} is missing; write {expected}")]
    MissingField {
        /// The file.
        file: String,
        /// 1-based place in the array.
        entry: usize,
        /// Its name.
        field: &'static str,
        /// What would be right.
        expected: &'static str,
    },
    /// A field with an impossible value.
    #[error("{file}: entry {entry}: {field}: found {found}; write {expected}")]
    Field {
        /// The file.
        file: String,
        /// 1-based place in the array.
        entry: usize,
        /// Its name.
        field: &'static str,
        /// What is there.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// Two entries that must differ do not.
    #[error(
        "{file}: entry {entry}: {field} {value} is that of entry {first} already; give each object \
         its own"
    )]
    Shared {
        /// The file.
        file: String,
        /// 1-based place of the second.
        entry: usize,
        /// Which field.
        field: &'static str,
        /// Its value.
        value: String,
        /// 1-based place of the first.
        first: usize,
    },
}

// The texts of expectations, which name bounds.
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
