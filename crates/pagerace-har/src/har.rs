//! Import of HAR 1.2 recordings by Chrome DevTools, chrome-har, browsertime, WebPageTest,
//! Firefox, Safari, our own recorder, and any other writer of `log.entries`.
//!
//! HAR 1.2: <http://www.softwareishard.com/blog/har-12-spec/>. Every field may be missing
//! or have a wrong type; the importer then ignores the field, not the file.
//! `docs/har-import.md` documents each decision on ambiguous data. The page's notes count
//! the decisions that were taken.

mod assemble;
mod cache;
mod causes;
mod clock;
mod content;
mod destination;
mod discovery;
mod entry;
mod exchanges;
mod filter;
mod headers;
mod hints;
mod http_date;
mod initiator;
mod largest;
mod layout;
mod loading;
pub(crate) mod markup;
mod network;
mod notes;
mod origins;
mod page;
mod pages;
mod paints;
mod protocol;
mod queues;
mod read;
mod recording;
mod redirects;
mod rtt;
mod sessions;
mod sizes;
mod survey;
mod thresholds;
mod value;
mod viewport;
mod waits;

pub use loading::infer_priority;
pub use markup::references;
pub use read::is_gzip;
pub use survey::{Survey, SurveyedRequest, survey, survey_from_bytes};

use std::collections::BTreeMap;
use std::path::Path;

use entry::Entry;
use notes::{Kind, Notes};
use serde_json::{Value, json};

use crate::error::shorten;
use crate::{Device, ImportError, Recording};
use pagerace_page::model::MAX_RESOURCES;
use pagerace_page::{Page, ResourceId};

/// Maximum milliseconds between the start of a page and its navigation. Others are damaged.
const MAX_PAGE_GAP_MS: f64 = 3_600_000.0;

/// Maximum milliseconds between the first request of a recording and the last: a month.
const MAX_SPREAD_MS: f64 = 30.0 * 86_400_000.0;

/// Selection of the part of a recording to import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Page to import from a file with several: its id, title or 1-based number. `None`
    /// selects the first page that has entries.
    pub page: Option<String>,
}

/// Reads a HAR file, plain or compressed with gzip.
///
/// # Errors
/// Returns [`ImportError`] if the file cannot be read, is not a HAR, has no such page, or
/// holds no entry that can be requested.
pub fn load(path: &Path, options: &ImportOptions) -> Result<Page, ImportError> {
    let (file, bytes) = read::file(path)?;
    from_bytes(&file, &bytes, options)
}

/// Reads a HAR file as [`load`] does, and keeps every exchange with its body.
///
/// # Errors
/// Returns the same errors as [`load`].
pub fn load_recording(path: &Path, options: &ImportOptions) -> Result<Recording, ImportError> {
    let (file, bytes) = read::file(path)?;
    recording_from_bytes(&file, &bytes, options)
}

