//! Sums over the packet log of a transfer.

use std::collections::BTreeMap;

use pagerace_live::link::{Direction, Fate, LinkPacket};

/// Sums over the packets of the downlink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Number of packets offered to the link.
    pub(crate) packets: u64,
    /// Bytes of these packets, including IP headers.
    pub(crate) bytes: u64,
    /// Number of packets lost behind the bottleneck.
    pub(crate) lost: u64,
    /// Number of packets dropped by the queue.
    pub(crate) dropped: u64,
    /// TCP payload bytes that the server had sent over the link before. Always zero for
    /// QUIC, which encrypts retransmissions.
    pub(crate) repeated_bytes: u64,
}

impl Tally {
    /// Computes the sums of a log in the order in which packets were offered.
    pub(crate) fn of(packets: &[LinkPacket]) -> Self {
        let mut tally = Self::default();
        // By connection: the first sequence number of its payload, and the highest offset
        // sent.
        let mut reached: BTreeMap<_, (u32, u32)> = BTreeMap::new();
        for packet in packets.iter().filter(|p| p.direction == Direction::Down) {
            tally.packets += 1;
            tally.bytes += u64::from(packet.size);
            match packet.fate {
                Fate::Lost => tally.lost += 1,
                Fate::Dropped { .. } => tally.dropped += 1,
                Fate::Delivered { .. } | Fate::InFlight => {}
            }
            let Some(tcp) = packet.tcp.filter(|tcp| tcp.payload > 0) else {
                continue;
            };
            let (first, next) = reached.entry(packet.flow).or_insert((tcp.seq, 0));
            // Sequence numbers wrap around. Offsets from the first one do not below 4
            // GiB, more than the log can hold.
            let begin = tcp.seq.wrapping_sub(*first);
            let end = begin.wrapping_add(tcp.payload);
            let repeated = next.saturating_sub(begin).min(tcp.payload);
            tally.repeated_bytes += u64::from(repeated);
            *next = end.max(*next);
        }
        tally
    }
}

#[cfg(test)]
mod tests;
