//! When what scripts make appeared, counted from `DOMContentLoaded`.
//!
//! The recording knows two paints. The first contentful paint dates what
//! scripts made only if everything contentful is theirs; the largest one dates
//! the text that was it. Everything else is taken to be there at
//! `DOMContentLoaded`.

use pagerace_core::Duration;
use serde_json::Value;

use super::nearest_text;
use crate::har::extension::{self, TaskKind};
use crate::{Element, ElementKind, Largest};

/// Takes the place in the markup from elements that a script revealed, as told by
/// `revealed`: they are as good as made by it. Not from those that the recording
/// shows before `DOMContentLoaded`, at `loaded`: a script in the head had revealed
/// them.
pub(super) fn forget_places(
    elements: &mut [Element],
    revealed: &[bool],
    viewport: (u32, u32),
    largest: Option<Largest>,
    page: Option<&Value>,
    loaded: f64,
) {
    let early = |key| extension::paint(page, key).is_some_and(|paint| paint <= loaded);
    let seen = |e: &Element| e.contentful && e.rect.visible_area(viewport) > 0.0;
    let plain = |(e, by): (&Element, &bool)| seen(e) && is_in_markup(e) && !by;
    if early("fcpMs") && !elements.iter().zip(revealed).any(plain) {
        return;
    }
    let largest = largest.filter(|l| l.image.is_none() && early("lcpMs"));
    let largest = largest.and_then(|l| nearest_text(elements, viewport, l.size));
    for (i, element) in elements.iter_mut().enumerate() {
        // One that waits for its script keeps its place.
        if revealed[i] && Some(i) != largest {
            element.offset = None;
        }
    }
}

/// Dates the elements; `loaded` is `DOMContentLoaded`, milliseconds since the
/// navigation.
pub(super) fn date(
    elements: &mut [Element],
    viewport: (u32, u32),
    largest: Option<Largest>,
    page: Option<&Value>,
    loaded: f64,
) {
    let tasks = extension::main_thread(page);
    let since = |key| {
        let paint = extension::paint(page, key).filter(|paint| *paint > loaded)?;
        let between = |t: &&extension::MainThreadTask| {
            t.kind == TaskKind::Rendering && t.start >= loaded && t.start < paint
        };
        // The model renders by itself.
        let rendering: f64 = tasks.iter().filter(between).map(|t| t.end - t.start).sum();
        Some(Duration::from_millis_f64(
            (paint - loaded - rendering).max(0.0),
        ))
    };
    let area = |e: &Element| e.rect.visible_area(viewport);
    let seen = |e: &Element| e.contentful && area(e) > 0.0;
    let all_made = !elements.iter().any(|e| seen(e) && is_in_markup(e));
    let first = since("fcpMs").filter(|_| all_made);
    for element in elements.iter_mut().filter(|e| !is_in_markup(e)) {
        element.delay = first;
    }
    let Some(largest) = largest.filter(|l| l.image.is_none()) else {
        return;
    };
    let found = nearest_text(elements, viewport, largest.size);
    if let Some(element) = found.map(|i| &mut elements[i])
        && !is_in_markup(element)
    {
        element.delay = since("lcpMs");
    }
}

/// Whether the document brings it; images have bytes of their own.
fn is_in_markup(element: &Element) -> bool {
    let is_image = matches!(
        element.kind,
        ElementKind::Image { .. } | ElementKind::Background { .. }
    );
    element.offset.is_some() || is_image
}
