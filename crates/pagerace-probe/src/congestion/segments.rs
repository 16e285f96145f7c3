//! Segments of TCP that the path lost.

use std::ops::Range;

use pagerace_core::{Duration, Instant};

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

/// Bytes that did not get beyond the queue, until their repair reaches it.
#[derive(Debug)]
struct Hole {
    bytes: Range<u64>,
    /// Number of the packet that shows it.
    since: usize,
    /// Segments beyond that the client received.
    beyond: u32,
    /// Time at which the client told the server enough of them.
    told: Option<Instant>,
    /// Echo of the first segment with later bytes from a server that knew.
    passed: Option<Instant>,
}

/// Finds losses before the queue by the headers of segments, which the queue sees also of those
/// that it drops.
#[derive(Debug)]
pub(super) struct Segments {
    /// Round trip with the bottleneck.
    rtt: Duration,
    /// End of the bytes that reached the queue.
    arrived: u64,
    largest: u64,
    holes: Vec<Hole>,
    /// Times at which the client received packets with data, and their numbers.
    received: Vec<(Instant, usize)>,
}

impl Segments {
    pub(super) fn new(rtt: Duration) -> Self {
        Self {
            rtt,
            arrived: 0,
            largest: 0,
            holes: Vec::new(),
            received: Vec::new(),
        }
    }

    /// Handles segment `number`, which reaches the queue and is perhaps `dropped` there. Returns
    /// how many segments the path lost, and the number of the packet that shows it.
    ///
    /// A segment beyond the end of the stream follows lost ones. If a server that knows of a hole
    /// goes on, either the repair was lost, or the server still waits for reordered segments (RFC
    /// 8985, section 6.2). In the first case, it sees this by an acknowledgement of what it sent
    /// next. So the repair that arrives is a round trip late, and its echo tells which segment
    /// followed the lost one.
    pub(super) fn arrive(
        &mut self,
        number: usize,
        header: &Header,
        dropped: bool,
    ) -> Vec<(u64, usize)> {
        let bytes = &header.bytes;
        if bytes.is_empty() {
            // Acknowledgements do not wait for repairs.
            return Vec::new();
        }
        self.largest = self.largest.max(bytes.end - bytes.start);
        let gap = self.arrived..bytes.start;
        let mut lost = vec![(self.count(&gap), number)];
        let mut rest = Vec::new();
        for mut hole in std::mem::take(&mut self.holes) {
            let before = hole.bytes.start..hole.bytes.end.min(bytes.start);
            let after = hole.bytes.start.max(bytes.end)..hole.bytes.end;
            let repaired = before.end.max(hole.bytes.start)..after.start.min(hole.bytes.end);
            if let (Some(passed), Some(echo)) = (hole.passed, header.echo)
                && echo >= passed + self.rtt
            {
                lost.push((self.count(&repaired), self.received_at(echo)));
            }
            let known = hole
                .told
                .and(header.echo)
                .filter(|echo| hole.told <= Some(*echo));
            if let Some(echo) = known.filter(|_| !before.is_empty()) {
                hole.passed.get_or_insert(echo);
            }
            rest.extend([before, after].map(|bytes| Hole { bytes, ..hole }));
        }
        self.holes = rest;
        self.open(gap, number);
        if dropped {
            // The server learns of a lost repair in other ways.
            self.open(bytes.start.max(self.arrived)..bytes.end, number);
        }
        self.holes.retain(|hole| !hole.bytes.is_empty());
        self.arrived = self.arrived.max(bytes.end);
        lost.retain(|(packets, _)| *packets > 0);
        lost
    }

    /// Returns the number of the last packet that the client had received.
    fn received_at(&self, time: Instant) -> usize {
        let earlier = self.received.partition_point(|(at, _)| *at <= time);
        earlier
            .checked_sub(1)
            .map_or(0, |last| self.received[last].1)
    }

    fn open(&mut self, bytes: Range<u64>, since: usize) {
        self.holes.push(Hole {
            bytes,
            since,
            beyond: 0,
            told: None,
            passed: None,
        });
    }

    /// Returns the number of holes. Each segment is compared with all of them.
    pub(super) fn holes(&self) -> usize {
        self.holes.len()
    }

    fn count(&self, bytes: &Range<u64>) -> u64 {
        let length = bytes.end.saturating_sub(bytes.start);
        length.div_ceil(self.largest.max(1))
    }

