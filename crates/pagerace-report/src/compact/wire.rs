//! The timeline of sent bytes, reduced to few numbers.
//!
//! Consecutive frames of one resource are joined into one piece if the pause between them
//! is too short to see in a chart of the whole load. Loads with more pieces than a chart
//! needs are thinned out, and marked as such.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use pagerace_page::timeline::FrameSent;
use serde::Serialize;

use super::{deltas, ticks};
use crate::input::RunDetail;

/// Number of parts of a load's duration. Pauses shorter than one part are dropped.
const RESOLUTION: u64 = 2_000;

/// Most pieces of the whole report, which keeps the file to a few megabytes.
const PIECES_IN_ALL: usize = 180_000;

/// Most pieces of one variant, which is several times the columns of a wide screen.
const PIECES_MAX: usize = 6_000;

/// Lower bound of the limit for one variant, however many variants there are.
const PIECES_MIN: usize = 600;

/// Columns of equal length for each of pieces, drops and gaps.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Wire {
    /// Zero if the pieces are not thinned out, otherwise the number of ticks for which
    /// about one piece is kept.
    coarse: u64,
    /// Time of each piece's first frame in ticks, as differences to their predecessors.
    at: Vec<u64>,
    /// Ticks from each piece's first frame to its last.
    last: Vec<u64>,
    /// Index into the page's resources.
    resource: Vec<u32>,
    /// Index of the connection; empty if there is only the first.
    connection: Vec<u32>,
    bytes: Vec<u64>,
    /// Indices of retransmitted pieces, as differences to their predecessors.
    again: Vec<u64>,
    drop_at: Vec<u64>,
    drop_connection: Vec<u32>,
    /// 1 if the queue was full.
    drop_queue: Vec<u8>,
    /// Resource, start and duration in ticks, and bytes.
    gaps: Vec<[u64; 4]>,
}

/// Returns the limit of pieces for each of `variants` variants.
fn pieces_each(variants: usize) -> usize {
    (PIECES_IN_ALL / variants.max(1)).clamp(PIECES_MIN, PIECES_MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    at: u64,
    until: u64,
    connection: u32,
    resource: u32,
    again: bool,
    bytes: u64,
}

impl Wire {
    /// Builds the columns with about as many pieces at most as [`pieces_each`] allows.
    pub(super) fn new(run: &RunDetail) -> Self {
        let pieces_max = pieces_each(run.recorded);
        let mut frames: Vec<Piece> = run.trace.frames.iter().map(Piece::of).collect();
        frames.sort_by_key(|f| f.at);
        let length = frames.last().map_or(0, |f| f.at);
        let pause = length / RESOLUTION;
        let mut pieces = join(&frames, pause);
        let mut coarse = 0;
        if pieces.len() > pieces_max {
            // The first and last frame of each resource are kept in addition.
            let ends = 2 * frames.iter().map(Piece::key).collect::<BTreeSet<_>>().len();
            let buckets = pieces_max.saturating_sub(ends).max(pieces_max / 2) as u64;
            coarse = length.div_ceil(buckets).max(1);
            pieces = thin(&frames, coarse);
        }

        let mut drops = run.trace.drops.clone();
        drops.sort_by_key(|d| d.at);
        let single = pieces.iter().all(|p| p.connection == 0);
        let again = pieces
            .iter()
            .enumerate()
            .filter(|(_, p)| p.again)
            .map(|(i, _)| i as u64);
        Self {
            coarse,
            at: deltas(pieces.iter().map(|p| p.at)),
            last: pieces.iter().map(|p| p.until - p.at).collect(),
            resource: pieces.iter().map(|p| p.resource).collect(),
            connection: pieces
                .iter()
                .filter(|_| !single)
                .map(|p| p.connection)
                .collect(),
            bytes: pieces.iter().map(|p| p.bytes).collect(),
            again: deltas(again),
            drop_at: deltas(drops.iter().map(|d| ticks(d.at))),
            drop_connection: drops.iter().map(|d| d.connection).collect(),
            drop_queue: drops.iter().map(|d| u8::from(d.queue)).collect(),
            gaps: run
                .trace
                .hol_gaps
                .iter()
                .map(|g| {
                    let from = ticks(g.from);
                    [
                        u64::from(g.resource.0),
                        from,
                        ticks(g.until).saturating_sub(from),
                        g.bytes,
                    ]
                })
                .collect(),
        }
    }
}

/// Connection, resource, and whether retransmitted. Pieces with different keys are never
/// joined.
type Key = (u32, u32, bool);

impl Piece {
    fn of(frame: &FrameSent) -> Self {
        let at = ticks(frame.at);
        Self {
            at,
            until: at,
            connection: frame.connection,
            resource: frame.resource.0,
            again: frame.retransmission,
            bytes: u64::from(frame.length),
        }
    }

    fn key(&self) -> Key {
        (self.connection, self.resource, self.again)
    }

    fn take(&mut self, other: &Self) {
        self.until = self.until.max(other.until);
        self.bytes += other.bytes;
    }
}

/// Joins neighbours with the same key that are at most `pause` apart.
fn join(frames: &[Piece], pause: u64) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for frame in frames {
        match pieces.last_mut() {
            Some(last) if last.key() == frame.key() && frame.at - last.until <= pause => {
                last.take(frame);
            }
            _ => pieces.push(*frame),
        }
    }
    pieces
}

/// Keeps about one piece for each `width` ticks: the one of the key that has sent most
/// since a piece of it was last kept, with all bytes sent since then. The first and last
/// frame of each key are always kept. So starts and ends stay exact, no bytes are lost,
/// and interleaving remains visible.
fn thin(frames: &[Piece], width: u64) -> Vec<Piece> {
    let mut remaining: BTreeMap<Key, usize> = BTreeMap::new();
    for frame in frames {
        *remaining.entry(frame.key()).or_default() += 1;
    }
    let mut pending: BTreeMap<Key, Piece> = BTreeMap::new();
    let mut started: BTreeSet<Key> = BTreeSet::new();
    let mut pieces = Vec::new();
    let mut until = width;
    for frame in frames {
        if frame.at >= until {
            let most = pending
                .iter()
                .max_by_key(|(key, piece)| (piece.bytes, Reverse(**key)));
            if let Some(key) = most.map(|(key, _)| *key) {
                pieces.extend(pending.remove(&key));
            }
            until = (frame.at / width + 1) * width;
        }
        let key = frame.key();
        let mut piece = *frame;
        piece.bytes += pending.remove(&key).map_or(0, |before| before.bytes);
        let left = remaining.get_mut(&key).expect("counted above");
        *left -= 1;
        if started.insert(key) || *left == 0 {
            pieces.push(piece);
        } else {
            pending.insert(key, piece);
        }
    }
    pieces.sort_by_key(|p| p.at);
    join(&pieces, width * 2)
}

#[cfg(test)]
mod tests;
