//! What there is to see of a page, and what of it is on the screen since when.
//!
//! Most recordings do not tell where things are. The model then knows two kinds
//! of visible elements: blocks of the document's text above the fold, and images
//! that the page says lie in the viewport. Their areas are heuristics, stated
//! here and in `docs/browser-model.md`; everything computed from them is the
//! model's. Where the page has a layout, `recorded` takes it from there.

mod cover;
mod recorded;
mod screen;

use pagerace_core::{Destination, Duration, RequestPriority};
use pagerace_page::{FittedLargest, Page, ResourceId, Trigger, Wait};

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
/// Share of the document that is above the fold if no image tells.
const FOLD_SHARE: f64 = 0.25;
/// Bytes of markup before the body if nothing in the head tells.
const HEAD_BYTES: u64 = 1024;

/// Where the document's visible part is, in encoded bytes.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The body begins.
    pub(crate) body_start: u64,
    /// What needs no image, in the order in which the parser gets there.
    pub(crate) text: Vec<Block>,
    /// What will be seen of each resource, in page order.
    pub(crate) images: Vec<Option<VisibleImage>>,
    /// Whether all of this is recorded.
    pub(crate) recorded: bool,
}

/// A block of text, or something else that the document alone brings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// Encoded bytes of the document up to its end; `None` if a script makes it.
    pub(crate) end: Option<u64>,
    /// If a script makes it: after what,
    pub(crate) after: Wait,
    /// and how long after that.
    pub(crate) delay: Duration,
    pub(crate) size: Size,
    /// The fonts that it waits for, if the layout is recorded; else it waits
    /// for all.
    pub(crate) fonts: Vec<ResourceId>,
}

/// An image that somebody sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisibleImage {
    pub(crate) size: Size,
    /// Whether it becomes visible as it arrives.
    pub(crate) incremental: bool,
}

/// How much of the screen something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// Pixels that it adds to the picture.
    pub(crate) area: f64,
    /// Pixels of its largest element as largest contentful paint counts them;
    /// zero if it is no candidate.
    pub(crate) element: f64,
    /// Whether it makes a paint contentful.
    pub(crate) contentful: bool,
}

impl Size {
    /// Something whose largest element is all of it.
    pub(crate) const fn whole(area: f64) -> Self {
        Self {
            area,
            element: area,
            contentful: true,
        }
    }
}

impl Layout {
    /// The layout that the recording holds or that the model assumes for `page`.
    ///
    /// If assumed: the fold is at the last image in the viewport. A document without
    /// bytes is one whose size the recording lost: its text is there at its end.
    pub(crate) fn new(page: &Page, graph: &Graph) -> Self {
        let Some(document) = graph.document else {
            let images = vec![None; page.resources.len()];
            return Self {
                body_start: 0,
                text: Vec::new(),
                images,
                recorded: false,
            };
        };
        if let Some(layout) = &page.layout {
            return Self::recorded(page, graph, layout, document);
        }
        Self::guessed(page, graph, document)
    }

    fn guessed(page: &Page, graph: &Graph, document: usize) -> Self {
        let body_start = guessed_body_start(page, graph, document);
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
        let fold = placed()
            .filter(|(r, n, anchor)| r.in_viewport && n.role == Role::Image && *anchor > body_start)
            .map(|(_, _, anchor)| anchor)
            .max()
            .unwrap_or(body_start + ((size - body_start) as f64 * FOLD_SHARE) as u64);
        let text = (1..=TEXT_BLOCKS)
            .map(|k| Block {
                end: Some(body_start + (fold - body_start) / TEXT_BLOCKS * k),
                after: Wait::ContentLoaded,
                delay: Duration::ZERO,
                size: Size {
                    area: text_area(),
                    element: PARAGRAPH,
                    contentful: true,
                },
                fonts: Vec::new(),
            })
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
                    size: Size::whole(area),
                    incremental: is_incremental(&resource.mime_type),
                })
            });
        let mut guessed = Self {
            body_start,
            text,
            images: images.collect(),
            recorded: false,
        };
        if let Some(largest) = page.fit.and_then(|fit| fit.largest) {
            guessed.respect_fitted(largest);
        }
        guessed
    }

    /// Makes the recording's largest paint the largest of the model.
    fn respect_fitted(&mut self, largest: FittedLargest) {
        let is_largest = |i: usize| match largest {
            FittedLargest::Text => false,
            FittedLargest::Image { id } => id.index() == i,
        };
        let largest = match largest {
            FittedLargest::Text => PARAGRAPH,
            FittedLargest::Image { id } => {
                let image = self.images.get(id.index()).copied().flatten();
                image.map_or(PARAGRAPH, |image| image.size.element)
            }
        };
        for block in &mut self.text {
            block.size.element = block.size.element.min(largest);
        }
        for (i, image) in self.images.iter_mut().enumerate() {
            if let Some(image) = image.as_mut().filter(|_| !is_largest(i)) {
                // A later one of the same size would not count either.
                image.size.element = image.size.element.min(largest);
            }
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

/// The body is assumed to begin behind the last render-blocking element of the
/// markup that Chromium requests as one of the head (`High` or above), and that
/// no frame or media element precedes.
fn guessed_body_start(page: &Page, graph: &Graph, document: usize) -> u64 {
    let size = page.resources[document].body_bytes;
    let placed = page
        .resources
        .iter()
        .zip(&graph.nodes)
        .filter_map(|(resource, node)| {
            let anchor = node.anchor.filter(|_| node.frame == graph.document)?;
            Some((resource, node, anchor.min(size)))
        });
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
    placed
        .filter(|(r, n, anchor)| {
            r.render_blocking
                && r.priority <= RequestPriority::High
                && matches!(n.role, Role::Style | Role::Script(_))
                && *anchor <= in_body
        })
        .map(|(_, _, anchor)| anchor)
        .max()
        .unwrap_or(0)
        .max(HEAD_BYTES.min(size / 4))
}

/// Whether browsers show what they have of such an image. Vector images, AVIF
/// (but for those made of tiles) and JPEG XL are shown when they are complete.
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
