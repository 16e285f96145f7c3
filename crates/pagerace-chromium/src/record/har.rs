//! A page load as HAR 1.2 with bodies.
//!
//! <http://www.softwareishard.com/blog/har-12-spec/>. Custom fields begin with an underscore, as
//! HAR requires; `docs/recording.md` lists them. The output depends only on the load.

mod entry;

use std::collections::{BTreeMap, BTreeSet};

use pagerace_har::Device;
use pagerace_har::fonts::{self, Face};
use serde_json::{Value, json};
use url::Url;

use super::history::{History, Motion};
use super::layout::{self, Script};
use super::log::Request;
use super::overlay::Covers;
use super::paints;
use super::shares::Shares;
use super::timings::{iso, round};
use super::trace::Summary;

/// The version of the `_pagerace` fields.
const VERSION: u32 = 1;

/// All data of a load.
pub(super) struct Load {
    /// The URL that was requested.
    pub(super) url: String,
    pub(super) device: Device,
    /// The version of Chromium.
    pub(super) chromium: String,
    /// The number of processors that the browser could use, if known.
    pub(super) processors: Option<usize>,
    pub(super) requests: Vec<Request>,
    /// The decoded body of each request's response.
    pub(super) bodies: Vec<Option<Body>>,
    pub(super) trace: Summary,
    /// The result of `DOMSnapshot.captureSnapshot`.
    pub(super) snapshot: Value,
    /// The histories of the nodes of visible elements, by backend id.
    pub(super) histories: BTreeMap<i64, History>,
    /// The shares of the loaded page's picture; `None` if they could not be measured.
    pub(super) shares: Option<Shares>,
    /// The width and height of the viewport in CSS pixels.
    pub(super) viewport: (f64, f64),
    /// The result of [`paints::SCRIPT`].
    pub(super) paints: Value,
    /// The effects of the page's scripts on its paints.
    pub(super) watched: Scripts,
    pub(super) keep_secrets: bool,
    /// The snapshot of a load without scripts, if there was one.
    pub(super) unscripted: Option<Value>,
}

/// The effects of a page's scripts on its paints.
#[derive(Clone, Debug, Default)]
pub(super) struct Scripts {
    /// The result of [`paints::makers`].
    pub(super) makers: BTreeSet<String>,
    pub(super) covers: Covers,
}

/// The decoded body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body(pub(super) Vec<u8>);

impl Body {
    pub(super) fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

/// The data of the whole load that entries need.
struct Page<'a> {
    load: &'a Load,
    /// The start of the navigation, in monotonic seconds and in seconds since 1970.
    zero: f64,
    wall: f64,
    faces: Vec<Face>,
    scripts: Vec<Script>,
    /// The painted elements, see [`layout::elements`].
    elements: Vec<Value>,
    /// True if scripts build the largest image anew, see [`layout::is_rebuilt`].
    is_rebuilt: bool,
    largest: Option<&'a str>,
}

impl Page<'_> {
    /// Converts a monotonic time to milliseconds since the start of the navigation.
    fn ms(&self, at: f64) -> f64 {
        round((at - self.zero) * 1e3)
    }

    /// Converts a monotonic time to a date.
    fn date(&self, at: f64) -> String {
        iso(self.wall + (at - self.zero))
    }
}

/// Returns the HAR of a load.
pub(super) fn har(load: &Load) -> Value {
    let first = load.requests.first();
    let (started, wall) = first.map_or((0.0, 0.0), |r| (r.started, r.wall));
    // The trace contains the start of the navigation, which is earlier than its request.
    let zero = load
        .trace
        .navigation_start
        .filter(|z| (0.0..60.0).contains(&(started - z)));
    let zero = zero.unwrap_or(started);
    let url = load.paints["url"].as_str().unwrap_or(&load.url);
    let document = Url::parse(url).ok();
    let base = load.paints["base"]
        .as_str()
        .and_then(|b| Url::parse(b).ok());
    let base = base.or_else(|| document.clone());
    let faces = faces(load);
    let largest = load.paints["lcp"]["url"].as_str().filter(|u| !u.is_empty());
    let (elements, is_rebuilt) = base
        .as_ref()
        .map(|base| elements(load, &faces, base, largest))
        .unwrap_or_default();
    let page = Page {
        load,
        zero,
        wall: wall - (started - zero),
        elements,
        is_rebuilt,
        faces,
        scripts: base
            .as_ref()
            .map(|base| layout::scripts(&load.snapshot, base))
            .unwrap_or_default(),
        largest,
    };
    let mut dropped = 0;
    let mut seen = BTreeSet::new();
    let entries: Vec<Value> = (0..load.requests.len())
        .filter(|&i| is_fetched(&load.requests[i].url))
        .map(|i| {
            let first = !load.requests[i].redirected && seen.insert(load.requests[i].url.as_str());
            entry::entry(&page, i, first, &mut dropped)
        })
        .collect();
    let mut extension = extension(&page);
    extension["secretsDropped"] = json!(dropped);
    let timing = |key: &str| load.paints[key].as_f64().map_or(-1.0, round);
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "Pagerace", "version": env!("CARGO_PKG_VERSION")},
        "browser": {"name": "Chromium", "version": load.chromium},
        "pages": [{
            "id": "page_1",
            "title": url,
            "startedDateTime": page.date(zero),
            "pageTimings": {"onContentLoad": timing("dclMs"), "onLoad": timing("loadMs")},
            "_pagerace": extension,
        }],
        "entries": entries,
    }})
}

