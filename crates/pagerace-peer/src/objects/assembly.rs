//! Client side: reassembly of an object from datagrams and repairs.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Bytes, BytesMut};
use pagerace_core::{Duration, Instant, Repair};
use pagerace_http::Field;
use pagerace_http::object::{self, Announcement};
use pagerace_http::ranges::{ByteRange, RANGES_MAX};

use super::digest::{Check, Digests};
use super::{LossReport, parity};

/// Limits in bytes on the kept chunks of one object, and on chunks that arrive before the
/// header section. Chunks beyond a limit count as lost.
const OBJECT_MAX: u64 = 64 << 20;
const EARLY_MAX: u64 = 256 << 10;
/// Least number of bytes that a chunk counts as.
const CHUNK_COST_MIN: u64 = 1_200;
/// Largest size of an end marker in bytes: a varint.
const MARKER_MAX: usize = 8;

/// Result of an arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Content, in order.
    Data(Bytes),
    /// The object is complete.
    Complete,
    /// No more datagrams are awaited, and parts are missing.
    Incomplete,
    /// The object is complete but does not match the server's digest.
    Corrupt,
}

/// Object in progress.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    announcement: Option<Announcement>,
    check: Option<Check>,
    /// Content and parity chunks by number, as long as they are needed.
    chunks: BTreeMap<u64, Bytes>,
    held: u64,
    /// Number of the first chunk that was not passed on.
    next: u64,
    report: LossReport,
    marker: BytesMut,
    /// Time at which the request left.
    requested: Option<Instant>,
    /// Time at which the wait for datagrams ends.
    concludes: Option<Instant>,
    /// True if no more datagrams will arrive or are wanted.
    concluded: bool,
    over: bool,
    /// Chunk of which a repair has delivered the beginning.
    partial: Option<(u64, BytesMut)>,
    steps: VecDeque<Step>,
}

impl Assembly {
    /// Creates an assembly. `requested` is the time at which the request left, from which
    /// the deadline counts.
    pub(crate) fn new(requested: Instant) -> Self {
        Self {
            requested: Some(requested),
            ..Self::default()
        }
    }

    /// Handles a header section that announces datagrams.
    pub(crate) fn announce(
        &mut self,
        now: Instant,
        announcement: Announcement,
        digests: Digests,
        fields: &[Field],
    ) {
        self.announcement = Some(announcement);
        self.check = digests.check(fields);
        self.report.length = announcement.length;
        self.report.lost_bytes = announcement.length;
        let from = self.requested.unwrap_or(now);
        self.concludes = announcement.deadline.map(|deadline| from + deadline);
        self.held = 0;
        for (number, bytes) in std::mem::take(&mut self.chunks) {
            self.handle_arrival(number, bytes);
        }
        self.advance();
    }

    /// Returns true if the header section has arrived and announced datagrams.
    pub(crate) fn is_announced(&self) -> bool {
        self.announcement.is_some()
    }

    /// Handles a datagram of the object. `reordering` is the time by which a datagram may
    /// arrive later than its successors.
    pub(crate) fn datagram(&mut self, now: Instant, payload: Bytes, reordering: Duration) {
        let Some((number, bytes)) = object::decode_chunk(payload) else {
            return;
        };
        if self.over {
            return;
        }
        let Some(announcement) = self.announcement else {
            // Packets with the header section were overtaken, or were lost and are being
            // sent again.
            let room = self.held + cost(&bytes) <= EARLY_MAX;
            if room && !bytes.is_empty() && !self.chunks.contains_key(&number) {
                self.held += cost(&bytes);
                self.chunks.insert(number, bytes);
            }
            return;
        };
        self.handle_arrival(number, bytes);
        self.advance();
        if number + 1 == announcement.total() {
            self.ends_by(now + reordering);
        }
    }

    fn handle_arrival(&mut self, number: u64, bytes: Bytes) {
        let Some(announcement) = self.announcement else {
            return;
        };
        let right = number < announcement.total() && bytes.len() == announcement.size(number);
        let length = bytes.len() as u64;
        if right && self.put(number, bytes) {
            self.report.arrived += 1;
            if number < announcement.chunks() {
                self.report.lost_bytes -= length;
            }
        }
    }

    /// Keeps a chunk. Returns false if it is already present or there is no room.
    fn put(&mut self, number: u64, bytes: Bytes) -> bool {
        let room = self.held + cost(&bytes) <= OBJECT_MAX;
        if !room || number < self.next || self.chunks.contains_key(&number) {
            return false;
        }
        self.held += cost(&bytes);
        self.chunks.insert(number, bytes);
        true
    }

    /// Handles content of the response's stream: the end marker.
    pub(crate) fn stream_content(&mut self, content: &Bytes) {
        let room = (MARKER_MAX + 1).saturating_sub(self.marker.len());
        self.marker
            .extend_from_slice(&content[..content.len().min(room)]);
    }

    /// Handles the end of the response's stream, after which the server sends no more
    /// datagrams.
    pub(crate) fn stream_end(&mut self, now: Instant, reordering: Duration) {
        self.report.sent = object::decode_end_marker(&self.marker);
        self.ends_by(now + reordering);
    }

