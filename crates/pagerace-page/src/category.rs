//! Content categories: the eight of Srivastava 2024, table 4.
//!
//! A built-in list identifies advertisement and analytics ([`is_ad`]). The destination of
//! the request decides all other categories; requests by scripts are classified by media
//! type.

mod ads;

use pagerace_core::Destination;

use crate::Category;

pub use ads::{ad_sign, is_ad};

/// Returns the category of a resource. Advertisement and analytics take precedence: an
/// image of an advertisement counts as [`Category::Ads`].
pub fn of(url: &str, destination: Destination, mime_type: &str, third_party: bool) -> Category {
    if destination != Destination::Document && is_ad(url, third_party) {
        return Category::Ads;
    }
    asked_as(destination, mime_type)
}

/// Returns the category of a resource by destination and media type alone, whether or not
/// it serves advertisement; never [`Category::Ads`].
pub fn asked_as(destination: Destination, mime_type: &str) -> Category {
    match destination {
        Destination::Document | Destination::Iframe => Category::Html,
        Destination::Style => Category::Css,
        Destination::Script => Category::Javascript,
        Destination::Font => Category::Fonts,
        Destination::Image => Category::Images,
        Destination::Media => Category::Others,
        Destination::Fetch => fetched(mime_type),
        Destination::Other if mime_type.is_empty() => Category::Others,
        Destination::Other => match fetched(mime_type) {
            Category::Json => Category::Others,
            other => other,
        },
    }
}

/// Data fetched by scripts counts as JSON unless its media type says otherwise.
fn fetched(mime: &str) -> Category {
    match mime {
        _ if mime.starts_with("image/") => Category::Images,
        _ if mime.contains("javascript") => Category::Javascript,
        _ if mime.starts_with("font/") || mime.contains("font-") => Category::Fonts,
        _ if mime.starts_with("video/") || mime.starts_with("audio/") => Category::Others,
        "text/css" => Category::Css,
        _ => Category::Json,
    }
}

#[cfg(test)]
mod tests;
