//! The packet log: it grows in blocks, so that no packet waits while a long list
//! is moved, and has a limit.

use super::report::LinkPacket;

/// Packets of a block.
const BLOCK: usize = 4_096;

/// Packets in the order in which they were offered.
pub(super) struct Log {
    blocks: Vec<Vec<LinkPacket>>,
    len: usize,
    limit: usize,
    unlogged: u64,
}

impl Log {
    /// Holds up to `limit` packets.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            // Pointers only; the first block comes before the first packet.
            blocks: vec![Vec::with_capacity(BLOCK)],
            len: 0,
            limit,
            unlogged: 0,
        }
    }

    /// Appends a packet; its place, or `None` where there is no room left.
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

    /// Packets that found no room.
    pub(super) fn unlogged(&self) -> u64 {
        self.unlogged
    }

    pub(super) fn into_packets(self) -> Vec<LinkPacket> {
        self.blocks.concat()
    }
}
