//! The layout from a recording: real rectangles, clipped to the viewport.
//!
//! The sizes for largest contentful paint follow Chromium
//! (`image_paint_timing_detector.cc`, `largest_contentful_paint_calculator.cc`). The
//! visible pixels count; an enlarged image counts with its natural size; images as large
//! as the viewport or with less than 0.05 bits per visible pixel are not candidates.
//! Elements other than the recorded largest paint are taken to be smaller than it, as
//! they were in the recording.

use pagerace_core::Duration;
use pagerace_page::{
    Element, ElementKind, Largest, Page, PageLayout, PictureShares, Rect, ResourceId, Wait,
};

use super::cover;
use super::pushed::Pushed;
use super::{Block, Layout, Size, VisibleImage, guessed_body_start, is_incremental};
use crate::graph::{Graph, Role};

/// Images with fewer bits per pixel are placeholders (`kMinimumEntropyForLCP`).
const LEAST_BITS_PER_PIXEL: f64 = 0.05;

impl Layout {
    pub(super) fn recorded(
        page: &Page,
        graph: &Graph,
        layout: &PageLayout,
        document: usize,
    ) -> Self {
        let size = page.resources[document].body_bytes;
        let body_start = layout
            .body_start
            .unwrap_or_else(|| guessed_body_start(page, graph, document))
            .min(size);
        let (mut text, mut images) = (Vec::new(), vec![None; page.resources.len()]);
        let mut pushed_images = vec![None; page.resources.len()];
        let is_font = |font: &&ResourceId| {
            let node = graph.nodes.get(font.index());
            node.is_some_and(|n| n.role == Role::Font)
        };
        let owned = cover::owned(layout);
        // Where the first content outside the viewport stands that Chromium paints. What scripts
        // make is left out, because they may wait for data.
        let mut beyond: Option<u64> = None;
        for (i, (element, owned)) in layout.elements.iter().zip(owned).enumerate() {
            let area = element.rect.visible_area(layout.viewport);
            let pushed = match element.kind {
                ElementKind::Text { .. } => Pushed::new(layout, i, 1.0),
                ElementKind::Image { .. } => Pushed::new(layout, i, enlargement(element)),
                _ => None,
            };
            let is_seen = area > 0.0 || pushed.as_ref().is_some_and(Pushed::begins_in_view);
            if !is_seen {
                let near = element.rect.shared_area(painted(layout.viewport)) > 0.0;
                let place = match element.kind {
                    ElementKind::Text { .. } | ElementKind::Other if element.contentful => {
                        element.offset
                    }
                    _ => None,
                };
                beyond = beyond.into_iter().chain(place.filter(|_| near)).min();
                continue;
            }
            let (largest, contentful, fonts) = match &element.kind {
                ElementKind::Text { fonts } => {
                    let largest = capped(area, layout, |l| l.text == Some(i));
                    let fonts = fonts.iter().filter(is_font).copied().collect();
                    (largest, true, fonts)
                }
                ElementKind::Other => (0.0, element.contentful, Vec::new()),
                ElementKind::Image { resource } | ElementKind::Background { resource } => {
                    let place = (element, area, owned);
                    add_image(page, graph, layout, &mut images, *resource, place);
                    let place = pushed_images.get_mut(resource.index());
                    if let (Some(place @ None), Some(_)) = (place, &pushed) {
                        *place = pushed;
                    }
                    continue;
                }
            };
            text.push(Block {
                end: element.offset.map(|offset| offset.min(size)),
                after: element.after,
                delay: element.delay.unwrap_or_default(),
                motion: element.motion,
                fade: element.fade,
                size: Size {
                    area: match layout.shares {
                        Some(_) => element.share * pixels(layout),
                        None => owned,
                    },
                    element: largest,
                    contentful,
                },
                fonts,
                pushed,
                number: Some(i as u32),
            });
        }
        text.extend(beyond.map(|end| Block {
            end: Some(end.min(size)),
            after: Wait::ContentLoaded,
            delay: Duration::ZERO,
            motion: Duration::ZERO,
            fade: Duration::ZERO,
            size: Size {
                contentful: true,
                ..Size::part(0.0)
            },
            fonts: Vec::new(),
            pushed: None,
            number: None,
        }));
        if let Some(shares) = &layout.shares {
            share_images(&mut images, shares, pixels(layout));
            text.push(Block {
                end: (!shares.canvas_scripted).then_some(0),
                after: Wait::ContentLoaded,
                delay: Duration::ZERO,
                motion: Duration::ZERO,
                fade: Duration::ZERO,
                size: Size::part(shares.canvas * pixels(layout)),
                fonts: Vec::new(),
                pushed: None,
                number: None,
            });
        }
        // Scripted elements are last.
        text.sort_by_key(|block| (block.end.unwrap_or(u64::MAX), block.delay));
        for (i, image) in images.iter_mut().enumerate() {
            if let Some(VisibleImage { size, rebuilt, .. }) = image {
                let is_largest = |l: Largest| l.image.is_some_and(|r| r.index() == i);
                size.element = capped(size.element, layout, is_largest);
                // One that is out of view when all are there counts only before.
                if pushed_images[i].is_some() {
                    size.element = size.element.max(f64::MIN_POSITIVE);
                }
                *rebuilt = layout.largest.is_some_and(|l| l.rebuilt && is_largest(l));
            }
        }
        Self {
            body_start,
            text,
            images,
            pushed_images,
            made: Vec::new(),
            image_room: f64::INFINITY,
            largest_image: None,
            swaps_fonts: false,
        }
    }
}

