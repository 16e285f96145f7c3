//! What there is to see of a page, and what of it is on the screen since when.
//!
//! Recordings do not tell where things are. The model knows two kinds of
//! visible elements: blocks of the document's text above the fold, and images
//! that the page says lie in the viewport. Their areas are heuristics, stated
//! here and in `docs/browser-model.md`; everything computed from them is the
//! model's.

mod screen;

use pagerace_core::{Destination, RequestPriority};
use pagerace_page::{Page, Trigger};

pub(crate) use self::screen::Screen;
use crate::graph::{Graph, Role};

/// The viewport, in CSS pixels: Lighthouse's desktop screen, 1350 x 940.
const VIEWPORT: f64 = 1350.0 * 940.0;
/// Share of the viewport that text covers.
const TEXT_SHARE: f64 = 0.3;
/// Blocks that the text above the fold is cut into, by position in the markup.
const TEXT_BLOCKS: u64 = 4;
/// The largest element of a block, as LCP counts it: a paragraph of three
/// lines, 600 x 60 pixels. An image of 7.2 kB is as large.
const PARAGRAPH: f64 = 600.0 * 60.0;
/// Encoded bytes of an image for each pixel on the screen (1.6 bits).
const BYTES_PER_PIXEL: f64 = 0.2;
/// Largest share of the viewport that one image covers.
const IMAGE_SHARE_MAX: f64 = 0.6;
/// Images below this are beacons and spacers; nobody sees them.
const IMAGE_BYTES_MIN: u64 = 200;
/// Steps in which an image that decodes as it arrives becomes visible.
pub(crate) const IMAGE_PARTS: u64 = 4;
/// Share of the document that is above the fold if no image tells.
const FOLD_SHARE: f64 = 0.25;
/// Bytes of markup before the body if nothing in the head tells.
const HEAD_BYTES: u64 = 1024;

/// Where the document's visible part is, in encoded bytes.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The body begins.
    pub(crate) body_start: u64,
    /// Ends of the blocks of text above the fold.
    pub(crate) text: Vec<u64>,
    /// What will be seen of each resource, in page order.
    pub(crate) images: Vec<Option<VisibleImage>>,
}

/// An image that somebody sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisibleImage {
    /// Pixels that it covers.
    pub(crate) area: f64,
    /// Whether it becomes visible as it arrives.
    pub(crate) incremental: bool,
}

impl Layout {
    /// The layout that the model assumes for `page`.
    ///
    /// The body begins behind the last render-blocking element of the markup
    /// that Chromium requests as one of the head (`High` or above), and that
    /// no frame or media element precedes.
    /// The fold is at the last image in the viewport. A document without
    /// bytes is one whose size the recording lost: its text is there at its end.
    pub(crate) fn new(page: &Page, graph: &Graph) -> Self {
        let Some(document) = graph.document else {
            let images = vec![None; page.resources.len()];
            return Self {
                body_start: 0,
                text: Vec::new(),
                images,
            };
        };
        let size = page.resources[document].body_bytes;
        let placed = || {
            page.resources
                .iter()
                .zip(&graph.nodes)
                .filter_map(|(resource, node)| {
                    let anchor = node.anchor.filter(|_| node.frame == graph.document)?;
                    Some((resource, node, anchor.min(size)))
                })
        };
        // Frames and media stand in the body.
        let in_body = page
            .resources
            .iter()
            .filter(|r| matches!(r.destination, Destination::Iframe | Destination::Media))
            .filter_map(|r| match r.discovery.trigger {
                Trigger::Markup { parent, offset } if parent == page.document => Some(offset),
                _ => None,
            })
            .min()
            .unwrap_or(size);
        let body_start = placed()
            .filter(|(r, n, anchor)| {
                r.render_blocking
                    && r.priority <= RequestPriority::High
                    && matches!(n.role, Role::Style | Role::Script(_))
                    && *anchor <= in_body
            })
            .map(|(_, _, anchor)| anchor)
            .max()
            .unwrap_or(0)
            .max(HEAD_BYTES.min(size / 4));
        let fold = placed()
            .filter(|(r, n, anchor)| r.in_viewport && n.role == Role::Image && *anchor > body_start)
            .map(|(_, _, anchor)| anchor)
            .max()
            .unwrap_or(body_start + ((size - body_start) as f64 * FOLD_SHARE) as u64);
        let text = (1..=TEXT_BLOCKS)
            .map(|k| body_start + (fold - body_start) / TEXT_BLOCKS * k)
            .collect();
        let images = page
            .resources
            .iter()
            .zip(&graph.nodes)
            .map(|(resource, node)| {
                let seen = node.role == Role::Image
                    && node.frame == graph.document
                    && resource.in_viewport
                    && resource.status < 400;
                let area = image_area(resource.body_bytes).filter(|_| seen)?;
                Some(VisibleImage {
                    area,
                    incremental: is_incremental(&resource.mime_type),
                })
            });
        Self {
            body_start,
            text,
            images: images.collect(),
        }
    }
}

impl Layout {
    /// Whether an element at `anchor` stands in the head: an image there is a
    /// preload.
    pub(crate) fn in_head(&self, anchor: Option<u64>) -> bool {
        anchor.is_some_and(|anchor| anchor <= self.body_start)
    }
}

/// Whether browsers show what they have of such an image. Vector images, AVIF
/// and JPEG XL are shown when they are complete.
fn is_incremental(mime_type: &str) -> bool {
    !matches!(mime_type, "image/svg+xml" | "image/avif" | "image/jxl")
}

/// Area in pixels of one block of text.
pub(crate) fn text_area() -> f64 {
    VIEWPORT * TEXT_SHARE / TEXT_BLOCKS as f64
}

/// Area in pixels of an image of so many bytes; `None` if nobody sees it.
fn image_area(bytes: u64) -> Option<f64> {
    (bytes >= IMAGE_BYTES_MIN)
        .then(|| (bytes as f64 / BYTES_PER_PIXEL).min(VIEWPORT * IMAGE_SHARE_MAX))
}

#[cfg(test)]
mod tests;
