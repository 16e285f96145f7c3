//! Segments of TCP that the path lost.

use std::ops::Range;

use pagerace_core::Instant;

/// The parts of a segment's header that show losses.
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
                // Earlier bytes are lost, and those of the segment are repaired.
                hole.bytes.start = hole.bytes.start.max(bytes.end.min(hole.bytes.end));
            }
        }
        self.holes.retain(|hole| !hole.bytes.is_empty());
        lost
    }

    /// Returns the number of holes. Each segment is compared with all of them.
    pub(super) fn holes(&self) -> usize {
        self.holes.len()
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

#[cfg(test)]
mod tests {
    use pagerace_core::Duration;

    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// Segments of 100 bytes between a path and a client without a queue's delay.
    #[derive(Default)]
    struct Path(Segments);

    impl Path {
        /// Lets segment `number` reach the queue, sent by a server that had the client's
        /// acknowledgements up to `echo`.
        fn offer(&mut self, number: u64, echo: u64) -> u64 {
            let bytes = number * 100..(number + 1) * 100;
            let echo = Some(at(echo));
            self.0.arrive(&Header { bytes, echo })
        }

        /// Lets segment `number` reach the client as well.
        fn carry(&mut self, number: u64, now: u64, echo: u64) -> u64 {
            let lost = self.offer(number, echo);
            let bytes = number * 100..(number + 1) * 100;
            self.0.pass(at(now), &bytes);
            lost
        }
    }

    #[test]
    fn a_gap_before_the_queue_is_a_loss() {
        let mut path = Path::default();
        assert_eq!(path.carry(0, 1, 0), 0);
        assert_eq!(path.carry(3, 2, 0), 2);
        assert_eq!(path.carry(4, 3, 0), 0);
    }

    #[test]
    fn a_drop_of_the_queue_is_none() {
        let mut path = Path::default();
        path.carry(0, 1, 0);
        assert_eq!(path.offer(1, 0), 0);
        for number in 2..5 {
            assert_eq!(path.carry(number, number, 0), 0);
        }
        // The server repairs the hole, then goes on.
        assert_eq!(path.carry(1, 20, 10), 0);
        assert_eq!(path.carry(5, 21, 10), 0);
    }

    /// The queue drops segment 1, and the client tells it at 4 ms by segment 4.
    fn dropped() -> Path {
        let mut path = Path::default();
        path.carry(0, 1, 0);
        path.offer(1, 0);
        for number in 2..5 {
            path.carry(number, number, 0);
        }
        path
    }

    #[test]
    fn later_bytes_from_a_server_that_knows_the_hole_show_a_lost_repair() {
        let mut path = dropped();
        // Sent before the server knew.
        assert_eq!(path.carry(5, 5, 3), 0);
        assert_eq!(path.carry(6, 20, 4), 1);
        // Each loss counts once.
        assert_eq!(path.carry(7, 21, 4), 0);
    }

    #[test]
    fn a_repair_that_the_queue_drops_is_no_loss_of_the_path() {
        let mut path = dropped();
        assert_eq!(path.offer(1, 4), 0);
        assert_eq!(path.carry(5, 20, 4), 0);
    }

    #[test]
    fn two_segments_beyond_a_hole_do_not_tell_the_server() {
        let mut path = Path::default();
        path.carry(0, 1, 0);
        path.offer(1, 0);
        path.carry(2, 2, 0);
        path.carry(3, 3, 0);
        assert_eq!(path.carry(4, 20, 3), 0);
    }

    #[test]
    fn acknowledgements_without_data_show_nothing() {
        let mut path = dropped();
        let bytes = 500..500;
        let echo = Some(at(9));
        assert_eq!(path.0.arrive(&Header { bytes, echo }), 0);
        assert_eq!(path.carry(1, 20, 9), 0);
    }
}
