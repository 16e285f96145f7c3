//! Strict parser from JSON to transfers: unknown, missing, repeated and invalid data is
//! rejected with its position.
//!
//! The text may come from an untrusted source. Memory use is bounded, because fields hold
//! numbers, texts and flags alone.

use std::collections::BTreeMap;
use std::path::Path;

use pagerace_core::Duration;
use serde::de::Error as _;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Number;

use super::valid;
use super::{
    MAX_OBJECTS, MAX_SIZE_BYTES, MAX_TIME, MAX_URL_CHARS, Transfer, TransferSequence, extension,
};
use crate::ImportError;
use crate::error::{self, json_message, shorten};
use pagerace_page::Category;

/// Maximum length of the text in bytes: enough for the maximum number of objects with
/// URLs of the maximum length.
const MAX_BYTES: usize = 64 << 20;

/// Maximum number of characters of a text that a message quotes.
const QUOTED_CHARS: usize = 40;

/// Maximum number of characters of a parser's message, which quotes the text.
const MESSAGE_CHARS: usize = 200;

/// An object as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct Entry {
    id: Number,
    category: String,
    extension: String,
    size_bytes: Number,
    start_ms: Number,
    // May be null, but not missing.
    #[serde(deserialize_with = "Option::deserialize")]
    transfer_ms: Option<Number>,
    file_name: String,
    url: Option<String>,
    third_party: Option<bool>,
    must_be_whole: Option<bool>,
}

/// Returns the name and the bytes of a file.
pub(super) fn file(path: &Path) -> Result<(String, Vec<u8>), ImportError> {
    error::read(path, MAX_BYTES as u64, too_large)
}

fn too_large() -> String {
    format!("larger than {MAX_BYTES} bytes; a transfer sequence holds one page load")
}

/// Parses the transfers of a text, in its order.
pub(super) fn transfers(file: &str, text: &[u8]) -> Result<Vec<Transfer>, ImportError> {
    if text.len() > MAX_BYTES {
        return Err(ImportError::new(file, too_large()));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let entries = serde_json::from_slice(text).map_err(|error| {
        let mut message = shorten(&json_message(&error), MESSAGE_CHARS);
        if !error.is_data() {
            message = format!("not valid JSON ({message})");
        }
        let (line, column) = (error.line(), error.column());
        let finding =
            format!("line {line}, column {column}: {message}; `pagerace objects` writes sequences");
        ImportError::new(file, finding)
    })?;
    checked(file, entries)
}

/// As strict as [`TransferSequence::from_json`]. Messages call the text "transfer
/// sequence".
impl<'de> Deserialize<'de> for TransferSequence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let transfers = checked("transfer sequence", Deserialize::deserialize(from)?);
        transfers.map(Self::new).map_err(D::Error::custom)
    }
}

fn checked(file: &str, entries: Vec<Entry>) -> Result<Vec<Transfer>, ImportError> {
    let refuse = |found: String| {
        let finding = format!("{found}; a transfer sequence holds one page load");
        Err(ImportError::new(file, finding))
    };
    if entries.is_empty() {
        return refuse("has no objects".to_owned());
    }
    if entries.len() > MAX_OBJECTS {
        return refuse(format!("more than {MAX_OBJECTS} objects"));
    }
    let mut transfers = Vec::with_capacity(entries.len());
    for (i, entry) in entries.into_iter().enumerate() {
        transfers.push(transfer(entry).map_err(|problem| in_entry(file, i + 1, &problem))?);
    }
    all_differ(file, &transfers)?;
    Ok(transfers)
}

/// Checks that objects differ in number and in file name. File names are compared without
/// case, for file systems that ignore case.
fn all_differ(file: &str, transfers: &[Transfer]) -> Result<(), ImportError> {
    let mut ids = BTreeMap::new();
    let mut names = BTreeMap::new();
    for (i, transfer) in transfers.iter().enumerate() {
        let shared = |what: String, first: usize| {
            let problem =
                format!("{what} is that of entry {first} already; give each object its own");
            Err(in_entry(file, i + 1, &problem))
        };
        if let Some(first) = ids.insert(transfer.id, i + 1) {
            return shared(format!("id {}", transfer.id), first);
        }
        let name = transfer.file_name.to_ascii_lowercase();
        if let Some(first) = names.insert(name, i + 1) {
            return shared(format!("file_name {}", transfer.file_name), first);
        }
    }
    Ok(())
}

/// Returns the error of an entry, which counts from 1.
fn in_entry(file: &str, entry: usize, problem: &str) -> ImportError {
    ImportError::new(file, format!("entry {entry}: {problem}"))
}

fn invalid(field: &str, found: &str, expected: &str) -> String {
    format!("{field}: found {found}; write {expected}")
}

fn transfer(entry: Entry) -> Result<Transfer, String> {
    let id = whole("id", &entry.id, u64::from(u32::MAX), valid::ID)? as u32;
    let category = category(&entry.category)?;
    let extension = sound("extension", entry.extension, valid::EXTENSION, is_extension)?;
    let transfer_time = (entry.transfer_ms).map(|ms| millis("transfer_ms", &ms, valid::TIME));
    let url = (entry.url).map(|url| sound("url", url, valid::URL, is_url));
    Ok(Transfer {
        id,
        category,
        must_be_whole: (entry.must_be_whole)
            .unwrap_or_else(|| extension::must_be_whole(&extension)),
        extension,
        size: whole("size_bytes", &entry.size_bytes, MAX_SIZE_BYTES, valid::SIZE)?,
        start: millis("start_ms", &entry.start_ms, valid::START)?,
        transfer_time: transfer_time.transpose()?,
        file_name: sound("file_name", entry.file_name, valid::FILE_NAME, is_file_name)?,
        url: url.transpose()?,
        third_party: entry.third_party,
    })
}

fn whole(field: &str, number: &Number, max: u64, expected: &str) -> Result<u64, String> {
    let whole = number.as_u64().filter(|whole| *whole <= max);
    whole.ok_or_else(|| invalid(field, &number.to_string(), expected))
}

fn millis(field: &str, number: &Number, expected: &str) -> Result<Duration, String> {
    let range = 0.0..=MAX_TIME.as_millis_f64();
    let millis = number.as_f64().filter(|millis| range.contains(millis));
    let time = millis.map(Duration::from_millis_f64);
    time.ok_or_else(|| invalid(field, &number.to_string(), expected))
}

fn sound(
    field: &str,
    text: String,
    expected: &str,
    is_sound: fn(&str) -> bool,
) -> Result<String, String> {
    if is_sound(&text) {
        return Ok(text);
    }
    Err(invalid(field, &quoted(&text), expected))
}

fn quoted(text: &str) -> String {
    format!("the text {:?}", shorten(text, QUOTED_CHARS))
}

fn category(text: &str) -> Result<Category, String> {
    Category::deserialize(StrDeserializer::<Error>::new(text))
        .map_err(|_| invalid("category", &quoted(text), valid::CATEGORY))
}

fn is_extension(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=16).contains(&text.len()) && text.bytes().all(fits)
}

/// Returns true if a file name has no folder and is valid on every system.
fn is_file_name(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b".-_".contains(&b);
    (1..=128).contains(&text.len())
        && text.bytes().all(fits)
        && !text.starts_with('.')
        && !text.ends_with('.')
}

fn is_url(text: &str) -> bool {
    text.chars().count() <= MAX_URL_CHARS && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
