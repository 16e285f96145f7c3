//! Strict parser from JSON to transfers: unknown, missing, repeated and invalid data is
//! rejected with its position.
//!
//! The text may come from an untrusted source. Memory use is bounded: arrays and objects
//! in place of values are skipped during parsing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use pagerace_core::Duration;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

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

/// Names of all fields, in written order.
pub(super) const FIELDS: [&str; 10] = [
    "id",
    "category",
    "extension",
    "size_bytes",
    "start_ms",
    "transfer_ms",
    "file_name",
    "url",
    "third_party",
    "must_be_whole",
];

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
    let read = serde_json::from_slice(text).map_err(|error| SequenceError::Json {
        file: owned(),
        line: error.line(),
        column: error.column(),
        message: json_message(&error),
    })?;
    checked(file, read)
}

fn checked(file: &str, read: Top) -> Result<Vec<Transfer>, SequenceError> {
    let owned = || file.to_owned();
    let not_a_sequence = |found| SequenceError::NotASequence {
        file: owned(),
        found,
    };
    let entries = match read {
        Top::Entries(entries) if entries.is_empty() => {
            return Err(not_a_sequence("an array of nothing".to_owned()));
        }
        Top::Entries(entries) => entries,
        Top::TooMany => return Err(SequenceError::TooManyObjects { file: owned() }),
        Top::Other(found) => return Err(not_a_sequence(found.to_string())),
    };
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
    let mut fields = fields_of(entry)?;
    // Takes the values in the order of `FIELDS`.
    let mut next = 0;
    let mut take = || {
        next += 1;
        (FIELDS[next - 1], fields[next - 1].take())
    };
    let id = required(take(), error::ID, |value| whole(value, u64::from(u32::MAX)))? as u32;
    let category = required(take(), error::CATEGORY, category)?;
    let extension = required(take(), error::EXTENSION, extension_of)?;
    let size = required(take(), error::SIZE, |value| whole(value, MAX_SIZE_BYTES))?;
    let start = required(take(), error::START, millis)?;
    let transfer_time = required(take(), error::TIME, |value| match value {
        Scalar::Null => Some(None),
        value => millis(value).map(Some),
    })?;
    let file_name = required(take(), error::FILE_NAME, file_name)?;
    let url = optional(take(), error::URL, url)?;
    let third_party = optional(take(), error::FLAG, flag)?;
    let must_be_whole = optional(take(), error::FLAG, flag)?;
    Ok(Transfer {
        id,
        category,
        must_be_whole: must_be_whole.unwrap_or_else(|| extension::must_be_whole(&extension)),
        extension,
        size,
        start,
        transfer_time,
        file_name,
        url,
        third_party,
    })
}

fn fields_of(entry: Entry) -> Result<Fields, EntryError> {
    Err(match entry {
        Entry::Fields(fields) => return Ok(*fields),
        Entry::Unknown(field) => EntryError::UnknownField(field),
        Entry::Repeated(field) => EntryError::RepeatedField(field),
        Entry::Other(found) => EntryError::NotAnObject(found.to_string()),
    })
}

