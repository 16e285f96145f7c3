//! Which images lie in the first viewport.
//!
//! Recorded, where the largest paint is marked or where Chrome's priorities
//! were kept: Chrome raises an image to High once layout finds it in the
//! viewport. Else modelled: the first images of the document.

use pagerace_core::{Destination, RequestPriority};

use super::entry::Entry;
use super::notes::{Kind, Notes};
use crate::{ElementKind, PageLayout};

/// Images of the document taken to be visible when nothing is recorded.
/// Chrome itself takes the first five large images for important before it
/// has laid anything out:
/// <https://chromium.googlesource.com/chromium/src/+/refs/heads/main/docs/speed/metrics_changelog/2023_08_image_loading.md>
const FIRST_IMAGES: usize = 5;

/// Fewer bytes are pixels and icons. Chrome's bound is 100 x 100 pixels; a
/// recording has no sizes in pixels.
const SMALL_IMAGE_BYTES: u64 = 1_000;

/// A photograph that a style sheet names is taken for the page's large picture
/// from this size on; smaller ones decorate. Modelled.
const BACKGROUND_BYTES: u64 = 20_000;

/// Whether each entry is an image in the first viewport.
///
/// `by_markup` and `by_style` say which ones the document's markup and style
/// sheets name; `parsed` is `DOMContentLoaded` in milliseconds since 1970.
pub(super) fn images(
    entries: &[Entry],
    destinations: &[Destination],
    bodies: &[u64],
    by_markup: &[bool],
    by_style: &[bool],
    parsed: Option<f64>,
    notes: &mut Notes,
) -> Vec<bool> {
    let is_image = |i: usize| destinations[i] == Destination::Image && !is_icon(&entries[i]);
    let images: Vec<usize> = (0..entries.len()).filter(|&i| is_image(i)).collect();
    let mut visible = vec![false; entries.len()];
    if images.is_empty() {
        return visible;
    }
    let is_high = |p: Option<RequestPriority>| p.is_some_and(|p| p <= RequestPriority::High);
    let mut recorded = images.iter().any(|&i| entries[i].priority_history);
    for &i in &images {
        let entry = &entries[i];
        visible[i] = entry.largest_paint || is_high(entry.boosted) || is_high(entry.priority);
        recorded |= visible[i];
        visible[i] |= by_markup[i] && bodies[i] >= SMALL_IMAGE_BYTES && too_early(entry, parsed);
    }
    if recorded {
        return visible;
    }
    let large = |&&i: &&usize| by_markup[i] && bodies[i] >= SMALL_IMAGE_BYTES;
    let first: Vec<usize> = images
        .iter()
        .filter(large)
        .take(FIRST_IMAGES)
        .copied()
        .collect();
    for i in first {
        visible[i] = true;
    }
    // A page's large picture may be a background.
    let background = images
        .iter()
        .find(|&&i| by_style[i] && bodies[i] >= BACKGROUND_BYTES && is_photo(&entries[i]));
    if let Some(&i) = background {
        visible[i] = true;
    }
    notes.add_many(Kind::ViewportModelled, images.len());
    visible
}

/// Whether each entry is an image of which the recorded layout shows something.
pub(super) fn on_screen(layout: &PageLayout, destinations: &[Destination]) -> Vec<bool> {
    let mut visible = vec![false; destinations.len()];
    for element in &layout.elements {
        if let ElementKind::Image { resource } | ElementKind::Background { resource } = element.kind
            && destinations[resource.index()] == Destination::Image
            && element.rect.visible_area(layout.viewport) > 0.0
        {
            visible[resource.index()] = true;
        }
    }
    visible
}

/// Whether Chrome took the image for important (Medium), and it was complete
/// before layout could tell: then nothing was left to raise.
fn too_early(entry: &Entry, parsed: Option<f64>) -> bool {
    entry.priority == Some(RequestPriority::Medium)
        && entry
            .end
            .is_some_and(|end| parsed.is_none_or(|parsed| end <= parsed))
}

