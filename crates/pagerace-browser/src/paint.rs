//! The visible content of a page, and the state of the screen over time.
//!
//! Most recordings do not contain the positions of elements. The model then assumes two
//! kinds of visible elements: blocks of the document's text above the fold, and images
//! that the page marks as in the viewport. Their areas are heuristics, stated here and in
//! `docs/browser-model.md`, and so are all values computed from them. If the page has a
//! layout, `recorded` uses it instead.

mod cover;
mod pushed;
mod recorded;
mod screen;

use pagerace_core::{Destination, Duration, RequestPriority};
use pagerace_page::{Guess, LargestElement, Page, Paints, Resource, ResourceId, Trigger, Wait};

pub(crate) use self::pushed::Pushed;
pub(crate) use self::screen::{Screen, Shown};
use crate::graph::{Graph, Node, Role};

/// The viewport, in CSS pixels: Lighthouse's desktop screen, 1350 x 940.
const VIEWPORT: f64 = 1350.0 * 940.0;
/// The share of the viewport that text covers.
const TEXT_SHARE: f64 = 0.3;
/// The area that text leaves free.
const IMAGE_ROOM: f64 = VIEWPORT * (1.0 - TEXT_SHARE);
/// The number of blocks of the text above the fold, divided by position in the markup.
const TEXT_BLOCKS: u64 = 4;
/// The size of the largest element of a block for LCP: a paragraph of three lines, 600 x
/// 60 pixels. An image of 55 kB and a background of 7.2 kB have the same size.
const PARAGRAPH: f64 = 600.0 * 60.0;
/// The encoded bytes of an image per pixel that it adds to the picture (1.6 bits).
const BYTES_PER_PIXEL: f64 = 0.2;
/// The largest share of the picture that one image adds, and of the viewport that one background
/// covers.
const IMAGE_SHARE_MAX: f64 = 0.6;
/// The pixels on the screen per encoded byte of an image element: the median of 117 visible ones of
/// pages whose layout is recorded. The median of 57 backgrounds is one pixel for each
/// [`BYTES_PER_PIXEL`]. Elements are often much smaller than their files; backgrounds cover large
/// boxes.
const ELEMENT_PIXELS: f64 = 0.65;
/// The largest share of the viewport that one image element covers: the median of those of more
/// than 150 kB. Without a limit, the largest file would be the largest element, however late it
/// comes.
const ELEMENT_SHARE_MAX: f64 = 0.1;
/// Images with fewer bytes are beacons and spacers, which are not visible.
const IMAGE_BYTES_MIN: u64 = 200;
/// The share of pages with fonts on which the largest text is in one: 27 of 43 with a recorded
/// layout.
const FONT_TEXT: f64 = 0.63;
/// The share of pages with text in their markup on which scripts make the largest text
/// nevertheless.
const SCRIPTED_TEXT: f64 = 0.11;
/// The share of the document above the fold if no image indicates it.
const FOLD_SHARE: f64 = 0.25;
/// The bytes of markup before the body if no element in the head indicates it.
const HEAD_BYTES: u64 = 1024;

/// The visible parts of the document, by position in encoded bytes.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The position at which the body begins.
    pub(crate) body_start: u64,
    /// The elements that need no image, in the order in which the parser reaches them.
    pub(crate) text: Vec<Block>,
    /// The visible image of each resource, in page order.
    pub(crate) images: Vec<Option<VisibleImage>>,
    /// The images above each of them that move it, by resource.
    pub(crate) pushed_images: Vec<Option<Pushed>>,
    /// The elements that scripts put on the page, with the event after which they do so and the
    /// delay between them, ordered by event.
    pub(crate) made: Vec<(Wait, Made, Duration)>,
    /// The pixels that images share: guessed ones cover the part of the viewport that text
    /// leaves free.
    pub(crate) image_room: f64,
    /// The image that a guessed layout takes for the largest element.
    pub(crate) largest_image: Option<ResourceId>,
    /// True if no text waits for fonts.
    pub(crate) swaps_fonts: bool,
}

