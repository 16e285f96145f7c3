//! The elements of the loaded page and their positions, from
//! `DOMSnapshot.captureSnapshot`.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/>. The texts of a
//! block are combined, as in Largest Contentful Paint
//! (<https://www.w3.org/TR/largest-contentful-paint/#sec-report-largest-contentful-paint>).
//! Elements that are not visible (hidden, transparent, clipped by an ancestor) are left
//! out. Also left out: occlusion by other elements, the contents of frames and of SVG
//! images, and borders. Plain colours and shadows are backgrounds without a URL.

mod names;
mod rect;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet};

use pagerace_har::extension::{Element, ElementKind as Kind, Ms, Share};
use pagerace_har::fonts::{self, Face, Style};
use serde_json::Value;
use url::Url;

use super::history::{History, Motion};
use super::markup::{self, Item};
pub(super) use names::{Name, named};
use rect::Rect;
use snapshot::Snapshot;

/// The computed styles of the snapshot, in this order.
pub(super) const STYLES: [&str; 12] = [
    "display",
    "visibility",
    "opacity",
    "position",
    "overflow-x",
    "overflow-y",
    "font-family",
    "font-weight",
    "font-style",
    "background-image",
    "background-color",
    "box-shadow",
];
const DISPLAY: usize = 0;
const VISIBILITY: usize = 1;
const OPACITY: usize = 2;
const POSITION: usize = 3;
const OVERFLOW: usize = 4;
const FONT: usize = 6;
const BACKGROUND: usize = 9;
const COLOUR: usize = 10;
const SHADOW: usize = 11;

/// The colour of the canvas of a document without its own colour.
const WHITE: &str = "rgb(255, 255, 255)";

/// The maximum number of elements; further ones add no information.
const ELEMENTS_MAX: usize = 20_000;

/// Additional information about the page.
pub(super) struct Context<'a> {
    /// The URL of the document, and its decoded body if it is recorded.
    pub(super) document: &'a Url,
    pub(super) html: Option<&'a str>,
    pub(super) faces: &'a [Face],
    /// Returns true if a URL was requested.
    pub(super) requested: &'a dyn Fn(&str) -> bool,
    /// The natural sizes of images.
    pub(super) images: &'a BTreeMap<String, (f64, f64)>,
    /// The histories of nodes, by backend id. Their times are the starts of tasks.
    pub(super) histories: &'a BTreeMap<i64, History>,
    /// Returns the ids of the requests whose responses an element waits for, if known.
    pub(super) waits: &'a dyn Fn(&Name) -> Option<Vec<String>>,
    /// Width and height of the viewport, in CSS pixels.
    pub(super) viewport: (f64, f64),
}

impl Context<'_> {
    fn is_in_viewport(&self, rect: Rect) -> bool {
        let (width, height) = self.viewport;
        !rect.clipped(Rect([0.0, 0.0, width, height])).is_empty()
    }
}

/// A script element with a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) url: String,
    pub(super) is_async: bool,
    pub(super) is_deferred: bool,
    pub(super) is_module: bool,
}

/// Returns the painted elements. Elements of the
/// markup that are not visible in `unscripted`, the same page without its scripts, are
/// marked as scripted, because scripts reveal them. So are elements inside the viewport
/// that are outside it there, because scripts move them, and the part of a background by
/// which scripts enlarge it.
pub(super) fn elements(
    snapshot: &Value,
    unscripted: Option<&Value>,
    context: &Context<'_>,
) -> Vec<Element> {
    let Some(mut painter) = painted(snapshot, context) else {
        return Vec::new();
    };
    let without = unscripted.and_then(|snapshot| painted(snapshot, context));
    // A snapshot at the limit may lack elements, so it is not used.
    let without = without.filter(|painter| painter.elements.len() < ELEMENTS_MAX);
    if let Some(without) = &without {
        painter.place_rewritten(without);
        painter.split_grown(without);
    }
    let seen: Option<Seen> = without.map(|painter| {
        let entries = painter.elements.into_iter();
        let entries = entries.map(|e| (context.is_in_viewport(e.rect), e.places));
        let places =
            entries.flat_map(|(inside, places)| places.into_iter().map(move |p| (p, inside)));
        places.collect()
    });
    painter.finish(seen.as_ref())
}

