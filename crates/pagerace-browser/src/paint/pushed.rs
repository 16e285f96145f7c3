//! Elements that images move, because nothing reserves a height for those before their bytes tell
//! it. An element that is painted before such images is higher up, where more of it may be visible,
//! and largest contentful paint counts it as it is then (Largest Contentful Paint,
//! <https://www.w3.org/TR/largest-contentful-paint/>: later movements do not count).
//!
//! Images side by side move the page by the tallest of them.

use pagerace_page::{ElementKind, PageLayout, Rect, ResourceId};

/// The tolerance of edges, in CSS pixels.
const EDGE: f32 = 1.0;

/// An element, and the images above that move it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pushed {
    /// The place of the element when all images are there.
    rect: Rect,
    viewport: (u32, u32),
    /// The size of an enlarged image for largest contentful paint, as a share of its area.
    scale: f64,
    /// The images above that move it, in rows, with their heights.
    rows: Vec<Vec<(ResourceId, f32)>>,
}

impl Pushed {
    /// Finds the images that move element `index`; `None` if none does.
    pub(super) fn new(layout: &PageLayout, index: usize, scale: f64) -> Option<Self> {
        let own = layout.elements[index].rect;
        let above = layout.elements.iter().filter(|e| e.unreserved);
        let above = above.filter(|e| {
            let one = e.rect;
            let is_above = one.y + one.height <= own.y + EDGE;
            is_above && one.x < own.x + own.width && own.x < one.x + one.width
        });
        let mut images: Vec<(Rect, ResourceId)> = above
            .filter_map(|e| match e.kind {
                ElementKind::Image { resource } => Some((e.rect, resource)),
                _ => None,
            })
            .collect();
        images.sort_by(|a, b| a.0.y.total_cmp(&b.0.y));
        let mut rows: Vec<Vec<(ResourceId, f32)>> = Vec::new();
        let mut end = f32::NEG_INFINITY;
        for (rect, id) in images {
            if rect.y + EDGE >= end {
                rows.push(Vec::new());
            }
            end = end.max(rect.y + rect.height);
            rows.last_mut()?.push((id, rect.height));
        }
        (!rows.is_empty()).then_some(Self {
            rect: own,
            viewport: layout.viewport,
            scale,
            rows,
        })
    }

    /// True if the element is in the viewport while no image above it is there.
    pub(super) fn begins_in_view(&self) -> bool {
        self.size(|_| false).is_some_and(|size| size > 0.0)
    }

    /// Returns the size of the element for largest contentful paint while `is_there` holds for the
    /// images that have a height; `None` if they are all there.
    pub(crate) fn size(&self, is_there: impl Fn(ResourceId) -> bool) -> Option<f64> {
        let tallest = |row: &[(ResourceId, f32)], counts: &dyn Fn(ResourceId) -> bool| {
            let heights = row.iter().filter(|(id, _)| counts(*id));
            heights.map(|(_, height)| *height).fold(0.0, f32::max)
        };
        let missing = self.rows.iter().map(|row| {
            let all = tallest(row, &|_| true);
            all - tallest(row, &is_there)
        });
        let missing: f32 = missing.sum();
        let place = Rect {
            y: self.rect.y - missing,
            ..self.rect
        };
        (missing > 0.0).then(|| place.visible_area(self.viewport) * self.scale)
    }
}

#[cfg(test)]
mod tests;
