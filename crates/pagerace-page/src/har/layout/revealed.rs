//! Which script brought the largest text into view, if the markup has it and it
//! was painted late.
//!
//! A text that the document brings, and that was the largest contentful paint
//! long after the first one, was hidden or out of sight until a script ran. That
//! script is taken to be the one with the most to do among those that came in
//! between; without one nothing is changed.

use serde_json::Value;

use super::super::recording::Recording;
use crate::har::extension;
use crate::{Element, ElementKind, Largest, ResourceId};

/// Two paints nearer to each other than this have one cause. Milliseconds.
const LATE_MS: f64 = 100.0;
/// Scripts with less to do than this reveal nothing. Milliseconds.
const LEAST_MS: f64 = 10.0;

/// Notes the script on the element; `start` is the navigation's, milliseconds
/// since 1970.
pub(super) fn by_script(
    elements: &mut [Element],
    viewport: (u32, u32),
    largest: Option<Largest>,
    (page, start): (Option<&Value>, Option<f64>),
    recording: &Recording,
) {
    let paint = |key| extension::paint(page, key);
    let (Some(largest), Some(start), Some(first), Some(last)) = (
        largest.filter(|l| l.image.is_none()),
        start,
        paint("fcpMs"),
        paint("lcpMs"),
    ) else {
        return;
    };
    if last < first + LATE_MS {
        return;
    }
    let between = recording
        .entries
        .iter()
        .enumerate()
        .filter_map(|(i, entry)| {
            let end = recording.end(i)? - start;
            let millis = entry.own.script_ms.filter(|ms| *ms >= LEAST_MS)?;
            (first..=last).contains(&end).then_some((i, millis))
        });
    let Some((script, _)) = between.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))) else {
        return;
    };
    let area = |e: &Element| e.rect.visible_area(viewport);
    let distance = |e: &Element| (area(e) - largest.size).abs();
    let texts = elements
        .iter_mut()
        .filter(|e| matches!(e.kind, ElementKind::Text { .. }));
    let found = texts.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    if let Some(element) = found.filter(|e| e.offset.is_some()) {
        element.after = Some(ResourceId(script as u32));
    }
}
