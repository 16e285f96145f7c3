//! Terms of the Fetch standard that delivery depends on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The destination of a request: the purpose its resource serves.
///
/// Source: Fetch standard, <https://fetch.spec.whatwg.org/#concept-request-destination>;
/// `Fetch` stands for the empty destination (fetch, XHR, beacons).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Destination {
    /// The page itself, or a redirect on the way to it.
    Document,
    /// A nested document.
    Iframe,
    /// A style sheet.
    Style,
    /// A script.
    Script,
    /// A web font.
    Font,
    /// An image, including the favicon.
    Image,
    /// Audio, video or a text track.
    Media,
    /// `fetch()`, XHR, `EventSource`, beacons.
    Fetch,
    /// A web app manifest, or any other resource that affects no paint.
    Other,
}

impl Destination {
    /// All destinations, in declaration order.
    pub const ALL: [Self; 9] = [
        Self::Document,
        Self::Iframe,
        Self::Style,
        Self::Script,
        Self::Font,
        Self::Image,
        Self::Media,
        Self::Fetch,
        Self::Other,
    ];
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Document => "document",
            Self::Iframe => "iframe",
            Self::Style => "style",
            Self::Script => "script",
            Self::Font => "font",
            Self::Image => "image",
            Self::Media => "media",
            Self::Fetch => "fetch",
            Self::Other => "other",
        })
    }
}

/// The way a script element is executed.
///
/// Source: HTML standard, <https://html.spec.whatwg.org/multipage/scripting.html#the-script-element>.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptMode {
    /// Blocks the parser until it has run.
    #[default]
    Blocking,
    /// Runs after parsing, in document order.
    Defer,
    /// Runs as soon as it has been fetched.
    Async,
    /// Inserted by another script. Runs like an async script.
    Inserted,
}

/// Chromium's request priority, as recorded in a HAR's `_priority`.
///
/// Variants are ordered from most to least urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RequestPriority {
    /// Main document, style sheets in head, fonts.
    VeryHigh,
    /// Scripts in head, fetches, images in the viewport.
    High,
    /// Scripts late in the body.
    Medium,
    /// Async and deferred scripts, images.
    Low,
    /// Prefetches, style sheets for other media.
    VeryLow,
}

impl fmt::Display for RequestPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::VeryHigh => "VeryHigh",
            Self::High => "High",
            Self::Medium => "Medium",
            Self::Low => "Low",
            Self::VeryLow => "VeryLow",
        })
    }
}
