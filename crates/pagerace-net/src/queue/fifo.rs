//! Packets in the order of their arrival at the queue.

use std::collections::VecDeque;

use pagerace_core::Instant;

/// A packet in a queue.
#[derive(Clone, Debug)]
pub(crate) struct Queued<P> {
    /// The time at which the packet was offered.
    pub(crate) offered_at: Instant,
    /// The size of the packet in bytes on the wire.
    pub(crate) size: u32,
    pub(crate) payload: P,
}

/// A first-in, first-out queue that counts its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Fifo<P> {
    packets: VecDeque<Queued<P>>,
    bytes: u64,
}

impl<P> Fifo<P> {
    pub(crate) fn new() -> Self {
        Self {
            packets: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(crate) fn push(&mut self, packet: Queued<P>) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back(packet);
    }

    pub(crate) fn pop(&mut self) -> Option<Queued<P>> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