/// A block of text, or another element that needs no image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The position of the block's end in encoded bytes of the document; `None` if a
    /// script creates the block.
    pub(crate) end: Option<u64>,
    /// The event after which a script creates the block.
    pub(crate) after: Wait,
    /// The delay between that event and the block.
    pub(crate) delay: Duration,
    /// The time from its appearance until it counts as visible, see [`Element::motion`].
    pub(crate) motion: Duration,
    /// The time from its appearance until the contentful paints count it, see [`Element::fade`].
    pub(crate) fade: Duration,
    pub(crate) size: Size,
    /// The fonts of the block, if the layout is recorded.
    pub(crate) fonts: Vec<ResourceId>,
    /// The images above that move the block.
    pub(crate) pushed: Option<Pushed>,
    /// The element's place in the page's layout, or the block's among the assumed ones; `None` for
    /// the canvas and for what is out of view.
    pub(crate) number: Option<u32>,
}

impl Block {
    /// Returns a guessed paragraph that adds `area` to the picture.
    fn paragraph(end: Option<u64>, area: f64) -> Self {
        Self {
            end,
            after: Wait::ContentLoaded,
            delay: Duration::ZERO,
            motion: Duration::ZERO,
            fade: Duration::ZERO,
            size: Size {
                area,
                ..Size::whole(PARAGRAPH)
            },
            fonts: Vec::new(),
            pushed: None,
            number: None,
        }
    }
}

/// An element that a script puts on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// A block of text, by its number in the layout.
    Text(usize),
    /// An image, or the new box of one.
    Image(ResourceId),
}

/// A visible image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisibleImage {
    pub(crate) size: Size,
    /// True if the image becomes visible while it loads.
    pub(crate) incremental: bool,
    /// The parts of the image that its first tenths of rows add to the picture, see
    /// [`ImageShare::rows`](pagerace_page::ImageShare::rows).
    pub(crate) rows: Option<[f64; 9]>,
    /// The event after which a script puts the image on the page, and the delay between them;
    /// `None` if the markup does, or if the script that requests the image does so at once.
    pub(crate) made: Option<(Wait, Duration)>,
    /// The time from its appearance until it counts as visible, see [`Element::motion`].
    pub(crate) motion: Duration,
    /// The time from its appearance until the contentful paints count it, see [`Element::fade`].
    pub(crate) fade: Duration,
    /// True if a script builds the image anew, larger than before. Its largest paint is the one
    /// after that.
    pub(crate) rebuilt: bool,
}

/// The size of an element on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// The pixels that the element adds to the picture.
    pub(crate) area: f64,
    /// The pixels of the largest element as counted by largest contentful paint; zero if
    /// it is not a candidate.
    pub(crate) element: f64,
    /// True if the element makes a paint contentful.
    pub(crate) contentful: bool,
}

impl Size {
    /// Returns the size of a single element of this area.
    pub(crate) const fn whole(area: f64) -> Self {
        Self {
            area,
            element: area,
            contentful: true,
        }
    }

    /// Returns the size of a part of the picture that is no element.
    pub(crate) const fn part(area: f64) -> Self {
        Self {
            area,
            element: 0.0,
            contentful: false,
        }
    }
}

impl Layout {
    /// Returns the layout from the recording, or the layout that the model assumes for `page`.
    ///
    /// In the assumed layout, the fold is at the last image in the viewport. If the
    /// recording lost the size of a document, the document has no bytes and its text
    /// appears at its end.
    ///
    /// If several elements may be the largest, `draw` (from 0 up to 1) decides; without it, the
    /// most probable one is.
    pub(crate) fn new(page: &Page, graph: &Graph, draw: Option<f64>) -> Self {
        let Some(document) = graph.document else {
            let images = vec![None; page.resources.len()];
            return Self {
                body_start: 0,
                text: Vec::new(),
                images,
                pushed_images: vec![None; page.resources.len()],
                made: Vec::new(),
                image_room: IMAGE_ROOM,
                largest_image: None,
                swaps_fonts: false,
            };
        };
        let layout = match &page.paints {
            Paints::Recorded(layout) => Self::recorded(page, graph, layout, document),
            Paints::Guessed(guess) => Self::guessed(page, guess, graph, document, draw),
        };
        Self {
            made: layout.made(),
            ..layout
        }
    }

    /// Returns the elements that scripts put on the page.
    fn made(&self) -> Vec<(Wait, Made, Duration)> {
        let text = self.text.iter().enumerate();
        let text = text.filter(|(_, block)| block.end.is_none());
        let text = text.map(|(i, block)| (block.after, Made::Text(i), block.delay));
        let images = self.images.iter().enumerate().filter_map(|(i, image)| {
            let image = image.as_ref()?;
            // A new box is assumed to come at `DOMContentLoaded`.
            let rebuilt = image
                .rebuilt
                .then_some((Wait::ContentLoaded, Duration::ZERO));
            let (after, delay) = image.made.or(rebuilt)?;
            Some((after, Made::Image(ResourceId(i as u32)), delay))
        });
        let mut made: Vec<_> = text.chain(images).collect();
        made.sort_by_key(|(after, ..)| *after);
        made
    }

