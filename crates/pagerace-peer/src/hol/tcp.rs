//! Head-of-line blocking on TCP: bytes that have arrived but cannot be read, because
//! earlier bytes are missing.
//!
//! As in [`super::HolMeter`], a byte is blocked if it arrives behind a gap, from its
//! arrival until it can be read. On a single byte stream, the gap may belong to another
//! response. A byte is blocked by its *own* stream while any of the bytes that it needs
//! from that stream are missing, and by *others* otherwise; over QUIC, it could be read
//! in the latter case. TLS adds that a record is read whole or not at all. A byte
//! therefore needs all bytes up to the end of its record, and the in-order part of a
//! record that a gap cuts waits too.

use std::collections::BTreeMap;

use pagerace_core::Instant;
use pagerace_transport::tcp::Range;

use super::ranges::Ranges;
use super::{Blocked, Gap, Waiting};
use crate::tcp::Layout;

/// Meter of the blocking on the server's byte stream of one connection.
#[derive(Clone, Debug, Default)]
pub struct TcpHolMeter {
    /// Offset below which all bytes have arrived.
    delivered: u64,
    /// Bytes that arrived behind a gap.
    arrived: Ranges,
    /// Bytes already counted as waiting, in incomplete records, so that no byte is
    /// counted twice.
    counted: Ranges,
    /// Offset below which all records are complete.
    whole: u64,
    streams: BTreeMap<u64, Stream>,
    record: bool,
    gaps: Vec<Gap>,
}

#[derive(Clone, Debug, Default)]
struct Stream {
    /// Missing bytes of the response: start to end.
    missing: BTreeMap<u64, u64>,
    waits: BTreeMap<u64, Wait>,
    /// Bytes counted as waiting only for other streams, in incomplete records.
    others: Ranges,
    waiting: Waiting,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    end: u64,
    /// End of the record that the bytes belong to.
    needs: u64,
    since: Instant,
    own: bool,
}

impl TcpHolMeter {
    /// Creates a meter. If `record` is true, it keeps every gap for [`gaps`](Self::gaps).
    pub fn new(record: bool) -> Self {
        Self {
            record,
            ..Self::default()
        }
    }

    /// Handles the arrival of a range of the server's stream at the client. `layout` is
    /// that of the server, which wrote the range.
    pub fn handle_arrival(&mut self, now: Instant, range: Range, layout: &Layout) {
        let end = range.offset + range.length;
        // Common case: the range is in order and nothing waits.
        if self.arrived.is_empty() && range.offset <= self.delivered {
            self.delivered = self.delivered.max(end);
            return;
        }
        let from = range.offset.max(self.delivered);
        let fresh = self.arrived.missing(from, end);
        for (from, to) in &fresh {
            self.place(now, *from, *to, layout);
        }
        let readable = self.advance(layout);
        if !self.arrived.is_empty() {
            for (from, to) in fresh {
                self.wait(now, from.max(readable), to, layout);
            }
        }
        self.release(now, readable);
    }

    /// Returns the blocking of one response.
    pub fn blocked(&self, stream: u64) -> Blocked {
        self.streams
            .get(&stream)
            .map_or_else(Blocked::default, |s| s.waiting.blocked)
    }

    /// Returns the blocking of all responses.
    pub fn total(&self) -> Blocked {
        self.streams.values().map(|s| s.waiting.blocked).sum()
    }

    /// Returns the spans in which bytes of a response waited, in order of their ends.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Adds bytes that have not arrived before.
    fn place(&mut self, now: Instant, from: u64, to: u64, layout: &Layout) {
        match self.arrived.end() {
            // A gap opens: the received part of the record that it cuts waits as well.
            None => self.cut_record(now, from, layout),
            Some(top) if from > top => self.miss(now, top, from, layout),
            Some(top) if from < top => self.fill(now, from, to, layout),
            Some(_) => {}
        }
        self.arrived.insert(from, to);
    }

    /// Handles a new gap from `delivered` to `from`.
    fn cut_record(&mut self, now: Instant, from: u64, layout: &Layout) {
        let missing = self.delivered;
        self.miss(now, missing, from, layout);
        if let Some(record) = layout.record(missing)
            && record.start < missing
        {
            self.wait(now, record.start, missing, layout);
        }
    }

    /// Marks bytes at the top as missing.
    fn miss(&mut self, now: Instant, from: u64, to: u64, layout: &Layout) {
        for span in layout.spans(range(from, to)) {
            if let Some(stream) = span.stream {
                let stream = self.streams.entry(stream).or_default();
                stream.missing.insert(span.start, span.end);
                stream.lack(now, span.start);
            }
        }
    }

    /// Handles the arrival of missing bytes.
    fn fill(&mut self, now: Instant, from: u64, to: u64, layout: &Layout) {
        for span in layout.spans(range(from, to)) {
            let Some(stream) = span.stream.and_then(|s| self.streams.get_mut(&s)) else {
                continue;
            };
            stream.found(span.start, span.end);
            stream.judge(now);
        }
    }

