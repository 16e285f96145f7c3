//! Head-of-line blocking of TCP, computed from the packet log.
//!
//! Bytes are blocked while earlier bytes of the same connection are missing at the
//! client: the kernel holds them and the browser cannot read them. Each byte counts once,
//! from its first arrival until all earlier bytes have arrived. The log sees only
//! encrypted bytes, so two things are left out: the responses to which the bytes belong,
//! and the wait of a TLS record for its remaining bytes.

use std::collections::BTreeMap;

use pagerace_core::Instant;
use serde::{Deserialize, Serialize};

use super::packet::{Direction, Flow, Transport};
use super::report::{Fate, LinkPacket};

/// Number and waiting time of blocked bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolBlocked {
    /// Number of bytes that arrived behind a gap.
    pub bytes: u64,
    /// Sum over these bytes of the milliseconds that each waited. Bytes that still wait
    /// at the end do not contribute.
    pub byte_ms: u64,
}

/// Computes the head-of-line blocking of a log's TCP connections, downlink only.
pub fn hol_blocked_tcp(packets: &[LinkPacket]) -> HolBlocked {
    let mut streams: BTreeMap<Flow, Stream> = BTreeMap::new();
    let mut arrivals = Vec::new();
    for packet in packets {
        let (Direction::Down, Transport::Tcp, Some(tcp)) =
            (packet.direction, packet.flow.transport, packet.tcp)
        else {
            continue;
        };
        // The stream starts with the first byte that was sent, even if it was lost.
        let first = tcp.seq.wrapping_add(u32::from(tcp.syn));
        let new = || Stream::new(first);
        streams.entry(packet.flow).or_insert_with(new);
        if let Fate::Delivered { at } = packet.fate {
            arrivals.push((at, packet.flow, tcp, first));
        }
    }
    // Jitter may have reordered the packets.
    arrivals.sort_by_key(|(at, ..)| *at);
    let (mut bytes, mut byte_ns) = (0, 0);
    for (at, flow, tcp, first) in arrivals {
        let Some(stream) = streams.get_mut(&flow) else {
            continue;
        };
        // The ports are reused for a new connection, or the SYN is a retransmission.
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

/// The bytes that one connection carries to the client.
struct Stream {
    /// Sequence number of the first byte.
    first: u32,
    /// Offset below which all bytes have arrived.
    delivered: u64,
    /// Ranges that arrived behind a gap: from start to end and time of arrival.
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

    /// Records the arrival of `length` bytes. Returns the number of newly blocked bytes,
    /// and the sum of bytes times nanoseconds over those that are no longer blocked.
    fn arrive(&mut self, now: Instant, seq: u32, length: u32) -> (u64, u128) {
        // A window is shorter than 2^31 bytes, so the signed difference is right.
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

    /// Stores a range behind a gap. Returns the number of bytes that had not arrived
    /// before.
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
