//! Links for entries without a named parent: by time, or else by a fixed rule.

use pagerace_core::Destination;

use super::body::asked_after_load;
use super::{How, Link};
use crate::har::recording::Recording;
use crate::har::thresholds::MARKUP_LAG_MS;
use crate::har::viewport;
use pagerace_page::Evidence;

/// Returns the most plausible parent of entry `i`.
pub(super) fn link(recording: &Recording, i: usize) -> Link {
    match recording.start(i) {
        Some(start) if recording.end(recording.document).is_some() => by_time(recording, i, start),
        _ => by_rule(recording, i),
    }
}

fn by_time(recording: &Recording, i: usize, start: f64) -> Link {
    let document = document(recording, i);
    let lag = recording
        .end(document)
        .map_or(f64::INFINITY, |end| start - end);
    let complete = |destination| last_complete(recording, i, destination, start);
    let found = match recording.destinations[i] {
        // The browser requests icons and manifests on its own, late.
        Destination::Image if viewport::is_icon(&recording.entries[i]) => None,
        Destination::Font => complete(Destination::Style).map(|p| (p, How::Style)),
        Destination::Fetch => complete(Destination::Script).map(|p| (p, How::Script)),
        _ if lag <= MARKUP_LAG_MS => Some((document, How::Markup)),
        Destination::Style
        | Destination::Iframe
        | Destination::Script
        | Destination::Image
        | Destination::Media => complete(Destination::Script).map(|p| (p, How::Script)),
        _ => None,
    };
    let (parent, how) = found.unwrap_or_else(|| {
        if lag <= MARKUP_LAG_MS && !asked_after_load(recording, i) {
            (document, How::Markup)
        } else {
            (
                last_of_all(recording, i, start).unwrap_or(document),
                How::After,
            )
        }
    });
    Link::new(parent, how, Evidence::Timing)
}

/// Returns the cause of an entry that the parser did not request: the last script, style
/// sheet or document that was complete before it.
pub(super) fn late(recording: &Recording, i: usize, start: f64) -> Link {
    let last = last_of_all(recording, i, start).unwrap_or(document(recording, i));
    let how = match recording.destinations[last] {
        Destination::Script => How::Script,
        _ => How::After,
    };
    Link::new(last, how, Evidence::Timing)
}

fn by_rule(recording: &Recording, i: usize) -> Link {
    let before = |destination| {
        (1..i)
            .rev()
            .find(|&j| recording.destinations[j] == destination && !leads_on(recording, j))
    };
    let found = match recording.destinations[i] {
        Destination::Font => before(Destination::Style).map(|p| (p, How::Style)),
        Destination::Fetch => before(Destination::Script).map(|p| (p, How::Script)),
        _ => None,
    };
    let (parent, how) = found.unwrap_or((document(recording, i), How::Markup));
    Link::new(parent, how, Evidence::Rule)
}

/// Returns the document that the referrer names, or else the main document (the first
/// entry, for entries of the main document's redirect chain, which have links already).
fn document(recording: &Recording, i: usize) -> usize {
    let referrer = recording.entries[i].request_headers.get("referer");
    let named = referrer.and_then(|url| recording.resolve(url, i));
    let main = if recording.document < i {
        recording.document
    } else {
        0
    };
    named.filter(|&d| recording.is_document(d)).unwrap_or(main)
}

/// Returns the last resource of this destination that was complete when `i` was
/// requested.
pub(super) fn last_complete(
    recording: &Recording,
    i: usize,
    destination: Destination,
    start: f64,
) -> Option<usize> {
    latest(recording, i, start, |j| {
        recording.destinations[j] == destination
    })
}

/// Returns the last script, style sheet or document that was complete when `i` was
/// requested.
fn last_of_all(recording: &Recording, i: usize, start: f64) -> Option<usize> {
    latest(recording, i, start, |j| {
        matches!(
            recording.destinations[j],
            Destination::Script | Destination::Style | Destination::Document
        )
    })
}

fn latest(
    recording: &Recording,
    i: usize,
    start: f64,
    test: impl Fn(usize) -> bool,
) -> Option<usize> {
    let complete = |j: &usize| recording.end(*j).is_some_and(|end| end <= start);
    let end = |j: usize| recording.end(j).unwrap_or(0.0);
    (0..i)
        .filter(|&j| test(j) && !leads_on(recording, j))
        .filter(complete)
        .max_by(|&a, &b| end(a).total_cmp(&end(b)).then(a.cmp(&b)))
}

/// Returns true for redirects and failures, which cause no requests except a redirect's
/// target.
fn leads_on(recording: &Recording, j: usize) -> bool {
    recording.redirects.to[j].is_some() || recording.has_failed(j)
}