    /// Handles bytes that the client received in packet `number`.
    pub(super) fn pass(&mut self, now: Instant, number: usize, bytes: &Range<u64>) {
        self.received.push((now, number));
        for hole in &mut self.holes {
            let beyond = number >= hole.since && hole.bytes.end <= bytes.start;
            if beyond && hole.told.is_none() {
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

    /// Round trip with the bottleneck.
    const RTT: Duration = Duration::from_millis(10);

    /// Segments of 100 bytes between a path and a client.
    struct Path {
        segments: Segments,
        packets: usize,
    }

    impl Path {
        fn new() -> Self {
            Self {
                segments: Segments::new(RTT),
                packets: 0,
            }
        }

        /// Lets segment `number` reach the queue, sent by a server that had the client's
        /// acknowledgements up to `echo`.
        fn offer(&mut self, number: u64, echo: u64, dropped: bool) -> Vec<(u64, usize)> {
            self.packets += 1;
            let bytes = number * 100..(number + 1) * 100;
            let echo = Some(at(echo));
            let header = Header { bytes, echo };
            self.segments.arrive(self.packets, &header, dropped)
        }

        /// Lets segment `number` reach the queue, which drops it.
        fn drop(&mut self, number: u64, echo: u64) -> Vec<(u64, usize)> {
            self.offer(number, echo, true)
        }

        /// Lets segment `number` reach the client as well, without a queue's delay.
        fn carry(&mut self, number: u64, now: u64, echo: u64) -> Vec<(u64, usize)> {
            let lost = self.offer(number, echo, false);
            let bytes = number * 100..(number + 1) * 100;
            self.segments.pass(at(now), self.packets, &bytes);
            lost
        }
    }

    #[test]
    fn a_gap_before_the_queue_is_a_loss() {
        let mut path = Path::new();
        assert_eq!(path.carry(0, 1, 0), []);
        assert_eq!(path.carry(3, 2, 0), [(2, 2)]);
        assert_eq!(path.carry(4, 3, 0), []);
    }

    #[test]
    fn a_drop_of_the_queue_is_none() {
        let mut path = Path::new();
        path.carry(0, 1, 0);
        assert_eq!(path.drop(1, 0), []);
        for number in 2..5 {
            assert_eq!(path.carry(number, number, 0), []);
        }
        // The server repairs the hole, then goes on.
        assert_eq!(path.carry(1, 20, 10), []);
        assert_eq!(path.carry(5, 21, 10), []);
    }

    /// The queue drops segment 1, and the client tells it at 4 ms by segment 4.
    fn dropped() -> Path {
        let mut path = Path::new();
        path.carry(0, 1, 0);
        path.drop(1, 0);
        for number in 2..5 {
            path.carry(number, number, 0);
        }
        path
    }

    #[test]
    fn a_repair_that_is_a_round_trip_late_was_lost_before() {
        let mut path = dropped();
        // Sent before the server knew.
        assert_eq!(path.carry(5, 5, 3), []);
        assert_eq!(path.carry(6, 14, 4), []);
        assert_eq!(path.carry(7, 15, 5), []);
        // The loss came before the seventh packet, with segment 6, which arrived at 14 ms.
        assert_eq!(path.carry(1, 24, 14), [(1, 7)]);
        assert_eq!(path.carry(8, 25, 15), []);
    }

    /// A server that has seen reordering waits before it repairs (RFC 8985, section 6.2).
    #[test]
    fn a_repair_that_waited_for_reordered_segments_was_not_lost() {
        let mut path = dropped();
        assert_eq!(path.carry(5, 14, 4), []);
        assert_eq!(path.carry(1, 17, 7), []);
        assert_eq!(path.carry(6, 30, 20), []);
    }

    #[test]
    fn a_repair_that_the_queue_drops_is_no_loss_of_the_path() {
        let mut path = dropped();
        assert_eq!(path.drop(1, 4), []);
        assert_eq!(path.carry(5, 20, 4), []);
        assert_eq!(path.carry(1, 30, 20), []);
    }

    /// By the arrival of what was sent later (RFC 8985), the server may know of a hole before the
    /// client has told it by three segments beyond.
    #[test]
    fn a_repair_that_comes_before_the_hole_is_told_is_not_lost() {
        let mut path = Path::new();
        path.carry(0, 1, 0);
        path.drop(1, 0);
        // The repair waits in the queue.
        assert_eq!(path.offer(1, 0, false), []);
        for number in 2..5 {
            path.carry(number, number, 0);
        }
        assert_eq!(path.carry(5, 20, 4), []);
        assert_eq!(path.carry(1, 40, 30), []);
    }

    #[test]
    fn two_segments_beyond_a_hole_do_not_tell_the_server() {
        let mut path = Path::new();
        path.carry(0, 1, 0);
        path.drop(1, 0);
        path.carry(2, 2, 0);
        path.carry(3, 3, 0);
        assert_eq!(path.carry(4, 20, 3), []);
        assert_eq!(path.carry(1, 40, 30), []);
    }

    #[test]
    fn acknowledgements_without_data_show_nothing() {
        let mut path = dropped();
        let bytes = 500..500;
        let echo = Some(at(9));
        assert_eq!(path.segments.arrive(9, &Header { bytes, echo }, false), []);
        assert_eq!(path.carry(1, 20, 19), []);
    }
}