/// Returns the size of an element for largest contentful paint. The recorded largest
/// paint has its recorded size, and all other elements are smaller.
fn capped(size: f64, layout: &PageLayout, is_largest: impl Fn(Largest) -> bool) -> f64 {
    match layout.largest {
        Some(largest) if is_largest(largest) => largest.size,
        Some(largest) => size.min((largest.size - 1.0).max(0.0)),
        None => size,
    }
}

/// Returns the part of the page that Chromium paints: the viewport, and what is close enough to be
/// scrolled to. Text there makes a paint contentful.
///
/// Source: loads of Chromium 156. Text 3,950 pixels below the viewport counted, and text 4,050
/// below it did not. `cull_rect.cc` decides.
fn painted((width, height): (u32, u32)) -> Rect {
    const BEYOND: f32 = 4000.0;
    Rect {
        x: 0.0,
        y: 0.0,
        width: width as f32 + BEYOND,
        height: height as f32 + BEYOND,
    }
}

/// Returns the area of the viewport.
fn pixels(layout: &PageLayout) -> f64 {
    f64::from(layout.viewport.0) * f64::from(layout.viewport.1)
}

/// Sets the measured shares of images. Images that were not measured individually divide
/// their common share by area.
fn share_images(images: &mut [Option<VisibleImage>], shares: &PictureShares, pixels: f64) {
    let measured = |i: usize| shares.images.iter().find(|told| told.image.index() == i);
    let area = |image: &Option<VisibleImage>| image.map_or(0.0, |image| image.size.area);
    let others = images
        .iter()
        .enumerate()
        .filter(|(i, _)| measured(*i).is_none());
    let all: f64 = others.map(|(_, image)| area(image)).sum();
    for (i, image) in images.iter_mut().enumerate() {
        let Some(image) = image else { continue };
        let measured = measured(i);
        image.rows = measured.and_then(|told| told.rows);
        image.size.area = match measured {
            Some(told) => told.share * pixels,
            None if all > 0.0 => shares.other_images * pixels * image.size.area / all,
            None => 0.0,
        };
    }
}

/// Adds a place at which image `id` is shown.
fn add_image(
    page: &Page,
    graph: &Graph,
    layout: &PageLayout,
    images: &mut [Option<VisibleImage>],
    id: ResourceId,
    (element, area, owned): (&Element, f64, f64),
) {
    let (Some(resource), Some(node)) =
        (page.resources.get(id.index()), graph.nodes.get(id.index()))
    else {
        return;
    };
    if node.role != Role::Image || node.frame != graph.document || resource.status >= 400 {
        return;
    }
    let viewport = pixels(layout);
    let bits = resource.body_bytes as f64 * 8.0;
    let counts = area < viewport && bits >= area * LEAST_BITS_PER_PIXEL;
    // A request of a script or a style sheet waits for the script itself.
    let waits = node.anchor.is_some()
        || element.after != Wait::ContentLoaded
        || element.delay.is_some()
        || !element.motion.is_zero();
    let made = (waits && element.offset.is_none())
        .then(|| (element.after, element.delay.unwrap_or_default()));
    let image = images[id.index()].get_or_insert(VisibleImage {
        size: Size::whole(0.0),
        incremental: is_incremental(&resource.mime_type),
        made,
        rows: None,
        motion: element.motion,
        fade: element.fade,
        rebuilt: false,
    });
    // One of several places that scripts fill counts: the first in the order of `Wait`.
    let first = image.made.zip(made).map(|(a, b)| a.min(b));
    if first != image.made {
        image.motion = element.motion;
        image.fade = element.fade;
    }
    image.made = first;
    image.size.area += owned;
    if counts {
        let counted = area * enlargement(element);
        image.size.element = image.size.element.max(counted);
    }
}

/// Returns the natural size of an image over its shown size, at most one; less than one
/// if the image is enlarged.
fn enlargement(element: &Element) -> f64 {
    let rect = element.rect;
    let shown = f64::from(rect.width) * f64::from(rect.height);
    let own = |(width, height)| f64::from(width) * f64::from(height);
    element
        .natural
        .map_or(1.0, |natural| (own(natural) / shown).min(1.0))
}

#[cfg(test)]
mod tests;