    fn guessed(
        page: &Page,
        guess: &Guess,
        graph: &Graph,
        document: usize,
        draw: Option<f64>,
    ) -> Self {
        let fitted = guess.fit.and_then(|fit| fit.largest);
        let drawn = page.drawn_largest(draw.unwrap_or(0.0));
        let largest = fitted.or(drawn.map(|(element, _)| element));
        let largest_image = match largest {
            Some(LargestElement::Image { id }) => Some(id),
            _ => None,
        };
        let size = page.resources[document].body_bytes;
        let content = guess.content.as_ref();
        let body_start = content
            .and_then(|content| content.body_start)
            .unwrap_or_else(|| guessed_body_start(page, graph, document))
            .min(size);
        let fold = placed(page, graph, size)
            .filter(|(r, n, anchor)| r.in_viewport && n.role == Role::Image && *anchor > body_start)
            .map(|(_, _, anchor)| anchor)
            .max()
            .unwrap_or(body_start + ((size - body_start) as f64 * FOLD_SHARE) as u64);
        let assumed = |k| Some(body_start + (fold - body_start) / TEXT_BLOCKS * k);
        let ends: Vec<Option<u64>> = match content.map(|content| &content.text) {
            None => (1..=TEXT_BLOCKS).map(assumed).collect(),
            // Scripts make all text.
            Some(text) if text.is_empty() => vec![None; TEXT_BLOCKS as usize],
            Some(text) => text.iter().map(|end| Some((*end).min(size))).collect(),
        };
        let area = text_area(ends.len());
        let text = ends
            .into_iter()
            .map(|end| Block::paragraph(end, area))
            .collect();
        let images = page
            .resources
            .iter()
            .zip(&graph.nodes)
            .map(|(resource, node)| {
                let seen = node.role == Role::Image
                    && node.frame == graph.document
                    && (resource.in_viewport || largest_image == Some(resource.id))
                    && resource.status < 400;
                let is_background = matches!(resource.discovery.trigger, Trigger::Style { .. })
                    || content.is_some_and(|content| content.styled.contains(&resource.id));
                let area = image_area(resource.body_bytes).filter(|_| seen)?;
                let element = if is_background {
                    area
                } else {
                    element_size(resource.body_bytes)
                };
                Some(VisibleImage {
                    size: Size {
                        element,
                        ..Size::whole(area)
                    },
                    incremental: is_incremental(&resource.mime_type),
                    rows: None,
                    made: None,
                    motion: Duration::ZERO,
                    fade: Duration::ZERO,
                    rebuilt: false,
                })
            });
        let mut guessed = Self {
            body_start,
            text,
            images: images.collect(),
            pushed_images: vec![None; page.resources.len()],
            made: Vec::new(),
            image_room: IMAGE_ROOM,
            largest_image,
            swaps_fonts: guess.fit.is_some_and(|fit| fit.swaps_fonts),
        };
        if content.is_some_and(|content| content.scripted_text) {
            for block in &mut guessed.text {
                block.size.area = 0.0;
            }
            guessed.add_scripted_text(text_area(1));
        }
        if let Some(largest) = largest {
            guessed.make_largest(largest);
        }
        if let (Some((LargestElement::Text, place)), Some(_)) = (drawn, draw) {
            guessed.vary_text(page, place);
        }
        for (number, block) in guessed.text.iter_mut().enumerate() {
            block.number = Some(number as u32);
        }
        guessed
    }

    /// Adds the largest text, which scripts make and which adds `area` to the picture.
    fn add_scripted_text(&mut self, area: f64) {
        for block in &mut self.text {
            block.size.element = block.size.element.min(PARAGRAPH - 1.0);
        }
        self.text.push(Block::paragraph(None, area));
    }

    /// Lets the largest text wait for fonts, or not, or come from scripts, as `place` says: a
    /// number from 0 up to 1.
    fn vary_text(&mut self, page: &Page, place: f64) {
        let has_scripts = page
            .resources
            .iter()
            .any(|r| r.destination == Destination::Script);
        let in_markup = self.text.iter().all(|block| block.end.is_some());
        let scripted = if has_scripts && in_markup {
            SCRIPTED_TEXT
        } else {
            0.0
        };
        if place >= 1.0 - scripted {
            self.add_scripted_text(0.0);
        } else if place >= (1.0 - scripted) * FONT_TEXT {
            self.swaps_fonts = true;
        }
    }

