//! Head-of-line blocking at the receiver (Sander 2022, section 4): bytes that arrive
//! while earlier bytes of the same stream are missing.

mod ranges;
mod tcp;

use std::collections::BTreeMap;

use pagerace_core::{Duration, Instant};
use pagerace_transport::quic::StreamFrame;

pub use tcp::{Blocked, TcpHolMeter};

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
    waiting: BTreeMap<u64, (u64, Instant)>,
    waiting_bytes: u64,
    blocked_bytes: u64,
    /// Sum over blocked bytes of the nanoseconds that each waited.
    blocked_byte_ns: u128,
    gap: Option<Gap>,
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
    pub fn arrived(&mut self, now: Instant, frame: StreamFrame) {
        let stream = self.streams.entry(frame.id).or_default();
        // Common case: the frame is in order and nothing waits.
        if frame.offset <= stream.delivered && stream.waiting.is_empty() {
            stream.delivered = stream.delivered.max(frame.end());
            return;
        }
        stream.add(now, frame);
        let closed = stream.deliver(now);
        if self.record
            && let Some(gap) = closed
        {
            self.gaps.push(gap);
        }
    }

    /// Returns the number of bytes of `stream` that waited.
    pub fn blocked_bytes(&self, stream: u64) -> u64 {
        self.streams.get(&stream).map_or(0, |s| s.blocked_bytes)
    }

    /// Returns the number of bytes of all streams that waited.
    pub fn total_bytes(&self) -> u64 {
        self.streams.values().map(|s| s.blocked_bytes).sum()
    }

    /// Returns the sum of the milliseconds that each of these bytes waited. Bytes that
    /// are still waiting do not count.
    pub fn total_byte_ms(&self) -> u64 {
        let ns: u128 = self.streams.values().map(|s| s.blocked_byte_ns).sum();
        u64::try_from(ns / 1_000_000).unwrap_or(u64::MAX)
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
            let before = self.waiting.range(..=at).next_back().map(|(_, v)| v.0);
            if let Some(end) = before.filter(|end| *end > at) {
                at = end;
                continue;
            }
            let next = self
                .waiting
                .range(at..)
                .next()
                .map_or(u64::MAX, |(start, _)| *start);
            let end = frame.end().min(next);
            if at == self.delivered {
                self.delivered = end;
            } else {
                self.blocked_bytes += end - at;
                self.waiting.insert(at, (end, now));
                self.waiting_bytes += end - at;
                let gap = Gap {
                    stream: frame.id,
                    from: now,
                    until: now,
                    bytes: 0,
                };
                let gap = self.gap.get_or_insert(gap);
                gap.bytes = gap.bytes.max(self.waiting_bytes);
            }
            at = end;
        }
    }

    /// Delivers the bytes that have become contiguous. Returns the gap if it is now
    /// filled.
    fn deliver(&mut self, now: Instant) -> Option<Gap> {
        while let Some(entry) = self.waiting.first_entry() {
            if *entry.key() > self.delivered {
                return None;
            }
            let (start, (end, since)) = entry.remove_entry();
            self.waiting_bytes -= end - start;
            let waited: Duration = now.since(since);
            self.blocked_byte_ns += u128::from(end - start) * u128::from(waited.as_nanos());
            self.delivered = self.delivered.max(end);
        }
        let gap = self.gap.take()?;
        Some(Gap { until: now, ..gap })
    }
}

#[cfg(test)]
mod tests;
