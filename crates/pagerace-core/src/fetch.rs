//! Terms of the Fetch standard that delivery depends on.

use crate::names;
use serde::{Deserialize, Serialize};

names! {
    /// The destination of a request: the purpose its resource serves.
    ///
    /// Source: Fetch standard, <https://fetch.spec.whatwg.org/#concept-request-destination>;
    /// `Fetch` stands for the empty destination (fetch, XHR, beacons).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Destination {
        /// The page itself, or a redirect on the way to it.
        Document = "document",
        /// A nested document.
        Iframe = "iframe",
        /// A style sheet.
        Style = "style",
        /// A script.
        Script = "script",
        /// A web font.
        Font = "font",
        /// An image, including the favicon.
        Image = "image",
        /// Audio, video or a text track.
        Media = "media",
        /// `fetch()`, XHR, `EventSource`, beacons.
        Fetch = "fetch",
        /// A web app manifest, or any other resource that affects no paint.
        Other = "other",
    }
}

/// The way a script element is executed.
///
/// Source: HTML standard,
/// <https://html.spec.whatwg.org/multipage/scripting.html#the-script-element>.
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

names! {
    /// Chromium's request priority, as recorded in a HAR's `_priority`.
    ///
    /// Variants are ordered from most to least urgent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum RequestPriority {
        /// Main document, style sheets in head, fonts.
        VeryHigh = "VeryHigh",
        /// Scripts in head, fetches, images in the viewport.
        High = "High",
        /// Scripts late in the body.
        Medium = "Medium",
        /// Async and deferred scripts, images.
        Low = "Low",
        /// Prefetches, style sheets for other media.
        VeryLow = "VeryLow",
    }
}

impl RequestPriority {
    /// Returns the class that an urgency of RFC 9218 stands for.
    ///
    /// Source: Chromium's mapping, as measured; see `docs/browser-model.md`.
    pub const fn of_urgency(urgency: u8) -> Self {
        match urgency {
            0 => Self::VeryHigh,
            1 => Self::High,
            2 => Self::Medium,
            3 => Self::Low,
            _ => Self::VeryLow,
        }
    }
}