    fn ends_by(&mut self, at: Instant) {
        self.concludes = Some(self.concludes.map_or(at, |before| before.min(at)));
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        self.concludes.filter(|_| !self.concluded && !self.over)
    }

    /// Handles the passing of time: reports the object as incomplete if the wait has
    /// ended.
    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        if self.poll_timeout().is_some_and(|at| at <= now) && self.is_announced() {
            self.concluded = true;
            self.steps.push_back(Step::Incomplete);
        }
    }

    /// Returns true if the object is complete or given up.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Gives the object up, because the client no longer waits for it.
    pub(crate) fn give_up(&mut self) {
        self.over = true;
        self.concluded = true;
        self.chunks.clear();
    }

    /// Returns the next result.
    pub(crate) fn poll_step(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    /// Returns the time at which missing chunks may be fetched again, or `None` if they
    /// may not.
    pub(crate) fn repair(&self) -> Option<Repair> {
        self.announcement.and_then(|a| a.repair)
    }

    pub(crate) fn report(&self) -> LossReport {
        self.report
    }

    /// Returns the missing byte ranges, limited to the number that a request may have. If
    /// there are more, the closest ones are joined, so that the bytes between them are
    /// requested too.
    pub(crate) fn missing(&self) -> Vec<ByteRange> {
        let Some(announcement) = self.announcement else {
            return Vec::new();
        };
        let chunk = u64::from(announcement.chunk);
        let mut ranges: Vec<ByteRange> = Vec::new();
        for number in (self.next..announcement.chunks()).filter(|n| !self.chunks.contains_key(n)) {
            let first = number * chunk;
            let last = first + announcement.size(number) as u64 - 1;
            match ranges.last_mut() {
                Some(range) if range.last + 1 == first => range.last = last,
                _ => ranges.push(ByteRange { first, last }),
            }
        }
        join_closest(&ranges)
    }

    /// Handles bytes of a repair, which start at `offset`. The bytes of one range arrive
    /// in order.
    pub(crate) fn handle_repair(&mut self, offset: u64, mut bytes: Bytes) {
        let Some(announcement) = self.announcement.filter(|_| !self.over) else {
            return;
        };
        let chunk = u64::from(announcement.chunk);
        let mut at = offset;
        while !bytes.is_empty() && at < announcement.length {
            let (number, within) = (at / chunk, (at % chunk) as usize);
            let size = announcement.size(number);
            let n = bytes.len().min(size - within);
            let piece = bytes.split_to(n);
            at += n as u64;
            let mut joined = match self.partial.take() {
                Some((of, joined)) if of == number && joined.len() == within => joined,
                _ if within == 0 => BytesMut::new(),
                // The beginning of this chunk was not requested.
                _ => continue,
            };
            joined.extend_from_slice(&piece);
            if joined.len() < size {
                self.partial = Some((number, joined));
                continue;
            }
            if self.put(number, joined.freeze()) {
                self.report.repaired_bytes += size as u64;
                // Passing chunks on makes room.
                self.advance();
            }
        }
    }

    /// Passes on the chunks that are in order, and restores missing ones from parity.
    fn advance(&mut self) {
        let Some(announcement) = self.announcement.filter(|_| !self.over) else {
            return;
        };
        let count = announcement.chunks();
        loop {
            while self.next < count {
                // Decoding parity needs all received chunks.
                let chunk = if announcement.parity > 0 {
                    self.chunks.get(&self.next).cloned()
                } else {
                    self.chunks.remove(&self.next)
                };
                let Some(chunk) = chunk else { break };
                self.next += 1;
                if announcement.parity == 0 {
                    self.held -= cost(&chunk);
                }
                if let Some(check) = &mut self.check {
                    check.add(&chunk);
                }
                self.steps.push_back(Step::Data(chunk));
            }
            if self.next == count {
                break;
            }
            let Some(restored) = parity::restore(&announcement, &self.chunks) else {
                return;
            };
            for (number, bytes) in restored {
                self.report.restored_bytes += bytes.len() as u64;
                self.chunks.insert(number, bytes);
            }
        }
        self.give_up();
        let holds = self.check.take().is_none_or(Check::holds);
        let end = if holds { Step::Complete } else { Step::Corrupt };
        self.steps.push_back(end);
    }
}

/// Joins ranges until there are no more than a request may have. The widest gaps remain.
fn join_closest(ranges: &[ByteRange]) -> Vec<ByteRange> {
    let gap = |i: &usize| ranges[*i].first - ranges[*i - 1].last;
    let mut starts: Vec<usize> = (1..ranges.len()).collect();
    starts.sort_by_key(|i| std::cmp::Reverse(gap(i)));
    starts.truncate(RANGES_MAX - 1);
    starts.push(0);
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([ranges.len()]);
    let joined = starts.iter().zip(ends).filter(|(_, end)| *end > 0);
    joined
        .map(|(start, end)| ByteRange {
            first: ranges[*start].first,
            last: ranges[end - 1].last,
        })
        .collect()
}

/// Returns the number of bytes that a chunk counts as: the size of the packet that it
/// keeps in memory.
fn cost(bytes: &Bytes) -> u64 {
    (bytes.len() as u64).max(CHUNK_COST_MIN)
}

#[cfg(test)]
mod tests;
