//! Packets whose arrival time is known.

use std::collections::{BTreeMap, VecDeque};

use pagerace_core::Instant;

/// A packet that has been served or whose service is scheduled.
#[derive(Clone, Debug)]
pub(super) struct Traveller<P> {
    pub(super) arrives_at: Instant,
    pub(super) crossed_at: Instant,
    pub(super) size: u32,
    pub(super) lost: bool,
    pub(super) payload: P,
}

/// The travelling packets, ordered by arrival.
#[derive(Clone, Debug)]
pub(super) enum Travelling<P> {
    /// Packets arrive in the order in which they leave the bottleneck.
    InOrder(VecDeque<Traveller<P>>),
    /// Packets are ordered by arrival time, and by departure if they arrive at the same instant.
    AnyOrder {
        packets: BTreeMap<(Instant, u64), Traveller<P>>,
        pushed: u64,
    },
}

impl<P> Travelling<P> {
    pub(super) fn new(reorders: bool) -> Self {
        if reorders {
            Self::AnyOrder {
                packets: BTreeMap::new(),
                pushed: 0,
            }
        } else {
            Self::InOrder(VecDeque::new())
        }
    }

    #[inline]
    pub(super) fn push(&mut self, packet: Traveller<P>) {
        match self {
            Self::InOrder(packets) => packets.push_back(packet),
            Self::AnyOrder { packets, pushed } => {
                packets.insert((packet.arrives_at, *pushed), packet);
                *pushed += 1;
            }
        }
    }

    #[inline]
    pub(super) fn next_at(&self) -> Option<Instant> {
        match self {
            Self::InOrder(packets) => packets.front().map(|p| p.arrives_at),
            Self::AnyOrder { packets, .. } => packets.keys().next().map(|k| k.0),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Traveller<P>> {
        match self {
            Self::InOrder(packets) => packets.pop_front(),
            Self::AnyOrder { packets, .. } => packets.pop_first().map(|(_, p)| p),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::InOrder(packets) => packets.len(),
            Self::AnyOrder { packets, .. } => packets.len(),
        }
    }
}
