//! A page load as HAR 1.2 with bodies.
//!
//! <http://www.softwareishard.com/blog/har-12-spec/>. Custom fields begin with an underscore, as
//! HAR requires; `docs/recording.md` lists them. The output depends only on the load.

mod entry;

use std::collections::{BTreeMap, BTreeSet};

use pagerace_har::Device;
use pagerace_har::extension::{
    self, Element, HiddenBy, LargestKind, Layout, Ms, PageFields, Paints, Pictures, Rect, VERSION,
};
use pagerace_har::fonts::{self, Face};
use serde::Deserialize as _;
use serde_json::{Value, json};
use url::Url;

use super::collect::GROWTH;
use super::formats::Formats;
use super::history::{History, Motion};
use super::layout::{self, Script};
use super::log::Request;
use super::overlay::Covers;
use super::paints;
use super::shares::Shares;
use super::timings::{iso, round};
use super::trace::{Summary, Task};
use super::waits::{self, Waits};

/// The maximum difference of two records of one time.
const ROUNDING_MS: f64 = 0.02;

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
    /// The rules of each request's style sheet that the first screen needs.
    pub(super) first_screen: Vec<Option<String>>,
    /// The sizes of its image in other formats.
    pub(super) formats: Vec<Formats>,
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
    /// The requests and elements that wait for scripts and data.
    pub(super) waits: Waits,
    pub(super) keep_secrets: bool,
    /// See [`RecordOptions::at_once`](super::RecordOptions::at_once).
    pub(super) at_once: bool,
    /// The snapshot of a load without scripts, if there was one.
    pub(super) unscripted: Option<Value>,
}

impl Load {
    /// Returns true if the largest paint was text.
    pub(super) fn has_largest_text(&self) -> bool {
        let largest = &self.paints["lcp"];
        largest.is_object() && largest["url"].as_str().is_none_or(str::is_empty)
    }

