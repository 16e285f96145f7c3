//! Puts an object together from datagrams and repairs: the client's side.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Bytes, BytesMut};
use pagerace_core::{Duration, Instant};
use pagerace_http::Field;
use pagerace_http::object::{self, Announcement, Repair};
use pagerace_http::ranges::{ByteRange, RANGES_MAX};

use super::digest::{Check, Digests};
use super::{LossReport, parity};

/// Most bytes of one object that are kept, and of chunks that come before their head.
/// What is beyond counts as lost.
const OBJECT_MAX: u64 = 64 << 20;
const EARLY_MAX: u64 = 256 << 10;
/// Bytes that a chunk counts at least.
const CHUNK_COST_MIN: u64 = 1_200;
/// Longest end marker: a varint.
const MARKER_MAX: usize = 8;

/// What came of something that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Content, in order.
    Data(Bytes),
    /// All of it has come.
    Complete,
    /// No more datagrams will come, and something is missing.
    Incomplete,
    /// All of it has come, and it is not what the server had.
    Corrupt,
}

/// One object on its way.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    announcement: Option<Announcement>,
    check: Option<Check>,
    /// Content and parity by number, as long as they are needed.
    chunks: BTreeMap<u64, Bytes>,
    held: u64,
    /// The first chunk that was not handed on.
    next: u64,
    report: LossReport,
    marker: BytesMut,
    /// When the request left.
    requested: Option<Instant>,
    /// Nothing more is waited for then.
    concludes: Option<Instant>,
    /// No more datagrams will come, or are wanted.
    concluded: bool,
    over: bool,
    /// A chunk whose beginning a repair has brought.
    partial: Option<(u64, BytesMut)>,
    steps: VecDeque<Step>,
}

impl Assembly {
    /// `requested`: when the request left, from which its deadline counts.
    pub(crate) fn new(requested: Instant) -> Self {
        Self {
            requested: Some(requested),
            ..Self::default()
        }
    }

    /// The head of the response announces datagrams.
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
            self.arrived(number, bytes);
        }
        self.advance();
    }

    /// Whether the head of the response has come, and announced datagrams.
    pub(crate) fn is_announced(&self) -> bool {
        self.announcement.is_some()
    }

    /// A datagram of the object. `reordering`: how much later than its successors one
    /// may come.
    pub(crate) fn datagram(&mut self, now: Instant, payload: Bytes, reordering: Duration) {
        let Some((number, bytes)) = object::decode_chunk(payload) else {
            return;
        };
        if self.over {
            return;
        }
        let Some(announcement) = self.announcement else {
            // The head was overtaken, or lost and is on its way again.
            let room = self.held + cost(&bytes) <= EARLY_MAX;
            if room && !bytes.is_empty() && !self.chunks.contains_key(&number) {
                self.held += cost(&bytes);
                self.chunks.insert(number, bytes);
            }
            return;
        };
        self.arrived(number, bytes);
        self.advance();
        if number + 1 == announcement.total() {
            self.ends_by(now + reordering);
        }
    }

    fn arrived(&mut self, number: u64, bytes: Bytes) {
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

    /// Keeps a chunk that is not there; whether it was missing and there is room.
    fn put(&mut self, number: u64, bytes: Bytes) -> bool {
        let room = self.held + cost(&bytes) <= OBJECT_MAX;
        if !room || number < self.next || self.chunks.contains_key(&number) {
            return false;
        }
        self.held += cost(&bytes);
        self.chunks.insert(number, bytes);
        true
    }

    /// Content of the response's stream: the end marker.
    pub(crate) fn stream_content(&mut self, content: &Bytes) {
        let room = (MARKER_MAX + 1).saturating_sub(self.marker.len());
        self.marker
            .extend_from_slice(&content[..content.len().min(room)]);
    }

    /// The response's stream has ended: all datagrams were sent.
    pub(crate) fn stream_end(&mut self, now: Instant, reordering: Duration) {
        self.report.sent = object::decode_end_marker(&self.marker);
        self.ends_by(now + reordering);
    }

    fn ends_by(&mut self, at: Instant) {
        self.concludes = Some(self.concludes.map_or(at, |before| before.min(at)));
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        self.concludes.filter(|_| !self.concluded && !self.over)
    }

    /// Time has passed: what was waited for may be given up.
    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        if self.poll_timeout().is_some_and(|at| at <= now) && self.is_announced() {
            self.concluded = true;
            self.steps.push_back(Step::Incomplete);
        }
    }

    /// Whether the object is complete, or given up.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Nobody waits for it any more.
    pub(crate) fn give_up(&mut self) {
        self.over = true;
        self.concluded = true;
        self.chunks.clear();
    }

    /// What came of what arrived.
    pub(crate) fn poll_step(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    /// When what is missing may be fetched again, if at all.
    pub(crate) fn repair(&self) -> Option<Repair> {
        self.announcement.and_then(|a| a.repair)
    }

    pub(crate) fn report(&self) -> LossReport {
        self.report
    }

    /// Bytes that are missing, in few enough ranges; what is between those that are
    /// closest is asked for with them.
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

    /// Bytes that a repair brings, from an offset; those of a part come in order.
    pub(crate) fn repaired(&mut self, offset: u64, mut bytes: Bytes) {
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
                // The beginning of this chunk was not asked for.
                _ => continue,
            };
            joined.extend_from_slice(&piece);
            if joined.len() < size {
                self.partial = Some((number, joined));
                continue;
            }
            if self.put(number, joined.freeze()) {
                self.report.repaired_bytes += size as u64;
                // What is handed on makes room.
                self.advance();
            }
        }
    }

    /// Hands on what is there in order, and restores what parity can.
    fn advance(&mut self) {
        let Some(announcement) = self.announcement.filter(|_| !self.over) else {
            return;
        };
        let count = announcement.chunks();
        loop {
            while self.next < count {
                // Parity needs all that is there.
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

/// As many ranges as a request may have: those with the widest gaps between them stay
/// apart.
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

/// What a chunk counts: as much as the packet that it keeps in memory.
fn cost(bytes: &Bytes) -> u64 {
    (bytes.len() as u64).max(CHUNK_COST_MIN)
}

#[cfg(test)]
mod tests;
