//! Model of a recorded page: the resources it fetches, their origins and sizes, and the
//! events that make the browser request each of them.

mod check;
mod content;
mod layout;
mod paints;
mod reproduction;

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Destination, Duration, Priority, RequestPriority, ScriptMode};
use serde::{Deserialize, Serialize};

pub use self::check::{
    MAX_AREA, MAX_BYTES, MAX_ELEMENTS, MAX_FIELD_BYTES, MAX_RESOURCES, MAX_TIME,
};
pub use self::content::Content;
pub use self::layout::{
    Callback, Element, ElementKind, FontDisplay, FontUse, ImageShare, InlineScript, Largest,
    Overlay, PageLayout, PictureShares, Pictures, Rect, RenderingTime,
};
pub use self::paints::{Guess, LargestCandidate, LargestElement, PaintEvidence, PaintFit, Paints};
pub use self::reproduction::ReproducedTimes;

/// Decoded bytes per encoded byte of text if the decoded size is unknown; about the ratio
/// of gzip on markup and code.
pub const TEXT_RATIO: f64 = 4.0;

/// Index into [`Page::resources`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ResourceId(pub u32);

/// Index into [`Page::origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OriginId(pub u32);

impl ResourceId {
    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl OriginId {
    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A recorded page load, ready for simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Short name for tables: the file's stem, or a name that the user chose.
    pub name: String,
    /// The URL that the user navigated to, before redirects.
    pub url: String,
    /// The origins of the resources, in order of first use.
    pub origins: Vec<Origin>,
    /// Requests in recorded order, the navigation request first. A parent always precedes
    /// its children.
    pub resources: Vec<Resource>,
    /// The document that is finally shown, at the end of the redirect chain.
    pub document: ResourceId,
    /// Sets of resources that something waits for together; see [`Wait::Join`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub joins: Vec<Vec<ResourceId>>,
    /// Hints of the document that prepare connections, by offset.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hints: Vec<Hint>,
    /// Measurements from the recording, for comparison only.
    pub recorded: RecordedPage,
    /// Evidence for the page's paints.
    #[serde(default, skip_serializing_if = "is_default")]
    pub paints: Paints,
    /// Missing, odd or omitted data of the recording, and its substitutes.
    pub notes: Vec<Note>,
}

/// A hint to prepare for requests to an origin: `<link rel=preconnect>` or `<link
/// rel=dns-prefetch>`, or a `Link` field of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The first resource that uses what the hint prepares.
    pub of: ResourceId,
    /// Encoded bytes of the document up to the end of the element; 0 for a field of the response.
    pub offset: u64,
    /// True for a connection, false for the look-up of the name alone.
    pub connects: bool,
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
    /// IP address of the server, if recorded.
    pub address: Option<String>,
    /// Number of the connection group. Origins with the same number share one connection
    /// because the recording shows that the browser coalesced them; every other origin
    /// has a number of its own.
    pub connection_group: u32,
    /// True if the registrable domain differs from the document's.
    pub third_party: bool,
    /// Round-trip time to this origin in the recording, estimated from recorded connect
    /// times; `None` if no handshake was recorded.
    pub recorded_rtt: Option<Duration>,
    /// Protocol of most of its responses, normalised: `http/1.1`, `h2`, `h3`.
    pub protocol: Option<String>,
    /// True if no earlier visit reached the origin, so that later visits of the page have no
    /// TLS ticket for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unvisited: bool,
}

/// The reason for which a request gets no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoResponse {
    /// The name of its host has no address.
    NoAddress,
    /// The network does not deliver one: the attempt ends this long after the name lookup.
    After(Duration),
}