/// Imports a HAR from memory. `file_name` appears in messages and names the page.
///
/// # Errors
/// Returns the same errors as [`load`].
pub fn from_bytes(
    file_name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Page, ImportError> {
    let root = parse(file_name, bytes)?;
    Ok(import(file_name, &root, options)?.page)
}

/// Imports a HAR as [`from_bytes`] does, and keeps every exchange with its body.
///
/// # Errors
/// Returns the same errors as [`load`].
pub fn recording_from_bytes(
    file_name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Recording, ImportError> {
    let mut root = parse(file_name, bytes)?;
    let Imported {
        page,
        device,
        entries,
        resources,
    } = import(file_name, &root, options)?;
    let list = root
        .pointer_mut("/log/entries")
        .and_then(Value::as_array_mut);
    let list = list.expect("the import found log.entries");
    let exchanges = exchanges::take(list, &entries, &resources, &page);
    Ok(Recording {
        page,
        exchanges,
        device,
    })
}

fn parse(file_name: &str, bytes: &[u8]) -> Result<Value, ImportError> {
    let bytes = read::decompress(file_name, bytes, read::MAX_BYTES)?;
    let root = read::parse(file_name, &bytes)?;
    // Some tools write the object of `log` alone.
    let is_log = root.get("log").is_none() && root["entries"].is_array();
    Ok(if is_log { json!({ "log": root }) } else { root })
}

/// Result of importing the chosen page of a file.
struct Imported {
    page: Page,
    device: Option<Device>,
    /// Numbers of the page's entries in the file, in the file's order.
    entries: Vec<usize>,
    /// The resource of each entry that became one, by the entry's number.
    resources: BTreeMap<usize, ResourceId>,
}

fn import(file_name: &str, root: &Value, options: &ImportOptions) -> Result<Imported, ImportError> {
    let chosen = pages::choose(file_name, root, options)?;
    if chosen.entries.len() > MAX_RESOURCES {
        let finding = format!(
            "log.entries: the chosen page has {} entries, more than {MAX_RESOURCES}; that is not \
             one page load: record one navigation",
            chosen.entries.len()
        );
        return Err(ImportError::new(file_name, finding));
    }
    let mut page_start = chosen.page.start();
    let parse = |&(number, value): &(usize, _)| Entry::parse(number, value, page_start);
    let mut entries: Vec<Entry> = chosen.entries.iter().map(parse).collect();
    let mut notes = Notes::default();
    if chosen.page.own.is_none() {
        drop_absurd_times(&mut entries);
    }
    notes.add_many(Kind::OtherPages, chosen.others);
    let count = entries.len();
    let selected = filter::select(entries, &mut notes);
    let selected = selected.map_err(|(entry, url, reason)| {
        let finding = format!(
            "none of the {count} entries can be raced; entry {entry} ({}), for example: {reason}; \
             record the page again with the network log open from the start",
            shorten(&value::shown(url), 80)
        );
        ImportError::new(file_name, finding)
    });
    let mut selected = selected?;
    if let Some((page, first)) = page_start.zip(selected[0].start)
        && (page - first).abs() > MAX_PAGE_GAP_MS
    {
        page_start = None;
        notes.add(Kind::PageStart);
    }
    if let Some(origin) = page_start.or(selected[0].start) {
        for entry in &mut selected {
            entry.count_from(origin);
        }
    }
    sessions::end(&mut selected, &chosen.page, &mut notes);
    queues::take_out(&mut selected, &mut notes);
    let stem = page_name(file_name);
    let number = chosen.number.filter(|_| options.page.is_some());
    let name = number.map_or_else(|| stem.to_owned(), |number| format!("{stem}#{number}"));
    let creator = creator(&root["log"]);
    let numbered = selected.iter().enumerate();
    Ok(Imported {
        resources: numbered
            .map(|(i, entry)| (entry.number, ResourceId(i as u32)))
            .collect(),
        page: assemble::page(name, creator, &chosen, &selected, notes),
        device: chosen.page.device(),
        entries: chosen.entries.iter().map(|&(number, _)| number).collect(),
    })
}

/// Drops the times of entries that all begin at one time, or months apart. They tell nothing.
fn drop_absurd_times(entries: &mut [Entry]) {
    let starts = || entries.iter().filter_map(|entry| entry.start);
    let first = starts().fold(f64::INFINITY, f64::min);
    let spread = starts().fold(f64::NEG_INFINITY, f64::max) - first;
    let at_once = spread <= 0.0 && entries.len() > 2;
    if at_once || spread > MAX_SPREAD_MS {
        for entry in entries {
            entry.forget_times();
        }
    }
}

/// Returns the name of the page that a file holds: the file's stem.
pub fn page_name(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.strip_suffix(".gz").unwrap_or(name);
    let stem = stem
        .strip_suffix(".har")
        .or_else(|| stem.strip_suffix(".json"))
        .or_else(|| stem.strip_suffix(".page"))
        .unwrap_or(stem);
    if stem.is_empty() { "page" } else { stem }
}

/// Returns the names and versions of recorder and browser, as given in the file.
fn creator(log: &Value) -> String {
    let describe = |key: &str| {
        let object = log
            .get(key)
            .or_else(|| log.get("software").filter(|_| key == "creator"))?;
        let name = value::filled(object, "name")?;
        let version = value::filled(object, "version").unwrap_or_default();
        Some(shorten(format!("{name} {version}").trim(), 80))
    };
    let parts = [describe("creator"), describe("browser")]
        .into_iter()
        .flatten();
    let mut parts: Vec<String> = parts.collect();
    parts.dedup();
    parts.join(", ")
}
