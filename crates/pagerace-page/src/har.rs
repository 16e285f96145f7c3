//! Import of HAR 1.2 recordings: Chrome DevTools, chrome-har, browsertime,
//! WebPageTest, Firefox, Safari, and whatever else writes `log.entries`.
//!
//! HAR 1.2: <http://www.softwareishard.com/blog/har-12-spec/>. Every field may
//! be missing or of a wrong type: that loses the field, not the file. Each
//! decision on what recordings leave open is described in
//! `docs/har-import.md`, and counted in the page's notes where it was taken.

mod assemble;
mod cache;
mod clock;
mod destination;
mod discovery;
mod entry;
mod filter;
mod headers;
mod http_date;
mod initiator;
mod loading;
mod markup;
mod notes;
mod origins;
mod pages;
mod protocol;
mod read;
mod recording;
mod redirects;
mod rtt;
mod sizes;
mod value;
mod viewport;

use std::path::Path;

use entry::Entry;
use notes::{Kind, Notes};
use serde_json::Value;

use crate::{ImportError, Page};

/// More requests than any page load has; beyond, a file holds a session.
const MAX_ENTRIES: usize = 20_000;

/// What to import of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Which page of a file with several: its id, title, or 1-based number.
    /// `None` takes the first that has entries.
    pub page: Option<String>,
}

/// Reads a HAR file, plain or compressed with gzip.
///
/// # Errors
/// [`ImportError`] if the file cannot be read, is no HAR, has no such page, or
/// holds nothing that can be requested.
pub fn load(path: &Path, options: &ImportOptions) -> Result<Page, ImportError> {
    let file = path.display().to_string();
    let bytes = match std::fs::metadata(path) {
        Ok(meta) if meta.len() > read::MAX_BYTES => {
            return Err(ImportError::TooLarge {
                file,
                limit: read::MAX_BYTES,
            });
        }
        Ok(_) => std::fs::read(path),
        Err(error) => Err(error),
    };
    match bytes {
        Ok(bytes) => from_bytes(&file, &bytes, options),
        Err(source) => Err(ImportError::Read { file, source }),
    }
}

/// Imports a HAR from memory; `file_name` names it in messages, and the page
/// after it.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(
    file_name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Page, ImportError> {
    let bytes = read::decompress(file_name, bytes, read::MAX_BYTES)?;
    let root = read::parse(file_name, &bytes)?;
    drop(bytes);
    let chosen = pages::choose(file_name, &root, options)?;
    if chosen.entries.len() > MAX_ENTRIES {
        return Err(ImportError::TooManyEntries {
            file: file_name.to_owned(),
            found: chosen.entries.len(),
            limit: MAX_ENTRIES,
        });
    }
    let page_start = chosen.start();
    let parse = |&(number, value): &(usize, _)| Entry::parse(number, value, page_start);
    let entries: Vec<Entry> = chosen.entries.iter().map(parse).collect();
    let mut notes = Notes::default();
    notes.add_many(Kind::OtherPages, chosen.others);
    let count = entries.len();
    let selected = filter::select(entries, &mut notes);
    let selected = selected.map_err(|(entry, url, reason)| ImportError::NothingToRace {
        file: file_name.to_owned(),
        entries: count,
        entry,
        url: value::shorten(url, 80),
        reason,
    })?;
    let name = page_name(file_name, chosen.number.filter(|_| options.page.is_some()));
    Ok(assemble::page(
        name,
        creator(&root["log"]),
        &chosen,
        &selected,
        notes,
    ))
}

/// The file's stem, with the page's number if one was asked for.
fn page_name(file: &str, number: Option<usize>) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.strip_suffix(".gz").unwrap_or(name);
    let stem = stem
        .strip_suffix(".har")
        .or_else(|| stem.strip_suffix(".json"))
        .unwrap_or(stem);
    let stem = if stem.is_empty() { "page" } else { stem };
    number.map_or_else(|| stem.to_owned(), |number| format!("{stem}#{number}"))
}

/// Recorder and browser, as they call themselves.
fn creator(log: &Value) -> String {
    let describe = |key: &str| {
        let object = log
            .get(key)
            .or_else(|| log.get("software").filter(|_| key == "creator"))?;
        let name = value::filled(object, "name")?;
        let version = value::filled(object, "version").unwrap_or_default();
        Some(value::shorten(format!("{name} {version}").trim(), 80))
    };
    let parts = [describe("creator"), describe("browser")]
        .into_iter()
        .flatten();
    let mut parts: Vec<String> = parts.collect();
    parts.dedup();
    parts.join(", ")
}