/// Returns the backend ids of the nodes of the elements in the viewport.
pub(super) fn visible_nodes(snapshot: &Value, context: &Context<'_>) -> Vec<i64> {
    let Some(painter) = painted(snapshot, context) else {
        return Vec::new();
    };
    let visible = painter.elements.iter();
    let visible = visible.filter(|e| context.is_in_viewport(e.rect));
    visible.filter_map(|e| painter.page.id(e.node)).collect()
}

/// Returns true if scripts make the image at `url` larger than in `unscripted`, and build its
/// box anew, because an ancestor has changed or has another `display`. Chromium then counts
/// another, larger paint of the image.
pub(super) fn is_rebuilt(
    snapshot: &Value,
    unscripted: Option<&Value>,
    context: &Context<'_>,
    url: &str,
) -> bool {
    let largest = |snapshot| {
        let painter = painted(snapshot, context)?;
        let shown = painter
            .elements
            .iter()
            .filter(|e| e.url.as_deref() == Some(url));
        let sizes = shown.map(|e| (e.size(context.viewport), e.node));
        let (size, node) = sizes.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((size, painter.ancestry(node)))
    };
    let Some((without, with)) = unscripted.and_then(largest).zip(largest(snapshot)) else {
        return false;
    };
    without.0 > 0.0 && without.0 + 1.0 < with.0 && without.1 != with.1
}

/// Returns true if scripts colour the page's canvas, that is, if it has another colour in
/// `unscripted`.
pub(super) fn scripts_colour_canvas(snapshot: &Value, unscripted: Option<&Value>) -> bool {
    let colour = |snapshot| Snapshot::new(snapshot).map(|page| canvas(&page));
    unscripted
        .and_then(colour)
        .zip(colour(snapshot))
        .is_some_and(|(without, with)| without != with)
}

fn painted<'a>(snapshot: &'a Value, context: &'a Context<'a>) -> Option<Painter<'a>> {
    let page = Snapshot::new(snapshot)?;
    let places = places(&page, context);
    let canvas = canvas(&page);
    let mut painter = Painter {
        context,
        canvas,
        places,
        page,
        elements: Vec::new(),
        blocks: BTreeMap::new(),
    };
    for box_index in 0..painter.page.boxes() {
        painter.paint(box_index);
    }
    Some(painter)
}

/// Returns the colour of the document's canvas: that of the root, otherwise that of the
/// body (<https://www.w3.org/TR/css-backgrounds-3/#root-background>).
fn canvas(page: &Snapshot<'_>) -> String {
    let colour = |name: &str| {
        let named = |&index: &usize| {
            let node = page.node_of(index);
            node.is_some_and(|node| page.name(node).eq_ignore_ascii_case(name))
        };
        let index = (0..page.boxes()).find(named)?;
        let colour = page.style(index, COLOUR);
        is_opaque_enough(colour).then(|| colour.to_owned())
    };
    let own = colour("html").or_else(|| colour("body"));
    own.unwrap_or_else(|| WHITE.to_owned())
}

/// Returns true if a computed colour is not fully transparent.
fn is_opaque_enough(colour: &str) -> bool {
    let alpha = colour.strip_prefix("rgba(").and_then(|rest| {
        let last = rest.trim_end_matches(')').rsplit(',').next()?;
        last.trim().parse::<f64>().ok()
    });
    !colour.is_empty() && colour != "transparent" && alpha != Some(0.0)
}

