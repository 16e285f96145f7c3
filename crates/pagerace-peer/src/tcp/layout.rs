//! Owner of each byte of a server's TCP stream.

use std::collections::{BTreeMap, VecDeque};

use pagerace_transport::tcp::Range;

/// Number of bytes for which the layout is kept. It exceeds any receive window in use
/// here (Linux's is at most 6 MiB). Earlier bytes have been acknowledged and read, and
/// will not be sent again.
const REACH: u64 = 64 << 20;

/// Contiguous bytes with one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte on the TCP stream.
    pub start: u64,
    /// Offset behind the last byte.
    pub end: u64,
    /// Owning response; `None` for the handshake and the connection's own data.
    pub stream: Option<u64>,
    /// Number of bytes of this owner before `start`, including TLS and framing.
    pub offset: u64,
}

impl Span {
    /// Returns the number of bytes.
    pub const fn length(&self) -> u64 {
        self.end - self.start
    }
}

/// TLS record. No part of it can be read before the whole has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Offset of the first byte on the TCP stream.
    pub start: u64,
    /// Offset behind the last byte.
    pub end: u64,
}

/// The owner of each byte of a TCP stream, record by record.
///
/// Bytes that TLS adds belong to the record's first and last owner.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    spans: VecDeque<Span>,
    records: VecDeque<Record>,
    end: u64,
    /// Bytes of each owner so far.
    totals: BTreeMap<Option<u64>, u64>,
}

impl Layout {
    /// Appends a record with these owners, in order. The lengths include TLS and framing.
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

    /// Returns the number of bytes written so far.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Returns the spans of `range`, cut to it. Bytes that were never written or are no
    /// longer kept are left out.
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

    /// Returns the record that a byte belongs to.
    pub fn record(&self, offset: u64) -> Option<Record> {
        let at = self.records.partition_point(|r| r.end <= offset);
        self.records.get(at).copied().filter(|r| r.start <= offset)
    }
}
