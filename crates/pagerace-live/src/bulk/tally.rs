//! What the packet log says of a transfer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::link::{Direction, Fate, LinkPacket};

/// Sums over the packets of the downlink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Packets offered to the link.
    pub packets: u64,
    /// Their bytes, IP headers included.
    pub bytes: u64,
    /// Packets lost behind the bottleneck.
    pub lost: u64,
    /// Packets that the queue dropped.
    pub dropped: u64,
    /// TCP payload bytes that the server had put on the link before; for QUIC,
    /// which encrypts what it repeats, always zero.
    pub repeated_bytes: u64,
}

impl Tally {
    /// Of a log in the order in which packets were offered.
    pub fn of(packets: &[LinkPacket]) -> Self {
        let mut tally = Self::default();
        // By connection: where its payload begins, and how far it got.
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
            // Sequence numbers wrap around; what they differ by does not.
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