/// Returns how far the shadows of a box reach beyond it, on the left, above, on the right and
/// below; `None` if it has none. A computed shadow is its colour, its offsets, its blur and its
/// spread.
fn shadow(style: &str) -> Option<[f64; 4]> {
    let reach = |shadow: &str| {
        let (colour, rest) = shadow.rsplit_once(')')?;
        let colour = format!("{colour})");
        let lengths = rest
            .split_whitespace()
            .map_while(|l| l.strip_suffix("px")?.parse().ok());
        let [x, y, blur, spread] = lengths.collect::<Vec<f64>>()[..] else {
            return None;
        };
        let around = blur + spread;
        let sides = [around - x, around - y, around + x, around + y];
        (is_opaque_enough(colour.trim()) && !rest.contains("inset")).then_some(sides)
    };
    // The colours contain commas, too.
    let all = style
        .split("px, ")
        .filter_map(|part| reach(&format!("{}px", part.trim_end_matches("px"))));
    all.reduce(|a, b| std::array::from_fn(|k| f64::max(a[k], b[k])))
}

/// Returns all script elements with a URL.
pub(super) fn scripts(snapshot: &Value, document: &Url) -> Vec<Script> {
    let Some(page) = Snapshot::new(snapshot) else {
        return Vec::new();
    };
    let script = |node: usize| {
        let url = document.join(page.attribute(node, "src")?).ok()?;
        let kind = page.attribute(node, "type").unwrap_or_default();
        Some(Script {
            url: url.into(),
            is_async: page.attribute(node, "async").is_some(),
            is_deferred: page.attribute(node, "defer").is_some(),
            is_module: kind.eq_ignore_ascii_case("module"),
        })
    };
    let nodes = (0..page.nodes()).filter(|&n| page.name(n).eq_ignore_ascii_case("script"));
    nodes.filter_map(script).collect()
}

/// Returns the byte offset in the document after each node.
fn places(page: &Snapshot<'_>, context: &Context<'_>) -> Vec<Option<u64>> {
    let mut places = vec![None; page.nodes()];
    let Some(html) = context.html else {
        return places;
    };
    let (mut nodes, mut items) = (Vec::new(), Vec::new());
    for node in (0..page.nodes()).filter(|&n| !page.is_pseudo(n)) {
        let item = match page.kind(node) {
            1 => Some(Item::element(page.name(node), |name| {
                page.attribute(node, name).map(str::to_owned)
            })),
            3 => Item::text(page.value(node)),
            _ => None,
        };
        if let Some(item) = item {
            nodes.push(node);
            items.push(item);
        }
    }
    for (node, place) in nodes.into_iter().zip(markup::locate(html, &items)) {
        places[node] = place;
    }
    // Pseudo-elements and their contents have the position of their element.
    let mut generated = BTreeSet::new();
    for node in 0..page.nodes() {
        let Some(parent) = page.parent(node) else {
            continue;
        };
        if page.is_pseudo(node) || generated.contains(&parent) {
            generated.insert(node);
            places[node] = places[parent];
        }
    }
    places
}

struct Painter<'a> {
    context: &'a Context<'a>,
    /// The colour behind all elements.
    canvas: String,
    places: Vec<Option<u64>>,
    page: Snapshot<'a>,
    elements: Vec<Entry>,
    /// The index into `elements` of the text of each block.
    blocks: BTreeMap<usize, usize>,
}

#[derive(Clone)]
struct Entry {
    node: usize,
    kind: Kind,
    rect: Rect,
    url: Option<String>,
    /// The text of a block.
    text: String,
    fonts: Vec<String>,
    /// The offsets in the document: of the element, or of each text of a block.
    places: Vec<u64>,
    natural: Option<(f64, f64)>,
    /// True for the part of a background by which scripts enlarge it.
    grown: bool,
}

impl Entry {
    /// Returns the offset in the document of a background that shows no image.
    fn plain_background(&self) -> Option<u64> {
        let is_plain = self.kind == Kind::Background && self.url.is_none();
        self.places.first().copied().filter(|_| is_plain)
    }

    /// Returns the size of an image as largest contentful paint counts it: its visible pixels,
    /// and for an enlarged image those of its natural size.
    fn size(&self, (width, height): (f64, f64)) -> f64 {
        let shown = self.rect.clipped(Rect([0.0, 0.0, width, height]));
        let natural = self
            .natural
            .map_or(f64::INFINITY, |(width, height)| width * height);
        shown.area() * (natural / self.rect.area()).min(1.0)
    }
}

/// The places of visible elements in the document, with true for those inside the viewport.
type Seen = BTreeSet<(u64, bool)>;

