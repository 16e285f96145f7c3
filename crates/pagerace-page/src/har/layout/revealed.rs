//! Which script brought the largest text into view, if the markup has it and it
//! was painted late.
//!
//! A text that the document brings, and that was the largest contentful paint
//! some frames after the first one, was hidden or out of sight until a script
//! ran. That script is taken to be the one that ran the longest in between;
//! without one nothing is changed.

use std::collections::BTreeMap;

use pagerace_core::Destination;
use serde_json::Value;

use super::super::recording::Recording;
use super::nearest_text;
use crate::har::extension::{self, TaskKind};
use crate::{Element, Largest, ResourceId};

/// Two paints nearer to each other than this, two frames, have one cause.
/// Milliseconds.
const LATE_MS: f64 = 33.0;
/// Scripts that ran less reveal nothing. Milliseconds.
const LEAST_MS: f64 = 5.0;

/// Notes the script on the element.
pub(super) fn by_script(
    elements: &mut [Element],
    viewport: (u32, u32),
    largest: Option<Largest>,
    page: Option<&Value>,
    recording: &Recording,
) {
    let paint = |key| extension::paint(page, key);
    let (Some(largest), Some(first), Some(last)) = (
        largest.filter(|l| l.image.is_none()),
        paint("fcpMs"),
        paint("lcpMs"),
    ) else {
        return;
    };
    if last < first + LATE_MS {
        return;
    }
    let mut ran: BTreeMap<usize, f64> = BTreeMap::new();
    for task in extension::main_thread(page) {
        let script = task.url.filter(|_| task.kind == TaskKind::Script);
        let index = script.and_then(|url| recording.find(url));
        let index = index.filter(|&i| recording.destinations[i] == Destination::Script);
        if let Some(index) = index.filter(|_| (first..last).contains(&task.start)) {
            *ran.entry(index).or_default() += task.end - task.start;
        }
    }
    let between = ran.into_iter().filter(|(_, millis)| *millis >= LEAST_MS);
    let Some((script, _)) = between.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))) else {
        return;
    };
    let found = nearest_text(elements, viewport, largest.size).map(|i| &mut elements[i]);
    if let Some(element) = found.filter(|e| e.offset.is_some()) {
        element.after = Some(ResourceId(script as u32));
    }
}
