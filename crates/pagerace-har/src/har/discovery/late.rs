//! Corrections of links to the parser that contradict the times.
//!
//! Recorders attribute every request to the parser that no script call made directly:
//! elements that a script writes into the page as markup, resources named by a style
//! sheet, and lazily loaded resources. Such requests come long after the document. If
//! they stayed with the parser, they would load the network too early.

use pagerace_core::{Destination, RequestPriority};

use super::{How, Link, fallback};
use crate::har::notes::{Kind, Notes};
use crate::har::recording::Recording;
use crate::har::thresholds::BLOCKED_MARKUP_LAG_MS;
use pagerace_page::Evidence;

/// Links such entries to the cause that their times indicate.
pub(super) fn relink(recording: &Recording, links: &mut [Option<Link>], notes: &mut Notes) {
    for i in 1..links.len() {
        let Some(link) = links[i]
            .as_ref()
            .filter(|l| l.how == How::Markup && l.decoded_offset.is_none())
        else {
            continue;
        };
        let found = match recording.destinations[i] {
            Destination::Font if !recording.entries[i].preload => font(recording, i),
            Destination::Image | Destination::Iframe | Destination::Media => {
                late(recording, links, link.parent, i)
            }
            _ => None,
        };
        if let Some(found) = found {
            notes.add(Kind::LateInMarkup);
            links[i] = Some(found);
        }
    }
}

/// Links a font to a style sheet, because markup names fonts only to preload them.
fn font(recording: &Recording, i: usize) -> Option<Link> {
    let sheet = fallback::last_complete(recording, i, Destination::Style, recording.start(i)?)?;
    Some(Link::new(sheet, How::Style, Evidence::Timing))
}

/// Returns a new link if the request came long after `document` and all resources that
/// its parser waited for.
fn late(recording: &Recording, links: &[Option<Link>], document: usize, i: usize) -> Option<Link> {
    let start = recording.start(i)?;
    let blocker = |j: &usize| {
        let in_document = links[*j]
            .as_ref()
            .is_some_and(|l| l.is_in_markup_of(document));
        in_document && may_block(recording, *j)
    };
    let parsed = (document + 1..i)
        .filter(blocker)
        .filter_map(|j| recording.end(recording.redirects.end(j)))
        .filter(|end| *end <= start)
        .fold(recording.end(document)?, f64::max);
    (start > parsed + BLOCKED_MARKUP_LAG_MS).then(|| fallback::late(recording, i, start))
}

/// Returns true if the parser, or the requests that the browser defers meanwhile, may
/// have waited for `j`: style sheets and scripts, unless their priority is below Medium.
fn may_block(recording: &Recording, j: usize) -> bool {
    let urgent = |p: RequestPriority| p <= RequestPriority::Medium;
    matches!(
        recording.destinations[j],
        Destination::Style | Destination::Script
    ) && recording.entries[j].priority.is_none_or(urgent)
}

#[cfg(test)]
mod tests;
