//! Content categories by destination and media type (Srivastava 2024, table 4).

use pagerace_core::Destination;

use crate::Category;

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

impl Category {
    /// Returns the name in files, such as `fonts`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ads => "ads",
            Self::Images => "images",
            Self::Html => "html",
            Self::Javascript => "javascript",
            Self::Json => "json",
            Self::Css => "css",
            Self::Fonts => "fonts",
            Self::Others => "others",
        }
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
