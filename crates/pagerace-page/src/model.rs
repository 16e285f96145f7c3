//! The page as the race sees it: what is fetched from where, how big it is,
//! and what has to happen before the browser knows that it needs it.

mod check;
mod layout;
mod paints;

use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use serde::{Deserialize, Serialize};

pub use self::check::{
    MAX_AREA, MAX_BYTES, MAX_ELEMENTS, MAX_FIELD_BYTES, MAX_RESOURCES, MAX_TIME,
};
pub use self::layout::{
    Element, ElementKind, FontDisplay, FontUse, Largest, PageLayout, PictureShares, Rect,
    RenderingTime,
};
pub use self::paints::{FittedLargest, PaintEvidence, PaintFit};

/// Index into [`Page::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceId(pub u32);

/// Index into [`Page::origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OriginId(pub u32);

impl ResourceId {
    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl OriginId {
    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One page load, ready to be raced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Short name for tables: the file's stem, or what the user chose.
    pub name: String,
    /// The URL that was navigated to (before redirects).
    pub url: String,
    /// Where the resources live, in order of first use.
    pub origins: Vec<Origin>,
    /// In the order in which the recording requested them; a parent always
    /// comes before its children. The first is the navigation request.
    pub resources: Vec<Resource>,
    /// The document that is finally shown: the end of the redirect chain.
    pub document: ResourceId,
    /// What the recording measured, for comparison only.
    pub recorded: RecordedPage,
    /// Where things are on the screen, if the recording says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<PageLayout>,
    /// When things can appear, if the recording tells paints but no layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<PaintFit>,
    /// What was missing, odd or left out, and what stands in for it.
    pub notes: Vec<Note>,
}

/// A scheme, host and port, and the connection that reaches it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// `https` or `http`.
    pub scheme: String,
    /// Host name.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Server address, if recorded.
    pub address: Option<String>,
    /// Origins with the same number share one connection, where the recording
    /// shows that a browser coalesced them; else each has its own.
    pub connection_group: u32,
    /// Whether the registrable domain differs from the document's.
    pub third_party: bool,
    /// Round-trip time that the recording paid to this origin, estimated from
    /// its connect times; `None` if there was no evidence.
    pub recorded_rtt: Option<Duration>,
    /// Protocol most of its responses used, normalised: `http/1.1`, `h2`, `h3`.
    pub protocol: Option<String>,
}

/// One request and its response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Its place in [`Page::resources`].
    pub id: ResourceId,
    /// Absolute URL.
    pub url: String,
    /// Where it comes from.
    pub origin: OriginId,
    /// HTTP method.
    pub method: String,
    /// HTTP status of the response; 0 if it has none.
    pub status: u16,
    /// The request fails, this long after its host's name was looked up: no response
    /// comes, and nothing is transferred. `None`: it is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_after: Option<Duration>,
    /// What it is for.
    pub destination: Destination,
    /// How it runs, if it is a script.
    pub script_mode: ScriptMode,
    /// Media type of the response without parameters, lower case; empty if unknown.
    pub mime_type: String,
    /// Bytes of the request's field section as text: names, values and two
    /// separators each, pseudo-fields included; cookies included.
    pub request_header_bytes: u32,
    /// Bytes of the request body.
    pub request_body_bytes: u64,
    /// Bytes of the response's field section as text.
    pub response_header_bytes: u32,
    /// Bytes of the response body as transferred (content-encoded).
    pub body_bytes: u64,
    /// Bytes of the decoded body, if known.
    pub decoded_bytes: Option<u64>,
    /// Time the server took from receiving the request to its first byte.
    pub think_time: Duration,
    /// Chromium's priority: recorded, or inferred from the destination.
    pub priority: RequestPriority,
    /// Whether the first paint waits for it.
    pub render_blocking: bool,
    /// What has to happen before it is requested.
    pub discovery: Discovery,
    /// Whether it lies in the first viewport (images; modelled unless the
    /// recording says so).
    pub in_viewport: bool,
    /// Main-thread time it costs when executed, parsed or decoded, if recorded.
    pub cpu_time: Option<Duration>,
    /// Whether the load event waits for it.
    pub blocks_load: bool,
    /// Content category (Srivastava 2024, table 4).
    pub category: Category,
    /// Whether it is on another registrable domain than the document.
    pub third_party: bool,
    /// When the recording requested it and when it was complete, since the
    /// navigation began, if recorded.
    pub recorded: Option<RecordedTimes>,
    /// What the cache makes of it in a second visit right after this one.
    #[serde(default)]
    pub cache: CacheUse,
    /// The way in which an image's bytes bring the picture.
    #[serde(default, skip_serializing_if = "ImageBytes::is_unknown")]
    pub image: ImageBytes,
}

/// The way in which an image's bytes bring the picture, as they say themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageBytes {
    /// In which order.
    pub coding: ImageCoding,
    /// Bytes before the picture's size is known; 0 if that is not known.
    pub head: u64,
    /// Bytes after which all of a progressive image is seen, if not sharply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<u64>,
}