/// One request and its response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Index of this resource in [`Page::resources`].
    pub id: ResourceId,
    /// Absolute URL.
    pub url: String,
    /// Origin that the resource is fetched from.
    pub origin: OriginId,
    /// HTTP method.
    pub method: String,
    /// HTTP status of the response; 0 without a response.
    pub status: u16,
    /// The reason for which the request fails without a response, with nothing transferred.
    /// `None` if the request is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_response: Option<NoResponse>,
    /// Destination of the request, as in Fetch.
    pub destination: Destination,
    /// Execution mode, if the resource is a script.
    pub script_mode: ScriptMode,
    /// Media type of the response, lower case and without parameters; empty if unknown.
    pub mime_type: String,
    /// Bytes of the request's field section as text. Each field counts its name, its
    /// value and two separators; pseudo-fields and cookies are included.
    pub request_header_bytes: u32,
    /// Bytes of the request body.
    pub request_body_bytes: u64,
    /// Bytes of the response's field section as text.
    pub response_header_bytes: u32,
    /// Bytes of the response body as transferred (content-encoded).
    pub body_bytes: u64,
    /// Bytes of the decoded body, if known.
    pub decoded_bytes: Option<u64>,
    /// Time from the server's receipt of the request to the first byte of its response.
    pub think_time: Duration,
    /// Chromium's priority, either recorded or inferred from the destination.
    pub priority: RequestPriority,
    /// True if the first paint waits for the resource.
    pub render_blocking: bool,
    /// Events that have to happen before the resource is requested.
    pub discovery: Discovery,
    /// True if the image lies in the first viewport. Modelled unless the recording says
    /// so; false for resources other than images.
    pub in_viewport: bool,
    /// Main-thread time for executing, parsing or decoding the resource, if recorded.
    pub cpu_time: Option<Duration>,
    /// True if the recorded load event waited for the resource. A simulated one waits for what a
    /// recorded layout requests only from its request.
    pub blocks_load: bool,
    /// True if the recording requested the resource only after its load event, and the event
    /// waits for it in a load that requests it before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocks_load_if_early: bool,
    /// Content category (Srivastava 2024, table 4).
    pub category: Category,
    /// True if the registrable domain differs from the document's.
    pub third_party: bool,
    /// True if the request carries no credentials, as requests for fonts and scripts' requests
    /// to other origins. Browsers give such requests connections of their own (Fetch standard,
    /// <https://fetch.spec.whatwg.org/#concept-connection-pool>).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    /// Recorded times of the request and of its completion, if any.
    pub recorded: Option<RecordedTimes>,
    /// Use of the cached response on a second visit right after this one.
    #[serde(default)]
    pub cache: CacheUse,
    /// Order in which the bytes of an image deliver its picture.
    #[serde(default, skip_serializing_if = "is_default")]
    pub image: ImageBytes,
    /// Offset of the element that uses a script or style sheet, in encoded bytes of the
    /// parent's body, if the markup preloads the resource before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<u64>,
    /// Value of the `fetchpriority` attribute that a change of the page has set. A recorded one
    /// shows in `priority` alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fetch_priority: FetchPriority,
    /// The priority that a change of the page has set in the response, by which its server orders
    /// bytes (RFC 9218, section 8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_priority: Option<Priority>,
    /// The action that a 103 (Early Hints) response before that of the document allows about
    /// the resource.
    #[serde(default, skip_serializing_if = "is_default")]
    pub early: EarlyHint,
    /// Time from the request after which the page does without the response, if it is not
    /// complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// Sizes of the body in other forms, measured by encoding the recorded one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<MeasuredSize>,
}

/// A link of a 103 (Early Hints) response (RFC 8297).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EarlyHint {
    /// No link names the resource.
    #[default]
    None,
    /// The browser connects to the resource's origin.
    Preconnect,
    /// The browser requests the resource.
    Preload,
}

/// The size of a body in another form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredSize {
    /// Kind and value of the change that gives the body this form, such as `compress=br`.
    pub change: String,
    /// Bytes of the body in that form. For a body that becomes a part of another one, the bytes
    /// by which the other one grows.
    pub bytes: u64,
}

/// Value of an element's `fetchpriority` attribute
/// (<https://html.spec.whatwg.org/#fetch-priority-attribute>).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FetchPriority {
    /// The browser decides.
    #[default]
    Auto,
    /// Before others of its kind.
    High,
    /// After others of its kind.
    Low,
}

/// Order in which the bytes of an image deliver its picture, as read from the image file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageBytes {
    /// Coding order of the picture.
    pub coding: ImageCoding,
    /// Bytes up to the point where the picture's size is known; 0 if unknown.
    pub head: u64,
    /// Bytes after which none, one tenth, and so on up to all of the picture's rows are there,
    /// those of a progressive image at reduced quality. `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<[u64; 11]>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Order in which the bytes of an image deliver its picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageCoding {
    /// The resource is not an image, the recording does not hold its body, or its format
    /// has no coding order known to this crate.
    #[default]
    Unknown,
    /// Rows from top to bottom.
    TopDown,
    /// The whole picture, first coarse, then finer: a progressive JPEG.
    Progressive,
    /// Some rows or pixels of the whole picture, then those in between: an interlaced PNG
    /// or GIF.
    Interlaced,
}

/// Use of a browser's cache on a second visit right after the first (RFC 9111).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheUse {
    /// The cache is not used: the response may not be stored, or is stale and has no
    /// validator.
    #[default]
    None,
    /// The stored response is fresh; no request is made.
    Fresh,
    /// The stored response is stale or must always be validated. A conditional request is
    /// made and answered by a 304 without a body.
    Validate,
}

