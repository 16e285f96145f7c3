//! Links from recorded initiators.

use pagerace_core::Destination;

use super::{How, Link};
use crate::Evidence;
use crate::har::initiator::{Initiator, Kind, Place};
use crate::har::notes::{self, Notes};
use crate::har::recording::Recording;

/// The link of entry `i`, if its initiator is recorded and among the entries
/// before it; or if its referrer is a style sheet, which says as much.
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

/// A preflight has the initiator of the request that it is for.
fn initiator<'a>(recording: &'a Recording, i: usize) -> &'a Initiator {
    let own = &recording.entries[i].initiator;
    let Some(id) = own
        .request_id
        .as_deref()
        .filter(|_| own.kind == Kind::Preflight)
    else {
        return own;
    };
    // Preflights are rare, and their requests are near.
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

/// One place: the kind of its file tells the way.
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

/// A stack of several scripts: all of them had to be there, so the one that
/// was complete last decides; a script inside a document only if no other is
/// in the stack.
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
        _ if recording.is_document(*parent) => How::Inline,
        Destination::Script => How::Script,
        Destination::Style => How::Style,
        // Evaluated text that was fetched as data.
        _ => How::After,
    };
    if let Some(sibling) = loaded_before(recording, i, *parent).filter(|_| how == How::Script) {
        return Some(Link::new(sibling, How::Script, Evidence::Timing));
    }
    Some(at(*parent, how, place))
}

/// A request this much after its script was complete was asked for in a
/// callback. Milliseconds.
const CALLBACK_MS: f64 = 100.0;
/// A callback comes at most this long after what it waited for. Milliseconds.
const CALLED_MS: f64 = 200.0;
/// What was complete within this before a request has not run yet. Milliseconds.
const UNRUN_MS: f64 = 5.0;

/// What a loader (require.js and its like) waited for before it asked for entry
/// `i`: the stack names the loader alone, though it asks when a script that it
/// has loaded before has come. That script is taken to be the last one that
/// was complete. Only where the recording tells when scripts ran.
fn loaded_before(recording: &Recording, i: usize, loader: usize) -> Option<usize> {
    let (loaded, start) = (recording.end(loader)?, recording.start(i)?);
    if recording.ran.is_empty() || start < loaded + CALLBACK_MS {
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
            && (start - CALLED_MS..=start - UNRUN_MS).contains(end)
            && *end > loaded
            && asked_by_loader(*j)
    });
    before.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(j, _)| j)
}

/// Requests that a style sheet causes carry its URL as referrer
/// (<https://www.w3.org/TR/css-values-4/#urls>).
fn by_referrer(recording: &Recording, i: usize) -> Option<Link> {
    let referrer = recording.entries[i].request_headers.get("referer")?;
    let parent = recording.resolve(referrer, i)?;
    let is_sheet = recording.destinations[parent] == Destination::Style;
    is_sheet.then(|| Link::new(parent, How::Style, Evidence::RecordedParent))
}

fn at(parent: usize, how: How, place: &Place) -> Link {
    // Only in documents a position matters; elsewhere the parent says all.
    let evidence = match how {
        How::Style | How::Script => Evidence::Recorded,
        _ => Evidence::RecordedParent,
    };
    Link {
        place: (place.line, place.column),
        ..Link::new(parent, how, evidence)
    }
}
