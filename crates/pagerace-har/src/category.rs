//! Content categories: the eight of Srivastava 2024, table 4.
//!
//! A built-in list identifies advertisement and analytics ([`is_ad`]). The destination of
//! the request decides all other categories; requests by scripts are classified by media
//! type.

mod ads;

use pagerace_core::Destination;

use pagerace_page::Category;
use pagerace_page::category::asked_as;

pub use ads::{ad_sign, is_ad};

/// Returns the category of a resource. Advertisement and analytics take precedence: an
/// image of an advertisement counts as [`Category::Ads`].
pub fn of(url: &str, destination: Destination, mime_type: &str, third_party: bool) -> Category {
    if destination != Destination::Document && is_ad(url, third_party) {
        return Category::Ads;
    }
    asked_as(destination, mime_type)
}

#[cfg(test)]
mod tests;
