//! Content categories: the eight of Srivastava 2024, table 4.
//!
//! Advertisement and analytics are told by a built-in list ([`is_ad`]); all
//! else by what a request is for, and by media type where scripts fetch it.

mod ads;

use pagerace_core::Destination;

use crate::Category;

pub use ads::{ad_sign, is_ad};

/// The category of a resource. Advertisement and analytics come first: an ad's
/// image counts as ad.
pub fn of(url: &str, destination: Destination, mime_type: &str, third_party: bool) -> Category {
    if destination != Destination::Document && is_ad(url, third_party) {
        return Category::Ads;
    }
    asked_as(destination, mime_type)
}

/// The category of a resource by what it is for, whether it is advertisement
/// or not; never [`Category::Ads`].
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

/// What scripts fetch is data, unless its media type says otherwise.
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
