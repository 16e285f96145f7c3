//! The transfers of a page load as a list that is independent of the page: their types,
//! sizes and request times.
//!
//! The format follows Srivastava 2024, section 5.7. Recordings become a sequence of
//! objects, each with a number, a category, an extension, a size, start and transfer
//! times, and the name of a file of that size ([`stand_in`]). In addition, an object has
//! the attributes that a policy of partial reliability needs: its party
//! ([`Transfer::third_party`]) and whether a part of it is useful
//! ([`Transfer::must_be_whole`]). `docs/objects.md` describes the format, with an
//! example.
//!
//! Request methods, fields, request bodies, status codes and the dependencies between
//! objects are omitted: a sequence is replayed by its times alone.

mod extension;
mod page;
mod read;
pub mod stand_in;
mod valid;

use std::path::Path;

use pagerace_core::Duration;
use serde::{Serialize, Serializer};

use pagerace_page::{Category, Page, Resource};

use crate::ImportError;
pub use extension::must_be_whole;

/// Maximum number of objects; no page load has as many.
pub const MAX_OBJECTS: usize = pagerace_page::model::MAX_RESOURCES;

/// Maximum size of an object in bytes: 4 GiB, as in recordings.
pub const MAX_SIZE_BYTES: u64 = pagerace_page::model::MAX_BYTES;

/// Maximum start and transfer time: one day. Longer times of a recording are capped.
pub use pagerace_page::model::MAX_TIME;

/// Maximum number of characters of a URL. Longer URLs of a page are truncated and end in
/// `…`.
pub const MAX_URL_CHARS: usize = 2_000;

/// The objects of one page load, at least one, ordered by start time and then by number.
/// Numbers and file names are unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct TransferSequence {
    transfers: Vec<Transfer>,
}

/// One object: a request and the body of its response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transfer {
    /// Number of the object; for a resource of a page, its [`pagerace_page::ResourceId`].
    pub id: u32,
    /// Content category.
    pub category: Category,
    /// Extension of a file for the object: lower-case ASCII letters and digits, without
    /// the dot.
    pub extension: String,
    /// Bytes of the body as transferred (content-encoded).
    #[serde(rename = "size_bytes")]
    pub size: u64,
    /// Time of the request, since the start of the navigation.
    #[serde(rename = "start_ms", serialize_with = "millis")]
    pub start: Duration,
    /// Time from the request to the last byte; `None` if unknown.
    #[serde(rename = "transfer_ms", serialize_with = "millis")]
    pub transfer_time: Option<Duration>,
    /// Name of the stand-in file, without folders.
    pub file_name: String,
    /// URL of the object, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// True if the registrable domain differs from the document's; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third_party: Option<bool>,
    /// True if a part of the object is useless. By default false for raster images, video
    /// and audio other than WAV, of which a part can be shown. The flag does not tell how
    /// important the object is.
    pub must_be_whole: bool,
}

/// Extent of the URLs in a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Urls {
    /// Scheme, host and path. User names, passwords, queries and fragments may identify
    /// the visitor.
    #[default]
    WithoutQueries,
    /// The recorded URL without user name and password.
    Whole,
}

impl TransferSequence {
    /// Creates a sequence of these transfers, in any order. Their numbers and file names
    /// must be unique.
    ///
    /// # Panics
    /// Panics if there is no transfer.
    pub fn new(mut transfers: Vec<Transfer>) -> Self {
        assert!(!transfers.is_empty(), "there is no load without a request");
        transfers.sort_by_key(|transfer| (transfer.start, transfer.id));
        Self { transfers }
    }

    /// Creates the sequence of a page with one transfer per resource, redirects included,
    /// and with URLs to the extent of `urls`.
    ///
    /// A resource without recorded times starts together with its predecessor.
    ///
    /// # Panics
    /// Panics if the page has no resource; imported pages have at least one.
    pub fn of(page: &Page, urls: Urls) -> Self {
        let mut latest = Duration::ZERO;
        let transfer = |resource: &Resource| {
            let start = resource.recorded.map_or(latest, |times| times.start);
            latest = start;
            of_resource(resource, start, urls)
        };
        Self::new(page.resources.iter().map(transfer).collect())
    }

    /// Parses the output of [`Self::to_json`]; `file` names the text in messages.
    ///
    /// # Errors
    /// Returns [`ImportError`] if the text is too large, is not JSON or is not an array
    /// of objects, at least one; if an object has an unknown, missing, repeated or invalid field;
    /// or if two objects share a number or file name.
    pub fn from_json(file: &str, text: &[u8]) -> Result<Self, ImportError> {
        Ok(Self::new(read::transfers(file, text)?))
    }

    /// Reads a file in the format of [`Self::from_json`].
    ///
    /// # Errors
    /// Returns the errors of [`Self::from_json`], and that the file cannot be read.
    pub fn load(path: &Path) -> Result<Self, ImportError> {
        let (file, text) = read::file(path)?;
        Self::from_json(&file, &text)
    }

    /// Returns a JSON array with one object per transfer; see `docs/objects.md`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data is JSON");
        text.push('\n');
        text
    }

    /// Returns the transfers in order.
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Returns the total size of all bodies in bytes.
    pub fn bytes(&self) -> u64 {
        self.transfers.iter().map(|transfer| transfer.size).sum()
    }
}

fn millis<S: Serializer>(
    time: &(impl Into<Option<Duration>> + Copy),
    to: S,
) -> Result<S::Ok, S::Error> {
    (*time).into().map(Duration::as_millis_f64).serialize(to)
}

fn of_resource(resource: &Resource, start: Duration, urls: Urls) -> Transfer {
    let extension = extension::of(resource);
    let taken =
        |times: pagerace_page::RecordedTimes| times.end.saturating_sub(times.start).min(MAX_TIME);
    Transfer {
        id: resource.id.0,
        category: resource.category,
        file_name: file_name(resource.id.0, extension),
        must_be_whole: must_be_whole(extension),
        extension: extension.to_owned(),
        size: resource.body_bytes,
        start: start.min(MAX_TIME),
        transfer_time: resource.recorded.map(taken),
        url: told(&resource.url, urls),
        third_party: Some(resource.third_party),
    }
}

/// Returns the file name of an object, such as `object-0007.js`.
pub fn file_name(id: u32, extension: &str) -> String {
    format!("object-{id:04}.{extension}")
}

/// Returns a URL to the extent of `urls`; `None` if the text is not a URL.
fn told(url: &str, urls: Urls) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    // Fails only for URLs that cannot have user names or passwords.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if urls == Urls::WithoutQueries {
        url.set_query(None);
        url.set_fragment(None);
    }
    if url.as_str().chars().count() <= MAX_URL_CHARS {
        return Some(url.into());
    }
    let mut cut: String = url.as_str().chars().take(MAX_URL_CHARS - 1).collect();
    cut.push('…');
    Some(cut)
}

#[cfg(test)]
mod tests;