impl ImageBytes {
    /// Whether nothing is known.
    pub const fn is_unknown(&self) -> bool {
        matches!(self.coding, ImageCoding::Unknown)
    }
}

/// In which order the bytes of an image bring the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageCoding {
    /// It is no image, the recording does not hold it, or its format has no
    /// such order that is known here.
    #[default]
    Unknown,
    /// From the top down.
    TopDown,
    /// All of it, first coarse, then finer: a progressive JPEG.
    Progressive,
    /// All of it, first some rows or pixels, then those between: an interlaced
    /// PNG or GIF.
    Interlaced,
}

/// How a browser's cache serves a second visit right after the first
/// (RFC 9111).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheUse {
    /// Not at all: it may not be stored, or is stale and cannot be validated.
    #[default]
    None,
    /// It is fresh: no request is made.
    Fresh,
    /// It is stale, or must always be validated: a conditional request is made,
    /// and answered by a 304 without body.
    Validate,
}

/// How a browser comes to request a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    /// What triggers the request.
    pub trigger: Trigger,
    /// How we know.
    pub evidence: Evidence,
    /// What else has to happen, before the delay of the trigger begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
}

/// What a request waits for that a script makes in a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "for")]
pub enum Wait {
    /// `DOMContentLoaded` of the page's document.
    ContentLoaded,
    /// The load event of the page's document.
    Loaded,
    /// This resource is there and has run, or has failed.
    Resource {
        /// It comes before what waits for it.
        id: ResourceId,
    },
}

/// What triggers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Trigger {
    /// The user navigates.
    Navigation,
    /// The response headers of `parent` redirect here.
    Redirect {
        /// The redirecting resource.
        parent: ResourceId,
    },
    /// The markup of document `parent` names it: known once `offset` encoded
    /// bytes of the body have arrived (preload scanner) and been parsed.
    Markup {
        /// The (i)frame document.
        parent: ResourceId,
        /// Encoded bytes of the parent's body, at most its size.
        offset: u64,
    },
    /// Style sheet `parent` names it (import, font, background image): known
    /// when the sheet is complete and parsed; fonts and images wait further
    /// until they are used by layout.
    Style {
        /// The style sheet.
        parent: ResourceId,
    },
    /// Script `parent` requests it, `delay` after it has executed and what
    /// [`Discovery::wait`] names has happened.
    Script {
        /// The script.
        parent: ResourceId,
        /// Time between the end of execution, or of the wait, and the request,
        /// less the time the recording spent on other known causes.
        delay: Duration,
    },
    /// Requested `delay` after `parent` was complete, cause unknown.
    After {
        /// The last resource that was complete before, or the document.
        parent: ResourceId,
        /// The time in between.
        delay: Duration,
    },
}

/// How well a discovery is founded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The recording names the initiator and its position.
    Recorded,
    /// The recording names the initiator; the position is inferred.
    RecordedParent,
    /// The URL was found in the parent's body.
    Body,
    /// Inferred from the times of requests.
    Timing,
    /// No times either: a fixed rule by destination.
    Rule,
}

/// Content categories of Srivastava 2024, table 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Advertisements and analytics.
    Ads,
    /// Images.
    Images,
    /// HTML.
    Html,
    /// JavaScript.
    Javascript,
    /// JSON and other data fetched by scripts.
    Json,
    /// Style sheets.
    Css,
    /// Fonts.
    Fonts,
    /// Everything else.
    Others,
}

/// Times of the recording, relative to the start of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTimes {
    /// The request was made.
    pub start: Duration,
    /// The response was complete.
    pub end: Duration,
}

/// What the recording measured of the page as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPage {
    /// `DOMContentLoaded`.
    pub on_content_load: Option<Duration>,
    /// The load event.
    pub on_load: Option<Duration>,
    /// First contentful paint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_paint: Option<Duration>,
    /// Largest contentful paint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_paint: Option<Duration>,
    /// Speed Index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_index: Option<Duration>,
    /// What its downlink carried at least: the highest rate at which responses
    /// arrived; `None` if too little did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_bits_per_second: Option<u64>,
    /// What made the recording, as it calls itself.
    pub creator: String,
}

/// Something the importer decided that a user should know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What was missing or odd, with a count, and what stands in for it; one sentence.
    pub text: String,
    /// How many entries it concerns.
    pub entries: u32,
}

impl Page {
    /// The resource with this id.
    ///
    /// # Panics
    /// If it is not of this page.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.index()]
    }

    /// The origin with this id.
    ///
    /// # Panics
    /// If it is not of this page.
    pub fn origin(&self, id: OriginId) -> &Origin {
        &self.origins[id.index()]
    }

    /// Encoded body bytes of all responses.
    pub fn body_bytes(&self) -> u64 {
        self.resources.iter().map(|r| r.body_bytes).sum()
    }
}

impl Trigger {
    /// The resource that has to come first.
    pub const fn parent(self) -> Option<ResourceId> {
        match self {
            Self::Navigation => None,
            Self::Redirect { parent }
            | Self::Markup { parent, .. }
            | Self::Style { parent }
            | Self::Script { parent, .. }
            | Self::After { parent, .. } => Some(parent),
        }
    }
}