    /// Returns the names of the requests that were complete.
    pub(super) fn known(&self) -> BTreeSet<waits::Name> {
        let names = waits::names(&self.requests).into_iter();
        let all = names.zip(&self.requests);
        let complete = all.filter(|(_, request)| request.ended.is_some());
        complete.map(|(name, _)| name).collect()
    }
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
    elements: Vec<Element>,
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

/// Returns the ids of requests.
fn ids(load: &Load, requests: impl IntoIterator<Item = usize>) -> Vec<String> {
    let ids = requests.into_iter().map(|i| load.requests[i].id.clone());
    ids.collect()
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
    let timing = |key: &str| load.paints[key].as_f64().map_or(-1.0, round);
    let started = page.date(zero);
    let mut fields = extension(page, dropped);
    let pictures = fields
        .layout
        .as_mut()
        .and_then(|layout| layout.pictures.take());
    let mut har = json!({"log": {
        "version": "1.2",
        "creator": {"name": "Pagerace", "version": env!("CARGO_PKG_VERSION")},
        "browser": {"name": "Chromium", "version": load.chromium},
        "pages": [{
            "id": "page_1",
            "title": url,
            "startedDateTime": started,
            "pageTimings": {"onContentLoad": timing("dclMs"), "onLoad": timing("loadMs")},
            "_pagerace": fields,
        }],
        "entries": entries,
    }});
    if let Some(pictures) = pictures
        && let Some(fitting) = fitting(pictures, har.to_string().len() / GROWTH)
    {
        har["log"]["pages"][0]["_pagerace"]["layout"]["pictures"] = json!(fitting);
    }
    har
}

/// Returns the pictures that together take at most `room` bytes, the most useful ones first.
fn fitting(pictures: Pictures, mut room: usize) -> Option<Pictures> {
    let mut fits = |picture: Option<String>| {
        let picture = picture.filter(|picture| picture.len() <= room)?;
        room -= picture.len();
        Some(picture)
    };
    Some(Pictures {
        whole: fits(Some(pictures.whole))?,
        canvas: fits(pictures.canvas),
        bare: fits(pictures.bare),
        imageless: fits(pictures.imageless),
        textless: fits(pictures.textless),
    })
}

/// Returns the extension fields of the page. `secrets_dropped` is the number of secrets that were
/// left out.
fn extension(page: Page<'_>, secrets_dropped: usize) -> PageFields {
    let load = page.load;
    let (paints, lcp) = (&load.paints, &load.paints["lcp"]);
    let mut elements = page.elements;
    let shares = load.shares.as_ref().map(|shares| {
        let unscripted = load.unscripted.as_ref();
        let canvas_scripted = layout::scripts_colour_canvas(&load.snapshot, unscripted);
        shares.write(&mut elements, canvas_scripted)
    });
    let kind = if page.largest.is_some() {
        LargestKind::Image
    } else {
        LargestKind::Text
    };
    elements.extend(load.waits.transient());
    let tasks = load.trace.tasks.iter();
    let main_thread = tasks.map(|task| extension::Task {
        waits_for: waits_of_task(load, page.zero, &elements, task),
        ..task.told()
    });
    let main_thread = main_thread.collect();
    let ms = |value: &Value| value.as_f64().map(Ms);
    PageFields {
        version: Some(VERSION),
        url: Some(without_password(&load.url)),
        device: Some(load.device.clone()),
        chromium: Some(load.chromium.clone()),
        processors: load.processors.map(|n| n as u32),
        layout: Some(Layout {
            viewport: Some(load.viewport),
            elements,
            shares,
            pictures: load.shares.as_ref().and_then(Shares::pictures).cloned(),
            overlay: load.watched.covers.overlay,
            hidden: load.watched.covers.hidden,
            hidden_by: load.waits.hidden_by.map(|(script, limit)| HiddenBy {
                request: load.requests[script].id.clone(),
                limit_ms: limit.map(|limit| Ms(round(limit))),
            }),
        }),
        paints: Paints {
            fcp_ms: ms(&paints["fcpMs"]),
            lcp_ms: ms(&lcp["ms"]),
            lcp_kind: lcp.is_object().then_some(kind),
            lcp_url: page.largest.map(str::to_owned),
            lcp_size: lcp["size"].as_f64(),
            lcp_rect: Rect::deserialize(&lcp["rect"]).ok(),
            lcp_makers: load.watched.makers.iter().cloned().collect(),
            lcp_rebuilt: page.is_rebuilt,
        },
        cls: Some(paints::cumulative_shift(&paints["shifts"])),
        main_thread,
        rendering: load.trace.rendering.told(),
        secrets_dropped: Some(secrets_dropped),
        at_once: load.at_once,
        held: ids(load, load.waits.held.iter().copied()),
    }
}

/// Returns the ids of the requests whose responses an element or a request waits for that the task
/// made.
fn waits_of_task(load: &Load, zero: f64, elements: &[Element], task: &Task) -> Vec<String> {
    let is_begin = |ms: Ms| (ms.0 - task.at_ms).abs() < ROUNDING_MS;
    let made = elements.iter().filter(|e| e.made_ms.is_some_and(is_begin));
    let of_elements = made.filter_map(|e| e.waits_for.clone());
    let inside = |i: &usize| {
        let at = (load.requests[*i].started - zero) * 1e3;
        (task.at_ms..=task.end_ms).contains(&at)
    };
    let asked = (0..load.requests.len()).filter(inside);
    let of_requests = asked.filter_map(|i| Some(ids(load, load.waits.of_request(i)?)));
    let mut all = of_elements.chain(of_requests);
    all.find(|waits| !waits.is_empty()).unwrap_or_default()
}

fn elements(
    load: &Load,
    faces: &[Face],
    base: &Url,
    largest: Option<&str>,
) -> (Vec<Element>, bool) {
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
        waits: &|name| Some(ids(load, load.waits.of_element(name)?)),
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
