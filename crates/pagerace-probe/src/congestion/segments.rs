//! Segments of TCP that the path lost.

use std::ops::Range;

use pagerace_core::Instant;

/// What the header of a segment tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the server's stream.
    pub bytes: Range<u64>,
    /// Time at which the client sent the newest acknowledgement that the server had, if it echoes
    /// timestamps.
    pub echo: Option<Instant>,
}

/// Segments beyond a hole that tell the server of a loss (RFC 6675, section 5).
const BEYOND: u32 = 3;

/// Bytes that the client lacks.
#[derive(Debug)]
struct Hole {
    bytes: Range<u64>,
    /// Segments beyond that the client received.
    beyond: u32,
    /// Time at which the client told the server enough of them.
    told: Option<Instant>,
}

/// Finds losses before the queue by the headers of segments, which the queue sees also of those that
/// it drops.
#[derive(Debug, Default)]
pub(super) struct Segments {
    /// End of the bytes that reached the queue, and that of those that passed it.
    arrived: u64,
    passed: u64,
    largest: u64,
    /// Holes whose repairs have not reached the queue.
    holes: Vec<Hole>,
}

impl Segments {
    /// Handles a segment that reaches the queue. Returns the number of segments that the path lost
    /// before it.
    ///
    /// A segment beyond the end of the stream follows lost ones. A server that knows of a hole
    /// fills it before it goes on, so a segment with later bytes that was sent when the server knew
    /// shows that the repair was lost.
    pub(super) fn arrive(&mut self, header: &Header) -> u64 {
        let bytes = &header.bytes;
        if bytes.is_empty() {
            // Acknowledgements do not wait for repairs.
            return 0;
        }
        self.largest = self.largest.max(bytes.end - bytes.start);
        let mut lost = self.count(self.arrived..bytes.start);
        self.arrived = self.arrived.max(bytes.end);
        for hole in &self.holes {
            if hole.told.is_some() && hole.told <= header.echo {
                lost += self.count(hole.bytes.start..hole.bytes.end.min(bytes.start));
            }
        }
        for hole in &mut self.holes {
            let told = hole.told.is_some() && hole.told <= header.echo;
            if told || hole.bytes.start >= bytes.start {
                // What comes before is lost, and what the segment has is repaired.
                hole.bytes.start = hole.bytes.start.max(bytes.end.min(hole.bytes.end));
            }
        }
        self.holes.retain(|hole| !hole.bytes.is_empty());
        lost
    }

    fn count(&self, bytes: Range<u64>) -> u64 {
        let length = bytes.end.saturating_sub(bytes.start);
        length.div_ceil(self.largest.max(1))
    }

    /// Handles bytes that the client received.
    pub(super) fn pass(&mut self, now: Instant, bytes: &Range<u64>) {
        if bytes.start > self.passed {
            self.holes.push(Hole {
                bytes: self.passed..bytes.start,
                beyond: 0,
                told: None,
            });
        }
        self.passed = self.passed.max(bytes.end);
        for hole in &mut self.holes {
            if hole.bytes.end <= bytes.start && hole.told.is_none() {
                hole.beyond += 1;
                hole.told = (hole.beyond >= BEYOND).then_some(now);
            }
        }
    }
}
