//! Discovery of each resource: its parent, its position in the parent, and its time.
//!
//! Evidence in order of trust: the recorded initiator, the URL in a recorded body, the
//! times of requests, a fixed rule. `docs/har-import.md` documents each step. A parent
//! always precedes its children in the list, so there are no cycles, and every resource
//! is reachable from the navigation.

mod body;
mod fallback;
mod late;
pub(super) mod offsets;
mod recorded;
mod sources;
mod triggers;

use pagerace_page::Evidence;

use super::hints;
use super::notes::{Kind, Notes};
use super::recording::Recording;
use super::waits;

pub(super) use body::in_styles;
pub(super) use triggers::discoveries;

/// The parent that leads to a resource, and the way in which it does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) parent: usize,
    pub(super) how: How,
    pub(super) evidence: Evidence,
    /// Line and column in the parent, from 0.
    pub(super) place: (Option<u64>, Option<u64>),
    /// Byte offset in the parent's decoded body, if known.
    pub(super) decoded_offset: Option<u64>,
}

/// The way in which a parent leads to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The parent's response redirects.
    Redirect,
    /// The parent's markup names the resource.
    Markup,
    /// An inline script of the parent requests the resource.
    Inline,
    /// The parent is a style sheet that names the resource.
    Style,
    /// The parent is a script that requests the resource.
    Script,
    /// The parent was complete before the request; no relation is known.
    After,
}

impl Link {
    pub(super) fn new(parent: usize, how: How, evidence: Evidence) -> Self {
        Self {
            parent,
            how,
            evidence,
            place: (None, None),
            decoded_offset: None,
        }
    }

    pub(super) fn is_in_markup_of(&self, document: usize) -> bool {
        self.how == How::Markup && self.parent == document
    }
}

/// Returns the link of each entry; `None` for the first, the navigation.
pub(super) fn links(recording: &Recording, notes: &mut Notes) -> Vec<Option<Link>> {
    let from = &recording.redirects.from;
    let mut links = vec![None];
    links.extend((1..from.len()).map(|i| match from[i] {
        Some(parent) => Some(Link::new(parent, How::Redirect, Evidence::Recorded)),
        None => recorded::link(recording, i, notes),
    }));
    body::locate(recording, &mut links);
    body::unlink_unnamed(recording, &mut links);
    by_field(recording, &mut links);
    waits::link(recording, &mut links);
    body::search(recording, &mut links);
    late::relink(recording, &mut links, notes);
    for (i, link) in links
        .iter_mut()
        .enumerate()
        .skip(1)
        .filter(|(_, link)| link.is_none())
    {
        let found = fallback::link(recording, i);
        notes.add(match found.evidence {
            Evidence::Rule => Kind::ParentByRule,
            _ => Kind::ParentByTiming,
        });
        *link = Some(found);
    }
    sources::relink(recording, &mut links);
    links
}

/// Links what a `Link` field of the document's response preloads to the begin of the document.
fn by_field(recording: &Recording, links: &mut [Option<Link>]) {
    let preloads = hints::preloads(recording);
    let document = recording.document;
    for (i, link) in links.iter_mut().enumerate().skip(document + 1) {
        let is_named = |url: String| preloads.contains(&url);
        let unknown = link.as_ref().is_none_or(|link| link.how != How::Script);
        let is_preload = recording.entries[i].preload && unknown;
        if is_preload && recording.url(i).is_some_and(is_named) {
            let first = Link::new(document, How::Markup, Evidence::Recorded);
            *link = Some(Link {
                decoded_offset: Some(1),
                ..first
            });
        }
    }
}

#[cfg(test)]
mod tests;