/// The way a browser comes to request a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    /// Event that triggers the request.
    pub trigger: Trigger,
    /// Evidence for the trigger.
    pub evidence: Evidence,
    /// Further event that has to happen before the delay of the trigger begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
}

/// Event that calls back the script that makes a request or puts an element on the page. The order
/// is not one of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "for")]
pub enum Wait {
    /// `DOMContentLoaded` of the page's document.
    #[default]
    ContentLoaded,
    /// The load event of the page's document.
    Loaded,
    /// The resource has arrived and, if it is a script, has run; or it has failed.
    Resource {
        /// The awaited resource, which precedes the waiting one.
        id: ResourceId,
    },
    /// The same for the last of several resources, such as the data of one view.
    Join {
        /// Index into [`Page::joins`].
        join: u32,
    },
}

/// Event that triggers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Trigger {
    /// The user navigates.
    Navigation,
    /// The response of `parent` redirects to this resource.
    Redirect {
        /// Resource whose response redirects.
        parent: ResourceId,
    },
    /// The markup of document `parent` names the resource. The browser knows of it once
    /// the first `offset` encoded bytes of the body have arrived (preload scanner) and
    /// been parsed.
    Markup {
        /// Document or frame document.
        parent: ResourceId,
        /// Offset in encoded bytes of the parent's body, at most its size.
        offset: u64,
    },
    /// An inline script of document `parent` requests the resource or inserts its element.
    /// The browser knows of it once its parser has reached the script; the preload scanner
    /// does not find it.
    Inline {
        /// Document or frame document.
        parent: ResourceId,
        /// Offset of the script in encoded bytes of the parent's body, at most its size.
        offset: u64,
    },
    /// Style sheet `parent` names the resource (import, font or background image). The
    /// browser knows of it once the sheet is complete and parsed. Fonts and images
    /// additionally wait until layout uses them.
    Style {
        /// Style sheet that names the resource.
        parent: ResourceId,
    },
    /// Script `parent` requests the resource, `delay` after the script has executed and
    /// the event of [`Discovery::wait`] has happened.
    Script {
        /// Script that makes the request.
        parent: ResourceId,
        /// Time from the end of the execution or of the wait to the request, less the
        /// time that the recording spent on other known causes.
        delay: Duration,
    },
    /// The request follows the completion of `parent` by `delay`; its cause is unknown.
    After {
        /// The last resource that was complete before the request, or the document.
        parent: ResourceId,
        /// Time from the completion of the parent to the request.
        delay: Duration,
    },
}

/// Quality of the evidence for a discovery, best first.
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
    /// A fixed rule by destination; the recording has no times either.
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
    /// Time at which the request was made.
    pub start: Duration,
    /// Time at which the response was complete.
    pub end: Duration,
    /// Parts of that time over a network. `None` if the recorder's network was its own machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<RecordedExchange>,
}

/// Recorded parts of a request's time, as in HAR's `timings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedExchange {
    /// Set-up of the connection, TLS included, if this request caused it.
    pub connect: Option<Duration>,
    /// Time from the end of the request to the head of the response.
    pub wait: Duration,
    /// Time from the head of the response to its last byte.
    pub receive: Duration,
}

/// Measurements of the recording for the page as a whole. Times count from the first request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Rate of the downlink: the highest at which responses arrived, or the rate at which a
    /// simulated load has arrivals like the recording's. `None` if too few bytes arrived to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_bits_per_second: Option<u64>,
    /// Factor by which the recording's main thread was slower than the desktop of the modelled
    /// costs: the recorder's throttling, or the one with which a simulated load reaches
    /// `DOMContentLoaded` when the recording did. `None` if neither is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
    /// Times of a simulated load over the recording's own network; `None` if the recording tells
    /// nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduced: Option<ReproducedTimes>,
    /// Number of requests by recorded protocol: `http/1.1`, `h2`, `h3`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub protocols: BTreeMap<String, u32>,
    /// Name of the program that made the recording, as given in the file.
    pub creator: String,
}

/// A decision of the importer that the user should know about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// One sentence with a count: the missing or odd data, and its substitute.
    pub text: String,
    /// Number of entries concerned.
    pub entries: u32,
}

