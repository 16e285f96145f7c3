//! Who owns each byte of a server's TCP stream.

use std::collections::{BTreeMap, VecDeque};

use pagerace_transport::tcp::Range;

/// How far back the layout reaches, in bytes. More than any receive window that
/// is in use here (Linux takes 6 MiB at most): what lies further back has been
/// acknowledged, so it will not be sent again, and has been read.
const REACH: u64 = 64 << 20;

/// A run of bytes with one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte on the TCP stream.
    pub start: u64,
    /// Offset behind the last.
    pub end: u64,
    /// The response; none for the handshake and for what is the connection's.
    pub stream: Option<u64>,
    /// Bytes of this owner before `start`, TLS and framing included.
    pub offset: u64,
}

impl Span {
    /// Bytes.
    pub const fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.end == self.start
    }
}

/// A TLS record: nothing of it can be read before all of it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Offset of its first byte on the TCP stream.
    pub start: u64,
    /// Offset behind its last.
    pub end: u64,
}

/// The owner of each byte of a TCP stream, record by record.
///
/// The bytes that TLS adds belong to a record's first and last owner.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    spans: VecDeque<Span>,
    records: VecDeque<Record>,
    end: u64,
    /// Bytes by owner so far.
    totals: BTreeMap<Option<u64>, u64>,
}

impl Layout {
    /// Appends a record with these owners, in order; `lengths` count all bytes.
    pub(crate) fn push(&mut self, pieces: &[(Option<u64>, u64)]) {
        let start = self.end;
        for (stream, length) in pieces {
            let offset = self.totals.entry(*stream).or_default();
            let span = Span {
                start: self.end,
                end: self.end + length,
                stream: *stream,
                offset: *offset,
            };
            *offset += length;
            self.end = span.end;
            match self.spans.back_mut() {
                Some(last) if last.stream == *stream => last.end = span.end,
                _ => self.spans.push_back(span),
            }
        }
        self.records.push_back(Record {
            start,
            end: self.end,
        });
        let keep = self.end.saturating_sub(REACH);
        while self.records.front().is_some_and(|r| r.end <= keep) {
            self.records.pop_front();
        }
        while self.spans.front().is_some_and(|s| s.end <= keep) {
            self.spans.pop_front();
        }
    }

    /// Bytes written so far.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// The spans that `range` is made of, cut to it. What was never written, or
    /// lies too far back, is left out.
    pub fn spans(&self, range: Range) -> impl Iterator<Item = Span> + '_ {
        let (from, to) = (range.offset, range.offset + range.length);
        let first = self.spans.partition_point(|s| s.end <= from);
        let touched = self.spans.range(first..).take_while(move |s| s.start < to);
        touched.map(move |s| {
            let start = s.start.max(from);
            Span {
                start,
                end: s.end.min(to),
                stream: s.stream,
                offset: s.offset + (start - s.start),
            }
        })
    }

    /// The record that a byte belongs to.
    pub fn record(&self, offset: u64) -> Option<Record> {
        let at = self.records.partition_point(|r| r.end <= offset);
        self.records.get(at).copied().filter(|r| r.start <= offset)
    }
}
