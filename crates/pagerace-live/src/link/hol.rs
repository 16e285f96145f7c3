//! Head-of-line blocking of TCP, computed from the packet log.
//!
//! Bytes are blocked while earlier bytes of the same connection are missing at the
//! client: the kernel holds them and the browser cannot read them. Each byte counts once,
//! from its first arrival until all earlier bytes have arrived. The log sees only
//! encrypted bytes, so two things are left out: the responses to which the bytes belong,
//! and the wait of a TLS record for its remaining bytes.

use std::collections::BTreeMap;

use pagerace_core::{HolBlocked, HolStream, Instant};

use super::packet::{Direction, Flow, Transport};
use super::report::{Fate, LinkPacket};

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
    let mut count = |stream: &Stream| {
        bytes += stream.received.blocked_bytes();
        byte_ns += stream.received.blocked_byte_time();
    };
    for (at, flow, tcp, first) in arrivals {
        let Some(stream) = streams.get_mut(&flow) else {
            continue;
        };
        // The ports are reused for a new connection, or the SYN is a retransmission.
        if tcp.syn && first != stream.first {
            count(&std::mem::replace(stream, Stream::new(first)));
        }
        stream.arrive(at, first, tcp.payload);
    }
    streams.values().for_each(count);
    HolBlocked {
        bytes,
        byte_ms: u64::try_from(byte_ns / 1_000_000).unwrap_or(u64::MAX),
    }
}

/// The bytes that one connection carries to the client.
struct Stream {
    /// Sequence number of the first byte.
    first: u32,
    received: HolStream,
}

impl Stream {
    fn new(first: u32) -> Self {
        Self {
            first,
            received: HolStream::default(),
        }
    }

    fn arrive(&mut self, now: Instant, seq: u32, length: u32) {
        let delivered = self.received.delivered();
        // A window is shorter than 2^31 bytes, so the signed difference is right.
        let next = self.first.wrapping_add(delivered as u32);
        let ahead = i64::from(seq.wrapping_sub(next) as i32);
        let start = delivered.saturating_add_signed(ahead);
        let end = delivered.saturating_add_signed(ahead + i64::from(length));
        self.received.arrived(now.as_nanos(), start, end);
    }
}

#[cfg(test)]
mod tests;