impl Page {
    /// Returns the resource with this id.
    ///
    /// # Panics
    /// Panics if the id is not of this page.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.index()]
    }

    /// Returns the origin with this id.
    ///
    /// # Panics
    /// Panics if the id is not of this page.
    pub fn origin(&self, id: OriginId) -> &Origin {
        &self.origins[id.index()]
    }

    /// Returns the resources that are part of an event; none if it is one of the document.
    ///
    /// # Panics
    /// Panics if the event is not of this page.
    pub fn awaited(&self, wait: Wait) -> impl Iterator<Item = ResourceId> {
        let (one, several) = match wait {
            Wait::ContentLoaded | Wait::Loaded => (None, None),
            Wait::Resource { id } => (Some(id), None),
            Wait::Join { join } => (None, Some(&self.joins[join as usize])),
        };
        one.into_iter()
            .chain(several.into_iter().flatten().copied())
    }

    /// Returns the nearest resource, from `id` back to the navigation, of which only times tell
    /// what requests it; `None` if the recording tells it of all of them.
    ///
    /// # Panics
    /// Panics if the id is not of this page.
    pub fn guessed_cause(&self, id: ResourceId) -> Option<ResourceId> {
        let mut before = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = before.pop() {
            let discovery = &self.resource(id).discovery;
            let is_guessed = discovery.evidence >= Evidence::Timing;
            if is_guessed && discovery.trigger.place().is_none() {
                return Some(id);
            }
            let awaited = discovery
                .wait
                .into_iter()
                .flat_map(|wait| self.awaited(wait));
            let all = awaited.chain(discovery.trigger.parent());
            before.extend(all.filter(|id| seen.insert(*id)));
        }
        None
    }

    /// Returns true if the recording has a navigation to a document. Otherwise the resources are
    /// only transferred: nothing is painted, and the load event comes with the last response.
    pub fn has_navigation(&self) -> bool {
        self.resource(self.document).destination == Destination::Document
    }

    /// Returns the encoded body bytes of all responses.
    pub fn body_bytes(&self) -> u64 {
        self.resources.iter().map(|r| r.body_bytes).sum()
    }
}

impl Resource {
    /// Returns an empty resource of the first origin that is requested by GET with low priority.
    pub fn new(
        id: ResourceId,
        url: impl Into<String>,
        destination: Destination,
        trigger: Trigger,
    ) -> Self {
        Self {
            id,
            url: url.into(),
            origin: OriginId(0),
            method: "GET".to_owned(),
            status: 200,
            no_response: None,
            destination,
            script_mode: ScriptMode::Blocking,
            mime_type: String::new(),
            request_header_bytes: 300,
            request_body_bytes: 0,
            response_header_bytes: 300,
            body_bytes: 0,
            decoded_bytes: None,
            think_time: Duration::ZERO,
            priority: RequestPriority::Low,
            render_blocking: false,
            discovery: Discovery {
                trigger,
                evidence: Evidence::Recorded,
                wait: None,
            },
            in_viewport: false,
            cpu_time: None,
            blocks_load: true,
            blocks_load_if_early: false,
            category: Category::Others,
            third_party: false,
            anonymous: false,
            recorded: None,
            cache: CacheUse::None,
            image: ImageBytes::default(),
            used_at: None,
            fetch_priority: FetchPriority::Auto,
            served_priority: None,
            early: EarlyHint::None,
            timeout: None,
            measured: Vec::new(),
        }
    }

    /// Returns the measured bytes of the body after a change, given as kind and value.
    pub fn measured(&self, change: &str) -> Option<u64> {
        let mut all = self.measured.iter();
        Some(all.find(|one| one.change == change)?.bytes)
    }

    /// Returns true if the script that makes the request keeps its thread until the response is
    /// complete: a synchronous `XMLHttpRequest`. Of all requests by scripts, Chromium makes only
    /// these as `VeryHigh` (`resource_fetcher.cc`).
    pub fn is_synchronous(&self) -> bool {
        self.destination == Destination::Fetch && self.priority == RequestPriority::VeryHigh
    }
}

impl Trigger {
    /// Returns the resource that has to come first; `None` for the navigation.
    pub const fn parent(self) -> Option<ResourceId> {
        match self {
            Self::Navigation => None,
            Self::Redirect { parent }
            | Self::Markup { parent, .. }
            | Self::Inline { parent, .. }
            | Self::Style { parent }
            | Self::Script { parent, .. }
            | Self::After { parent, .. } => Some(parent),
        }
    }

    /// Returns the document whose markup or inline script leads to the resource, and the
    /// offset there in encoded bytes.
    pub const fn place(self) -> Option<(ResourceId, u64)> {
        match self {
            Self::Markup { parent, offset } | Self::Inline { parent, offset } => {
                Some((parent, offset))
            }
            _ => None,
        }
    }
}
