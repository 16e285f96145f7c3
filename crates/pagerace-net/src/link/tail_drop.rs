//! A first-in, first-out queue with tail drop.
//!
//! The end of a packet's service is known when the packet is accepted, so the packet is passed
//! on at once. The queue keeps only its size and the time at which it leaves the bottleneck.

use std::collections::VecDeque;

use pagerace_core::Instant;

use crate::queue::QueueLimit;

#[derive(Clone, Debug)]
pub(super) struct TailDrop {
    limit: QueueLimit,
    /// Packets that have not left the bottleneck: departure time and size.
    waiting: VecDeque<(Instant, u32)>,
    bytes: u64,
}

impl TailDrop {
    pub(super) fn new(limit: QueueLimit) -> Self {
        Self {
            limit,
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }

    #[inline]
    pub(super) fn admits(&self, size: u32) -> bool {
        self.limit
            .admits(self.waiting.len() as u64, self.bytes, size)
    }

    #[inline]
    pub(super) fn push(&mut self, crosses_at: Instant, size: u32) {
        self.bytes += u64::from(size);
        self.waiting.push_back((crosses_at, size));
    }

    #[inline]
    pub(super) fn advance(&mut self, now: Instant) {
        while let Some(&(crosses_at, size)) = self.waiting.front() {
            if crosses_at > now {
                break;
            }
            self.waiting.pop_front();
            self.bytes -= u64::from(size);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
