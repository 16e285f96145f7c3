//! Head-of-line blocking of TCP as the packet log shows it.
//!
//! Bytes that came to the client while earlier bytes of the same connection were
//! missing: the kernel has them and the browser cannot read them. Each byte counts
//! once, from when it first came until all before it were there. Left out, as the
//! log sees only encrypted bytes: which responses they belong to, and the wait of
//! a TLS record for its own rest.

use std::collections::BTreeMap;

use pagerace_core::Instant;
use serde::{Deserialize, Serialize};

use super::packet::{Direction, Flow, Transport};
use super::report::{Fate, LinkPacket};

/// Bytes that waited for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolBlocked {
    /// Bytes that came behind a gap.
    pub bytes: u64,
    /// The same, each times the milliseconds that it waited; those that still
    /// wait at the end are not counted.
    pub byte_ms: u64,
}

/// What waited on the TCP connections of a log, downlink only.
pub fn hol_blocked_tcp(packets: &[LinkPacket]) -> HolBlocked {
    let mut streams: BTreeMap<Flow, Stream> = BTreeMap::new();
    let mut arrivals = Vec::new();
    for packet in packets {
        let (Direction::Down, Transport::Tcp, Some(tcp)) =
            (packet.direction, packet.flow.transport, packet.tcp)
        else {
            continue;
        };
        // The stream begins with the first byte that was sent, come or not.
        let first = tcp.seq.wrapping_add(u32::from(tcp.syn));
        let new = || Stream::new(first);
        streams.entry(packet.flow).or_insert_with(new);
        if let Fate::Delivered { at } = packet.fate {
            arrivals.push((at, packet.flow, tcp, first));
        }
    }
    // Jitter may have changed the order.
    arrivals.sort_by_key(|(at, ..)| *at);
    let (mut bytes, mut byte_ns) = (0, 0);
    for (at, flow, tcp, first) in arrivals {
        let Some(stream) = streams.get_mut(&flow) else {
            continue;
        };
        // The same ports once more, or a SYN that was sent again.
        if tcp.syn && first != stream.first {
            *stream = Stream::new(first);
        }
        let blocked = stream.arrive(at, first, tcp.payload);
        bytes += blocked.0;
        byte_ns += blocked.1;
    }
    HolBlocked {
        bytes,
        byte_ms: u64::try_from(byte_ns / 1_000_000).unwrap_or(u64::MAX),
    }
}

/// The bytes of one connection to the client.
struct Stream {
    /// The sequence number of its first byte.
    first: u32,
    /// All bytes below have come.
    delivered: u64,
    /// What came behind a gap: start to end and since when.
    waiting: BTreeMap<u64, (u64, Instant)>,
}

impl Stream {
    fn new(first: u32) -> Self {
        Self {
            first,
            delivered: 0,
            waiting: BTreeMap::new(),
        }
    }

    /// `length` bytes came; gives how many of them wait, and the bytes times
    /// nanoseconds of those that now do no more.
    fn arrive(&mut self, now: Instant, seq: u32, length: u32) -> (u64, u128) {
        // A window is less than 2^31 bytes, so the shorter way round is right.
        let next = self.first.wrapping_add(self.delivered as u32);
        let ahead = i64::from(seq.wrapping_sub(next) as i32);
        let start = self.delivered.saturating_add_signed(ahead);
        let end = self
            .delivered
            .saturating_add_signed(ahead + i64::from(length));
        if end <= self.delivered {
            return (0, 0);
        }
        if start > self.delivered {
            return (self.wait(now, start, end), 0);
        }
        self.delivered = end;
        let mut byte_ns = 0;
        while let Some(first) = self.waiting.first_entry() {
            if *first.key() > self.delivered {
                break;
            }
            let (start, (end, since)) = first.remove_entry();
            self.delivered = self.delivered.max(end);
            byte_ns += u128::from(end - start) * u128::from(now.since(since).as_nanos());
        }
        (0, byte_ns)
    }

    /// Notes bytes behind a gap; gives how many of them have not come before.
    fn wait(&mut self, now: Instant, start: u64, end: u64) -> u64 {
        let mut fresh = 0;
        let mut at = start;
        if let Some((_, (before, _))) = self.waiting.range(..start).next_back() {
            at = at.max(*before);
        }
        while at < end {
            let next = self.waiting.range(at..).next();
            let (until, after) = match next {
                Some((next, (after, _))) if *next < end => (*next, *after),
                _ => (end, end),
            };
            if at < until {
                self.waiting.insert(at, (until, now));
                fresh += until - at;
            }
            at = after;
        }
        fresh
    }
}

#[cfg(test)]
mod tests;
