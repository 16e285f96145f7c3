//! The contents of the browser's cache for a page.
//!
//! The cache answers without delay: reading from disk takes a few milliseconds at most,
//! far below a round trip, and depends on the machine. Left out: size limits,
//! partitioning by top-level site, and service workers.

use pagerace_page::CacheUse;
use serde::{Deserialize, Serialize};

/// How the cache serves one resource (RFC 9111).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cached {
    /// The cache has no response, or may not use it.
    #[default]
    No,
    /// The cached response is fresh, so no request is made.
    Fresh,
    /// The cached response needs validation. The server answers with a 304 without body,
    /// reported by [`handle_not_modified`](crate::Browser::handle_not_modified).
    Validate,
}

impl From<CacheUse> for Cached {
    fn from(what: CacheUse) -> Self {
        match what {
            CacheUse::None => Self::No,
            CacheUse::Fresh => Self::Fresh,
            CacheUse::Validate => Self::Validate,
        }
    }
}