    /// Starts the waiting of the response bytes in a range.
    fn wait(&mut self, now: Instant, from: u64, to: u64, layout: &Layout) {
        let mut at = from;
        while at < to {
            let Some(record) = layout.record(at) else {
                return;
            };
            let end = record.end.min(to);
            for span in layout.spans(range(at, end)) {
                let Some(id) = span.stream else {
                    continue;
                };
                let stream = self.streams.entry(id).or_default();
                let own = stream.misses_before(record.end);
                for (from, to) in self.counted.missing(span.start, span.end) {
                    self.counted.insert(from, to);
                    if own {
                        stream.waiting.blocked.own_bytes += to - from;
                    } else {
                        stream.waiting.blocked.other_bytes += to - from;
                        stream.others.insert(from, to);
                    }
                }
                if own {
                    stream.own(span.start, span.end);
                }
                let wait = Wait {
                    end: span.end,
                    needs: record.end,
                    since: now,
                    own,
                };
                stream.waits.insert(span.start, wait);
                stream.waiting.begin(now, id, span.length());
            }
            at = end;
        }
    }

    /// Advances `delivered`. Returns the offset below which all bytes can be read.
    fn advance(&mut self, layout: &Layout) -> u64 {
        while let Some(end) = self.arrived.take_first(self.delivered) {
            self.delivered = self.delivered.max(end);
        }
        // The record with the next missing byte is incomplete.
        let record = layout.record(self.delivered);
        let whole = record.map_or(self.delivered, |r| r.start);
        self.counted.forget_below(whole);
        self.whole = whole;
        if self.arrived.is_empty() {
            // Without a gap, the rest of a record is in flight and not blocked.
            return self.delivered;
        }
        whole
    }

    /// Ends the waiting of bytes that can be read.
    fn release(&mut self, now: Instant, readable: u64) {
        for stream in self.streams.values_mut() {
            stream.release(now, readable);
            stream.others.forget_below(self.whole);
            if stream.waits.is_empty()
                && let Some(gap) = stream.waiting.close_gap(now)
                && self.record
            {
                self.gaps.push(gap);
            }
        }
    }
}

impl Stream {
    fn misses_before(&self, offset: u64) -> bool {
        let lowest = self.missing.first_key_value();
        lowest.is_some_and(|(start, _)| *start < offset)
    }

    /// Removes a range from the missing bytes.
    fn found(&mut self, from: u64, to: u64) {
        let touched: Vec<(u64, u64)> = self
            .missing
            .range(..to)
            .rev()
            .take_while(|(_, end)| **end > from)
            .map(|(s, e)| (*s, *e))
            .collect();
        for (start, end) in touched {
            self.missing.remove(&start);
            if start < from {
                self.missing.insert(start, from);
            }
            if end > to {
                self.missing.insert(to, end);
            }
        }
    }

    /// Handles own bytes that turn out to be missing from `from` on. A record that needs
    /// them may have waiting parts, which lie before them.
    fn lack(&mut self, now: Instant, from: u64) {
        let mut found = Vec::new();
        let last = self.waits.iter_mut().rev();
        for (start, wait) in last.take_while(|(_, wait)| wait.needs > from) {
            if !wait.own {
                let bytes = wait.end - start;
                let span = now.since(wait.since);
                self.waiting.blocked.add(bytes, span, false);
                (wait.own, wait.since) = (true, now);
                found.push((*start, wait.end));
            }
        }
        for (start, end) in found {
            self.own(start, end);
        }
    }

    /// Recounts bytes that were counted as waiting only for other streams.
    fn own(&mut self, from: u64, to: u64) {
        let bytes = self.others.take(from, to);
        self.waiting.blocked.other_bytes -= bytes;
        self.waiting.blocked.own_bytes += bytes;
    }

    /// Handles the arrival of own bytes. Bytes that waited for them may now wait only for
    /// other streams.
    fn judge(&mut self, now: Instant) {
        let lowest = self.missing.first_key_value().map_or(u64::MAX, |(s, _)| *s);
        for (start, wait) in &mut self.waits {
            if wait.own && wait.needs <= lowest {
                let bytes = wait.end - start;
                let span = now.since(wait.since);
                self.waiting.blocked.add(bytes, span, true);
                wait.own = false;
                wait.since = now;
            }
        }
    }

    fn release(&mut self, now: Instant, readable: u64) {
        while let Some(first) = self.waits.first_entry() {
            if *first.key() >= readable {
                return;
            }
            let (start, wait) = first.remove_entry();
            let span = now.since(wait.since);
            self.waiting.end(wait.end - start, span, wait.own);
        }
    }
}

const fn range(from: u64, to: u64) -> Range {
    Range {
        offset: from,
        length: to - from,
    }
}

#[cfg(test)]
mod tests;