    /// Makes an element the largest.
    fn make_largest(&mut self, largest: LargestElement) {
        let image = match largest {
            LargestElement::Text => None,
            LargestElement::Image { id } => Some(id.index()),
        };
        let of_image = |i: usize| Some(self.images.get(i)?.as_ref()?.size.element);
        let largest = match image {
            None => PARAGRAPH,
            Some(i) => match of_image(i) {
                Some(size) => size,
                // It is not shown, so another element has to be the largest.
                None => return,
            },
        };
        let text = self.text.iter_mut().map(|block| &mut block.size);
        let text = text.filter(|_| image.is_some());
        let images = self.images.iter_mut().enumerate();
        let images = images.filter(|(i, _)| Some(*i) != image);
        let images = images.filter_map(|(_, image)| Some(&mut image.as_mut()?.size));
        for size in text.chain(images) {
            // An element of the same size would be the largest if it came first.
            size.element = size.element.min((largest - 1.0).max(0.0));
        }
    }

    /// Returns true if an element at `anchor` is in the head. An image in the head is a preload.
    pub(crate) fn in_head(&self, anchor: Option<u64>) -> bool {
        anchor.is_some_and(|anchor| anchor <= self.body_start)
    }
}

/// Returns the resources that are in the markup of the document of `size` bytes, with their
/// positions.
fn placed<'a>(
    page: &'a Page,
    graph: &'a Graph,
    size: u64,
) -> impl Iterator<Item = (&'a Resource, &'a Node, u64)> {
    let nodes = page.resources.iter().zip(&graph.nodes);
    nodes.filter_map(move |(resource, node)| {
        let anchor = node.anchor.filter(|_| node.frame == graph.document)?;
        Some((resource, node, anchor.min(size)))
    })
}

/// Returns the assumed beginning of the body. The body follows the last render-blocking
/// element of the markup that Chromium requests with a priority of the head (`High` or
/// above) and that is not preceded by a frame or media element.
fn guessed_body_start(page: &Page, graph: &Graph, document: usize) -> u64 {
    let size = page.resources[document].body_bytes;
    // Frames and media are in the body.
    let in_body = page
        .resources
        .iter()
        .filter(|r| matches!(r.destination, Destination::Iframe | Destination::Media))
        .filter_map(|r| r.discovery.trigger.place())
        .filter(|(parent, _)| *parent == page.document)
        .map(|(_, offset)| offset)
        .min()
        .unwrap_or(size);
    placed(page, graph, size)
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

/// Returns true if browsers show partial images of this type. Vector images, AVIF (except
/// for tiled ones) and JPEG XL are shown when they are complete.
fn is_incremental(mime_type: &str) -> bool {
    !matches!(mime_type, "image/svg+xml" | "image/avif" | "image/jxl")
}

/// Returns the area in pixels of one of `blocks` blocks of text.
fn text_area(blocks: usize) -> f64 {
    VIEWPORT * TEXT_SHARE / blocks as f64
}

/// Returns the pixels that an image of `bytes` bytes adds to the picture, or `None` if it is not
/// visible. They are more than those that it covers, because little of the area of text changes.
fn image_area(bytes: u64) -> Option<f64> {
    (bytes >= IMAGE_BYTES_MIN)
        .then(|| (bytes as f64 / BYTES_PER_PIXEL).min(VIEWPORT * IMAGE_SHARE_MAX))
}

/// Returns the size in pixels of an image element of `bytes` bytes.
fn element_size(bytes: u64) -> f64 {
    (bytes as f64 * ELEMENT_PIXELS).min(VIEWPORT * ELEMENT_SHARE_MAX)
}

/// Returns a number that is the same for all draws with which a load of `page` takes the same
/// element for the largest, and, if it is a text, lets it wait for the same.
pub fn largest_group(page: &Page, draw: f64) -> usize {
    match page.drawn_largest(draw) {
        Some((LargestElement::Text, place)) if place >= 1.0 - SCRIPTED_TEXT => 2,
        Some((LargestElement::Text, place)) if place >= (1.0 - SCRIPTED_TEXT) * FONT_TEXT => 1,
        None | Some((LargestElement::Text, _)) => 0,
        Some((LargestElement::Image { id }, _)) => 3 + id.index(),
    }
}

#[cfg(test)]
mod tests;
