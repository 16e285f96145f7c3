//! Byte offsets of the resources that a document's markup names.
//!
//! Offsets are exact if the body is recorded. Otherwise they are estimated from the
//! line's share of the lines, the column's share of a document of one line, or the order.
//! The estimate is bounded by the bytes that had arrived at the time of the request, and
//! at the time of any request for a resource behind it.

use std::collections::BTreeMap;

use super::{How, Link};
use crate::har::notes::{Kind, Notes};
use crate::har::recording::Recording;
use pagerace_page::Evidence;

/// Returns the encoded offset of each entry that a document's markup names, with the
/// evidence for it.
pub(super) fn markup(
    recording: &Recording,
    links: &[Option<Link>],
    notes: &mut Notes,
) -> Vec<Option<(u64, Evidence)>> {
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, link) in links.iter().enumerate() {
        if let Some(link) = link
            .as_ref()
            .filter(|l| matches!(l.how, How::Markup | How::Inline))
        {
            children.entry(link.parent).or_default().push(i);
        }
    }
    let mut offsets = vec![None; links.len()];
    for (document, children) in children {
        of_document(recording, links, document, &children, &mut offsets, notes);
    }
    offsets
}

fn of_document(
    recording: &Recording,
    links: &[Option<Link>],
    document: usize,
    children: &[usize],
    offsets: &mut [Option<(u64, Evidence)>],
    notes: &mut Notes,
) {
    let encoded = recording.bodies[document];
    let decoded = recording.decoded_length(document);
    let link = |i: usize| links[i].as_ref().expect("children have links");
    let lines = children
        .iter()
        .filter_map(|&i| link(i).place.0)
        .max()
        .unwrap_or(0)
        + 1;
    let mut estimated = Vec::new();
    for (rank, &i) in children.iter().enumerate() {
        let link = link(i);
        if let (Some(offset), Some(decoded)) = (link.decoded_offset, decoded) {
            offsets[i] = Some((
                scale(offset as f64 / decoded as f64, encoded),
                link.evidence,
            ));
            continue;
        }
        let by_order = (rank + 1) as f64 / (children.len() + 1) as f64;
        // Browsers report line 0 for elements that scripts wrote into the page.
        let place = match link.place {
            (Some(0), column) if lines > 1 => (None, column),
            place => place,
        };
        let (share, evidence, note) = match (place, decoded) {
            ((Some(0) | None, Some(column)), Some(decoded)) if lines == 1 => {
                (column as f64 / decoded as f64, Evidence::Recorded, None)
            }
            ((Some(line), _), _) if lines > 1 => (
                line as f64 / lines as f64,
                link.evidence,
                Some(Kind::PositionByLine),
            ),
            _ => (by_order, link.evidence, Some(Kind::PositionByOrder)),
        };
        if let Some(note) = note {
            notes.add(note);
        }
        estimated.push(Estimate {
            i,
            share,
            evidence,
            place,
        });
    }
    bound(recording, document, &mut estimated);
    for e in estimated {
        offsets[e.i] = Some((scale(e.share, encoded), e.evidence));
    }
}

struct Estimate {
    i: usize,
    share: f64,
    evidence: Evidence,
    place: (Option<u64>, Option<u64>),
}

/// Limits each share to the share of the document that had arrived when the resource, and
/// every resource behind it in the document, was requested.
fn bound(recording: &Recording, document: usize, estimates: &mut [Estimate]) {
    let position = |e: &Estimate| (e.place.0, e.place.1, e.i);
    estimates.sort_by_key(position);
    let mut arrived = 1.0_f64;
    for e in estimates.iter_mut().rev() {
        let start = recording.start(e.i);
        let at_request = start
            .and_then(|t| recording.arrived(document, t))
            .unwrap_or(1.0);
        // An unknown position bounds only its own share.
        if e.place.0.is_some() {
            arrived = arrived.min(at_request);
            e.share = e.share.min(arrived);
        } else {
            e.share = e.share.min(at_request);
        }
    }
}

/// Returns the offset at this share of an encoded body.
pub(in crate::har) fn scale(share: f64, encoded: u64) -> u64 {
    ((share.clamp(0.0, 1.0) * encoded as f64).ceil() as u64).min(encoded)
}
