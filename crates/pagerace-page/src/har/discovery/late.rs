//! Links to the parser that cannot be the parser's.
//!
//! Recorders call everything the parser's that was not asked for by a script's
//! own call: what a script writes into the page as markup, what a style sheet
//! names, what was loaded lazily. Such requests come long after the document,
//! and the network would be loaded with them too early.

use pagerace_core::{Destination, RequestPriority};

use super::{How, Link, fallback};
use crate::Evidence;
use crate::har::notes::{Kind, Notes};
use crate::har::recording::Recording;

/// The parser asks for what it meets within this after it had all that it
/// waited for: slow tasks and the browser's own scheduling lie between.
/// Milliseconds.
const PARSER_LAG_MS: f64 = 200.0;

/// Gives such entries the cause that their times show.
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

/// Markup names fonts only to preload them; else a style sheet does.
fn font(recording: &Recording, i: usize) -> Option<Link> {
    let sheet = fallback::last_complete(recording, i, Destination::Style, recording.start(i)?)?;
    Some(Link::new(sheet, How::Style, Evidence::Timing))
}

/// What came long after `document` and all that its parser waited for.
fn late(recording: &Recording, links: &[Option<Link>], document: usize, i: usize) -> Option<Link> {
    let start = recording.start(i)?;
    let blocker = |j: &usize| {
        let in_document = links[*j]
            .as_ref()
            .is_some_and(|l| l.how == How::Markup && l.parent == document);
        in_document && may_block(recording, *j)
    };
    let parsed = (document + 1..i)
        .filter(blocker)
        .filter_map(|j| recording.end(recording.redirects.end(j)))
        .filter(|end| *end <= start)
        .fold(recording.end(document)?, f64::max);
    (start > parsed + PARSER_LAG_MS).then(|| fallback::late(recording, i, start))
}

/// Whether the parser, or the requests that the browser holds back for it, may
/// have waited for `j`: sheets, and scripts that are not asynchronous.
fn may_block(recording: &Recording, j: usize) -> bool {
    let urgent = |p: RequestPriority| p <= RequestPriority::Medium;
    matches!(
        recording.destinations[j],
        Destination::Style | Destination::Script
    ) && recording.entries[j].priority.is_none_or(urgent)
}

#[cfg(test)]
mod tests;
