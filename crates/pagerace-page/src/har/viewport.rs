//! Which images lie in the first viewport.
//!
//! Recorded, where the largest paint is marked or where Chrome's priorities
//! were kept: Chrome raises an image to High once layout finds it in the
//! viewport. Else modelled: the first images of the document.

use pagerace_core::{Destination, RequestPriority};

use super::entry::Entry;
use super::notes::{Kind, Notes};

/// Images of the document taken to be visible when nothing is recorded.
/// Chrome itself takes the first five large images for important before it
/// has laid anything out:
/// <https://chromium.googlesource.com/chromium/src/+/refs/heads/main/docs/speed/metrics_changelog/2023_08_image_loading.md>
const FIRST_IMAGES: usize = 5;

/// Fewer bytes are pixels and icons. Chrome's bound is 100 x 100 pixels; a
/// recording has no sizes in pixels.
const SMALL_IMAGE_BYTES: u64 = 1_000;

/// Whether each entry is an image in the first viewport.
pub(super) fn images(
    entries: &[Entry],
    destinations: &[Destination],
    bodies: &[u64],
    by_markup: &[bool],
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
    notes.add_many(Kind::ViewportModelled, images.len());
    visible
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
            &vec![5000; n],
            &vec![true; n],
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
