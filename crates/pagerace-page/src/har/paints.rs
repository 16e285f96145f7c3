//! What recordings of others tell of paints, and what follows from it for what
//! may hold paints up.
//!
//! | field | of | recorder |
//! |---|---|---|
//! | `pageTimings._firstContentfulPaint`, `_largestContentfulPaint`, `_firstPaint`, `_firstVisualChange` | page | browsertime, chrome-har |
//! | `_visualMetrics.SpeedIndex`, `FirstVisualChange` | page | browsertime |
//! | `_firstContentfulPaint`, `_chromeUserTiming.LargestContentfulPaint`, `_LargestContentfulPaintType`, `_SpeedIndex`, `_render` | page | WebPageTest |
//! | `_isLCP` | entry | WebPageTest |

use pagerace_core::Destination;
use serde_json::Value;

use super::extension;
use super::recording::Recording;
use super::value::{filled, millis};
use super::viewport;
use crate::{FittedLargest, PaintFit, ResourceId, Wait, domain};

/// An image is painted at most this long after it is complete: decoding, and
/// tasks before the frame. Milliseconds.
const PAINTED_MS: f64 = 250.0;
/// Paints of one frame, as recorders round. Milliseconds.
const FRAME_MS: f64 = 17.0;

/// Paints of a page; milliseconds since the navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RecordedPaints {
    /// First contentful paint; where that is missing, the first paint or visual
    /// change.
    pub(super) first: Option<f64>,
    pub(super) largest: Option<f64>,
    pub(super) speed_index: Option<f64>,
    /// Whether the largest paint was text, if that is recorded.
    largest_is_text: Option<bool>,
}

impl RecordedPaints {
    /// `document` is when the document began, milliseconds since the navigation: a
    /// visual change before it was the page before.
    pub(super) fn read(page: Option<&Value>, document: Option<f64>) -> Self {
        let Some(value) = page else {
            return Self::default();
        };
        let (timings, visual) = (&value["pageTimings"], &value["_visualMetrics"]);
        let first_of = |fields: &[(&Value, &str)]| {
            let read = |(object, key): &(&Value, &str)| millis(object, key);
            // Recorders write 0 for what never came.
            let early = document.unwrap_or(0.0).max(0.0);
            fields.iter().filter_map(read).find(|ms| *ms > early)
        };
        let first = first_of(&[
            (timings, "_firstContentfulPaint"),
            (value, "_firstContentfulPaint"),
            (timings, "_firstPaint"),
            (visual, "FirstVisualChange"),
            (timings, "_firstVisualChange"),
            (timings, "_startRender"),
            (value, "_render"),
        ]);
        let largest = first_of(&[
            (timings, "_largestContentfulPaint"),
            (value, "_chromeUserTiming.LargestContentfulPaint"),
            (value, "_largestContentfulPaint"),
        ]);
        let own = |key| extension::paint(page, key);
        Self {
            first: own("fcpMs").or(first),
            largest: own("lcpMs").or(largest),
            speed_index: first_of(&[(visual, "SpeedIndex"), (value, "_SpeedIndex")]),
            largest_is_text: filled(value, "_LargestContentfulPaintType").map(|t| t == "text"),
        }
    }
}

/// What was complete only after the first paint did not block it; `first` in
/// milliseconds since 1970.
pub(super) fn unblock(recording: &Recording, first: f64, blocking: &mut [bool]) {
    for (i, blocks) in blocking.iter_mut().enumerate() {
        let document = recording.redirects.end(i) == recording.document;
        let late = recording.end(i).is_some_and(|end| end > first);
        *blocks &= document || !late;
    }
}

/// What the paints tell, if there was a first one; `start` of the page in
/// milliseconds since 1970.
pub(super) fn fit(recording: &Recording, paints: &RecordedPaints, start: f64) -> Option<PaintFit> {
    let first = start + paints.first?;
    let font_after = |(i, at): (usize, Option<f64>)| {
        recording.destinations[i] == Destination::Font && at.is_some_and(|at| at > first)
    };
    let asked = |i: usize| recording.start(i).is_some_and(|asked| asked < first);
    let ends = (0..recording.entries.len()).map(|i| (i, recording.end(i)));
    let swaps_fonts = ends
        .into_iter()
        .any(|font| font_after(font) && asked(font.0));
    Some(PaintFit {
        after: last_before(recording, first),
        delay: None,
        swaps_fonts,
        largest: paints
            .largest
            .and_then(|ms| largest(recording, paints, start + ms, first)),
    })
}

/// What had happened last before the first paint, of all that can reveal a page:
/// `DOMContentLoaded`, and scripts, sheets, data and fonts of the site's own.
fn last_before(recording: &Recording, first: f64) -> Wait {
    let host = |i: usize| recording.entries[i].url.as_ref().and_then(|u| u.host_str());
    let own = |i: usize| match (host(i), host(recording.document)) {
        (Some(host), Some(document)) => !domain::is_third_party(host, document),
        _ => false,
    };
    let reveals = |i: &usize| {
        matches!(
            recording.destinations[*i],
            Destination::Script | Destination::Style | Destination::Fetch | Destination::Font
        ) && own(*i)
    };
    let done = (0..recording.entries.len()).filter(reveals);
    let done = done.filter_map(|i| Some((recording.end(i)?, i)));
    let last = done
        .filter(|(end, _)| *end <= first)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let parsed = recording.parsed.filter(|parsed| *parsed <= first);
    match (last, parsed) {
        (Some((end, i)), parsed) if parsed.is_none_or(|parsed| parsed < end) => Wait::Resource {
            id: ResourceId(i as u32),
        },
        (_, Some(_)) => Wait::ContentLoaded,
        _ => Wait::Resource {
            id: ResourceId(recording.document as u32),
        },
    }
}

/// What the largest paint, at `at`, was: as recorded; an image that was complete
/// shortly before; or text, if it came with the first paint.
fn largest(
    recording: &Recording,
    paints: &RecordedPaints,
    at: f64,
    first: f64,
) -> Option<FittedLargest> {
    let image = |i: usize| FittedLargest::Image {
        id: ResourceId(i as u32),
    };
    let images = || {
        let all = 0..recording.entries.len();
        all.filter(|&i| {
            recording.destinations[i] == Destination::Image
                && !viewport::is_icon(&recording.entries[i])
        })
    };
    if let Some(named) = images().find(|&i| recording.entries[i].largest_paint) {
        return Some(image(named));
    }
    if paints.largest_is_text == Some(true) {
        return Some(FittedLargest::Text);
    }
    let fits = |&i: &usize| {
        let end = recording.end(i);
        end.is_some_and(|end| (at - PAINTED_MS..=at).contains(&end))
    };
    let largest = images().filter(fits).max_by_key(|&i| recording.bodies[i]);
    match largest {
        _ if at < first + FRAME_MS && paints.largest_is_text.is_none() => Some(FittedLargest::Text),
        Some(found) => Some(image(found)),
        None => None,
    }
}

#[cfg(test)]
mod tests;