/// Returns the extension fields of the page.
fn extension(page: &Page<'_>) -> Value {
    let load = page.load;
    let device = &load.device;
    let (paints, lcp) = (&load.paints, &load.paints["lcp"]);
    let tasks: Vec<Value> = load
        .trace
        .tasks
        .iter()
        .map(|t| {
            let (ms, duration) = (round(t.at_ms), round(t.duration_ms));
            let wall = round(t.end_ms - t.at_ms);
            let mut task = json!({"ms": ms, "durationMs": duration, "wallMs": wall,
                "kind": t.kind.word()});
            if let Some(url) = &t.url {
                task["url"] = json!(url);
            }
            task
        })
        .collect();
    let kind = lcp.is_object().then(|| {
        if page.largest.is_some() {
            "image"
        } else {
            "text"
        }
    });
    let mut layout = json!({"viewport": [load.viewport.0, load.viewport.1],
        "elements": page.elements});
    if let Some(shares) = &load.shares {
        shares.write(&mut layout);
        if layout::scripts_colour_canvas(&load.snapshot, load.unscripted.as_ref()) {
            layout["shares"]["canvasScripted"] = json!(true);
        }
    }
    let covers = &load.watched.covers;
    for (field, told) in [("overlay", &covers.overlay), ("hidden", &covers.hidden)] {
        if let Some(told) = told {
            layout[field] = told.clone();
        }
    }
    let mut told = json!({"fcpMs": paints["fcpMs"], "lcpMs": lcp["ms"], "lcpUrl": page.largest,
        "lcpSize": lcp["size"], "lcpKind": kind, "lcpRect": lcp["rect"],
        "lcpMakers": load.watched.makers});
    if page.is_rebuilt {
        told["lcpRebuilt"] = json!(true);
    }
    let rendering = &load.trace.rendering;
    let rendering = json!({
        "firstMs": rendering.first.map(round),
        "laterMs": rendering.later.map(round),
        "presentationMs": rendering.presentation.map(round),
        "laterPresentationMs": rendering.later_presentation.map(round),
    });
    json!({
        "version": VERSION,
        "url": without_password(&load.url),
        "device": {"name": device.name, "width": device.width, "height": device.height,
            "scale": device.scale, "mobile": device.mobile, "userAgent": device.user_agent,
            "cpu": device.cpu},
        "chromium": load.chromium,
        "processors": load.processors,
        "layout": layout,
        "paints": told,
        "cls": paints::cumulative_shift(&paints["shifts"]),
        "mainThread": tasks,
        "rendering": rendering,
    })
}

fn elements(load: &Load, faces: &[Face], base: &Url, largest: Option<&str>) -> (Vec<Value>, bool) {
    let document = main_document(load);
    let requested = |url: &str| load.requests.iter().any(|r| r.url == url);
    let start = |at| load.trace.task_start(at);
    let histories = load.histories.iter().map(|(id, told)| {
        let history = History {
            made: told.made.map(start),
            motions: told
                .motions
                .iter()
                .map(|motion| Motion {
                    begin: start(motion.begin),
                    ..*motion
                })
                .collect(),
        };
        (*id, history)
    });
    let histories = histories.collect();
    let context = layout::Context {
        document: base,
        html: document.and_then(|i| load.bodies[i].as_ref()?.as_text()),
        faces,
        requested: &requested,
        images: &load.trace.images,
        histories: &histories,
        viewport: load.viewport,
    };
    let (snapshot, unscripted) = (&load.snapshot, load.unscripted.as_ref());
    let is_rebuilt = |url| layout::is_rebuilt(snapshot, unscripted, &context, url);
    (
        layout::elements(snapshot, unscripted, &context),
        largest.is_some_and(is_rebuilt),
    )
}

/// Returns the decoded document of the page.
pub(super) fn html(load: &Load) -> Option<&[u8]> {
    Some(&load.bodies[main_document(load)?].as_ref()?.0)
}

/// Returns the index of the request for the page's document.
pub(super) fn main_document(load: &Load) -> Option<usize> {
    let frame = load.requests.first()?.frame.as_deref();
    let is_main = |r: &Request| r.kind == "Document" && r.frame.as_deref() == frame;
    load.requests
        .iter()
        .rposition(|r| is_main(r) && !r.redirected)
}

/// Returns the faces of all style sheets, and of the style elements of documents.
fn faces(load: &Load) -> Vec<Face> {
    let mut faces = Vec::new();
    for (request, body) in load.requests.iter().zip(&load.bodies) {
        let text = body.as_ref().and_then(Body::as_text);
        if let (Some(text), Ok(base), "Stylesheet" | "Document") =
            (text, Url::parse(&request.url), request.kind.as_str())
        {
            faces.extend(fonts::scan(text, &base));
        }
    }
    faces
}

/// Returns true if a URL has a network scheme.
fn is_fetched(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Removes the user name and password from a URL, which are secrets too.
fn without_password(text: &str) -> String {
    match Url::parse(text) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            let _ = url.set_password(None);
            let _ = url.set_username("");
            url.into()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