fn required<T>(
    (field, value): (&'static str, Option<Scalar>),
    expected: &'static str,
    parse: impl FnOnce(&Scalar) -> Option<T>,
) -> Result<T, EntryError> {
    let value = value.ok_or(EntryError::MissingField { field, expected })?;
    parse(&value).ok_or_else(|| EntryError::Field {
        field,
        found: value.to_string(),
        expected,
    })
}

/// Treats `null` as a missing field.
fn optional<T>(
    (field, value): (&'static str, Option<Scalar>),
    expected: &'static str,
    parse: impl FnOnce(&Scalar) -> Option<T>,
) -> Result<Option<T>, EntryError> {
    match value {
        None | Some(Scalar::Null) => Ok(None),
        some => required((field, some), expected, parse).map(Some),
    }
}

fn whole(value: &Scalar, max: u64) -> Option<u64> {
    match value {
        Scalar::Whole(number) => (*number <= max).then_some(*number),
        _ => None,
    }
}

fn millis(value: &Scalar) -> Option<Duration> {
    let millis = match value {
        Scalar::Whole(number) => *number as f64,
        Scalar::Fraction(number) => *number,
        _ => return None,
    };
    let range = 0.0..=MAX_TIME.as_millis_f64();
    range
        .contains(&millis)
        .then(|| Duration::from_millis_f64(millis))
}

fn text(value: &Scalar) -> Option<&str> {
    match value {
        Scalar::Text(text) => Some(text),
        _ => None,
    }
}

fn flag(value: &Scalar) -> Option<bool> {
    match value {
        Scalar::Flag(flag) => Some(*flag),
        _ => None,
    }
}

fn category(value: &Scalar) -> Option<Category> {
    use serde::de::IntoDeserializer as _;
    use serde::de::value::{Error, StrDeserializer};

    let text: StrDeserializer<'_, Error> = text(value)?.into_deserializer();
    Category::deserialize(text).ok()
}

fn extension_of(value: &Scalar) -> Option<String> {
    let text = text(value)?;
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    ((1..=16).contains(&text.len()) && text.bytes().all(fits)).then(|| text.to_owned())
}

/// Parses a file name that has no folder and is valid on every system.
fn file_name(value: &Scalar) -> Option<String> {
    let text = text(value)?;
    let fits = |b: u8| b.is_ascii_alphanumeric() || b".-_".contains(&b);
    let sound = (1..=128).contains(&text.len())
        && text.bytes().all(fits)
        && !text.starts_with('.')
        && !text.ends_with('.');
    sound.then(|| text.to_owned())
}

fn url(value: &Scalar) -> Option<String> {
    let text = text(value)?;
    let sound = text.chars().count() <= MAX_URL_CHARS && !text.chars().any(char::is_control);
    sound.then(|| text.to_owned())
}

/// Parsed content of the text.
enum Top {
    Entries(Vec<Entry>),
    TooMany,
    Other(Scalar),
}

/// Parsed element of the array.
enum Entry {
    Fields(Box<Fields>),
    /// The name of an unknown field, shortened.
    Unknown(String),
    Repeated(&'static str),
    Other(Scalar),
}

/// Values in the order of [`FIELDS`].
type Fields = [Option<Scalar>; FIELDS.len()];

/// A value of a field. The contents of arrays and objects are dropped.
enum Scalar {
    Null,
    Flag(bool),
    Whole(u64),
    Negative(i64),
    Fraction(f64),
    Text(String),
    Array,
    Object,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Negative(number) => write!(f, "{number}"),
            Self::Fraction(number) => write!(f, "{number:?}"),
            Self::Text(text) => write!(f, "the text {:?}", shorten(text, QUOTED_CHARS)),
            Self::Array => f.write_str("an array"),
            Self::Object => f.write_str("an object"),
        }
    }
}

/// As strict as [`TransferSequence::from_json`]. Messages call the text "transfer
/// sequence".
impl<'de> Deserialize<'de> for TransferSequence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let transfers = checked("transfer sequence", Top::deserialize(from)?);
        transfers.map(Self::new).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Top {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TopVisitor)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(EntryVisitor)
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;
struct EntryVisitor;
struct TopVisitor;

/// Visitor methods for values other than arrays and objects.
macro_rules! plain_values {
    ($wrap:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a transfer sequence")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($wrap(Scalar::Null))
        }
        fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
            Ok($wrap(Scalar::Flag(flag)))
        }
        fn visit_u64<E>(self, whole: u64) -> Result<Self::Value, E> {
            Ok($wrap(Scalar::Whole(whole)))
        }
        fn visit_i64<E>(self, negative: i64) -> Result<Self::Value, E> {
            Ok($wrap(Scalar::Negative(negative)))
        }
        fn visit_f64<E>(self, fraction: f64) -> Result<Self::Value, E> {
            Ok($wrap(Scalar::Fraction(fraction)))
        }
        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok($wrap(Scalar::Text(text.to_owned())))
        }
    };
}

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;
    plain_values!(std::convert::identity);

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Scalar, A::Error> {
        while all.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, all: A) -> Result<Scalar, A::Error> {
        skip(all)?;
        Ok(Scalar::Object)
    }
}

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;
    plain_values!(Entry::Other);

    fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<Entry, A::Error> {
        ScalarVisitor.visit_seq(all).map(Entry::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Entry, A::Error> {
        let mut fields = Box::new(Fields::default());
        while let Some(name) = all.next_key_seed(Name)? {
            let place = match name {
                Ok(place) => place,
                Err(unknown) => {
                    all.next_value::<IgnoredAny>()?;
                    skip(all)?;
                    return Ok(Entry::Unknown(unknown));
                }
            };
            let value = all.next_value()?;
            if fields[place].replace(value).is_some() {
                skip(all)?;
                return Ok(Entry::Repeated(FIELDS[place]));
            }
        }
        Ok(Entry::Fields(fields))
    }
}

impl<'de> Visitor<'de> for TopVisitor {
    type Value = Top;
    plain_values!(Top::Other);

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Top, A::Error> {
        let mut entries = Vec::new();
        while entries.len() < MAX_OBJECTS {
            match all.next_element()? {
                Some(entry) => entries.push(entry),
                None => return Ok(Top::Entries(entries)),
            }
        }
        let mut more = false;
        while all.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok(if more {
            Top::TooMany
        } else {
            Top::Entries(entries)
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, all: A) -> Result<Top, A::Error> {
        ScalarVisitor.visit_map(all).map(Top::Other)
    }
}

fn skip<'de, A: MapAccess<'de>>(mut all: A) -> Result<(), A::Error> {
    while all.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// A field name: its index in [`FIELDS`], or the unknown name, shortened.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Result<usize, String>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Result<usize, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let place = FIELDS.iter().position(|field| *field == name);
        Ok(place.ok_or_else(|| shorten(name, QUOTED_CHARS)))
    }
}

#[cfg(test)]
mod tests;
