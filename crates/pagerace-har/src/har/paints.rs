//! Paints in recordings of other recorders, and their implications for resources that may
//! delay paints.
//!
//! | field | of | recorder |
//! |---|---|---|
//! | `pageTimings._firstContentfulPaint`, `_largestContentfulPaint`, `_firstPaint`, `_firstVisualChange` | page | browsertime, chrome-har |
//! | `_visualMetrics.SpeedIndex`, `FirstVisualChange` | page | browsertime |
//! | `_firstContentfulPaint`, `_chromeUserTiming.LargestContentfulPaint`, `_LargestContentfulPaintType`, `_SpeedIndex`, `_render` | page | WebPageTest |
//! | `_isLCP` | entry | WebPageTest |

use pagerace_core::Destination;

use super::recording::Recording;
use super::thresholds::{IMAGE_TO_PAINT_MS, SAME_FRAME_MS};
use super::viewport;
use crate::extension::{Ms, Paints};
use pagerace_page::{LargestElement, PaintFit, ResourceId, Wait};

/// Paints of a page; milliseconds since the navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RecordedPaints {
    /// First contentful paint, or else the first paint or visual change.
    pub(super) first: Option<f64>,
    pub(super) largest: Option<f64>,
    pub(super) speed_index: Option<f64>,
    /// True if the largest paint was text; `None` if not recorded.
    largest_is_text: Option<bool>,
}

impl RecordedPaints {
    /// Reads the paints of a page. A visual change before the arrival of the document belongs to
    /// the previous page.
    pub(super) fn read(recording: &Recording) -> Self {
        let page = recording.page;
        let document = recording.entries[recording.document].first_byte;
        let document = document.filter(|_| recording.is_dated);
        let (timings, visual) = (&page.timings, &page.visual);
        let first_of = |fields: &[Option<Ms>]| {
            // Recorders write 0 for paints that never came.
            let early = document.unwrap_or(0.0).max(0.0);
            let mut told = fields.iter().flatten().map(|ms| ms.0);
            told.find(|ms| *ms > early)
        };
        let first = first_of(&[
            timings.first_contentful,
            page.first_contentful,
            timings.first_paint,
            visual.first_change,
            timings.first_change,
            timings.start_render,
            page.render,
        ]);
        let largest = first_of(&[
            timings.largest_contentful,
            page.largest_by_user_timing,
            page.largest_contentful,
        ]);
        let own = page.own.as_ref().map(|own| &own.paints);
        let own = |of: fn(&Paints) -> Option<Ms>| own.and_then(of).map(|ms| ms.0);
        Self {
            first: own(|paints| paints.fcp_ms).or(first),
            largest: own(|paints| paints.lcp_ms).or(largest),
            speed_index: first_of(&[visual.speed_index, page.speed_index]),
            largest_is_text: page.largest_type.as_ref().map(|kind| kind == "text"),
        }
    }
}

/// Clears the render-blocking flag of resources that were complete only after the first
/// paint, if another recorder tells it.
pub(super) fn unblock(recording: &Recording, paints: &RecordedPaints, blocking: &mut [bool]) {
    let first = paints
        .first
        .filter(|_| recording.is_dated && !recording.own);
    let Some(first) = first else { return };
    for (i, blocks) in blocking.iter_mut().enumerate() {
        let document = recording.redirects.end(i) == recording.document;
        let late = recording.end(i).is_some_and(|end| end > first);
        *blocks &= document || !late;
    }
}

/// Returns the constraints that the paints imply; `None` without a first paint. `ads` marks
/// advertisement.
pub(super) fn fit(
    recording: &Recording,
    paints: &RecordedPaints,
    ads: &[bool],
) -> Option<PaintFit> {
    let first = paints.first.filter(|_| recording.is_dated)?;
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
            .and_then(|at| largest(recording, paints, ads, at, first)),
    })
}

/// Returns the last event before the first paint that can reveal a page:
/// `DOMContentLoaded`, or the completion of a first-party script, style sheet, data or
/// font.
fn last_before(recording: &Recording, first: f64) -> Wait {
    let reveals = |i: &usize| {
        matches!(
            recording.destinations[*i],
            Destination::Script | Destination::Style | Destination::Fetch | Destination::Font
        ) && recording.is_third_party(*i) == Some(false)
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

/// Returns the element of the largest paint at `at`: the recorded element; text, if the
/// paint came with the first one; or an image that was complete shortly before.
fn largest(
    recording: &Recording,
    paints: &RecordedPaints,
    ads: &[bool],
    at: f64,
    first: f64,
) -> Option<LargestElement> {
    let image = |i: usize| LargestElement::Image {
        id: ResourceId(i as u32),
    };
    let images = || {
        let all = 0..recording.entries.len();
        all.filter(|&i| {
            recording.destinations[i] == Destination::Image
                && !viewport::is_icon(&recording.entries[i])
                && !ads[i]
        })
    };
    if let Some(named) = images().find(|&i| recording.entries[i].largest_paint) {
        return Some(image(named));
    }
    if paints.largest_is_text == Some(true) {
        return Some(LargestElement::Text);
    }
    let fits = |&i: &usize| {
        let end = recording.end(i);
        end.is_some_and(|end| (at - IMAGE_TO_PAINT_MS..=at).contains(&end))
    };
    let largest = images().filter(fits).max_by_key(|&i| recording.bodies[i]);
    match largest {
        _ if at < first + SAME_FRAME_MS && paints.largest_is_text.is_none() => {
            Some(LargestElement::Text)
        }
        Some(found) => Some(image(found)),
        None => None,
    }
}

#[cfg(test)]
mod tests;
