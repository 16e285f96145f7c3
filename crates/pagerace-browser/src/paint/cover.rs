//! The area of each element that is not covered by others.
//!
//! The viewport is divided into cells. Elements are in paint order, so the last element
//! over the centre of a cell owns it. Cells without an owner are the empty page and not
//! part of the picture. Left out: transparency.

use pagerace_page::PageLayout;

/// The side of a cell in CSS pixels.
const CELL: u32 = 8;

/// Returns the area that each element owns in square CSS pixels, in the layout's order.
pub(super) fn owned(layout: &PageLayout) -> Vec<f64> {
    // The number of cells with their centre in the viewport.
    let cells = |length: u32| (length + CELL / 2 - 1) / CELL;
    let (columns, rows) = (cells(layout.viewport.0), cells(layout.viewport.1));
    // Limits the memory for absurd viewports. Even a wall of screens has only a million cells.
    let count = (u64::from(columns) * u64::from(rows)).min(1 << 22) as usize;
    let mut owners: Vec<Option<usize>> = vec![None; count];
    for (number, element) in layout.elements.iter().enumerate() {
        let rect = element.rect;
        let span = |from: f32, length: f32, count: u32| {
            // The cells with their centre inside the element.
            let cell = CELL as f32;
            let first = ((from / cell) - 0.5).ceil().clamp(0.0, count as f32) as u32;
            let end = (((from + length) / cell) - 0.5)
                .ceil()
                .clamp(0.0, count as f32) as u32;
            first..end
        };
        for row in span(rect.y, rect.height, rows) {
            for column in span(rect.x, rect.width, columns) {
                let cell = row as usize * columns as usize + column as usize;
                if let Some(owner) = owners.get_mut(cell) {
                    *owner = Some(number);
                }
            }
        }
    }
    let mut areas = vec![0.0; layout.elements.len()];
    for owner in owners.into_iter().flatten() {
        areas[owner] += f64::from(CELL * CELL);
    }
    areas
}

#[cfg(test)]
mod tests {
    use pagerace_page::{Element, ElementKind, PageLayout, Rect};

    use super::owned;

    fn element(x: f32, y: f32, width: f32, height: f32) -> Element {
        Element {
            kind: ElementKind::Other,
            rect: Rect {
                x,
                y,
                width,
                height,
            },
            ..Element::default()
        }
    }

    #[test]
    fn the_last_one_is_on_top() {
        let layout = PageLayout {
            viewport: (160, 80),
            elements: vec![
                element(0.0, 0.0, 160.0, 80.0),
                element(80.0, 0.0, 400.0, 40.0),
                element(0.0, 200.0, 160.0, 80.0),
                element(-100.0, 72.0, 108.0, 100.0),
            ],
            ..PageLayout::default()
        };
        let (all, above, corner) = (160.0 * 80.0, 80.0 * 40.0, 64.0);
        assert_eq!(owned(&layout), [all - above - corner, above, 0.0, corner]);
    }
}
