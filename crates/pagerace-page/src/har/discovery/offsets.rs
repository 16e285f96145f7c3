//! Byte offsets of what a document's markup names.
//!
//! Exact where the body is recorded. Else bounded from above by what had
//! arrived when it was requested (and when anything behind it was), and
//! estimated by the share of the line, of the column in a document of one
//! line, or of the order.

use std::collections::BTreeMap;

use super::{How, Link};
use crate::Evidence;
use crate::har::notes::{Kind, Notes};
use crate::har::recording::Recording;

/// The encoded offset of each entry that a document's markup names, and how
/// it is founded.
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
        // Browsers give line 0 to what scripts wrote into the page.
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

/// Lowers each share to what had arrived by the time of its own request, and
/// of all requests for what stands behind it in the document.
fn bound(recording: &Recording, document: usize, estimates: &mut [Estimate]) {
    let position = |e: &Estimate| (e.place.0, e.place.1, e.i);
    estimates.sort_by_key(position);
    let mut arrived = 1.0_f64;
    for e in estimates.iter_mut().rev() {
        let start = recording.start(e.i);
        let at_request = start
            .and_then(|t| recording.arrived(document, t))
            .unwrap_or(1.0);
        // A position shared by unknown places bounds nothing but itself.
        if e.place.0.is_some() {
            arrived = arrived.min(at_request);
            e.share = e.share.min(arrived);
        } else {
            e.share = e.share.min(at_request);
        }
    }
}

fn scale(share: f64, encoded: u64) -> u64 {
    ((share.clamp(0.0, 1.0) * encoded as f64).ceil() as u64).min(encoded)
}
