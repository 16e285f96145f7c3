//! Links from recorded initiators.

use pagerace_core::Destination;

use super::{How, Link};
use crate::har::initiator::{Initiator, Kind, Place};
use crate::har::notes::{self, Notes};
use crate::har::recording::Recording;
use crate::har::thresholds::{LOADED_TO_REQUEST_MS, LOADER_TO_CALLBACK_MS, UNRUN_MS};
use pagerace_page::Evidence;

/// Returns the link of entry `i` if its initiator is recorded and among the entries
/// before it, or if its referrer is a style sheet, which is equivalent.
pub(super) fn link(recording: &Recording, i: usize, notes: &mut Notes) -> Option<Link> {
    let initiator = initiator(recording, i);
    let found = match initiator.kind {
        Kind::Script => by_script(recording, i, initiator),
        _ => initiator
            .places
            .first()
            .and_then(|place| by_place(recording, i, initiator, place)),
    };
    if found.is_none() && initiator.places.iter().any(|p| p.url.starts_with("http")) {
        notes.add(notes::Kind::UnknownInitiator);
    }
    found.or_else(|| by_referrer(recording, i))
}

/// Returns the initiator of entry `i`; for a preflight, the initiator of the request that
/// it precedes.
fn initiator<'a>(recording: &'a Recording, i: usize) -> &'a Initiator {
    let own = &recording.entries[i].initiator;
    let Some(id) = own
        .request_id
        .as_deref()
        .filter(|_| own.kind == Kind::Preflight)
    else {
        return own;
    };
    // Preflights are rare, and their requests are nearby.
    let near = recording
        .entries
        .iter()
        .skip(i.saturating_sub(200))
        .take(400);
    let request = near
        .into_iter()
        .find(|e| e.request_id == Some(id) && e.method != "OPTIONS");
    request.map_or(own, |e| &e.initiator)
}

/// Links to a single place. The destination of its file determines the kind of link.
fn by_place(recording: &Recording, i: usize, initiator: &Initiator, place: &Place) -> Option<Link> {
    let parent = recording.resolve(&place.url, i)?;
    let how = match recording.destinations[parent] {
        Destination::Style => How::Style,
        Destination::Script => How::Script,
        // Old recorders give a column for scripts only, and no kind.
        Destination::Document | Destination::Iframe
            if initiator.kind == Kind::Unknown && place.column.is_some() =>
        {
            How::Inline
        }
        Destination::Document | Destination::Iframe => How::Markup,
        _ => How::After,
    };
    Some(at(parent, how, place))
}

/// Links to one script of a stack. All of them had to be present, so the one that was
/// complete last decides. An inline script counts only if the stack has no other script.
fn by_script(recording: &Recording, i: usize, initiator: &Initiator) -> Option<Link> {
    let resolved: Vec<(usize, &Place)> = initiator
        .places
        .iter()
        .filter_map(|place| Some((recording.resolve(&place.url, i)?, place)))
        .collect();
    let in_time = |parent: usize| match (recording.end(parent), recording.start(i)) {
        (Some(end), Some(start)) => end <= start + 1.0,
        _ => true,
    };
    let scripts = || resolved.iter().filter(|(p, _)| !recording.is_document(*p));
    let last = scripts().filter(|(p, _)| in_time(*p)).max_by(|a, b| {
        let end = |p: usize| recording.end(p).unwrap_or(0.0);
        end(a.0).total_cmp(&end(b.0)).then(a.0.cmp(&b.0))
    });
    let (parent, place) = last
        .or_else(|| scripts().next())
        .or_else(|| resolved.first())?;
    let how = match recording.destinations[*parent] {
        // The parser requests what an inline module imports, before the module runs.
        _ if recording.is_document(*parent) && recording.is_import(i) => How::Markup,
        _ if recording.is_document(*parent) => How::Inline,
        Destination::Script => How::Script,
        Destination::Style => How::Style,
        // Data that was evaluated as a script.
        _ => How::After,
    };
    if let Some((caller, _)) = recording.caller(i).filter(|_| how == How::Script)
        && recording.destinations[caller] == Destination::Script
    {
        return Some(Link::new(caller, How::Script, Evidence::Recorded));
    }
    if let Some(sibling) = loaded_before(recording, i, *parent).filter(|_| how == How::Script) {
        return Some(Link::new(sibling, How::Script, Evidence::Timing));
    }
    Some(at(*parent, how, place))
}

/// Returns the script that a loader (require.js and the like) waited for before it
/// requested entry `i`. The stack names only the loader, although an earlier script that
/// it loaded triggers the request when it arrives. The last script that was complete
/// before is assumed. Applies only to recordings that tell when scripts ran, and to requests
/// of which they do not tell the caller.
fn loaded_before(recording: &Recording, i: usize, loader: usize) -> Option<usize> {
    let (loaded, start) = (recording.end(loader)?, recording.start(i)?);
    if recording.ran.is_empty() || start < loaded + LOADER_TO_CALLBACK_MS {
        return None;
    }
    let asked_by_loader = |j: usize| {
        let initiator = &recording.entries[j].initiator;
        let asked = |place: &Place| recording.resolve(&place.url, j) == Some(loader);
        initiator.kind == Kind::Script && initiator.places.first().is_some_and(asked)
    };
    let done = (0..i).filter_map(|j| Some((j, recording.end(j)?)));
    let before = done.filter(|(j, end)| {
        recording.destinations[*j] == Destination::Script
            && (start - LOADED_TO_REQUEST_MS..=start - UNRUN_MS).contains(end)
            && *end > loaded
            && asked_by_loader(*j)
    });
    before.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(j, _)| j)
}

/// Links by referrer: requests caused by a style sheet have its URL as referrer
/// (<https://www.w3.org/TR/css-values-4/#urls>).
fn by_referrer(recording: &Recording, i: usize) -> Option<Link> {
    let referrer = recording.entries[i].request_headers.get("referer")?;
    let parent = recording.resolve(referrer, i)?;
    let is_sheet = recording.destinations[parent] == Destination::Style;
    is_sheet.then(|| Link::new(parent, How::Style, Evidence::RecordedParent))
}

fn at(parent: usize, how: How, place: &Place) -> Link {
    // A position matters in documents only; elsewhere, the parent is complete evidence.
    let evidence = match how {
        How::Style | How::Script => Evidence::Recorded,
        _ => Evidence::RecordedParent,
    };
    Link {
        place: (place.line, place.column),
        ..Link::new(parent, how, evidence)
    }
}
