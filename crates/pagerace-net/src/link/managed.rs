//! A queue that chooses a packet when the bottleneck becomes free.

use std::collections::VecDeque;

use pagerace_core::Instant;

use super::Dropped;
use crate::queue::{Codel, CodelConfig, Fifo, FqCodel, FqCodelConfig, QueueLimit, Queued};

#[derive(Clone, Debug)]
pub(super) struct Managed<P> {
    limit: QueueLimit,
    discipline: Discipline<P>,
    /// The end of service and the size of the packet in service. The queue is empty if
    /// this is `None`.
    serving: Option<(Instant, u32)>,
    /// Dropped packets that the owner has not taken yet, with the time of the drop.
    dropped: VecDeque<(Instant, P)>,
    drops: Drops,
}

#[derive(Clone, Debug)]
enum Discipline<P> {
    Codel { queue: Fifo<P>, codel: Codel },
    FqCodel(FqCodel<P>),
}

/// Counts of dropped packets and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drops {
    pub(super) packets: u64,
    pub(super) bytes: u64,
}

impl<P> Managed<P> {
    pub(super) fn codel(config: &CodelConfig) -> Self {
        let discipline = Discipline::Codel {
            queue: Fifo::new(),
            codel: Codel::new(config),
        };
        Self::new(config.limit, discipline)
    }

    pub(super) fn fq_codel(config: &FqCodelConfig) -> Self {
        let discipline = Discipline::FqCodel(FqCodel::new(config));
        Self::new(config.codel.limit, discipline)
    }

    fn new(limit: QueueLimit, discipline: Discipline<P>) -> Self {
        Self {
            limit,
            discipline,
            serving: None,
            dropped: VecDeque::new(),
            drops: Drops::default(),
        }
    }

    /// Offers a packet to the queue. `serve` sends a chosen packet through the bottleneck
    /// and returns the time at which it has crossed.
    pub(super) fn push(
        &mut self,
        flow: u64,
        packet: Queued<P>,
        serve: impl FnMut(Queued<P>) -> Instant,
    ) -> Result<(), Dropped<P>> {
        let now = packet.offered_at;
        let in_service = u64::from(self.serving.is_some());
        let packets = self.len() as u64 + in_service;
        let fits = self.limit.admits(packets, self.bytes(), packet.size);
        match &mut self.discipline {
            Discipline::Codel { .. } if !fits => {
                let payload = packet.payload;
                return Err(Dropped { payload });
            }
            Discipline::Codel { queue, .. } => queue.push(packet),
            Discipline::FqCodel(fq) => {
                fq.push(flow, packet);
                self.shed(now);
            }
        }
        if self.serving.is_none() {
            self.choose(now, serve);
        }
        Ok(())
    }

    /// Drops packets of the longest queue until the remaining packets are within the limit.
    fn shed(&mut self, now: Instant) {
        let (served, served_bytes) = self.serving.map_or((0, 0), |(_, size)| (1, size));
        let Discipline::FqCodel(fq) = &mut self.discipline else {
            return;
        };
        let fits = |fq: &FqCodel<P>| {
            let bytes = fq.bytes() + u64::from(served_bytes);
            self.limit.holds(fq.len() as u64 + served, bytes)
        };
        while !fits(fq) {
            fq.shed(|p| self.drops.add(&mut self.dropped, now, p));
        }
    }

    /// Chooses packets for service up to `now`.
    pub(super) fn advance(&mut self, now: Instant, mut serve: impl FnMut(Queued<P>) -> Instant) {
        while let Some((free_at, _)) = self.serving
            && free_at <= now
        {
            self.choose(free_at, &mut serve);
        }
    }

    /// Chooses the packet to serve after the bottleneck has become free.
    fn choose(&mut self, now: Instant, mut serve: impl FnMut(Queued<P>) -> Instant) {
        let drop = |p| self.drops.add(&mut self.dropped, now, p);
        let packet = match &mut self.discipline {
            Discipline::Codel { queue, codel } => codel.dequeue(now, queue, drop),
            Discipline::FqCodel(fq) => fq.dequeue(now, drop),
        };
        self.serving = packet.map(|packet| {
            let size = packet.size;
            (serve(packet), size)
        });
    }

    /// Returns the time at which the bottleneck becomes free, if packets are waiting.
    pub(super) fn chooses_at(&self) -> Option<Instant> {
        self.serving
            .filter(|_| self.len() > 0)
            .map(|(free_at, _)| free_at)
    }

    /// Returns the time of the earliest drop that the owner has not taken.
    pub(super) fn dropped_at(&self) -> Option<Instant> {
        self.dropped.front().map(|&(at, _)| at)
    }

    pub(super) fn pop_dropped(&mut self) -> Option<(Instant, P)> {
        self.dropped.pop_front()
    }

    /// Returns the drops since the last call.
    pub(super) fn take_drops(&mut self) -> Drops {
        std::mem::take(&mut self.drops)
    }

    /// Returns the number of waiting packets, not counting the one in service.
    pub(super) fn len(&self) -> usize {
        match &self.discipline {
            Discipline::Codel { queue, .. } => queue.len(),
            Discipline::FqCodel(fq) => fq.len(),
        }
    }

    /// Returns the bytes that are waiting or in service.
    pub(super) fn bytes(&self) -> u64 {
        let waiting = match &self.discipline {
            Discipline::Codel { queue, .. } => queue.bytes(),
            Discipline::FqCodel(fq) => fq.bytes(),
        };
        waiting + self.serving.map_or(0, |(_, size)| u64::from(size))
    }
}

impl Drops {
    pub(super) fn one(size: u32) -> Self {
        Self {
            packets: 1,
            bytes: u64::from(size),
        }
    }

    fn add<P>(&mut self, to: &mut VecDeque<(Instant, P)>, at: Instant, packet: Queued<P>) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        to.push_back((at, packet.payload));
    }
}
