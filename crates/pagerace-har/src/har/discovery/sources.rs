//! Further sources of web fonts, which browsers request when the sources before them have failed
//! (CSS Fonts 4, <https://www.w3.org/TR/css-fonts-4/#font-face-loading>).
//!
//! Left out: preloaded fonts, because they fail before a layout needs them, and sources that
//! redirect.

use pagerace_core::Destination;
use pagerace_page::Evidence;

use super::{How, Link};
use crate::fonts::{self, Face};
use crate::har::recording::Recording;
use crate::har::thresholds::FONT_ROUNDING_MS;

/// Links fonts to the failed source before them in their `@font-face` rule.
pub(super) fn relink(recording: &Recording, links: &mut [Option<Link>]) {
    let is_font =
        |i: usize| recording.destinations[i] == Destination::Font && !recording.entries[i].preload;
    for i in (1..links.len()).filter(|&i| is_font(i)) {
        let named = links[i]
            .as_ref()
            .filter(|link| matches!(link.how, How::Style | How::Markup));
        let (Some(named), Some(url)) = (named, recording.url(i)) else {
            continue;
        };
        let faces = faces(recording, named.parent);
        // The next source before this one that was requested, in each face with this one.
        let before = faces.iter().filter_map(|face| {
            let place = face.urls.iter().position(|source| *source == url)?;
            let mut before = face.urls[..place].iter().rev();
            Some(before.find_map(|source| recording.resolve(source, i)))
        });
        let before: Vec<Option<usize>> = before.collect();
        let failed = |j: usize| recording.has_failed(j) && is_font(j) && precedes(recording, j, i);
        if before.iter().all(|j| j.is_some_and(failed))
            && let Some(Some(failed)) = before.first()
        {
            links[i] = Some(Link::new(*failed, How::After, Evidence::Body));
        }
    }
}

/// Returns the faces that a sheet, or a document in its style elements, declares.
fn faces(recording: &Recording, sheet: usize) -> Vec<Face> {
    let entry = &recording.entries[sheet];
    let text = entry.body.as_deref().zip(entry.url.as_ref());
    text.map_or_else(Vec::new, |(css, base)| fonts::scan(css, base))
}

/// Returns true if `j` was over when `i` began, or if the times are not known.
fn precedes(recording: &Recording, j: usize, i: usize) -> bool {
    let times = recording.end(j).zip(recording.start(i));
    times.is_none_or(|(end, start)| end <= start + FONT_ROUNDING_MS)
}

#[cfg(test)]
mod tests;