impl Painter<'_> {
    fn paint(&mut self, index: usize) {
        let Some(node) = self.page.node_of(index) else {
            return;
        };
        if self.elements.len() >= ELEMENTS_MAX || !self.is_visible(node, index) {
            return;
        }
        let rect = self.clipped(node, self.rect(index));
        if rect.is_empty() || self.inside_svg(node) {
            return;
        }
        if let Some(text) = self.page.text(index).filter(|t| !t.trim().is_empty()) {
            let text = text.to_owned();
            return self.text(node, index, rect, &text);
        }
        let (kind, url) = match self.page.name(node).to_ascii_lowercase().as_str() {
            "img" | "input" | "image" => match self.page.source(node) {
                Some(url) => (Kind::Image, Some(url.to_owned())),
                None => return self.backgrounds(node, index, rect),
            },
            "video" => (
                Kind::Video,
                self.page.attribute(node, "poster").map(str::to_owned),
            ),
            "canvas" => (Kind::Canvas, None),
            "svg" => (Kind::Svg, None),
            "iframe" | "frame" => (
                Kind::Iframe,
                self.page.attribute(node, "src").map(str::to_owned),
            ),
            _ => return self.backgrounds(node, index, rect),
        };
        self.backgrounds(node, index, rect);
        self.push(kind, rect, url.as_deref(), node);
    }

    fn push(&mut self, kind: Kind, rect: Rect, url: Option<&str>, node: usize) {
        let url = url.filter(|u| !u.is_empty());
        let url = url.and_then(|u| self.context.document.join(u).ok());
        let url = url.filter(|u| matches!(u.scheme(), "http" | "https"));
        let url = url.map(|mut u| {
            u.set_fragment(None);
            // Chromium requests images of a secure page over https, unless their host is an IP
            // address or this machine
            // (<https://w3c.github.io/webappsec-mixed-content/#upgrade-algorithm>).
            let is_secure = self.context.document.scheme() == "https";
            let is_named = u.domain().is_some_and(|name| name != "localhost");
            if is_secure && is_named && kind != Kind::Iframe {
                let _ = u.set_scheme("https");
            }
            String::from(u)
        });
        let natural = url
            .as_ref()
            .and_then(|u| self.context.images.get(u).copied());
        self.elements.push(Entry {
            node,
            kind,
            rect,
            url,
            text: String::new(),
            fonts: Vec::new(),
            places: self.places[node].into_iter().collect(),
            natural,
            grown: false,
        });
    }

    /// Adds an element for the background colour, and one for each URL of
    /// `background-image`.
    fn backgrounds(&mut self, node: usize, index: usize, rect: Rect) {
        let name = self.page.name(node);
        let is_canvas = ["html", "body"]
            .iter()
            .any(|n| name.eq_ignore_ascii_case(n));
        if let Some([left, top, right, bottom]) = shadow(self.page.style(index, SHADOW)) {
            let Rect(own) = self.rect(index);
            let around = [own[0] - left, own[1] - top, own[2] + right, own[3] + bottom];
            let around = self.clipped(node, Rect(around));
            if !around.is_empty() {
                self.push(Kind::Background, around, None, node);
            }
        }
        let colour = self.page.style(index, COLOUR);
        if !is_canvas && is_opaque_enough(colour) && colour != self.canvas {
            self.push(Kind::Background, rect, None, node);
        }
        let images = self.page.style(index, BACKGROUND);
        let mut rest = images;
        let mut urls = Vec::new();
        while let Some(at) = rest.find("url(\"") {
            rest = &rest[at + 5..];
            let end = rest.find("\")").unwrap_or(rest.len());
            urls.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        for url in urls {
            self.push(Kind::Background, rect, Some(&url), node);
        }
    }

    fn text(&mut self, node: usize, index: usize, rect: Rect, text: &str) {
        let block = self.block_of(node);
        let style = |k: usize| self.page.style(index, FONT + k);
        let style = Style {
            family: style(0),
            weight: style(1),
            slant: style(2),
        };
        let used = |url: &str| (self.context.requested)(url);
        let fonts = fonts::of_text(style, text, self.context.faces, used);
        let offset = self.places[node];
        let at = self.blocks.get(&block).copied().unwrap_or_else(|| {
            self.push(Kind::Text, rect, None, node);
            self.elements.len() - 1
        });
        self.blocks.insert(block, at);
        let entry = &mut self.elements[at];
        entry.rect = entry.rect.united(rect);
        entry.text.push_str(text);
        entry.places.extend(offset);
        for font in fonts {
            if !entry.fonts.contains(&font) {
                entry.fonts.push(font);
            }
        }
    }

    /// Returns the nearest ancestor that is not an inline box, or the node's parent.
    fn block_of(&self, node: usize) -> usize {
        let mut at = self.page.parent(node).unwrap_or(node);
        while let Some(parent) = self.page.parent(at) {
            let display = self
                .page
                .box_of(at)
                .map_or("contents", |b| self.page.style(b, DISPLAY));
            let inline = matches!(display, "inline" | "contents") || display.starts_with("ruby");
            if !inline {
                break;
            }
            at = parent;
        }
        at
    }

    fn is_visible(&self, node: usize, index: usize) -> bool {
        if self.page.style(index, VISIBILITY) != "visible" {
            return false;
        }
        // Opacity is not inherited, but a transparent ancestor hides its descendants.
        let mut at = Some(node);
        while let Some(node) = at {
            let opacity = self.page.box_of(node).map(|b| self.page.style(b, OPACITY));
            if opacity.and_then(|o| o.parse::<f64>().ok()) == Some(0.0) {
                return false;
            }
            at = self.page.parent(node);
        }
        true
    }

    fn inside_svg(&self, node: usize) -> bool {
        let mut at = self.page.parent(node);
        while let Some(node) = at {
            if self.page.name(node).eq_ignore_ascii_case("svg") {
                return true;
            }
            at = self.page.parent(node);
        }
        false
    }

    /// Clips a rectangle to its ancestors with `overflow`.
    fn clipped(&self, node: usize, mut rect: Rect) -> Rect {
        let position = |n: usize| {
            self.page
                .box_of(n)
                .map_or("static", |b| self.page.style(b, POSITION))
        };
        let is_text = self.page.kind(node) == 3;
        let mut own = if is_text { "static" } else { position(node) };
        let mut at = self.page.parent(node);
        while let Some(ancestor) = at {
            if own == "fixed" {
                break;
            }
            let name = self.page.name(ancestor).to_ascii_lowercase();
            // The overflow of these elements applies to the viewport.
            if matches!(name.as_str(), "html" | "body") {
                break;
            }
            let theirs = position(ancestor);
            // An absolutely positioned box is clipped only from its nearest positioned
            // ancestor upwards.
            if own != "absolute" || theirs != "static" {
                if let Some(b) = self.page.box_of(ancestor)
                    && (0..2).any(|k| self.page.style(b, OVERFLOW + k) != "visible")
                {
                    rect = rect.clipped(self.rect(b));
                }
                own = theirs;
            }
            at = self.page.parent(ancestor);
        }
        rect
    }

    /// Returns the names of a node and its ancestors, and how they are displayed.
    fn ancestry(&self, node: usize) -> Vec<(String, String)> {
        let nodes = std::iter::successors(Some(node), |n| self.page.parent(*n));
        let display = |n| self.page.box_of(n).map(|b| self.page.style(b, DISPLAY));
        nodes
            .map(|n| {
                (
                    self.page.name(n).into(),
                    display(n).unwrap_or_default().into(),
                )
            })
            .collect()
    }

    /// Returns the rectangle of a box in CSS pixels.
    fn rect(&self, index: usize) -> Rect {
        let [x, y, w, h] = self.page.bounds(index);
        Rect([x, y, x + w, y + h])
    }

    /// Gives a text that scripts wrote the places of the one that its block shows in `unscripted`,
    /// the same page without its scripts. Highlighted code, for example, looks much as before, and
    /// Chromium reports the first text of a block only (`TextPaintTimingDetector`).
    fn place_rewritten(&mut self, unscripted: &Self) {
        let (width, height) = self.context.viewport;
        let clipped = |rect: Rect| rect.clipped(Rect([0.0, 0.0, width, height]));
        let before = unscripted.blocks.iter();
        let before = before.filter(|(block, _)| !unscripted.page.is_pseudo(**block));
        let before: BTreeMap<u64, &Entry> = before
            .filter_map(|(block, at)| Some((unscripted.places[*block]?, &unscripted.elements[*at])))
            .collect();
        for (block, at) in &self.blocks {
            let entry = &mut self.elements[*at];
            let before = self.places[*block].and_then(|place| before.get(&place));
            let now = clipped(entry.rect);
            let is_alike = |before: &Entry| {
                !now.is_empty() && now.clipped(before.rect).area() >= now.area() / 2.0
            };
            if let Some(before) =
                before.filter(|before| entry.places.is_empty() && is_alike(before))
            {
                entry.places.clone_from(&before.places);
            }
        }
    }

    /// Splits the backgrounds that are smaller in `unscripted`, the same page without its scripts.
    fn split_grown(&mut self, unscripted: &Self) {
        let (width, height) = self.context.viewport;
        let clipped = |rect: Rect| rect.clipped(Rect([0.0, 0.0, width, height]));
        let plain = unscripted.elements.iter();
        let plain: BTreeMap<u64, Rect> = plain
            .filter_map(|e| Some((e.plain_background()?, clipped(e.rect))))
            .collect();
        let split = |e: Entry| {
            let now = clipped(e.rect);
            let before = e.plain_background().and_then(|place| plain.get(&place));
            let before = before.map(|before| now.clipped(*before));
            let part = before.filter(|before| !before.is_empty());
            let Some((before, rest)) = part.and_then(|b| Some((b, now.without(b)?))) else {
                return vec![e];
            };
            let grown = Entry {
                rect: rest,
                grown: true,
                ..e.clone()
            };
            vec![Entry { rect: before, ..e }, grown]
        };
        let elements = std::mem::take(&mut self.elements);
        self.elements = elements.into_iter().flat_map(split).collect();
    }

    /// Returns the elements. `seen` contains those that are visible without scripts.
    fn finish(self, seen: Option<&Seen>) -> Vec<Element> {
        let hundredths = |v: f64| (v * 100.0).round() / 100.0;
        let context = self.context;
        let names = self.names();
        let entries = self.elements.into_iter().zip(names);
        entries
            .map(|(e, name)| {
                let [left, top, right, bottom] = e.rect.0;
                let inside = context.is_in_viewport(e.rect);
                let is_hidden = |seen: &Seen| {
                    let shown = |p: u64| {
                        seen.contains(&(p, true)) || (!inside && seen.contains(&(p, false)))
                    };
                    !e.places.iter().any(|p| shown(*p))
                };
                let history = self.page.id(e.node);
                let history = history.and_then(|id| context.histories.get(&id));
                let made = history.and_then(|history| history.made);
                let made = made.filter(|_| e.url.is_none() && e.places.is_empty());
                // Pictures and canvases are similar to their final state before it is reached.
                let is_flat = matches!(e.kind, Kind::Text | Kind::Background) && e.url.is_none();
                let times = |motion: &Motion| {
                    let seen = if is_flat {
                        motion.settled
                    } else {
                        motion.middle
                    };
                    [motion.begin, seen, motion.end].map(|ms| Ms(hundredths(ms)))
                };
                let motions = history.map_or(&[][..], |history| &history.motions);
                Element {
                    kind: e.kind,
                    rect: [left, top, right - left, bottom - top].map(hundredths),
                    offset: e.places.iter().max().copied(),
                    natural: e.natural,
                    scripted: e.grown || !e.places.is_empty() && seen.is_some_and(is_hidden),
                    transient: false,
                    unreserved: false,
                    made_ms: made.map(|ms| Ms(hundredths(ms))),
                    motions_ms: motions.iter().map(times).collect(),
                    waits_for: (context.waits)(&name),
                    share: Share(0.0),
                    url: e.url,
                    fonts: e.fonts,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