/// A photograph, by its format: sprites and icons come as PNG, GIF and SVG.
fn is_photo(entry: &Entry) -> bool {
    matches!(
        entry.mime.as_str(),
        "image/jpeg" | "image/jpg" | "image/webp" | "image/avif"
    )
}

/// Favicons are shown in the browser's own frame.
pub(super) fn is_icon(entry: &Entry) -> bool {
    let path = entry
        .url
        .as_ref()
        .map(|u| u.path().to_ascii_lowercase())
        .unwrap_or_default();
    [".ico", "favicon", "apple-touch-icon"]
        .iter()
        .any(|sign| path.contains(sign))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn visible(values: &[Value]) -> (Vec<bool>, usize) {
        visible_of(values, 5000, false, None)
    }

    fn visible_of(
        values: &[Value],
        bytes: u64,
        by_style: bool,
        parsed: Option<f64>,
    ) -> (Vec<bool>, usize) {
        let entries: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(i, v)| Entry::parse(i, v, None))
            .collect();
        let n = entries.len();
        let mut notes = Notes::default();
        let images = images(
            &entries,
            &vec![Destination::Image; n],
            &vec![bytes; n],
            &vec![!by_style; n],
            &vec![by_style; n],
            parsed,
            &mut notes,
        );
        (images, notes.into_notes().len())
    }

    fn image(name: &str) -> Value {
        json!({"request": {"url": format!("https://a.test/{name}")}})
    }

    #[test]
    fn a_boost_shows_what_is_in_the_viewport() {
        let mut boosted = image("a.png");
        boosted["_initialPriority"] = json!("Low");
        boosted["_priority"] = json!("High");
        let mut low = image("b.png");
        low["_initialPriority"] = json!("Low");
        low["_priority"] = json!("Low");
        assert_eq!(visible(&[boosted, low.clone()]), (vec![true, false], 0));
        assert_eq!(
            visible(&[low]),
            (vec![false], 0),
            "recorded, and none is visible"
        );
    }

    #[test]
    fn an_important_image_that_was_complete_before_layout_had_no_chance_to_be_raised() {
        let mut early = image("a.jpg");
        early["startedDateTime"] = json!("1970-01-01T00:00:01Z");
        early["time"] = json!(500);
        early["_initialPriority"] = json!("Medium");
        early["_priority"] = json!("Medium");
        let early = [early];
        assert_eq!(visible_of(&early, 5000, false, Some(1600.0)).0, [true]);
        assert_eq!(visible_of(&early, 5000, false, Some(1400.0)).0, [false]);
    }

    #[test]
    fn the_first_large_photograph_of_a_sheet_is_taken_for_the_background() {
        let photo = |name: &str, mime: &str| {
            let mut v = image(name);
            v["response"] = json!({"content": {"mimeType": mime}});
            v
        };
        let images = [
            photo("sprite.png", "image/png"),
            photo("hero.jpg", "image/jpeg"),
            photo("other.jpg", "image/jpeg"),
        ];
        assert_eq!(
            visible_of(&images, 50_000, true, None).0,
            [false, true, false]
        );
        assert_eq!(visible_of(&images, 5_000, true, None).0, [false; 3]);
    }

    #[test]
    fn the_largest_paint_is_visible() {
        let mut lcp = image("a.png");
        lcp["_isLCP"] = json!(true);
        assert_eq!(visible(&[image("b.png"), lcp]), (vec![false, true], 0));
    }

    #[test]
    fn without_evidence_the_first_five_images_are_taken_and_said_so() {
        let mut values = vec![image("favicon.ico")];
        values.extend((0..7).map(|i| image(&format!("{i}.png"))));
        let (visible, notes) = visible(&values);
        assert_eq!(visible, [false, true, true, true, true, true, false, false]);
        assert_eq!(notes, 1);
    }
}
