//! What the browser's cache holds of a page.
//!
//! The cache answers in no time: reading a disk takes a few milliseconds at
//! most, far below a round trip, and depends on the machine. Leaves out its
//! limits in size, its partition by top-level site, and service workers.

use pagerace_page::CacheUse;
use serde::{Deserialize, Serialize};

/// How the cache serves one resource (RFC 9111).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cached {
    /// It does not have it, or may not use it.
    #[default]
    No,
    /// It is fresh: there is no request.
    Fresh,
    /// It has the body but has to ask whether it is still good; the answer is
    /// a 304 without body, reported by
    /// [`handle_not_modified`](crate::Browser::handle_not_modified).
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
