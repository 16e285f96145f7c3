//! Head-of-line blocking at the receiver (Sander 2022, section 4): bytes that arrive
//! while earlier bytes of the same stream are missing.

mod ranges;
mod tcp;

use std::collections::BTreeMap;
use std::iter::Sum;

use pagerace_core::{Duration, Instant};
use pagerace_transport::quic::StreamFrame;

pub use tcp::TcpHolMeter;

/// Span in which bytes of a stream waited behind a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Stream of the bytes.
    pub stream: u64,
    /// Arrival of the first byte behind the gap.
    pub from: Instant,
    /// Time at which the gap was filled.
    pub until: Instant,
    /// Largest number of bytes that waited at once.
    pub bytes: u64,
}

/// Amounts of blocking. Bytes that are still waiting count, but their times do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocked {
    /// Bytes that waited for bytes of their own stream, at least for a time.
    pub own_bytes: u64,
    /// Bytes that waited only for bytes of other streams; none over QUIC.
    pub other_bytes: u64,
    own_byte_ns: u128,
    other_byte_ns: u128,
}

impl Blocked {
    /// Returns the sum over bytes of the milliseconds in which bytes of their own stream
    /// were missing.
    pub fn own_byte_ms(&self) -> u64 {
        byte_ms(self.own_byte_ns)
    }

    /// Returns the sum over bytes of the milliseconds in which only bytes of other streams
    /// were missing.
    pub fn other_byte_ms(&self) -> u64 {
        byte_ms(self.other_byte_ns)
    }

    fn add(&mut self, bytes: u64, span: Duration, own: bool) {
        let byte_ns = u128::from(bytes) * u128::from(span.as_nanos());
        if own {
            self.own_byte_ns += byte_ns;
        } else {
            self.other_byte_ns += byte_ns;
        }
    }
}

/// Bytes of one stream that have arrived but cannot be read.
#[derive(Clone, Debug, Default)]
struct Waiting {
    bytes: u64,
    blocked: Blocked,
    gap: Option<Gap>,
}

impl Waiting {
    fn begin(&mut self, now: Instant, stream: u64, bytes: u64) {
        self.bytes += bytes;
        let gap = self.gap.get_or_insert(Gap {
            stream,
            from: now,
            until: now,
            bytes: 0,
        });
        gap.bytes = gap.bytes.max(self.bytes);
    }

    fn end(&mut self, bytes: u64, span: Duration, own: bool) {
        self.bytes -= bytes;
        self.blocked.add(bytes, span, own);
    }

    /// Returns the gap, which is now filled.
    fn close_gap(&mut self, now: Instant) -> Option<Gap> {
        let gap = self.gap.take()?;
        Some(Gap { until: now, ..gap })
    }
}

impl Sum for Blocked {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, b| Self {
            own_bytes: sum.own_bytes + b.own_bytes,
            other_bytes: sum.other_bytes + b.other_bytes,
            own_byte_ns: sum.own_byte_ns + b.own_byte_ns,
            other_byte_ns: sum.other_byte_ns + b.other_byte_ns,
        })
    }
}

fn byte_ms(byte_ns: u128) -> u64 {
    u64::try_from(byte_ns / 1_000_000).unwrap_or(u64::MAX)
}

/// Meter of the blocking on the QUIC streams of one connection.
#[derive(Clone, Debug, Default)]
pub struct HolMeter {
    streams: BTreeMap<u64, Stream>,
    record: bool,
    gaps: Vec<Gap>,
}

#[derive(Clone, Debug, Default)]
struct Stream {
    /// Offset below which all bytes have been delivered.
    delivered: u64,
    /// Bytes received out of order: start to (end, arrival). The ranges are disjoint.
    spans: BTreeMap<u64, (u64, Instant)>,
    waiting: Waiting,
}

impl HolMeter {
    /// Creates a meter. If `record` is true, it keeps every gap for [`gaps`](Self::gaps).
    pub fn new(record: bool) -> Self {
        Self {
            record,
            ..Self::default()
        }
    }

    /// Handles the arrival of a STREAM frame.
    pub fn handle_arrival(&mut self, now: Instant, frame: StreamFrame) {
        let stream = self.streams.entry(frame.id).or_default();
        // Common case: the frame is in order and nothing waits.
        if frame.offset <= stream.delivered && stream.spans.is_empty() {
            stream.delivered = stream.delivered.max(frame.end());
            return;
        }
        stream.add(now, frame);
        if stream.spans.is_empty() {
            let closed = stream.waiting.close_gap(now);
            self.gaps.extend(closed.filter(|_| self.record));
        }
    }

    /// Returns the blocking of one stream.
    pub fn blocked(&self, stream: u64) -> Blocked {
        self.streams
            .get(&stream)
            .map_or_else(Blocked::default, |s| s.waiting.blocked)
    }

    /// Returns the blocking of all streams.
    pub fn total(&self) -> Blocked {
        self.streams.values().map(|s| s.waiting.blocked).sum()
    }

    /// Returns the filled gaps, in order of the time at which they were filled.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }
}

impl Stream {
    /// Adds the bytes of the frame that are new.
    fn add(&mut self, now: Instant, frame: StreamFrame) {
        let mut at = frame.offset.max(self.delivered);
        while at < frame.end() {
            // Skip the bytes that are already present at `at`.
            let before = self.spans.range(..=at).next_back().map(|(_, v)| v.0);
            if let Some(end) = before.filter(|end| *end > at) {
                at = end;
                continue;
            }
            let next = self
                .spans
                .range(at..)
                .next()
                .map_or(u64::MAX, |(start, _)| *start);
            let end = frame.end().min(next);
            if at == self.delivered {
                self.delivered = end;
                self.advance(now);
                at = self.delivered;
            } else {
                self.spans.insert(at, (end, now));
                self.waiting.blocked.own_bytes += end - at;
                self.waiting.begin(now, frame.id, end - at);
                at = end;
            }
        }
    }

    /// Delivers the bytes that have become contiguous.
    fn advance(&mut self, now: Instant) {
        while let Some(entry) = self.spans.first_entry()
            && *entry.key() <= self.delivered
        {
            let (start, (end, since)) = entry.remove_entry();
            self.waiting.end(end - start, now.since(since), true);
            self.delivered = self.delivered.max(end);
        }
    }
}

#[cfg(test)]
mod tests;
