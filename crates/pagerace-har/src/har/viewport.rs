//! Images in the first viewport.
//!
//! The evidence is a marked largest paint or Chrome's priorities, if recorded: Chrome
//! raises an image to High once layout finds it in the viewport. Otherwise the first
//! images of the document are assumed to be visible (modelled).

use pagerace_core::{Destination, RequestPriority};

use super::entry::Entry;
use super::loading::FIRST_IMAGES;
use super::notes::{Kind, Notes};
use pagerace_page::{ElementKind, PageLayout};

/// Minimum size of an image other than a tracking pixel or icon. Chrome's limit is 100 x
/// 100 pixels, but recordings lack dimensions.
const SMALL_IMAGE_BYTES: u64 = 1_000;

/// Minimum size of a photograph in a style sheet that counts as the page's large picture;
/// smaller ones are decoration. Modelled.
const BACKGROUND_BYTES: u64 = 20_000;

/// Returns true for each entry that is an image of the page itself: no icon, and no
/// advertisement, which `ads` marks. Chrome raises images of advertisement, too, but they are in
/// frames, whose paints do not count for the page.
pub(super) fn pictures(entries: &[Entry], destinations: &[Destination], ads: &[bool]) -> Vec<bool> {
    let is_picture = |(i, entry): (usize, &Entry)| {
        destinations[i] == Destination::Image && !is_icon(entry) && !ads[i]
    };
    entries.iter().enumerate().map(is_picture).collect()
}

/// Returns true for each of these pictures that is in the first viewport.
///
/// `by_markup` and `by_style` mark the images that the document's markup and style sheets
/// name. `parsed` is the time of `DOMContentLoaded`.
pub(super) fn images(
    entries: &[Entry],
    pictures: &[bool],
    bodies: &[u64],
    by_markup: &[bool],
    by_style: &[bool],
    parsed: Option<f64>,
    notes: &mut Notes,
) -> Vec<bool> {
    let images: Vec<usize> = (0..entries.len()).filter(|&i| pictures[i]).collect();
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
    // The page's large picture may be a background.
    let background = images
        .iter()
        .find(|&&i| by_style[i] && bodies[i] >= BACKGROUND_BYTES && is_photo(&entries[i]));
    if let Some(&i) = background {
        visible[i] = true;
    }
    notes.add_many(Kind::ViewportModelled, images.len());
    visible
}

/// Returns true for each entry that is an image visible in the recorded layout.
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

/// Returns true if Chrome considered the image important (Medium) and the image was
/// complete before layout, so that its priority was never raised.
fn too_early(entry: &Entry, parsed: Option<f64>) -> bool {
    entry.priority == Some(RequestPriority::Medium)
        && entry
            .end
            .is_some_and(|end| parsed.is_none_or(|parsed| end <= parsed))
}

/// Returns true for formats of photographs; sprites and icons are PNG, GIF and SVG.
fn is_photo(entry: &Entry) -> bool {
    matches!(
        entry.mime.as_str(),
        "image/jpeg" | "image/jpg" | "image/webp" | "image/avif"
    )
}

/// Returns true for favicons, which the browser shows outside the page.
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
            &pictures(&entries, &vec![Destination::Image; n], &vec![false; n]),
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
