//! The packet log. It grows in blocks, so that no packet is delayed by the reallocation
//! of a long list, and has a limit.

use super::report::LinkPacket;

/// Number of packets in a block.
const BLOCK: usize = 4_096;

/// Packets in the order in which they were offered to the link.
pub(super) struct Log {
    blocks: Vec<Vec<LinkPacket>>,
    len: usize,
    limit: usize,
    unlogged: u64,
}

impl Log {
    /// Creates a log of up to `limit` packets.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            // Allocate the first block before the first packet arrives.
            blocks: vec![Vec::with_capacity(BLOCK)],
            len: 0,
            limit,
            unlogged: 0,
        }
    }

    /// Appends a packet and returns its index; `None` if the log is full.
    pub(super) fn push(&mut self, packet: LinkPacket) -> Option<usize> {
        if self.len == self.limit {
            self.unlogged += 1;
            return None;
        }
        let place = self.len;
        if place / BLOCK == self.blocks.len() {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        self.blocks[place / BLOCK].push(packet);
        self.len += 1;
        Some(place)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut LinkPacket> {
        self.blocks.get_mut(place / BLOCK)?.get_mut(place % BLOCK)
    }

    /// Returns the number of packets that exceeded the limit.
    pub(super) fn unlogged(&self) -> u64 {
        self.unlogged
    }

    pub(super) fn into_packets(self) -> Vec<LinkPacket> {
        self.blocks.concat()
    }
}
