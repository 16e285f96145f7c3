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

use super::error::{self, EntryError, SequenceError};
use super::{
    MAX_OBJECTS, MAX_SIZE_BYTES, MAX_TIME, MAX_URL_CHARS, Transfer, TransferSequence, extension,
};
use crate::error::{json_message, shorten};
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
pub(super) fn file(path: &Path) -> Result<(String, Vec<u8>), SequenceError> {
    let file = path.display().to_string();
    if std::fs::metadata(path).is_ok_and(|meta| meta.len() > MAX_BYTES as u64) {
        return Err(SequenceError::TooLarge {
            file,
            limit: MAX_BYTES,
        });
    }
    match std::fs::read(path) {
        Ok(text) => Ok((file, text)),
        Err(source) => Err(SequenceError::Read { file, source }),
    }
}

/// Parses the transfers of a text, in its order.
pub(super) fn transfers(file: &str, text: &[u8]) -> Result<Vec<Transfer>, SequenceError> {
    let owned = || file.to_owned();
    if text.len() > MAX_BYTES {
        return Err(SequenceError::TooLarge {
            file: owned(),
            limit: MAX_BYTES,
        });
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let entries = serde_json::from_slice(text).map_err(|error| {
        let message = shorten(&json_message(&error), MESSAGE_CHARS);
        SequenceError::Json {
            file: owned(),
            line: error.line(),
            column: error.column(),
            message: if error.is_data() {
                message
            } else {
                format!("not valid JSON ({message})")
            },
        }
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

fn checked(file: &str, entries: Vec<Entry>) -> Result<Vec<Transfer>, SequenceError> {
    let owned = || file.to_owned();
    if entries.is_empty() {
        return Err(SequenceError::Empty { file: owned() });
    }
    if entries.len() > MAX_OBJECTS {
        return Err(SequenceError::TooManyObjects { file: owned() });
    }
    let mut transfers = Vec::with_capacity(entries.len());
    for (i, entry) in entries.into_iter().enumerate() {
        transfers.push(transfer(entry).map_err(|problem| problem.at(file, i + 1))?);
    }
    all_differ(file, &transfers)?;
    Ok(transfers)
}

/// Checks that objects differ in number and in file name. File names are compared without
/// case, for file systems that ignore case.
fn all_differ(file: &str, transfers: &[Transfer]) -> Result<(), SequenceError> {
    let mut ids = BTreeMap::new();
    let mut names = BTreeMap::new();
    for (i, transfer) in transfers.iter().enumerate() {
        let shared = |field, value, first| {
            let problem = EntryError::Shared {
                field,
                value,
                first,
            };
            problem.at(file, i + 1)
        };
        if let Some(first) = ids.insert(transfer.id, i + 1) {
            return Err(shared("id", transfer.id.to_string(), first));
        }
        let name = transfer.file_name.to_ascii_lowercase();
        if let Some(first) = names.insert(name, i + 1) {
            return Err(shared("file_name", transfer.file_name.clone(), first));
        }
    }
    Ok(())
}

fn transfer(entry: Entry) -> Result<Transfer, EntryError> {
    let id = whole("id", &entry.id, u64::from(u32::MAX), error::ID)? as u32;
    let category = category(&entry.category)?;
    let extension = sound("extension", entry.extension, error::EXTENSION, is_extension)?;
    let transfer_time = (entry.transfer_ms).map(|ms| millis("transfer_ms", &ms, error::TIME));
    let url = (entry.url).map(|url| sound("url", url, error::URL, is_url));
    Ok(Transfer {
        id,
        category,
        must_be_whole: (entry.must_be_whole)
            .unwrap_or_else(|| extension::must_be_whole(&extension)),
        extension,
        size: whole("size_bytes", &entry.size_bytes, MAX_SIZE_BYTES, error::SIZE)?,
        start: millis("start_ms", &entry.start_ms, error::START)?,
        transfer_time: transfer_time.transpose()?,
        file_name: sound("file_name", entry.file_name, error::FILE_NAME, is_file_name)?,
        url: url.transpose()?,
        third_party: entry.third_party,
    })
}

fn whole(
    field: &'static str,
    number: &Number,
    max: u64,
    expected: &'static str,
) -> Result<u64, EntryError> {
    let whole = number.as_u64().filter(|whole| *whole <= max);
    whole.ok_or_else(|| EntryError::field(field, number.to_string(), expected))
}

fn millis(
    field: &'static str,
    number: &Number,
    expected: &'static str,
) -> Result<Duration, EntryError> {
    let range = 0.0..=MAX_TIME.as_millis_f64();
    let millis = number.as_f64().filter(|millis| range.contains(millis));
    let time = millis.map(Duration::from_millis_f64);
    time.ok_or_else(|| EntryError::field(field, number.to_string(), expected))
}

fn sound(
    field: &'static str,
    text: String,
    expected: &'static str,
    is_sound: fn(&str) -> bool,
) -> Result<String, EntryError> {
    if is_sound(&text) {
        return Ok(text);
    }
    Err(EntryError::field(field, quoted(&text), expected))
}

fn quoted(text: &str) -> String {
    format!("the text {:?}", shorten(text, QUOTED_CHARS))
}

fn category(text: &str) -> Result<Category, EntryError> {
    Category::deserialize(StrDeserializer::<Error>::new(text))
        .map_err(|_| EntryError::field("category", quoted(text), error::CATEGORY))
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
