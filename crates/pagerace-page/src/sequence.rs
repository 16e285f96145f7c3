//! The transfers of a page load as a list that needs no page: what is sent,
//! how much of it, and when it was asked for.
//!
//! Follows Srivastava 2024, section 5.7: recordings become a sequence of objects,
//! each with a number, category, extension, size, start and transfer time, and
//! the name of a file of that size ([`stand_in`]). Beyond it an object tells
//! whose it is ([`Transfer::third_party`]) and whether a part of it is of any use
//! ([`Transfer::must_be_whole`]): what a policy of partial reliability asks.
//! Described, with an example, in `docs/objects.md`.
//!
//! Leaves out request methods, fields and bodies, status codes, and which object
//! makes known which other: a sequence is replayed by its times alone.

mod error;
mod extension;
mod page;
mod read;
mod srivastava;
pub mod stand_in;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use pagerace_core::Duration;

use crate::{Category, Page, Resource};

pub use error::SequenceError;
pub use srivastava::{VERSIONS, srivastava_page};

/// More objects than any page load has.
pub const MAX_OBJECTS: usize = crate::model::MAX_RESOURCES;

/// Bytes of the largest object: 4 GiB, as in recordings.
pub const MAX_SIZE_BYTES: u64 = crate::model::MAX_BYTES;

/// Latest start and longest transfer: a day. Later ones of a recording count as this.
pub use crate::model::MAX_TIME;

/// Characters of the longest address; a longer one of a page is cut, and ends in `…`.
pub const MAX_URL_CHARS: usize = 2_000;

/// The objects of one page load: at least one, by start time, those of one time by
/// number. No two have the same number or file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferSequence {
    transfers: Vec<Transfer>,
}

/// One object: a request and the body of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Its number; of a page's resource its [`crate::ResourceId`].
    pub id: u32,
    /// What it is.
    pub category: Category,
    /// Of a file that holds it: lower-case ASCII letters and digits, without the dot.
    pub extension: String,
    /// Bytes of the body as transferred (content-encoded).
    pub size: u64,
    /// When it was asked for, since the navigation began.
    pub start: Duration,
    /// From the request to the last byte; `None` if unknown.
    pub transfer_time: Option<Duration>,
    /// Of the file that stands in for it; a name without folders.
    pub file_name: String,
    /// Where it came from, if that is told.
    pub url: Option<String>,
    /// Whether it is on another registrable domain than the document; `None` if unknown.
    pub third_party: Option<bool>,
    /// Whether a part of it is of no use: all but raster images, audio and video,
    /// of which a part can be shown. Says nothing of how much it matters.
    pub must_be_whole: bool,
}

/// Objects and bytes of a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many.
    pub objects: usize,
    /// Of all bodies.
    pub bytes: u64,
}

/// How much of addresses a sequence tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Urls {
    /// Scheme, host and path: what follows `?` or `#`, names and passwords may
    /// tell who visited.
    #[default]
    WithoutQueries,
    /// As recorded, but for names and passwords.
    Whole,
}

impl TransferSequence {
    /// The transfers of a page, one for each resource, redirects included;
    /// addresses without queries.
    ///
    /// A resource without recorded times starts with the one before it.
    ///
    /// # Panics
    /// If the page has no resource; importers make none such.
    pub fn of(page: &Page) -> Self {
        Self::with_urls(page, Urls::default())
    }

    /// As [`Self::of`], with as much of addresses as `urls` says.
    ///
    /// # Panics
    /// As [`Self::of`].
    pub fn with_urls(page: &Page, urls: Urls) -> Self {
        let mut latest = Duration::ZERO;
        let transfer = |resource: &Resource| {
            let start = resource.recorded.map_or(latest, |times| times.start);
            latest = start;
            of_resource(resource, start, urls)
        };
        Self::sorted(page.resources.iter().map(transfer).collect())
    }

    /// Reads what [`Self::to_json`] writes; `file` names it in messages.
    ///
    /// # Errors
    /// [`SequenceError`]: too large, no JSON, no array of objects, an object
    /// with an unknown, missing, repeated or wrong field, or two objects with
    /// the same number or file name.
    pub fn from_json(file: &str, text: &[u8]) -> Result<Self, SequenceError> {
        Ok(Self::sorted(read::transfers(file, text)?))
    }

    /// Reads a file as [`Self::from_json`] does.
    ///
    /// # Errors
    /// As [`Self::from_json`], and [`SequenceError::Read`].
    pub fn load(path: &Path) -> Result<Self, SequenceError> {
        let (file, text) = read::file(path)?;
        Self::from_json(&file, &text)
    }

    /// A JSON array, an object a transfer. Described in `docs/objects.md`.
    pub fn to_json(&self) -> String {
        write::json(&self.transfers)
    }

    /// All of them, in order.
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// All of them, in order, to keep.
    pub fn into_transfers(self) -> Vec<Transfer> {
        self.transfers
    }

    /// Bytes of all bodies.
    pub fn bytes(&self) -> u64 {
        self.transfers.iter().map(|transfer| transfer.size).sum()
    }

    /// Objects and bytes of each category that there is.
    pub fn totals(&self) -> BTreeMap<Category, Total> {
        let mut totals: BTreeMap<Category, Total> = BTreeMap::new();
        for transfer in &self.transfers {
            let total = totals.entry(transfer.category).or_default();
            total.objects += 1;
            total.bytes += transfer.size;
        }
        totals
    }

    fn sorted(mut transfers: Vec<Transfer>) -> Self {
        assert!(!transfers.is_empty(), "there is no load without a request");
        transfers.sort_by_key(|transfer| (transfer.start, transfer.id));
        Self { transfers }
    }
}

fn of_resource(resource: &Resource, start: Duration, urls: Urls) -> Transfer {
    let extension = extension::of(resource);
    let taken = |times: crate::RecordedTimes| times.end.saturating_sub(times.start).min(MAX_TIME);
    Transfer {
        id: resource.id.0,
        category: resource.category,
        file_name: file_name(resource.id.0, extension),
        must_be_whole: extension::must_be_whole(extension),
        extension: extension.to_owned(),
        size: resource.body_bytes,
        start: start.min(MAX_TIME),
        transfer_time: resource.recorded.map(taken),
        url: told(&resource.url, urls),
        third_party: Some(resource.third_party),
    }
}

/// `object-0007.js`.
fn file_name(id: u32, extension: &str) -> String {
    format!("object-{id:04}.{extension}")
}

/// As much of an address as may be told; nothing of what is none.
fn told(url: &str, urls: Urls) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    // Fails only for addresses that have neither.
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
