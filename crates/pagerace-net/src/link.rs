//! One direction of a path: queue and bottleneck, followed by loss and delay.

mod config;
mod managed;
mod tail_drop;
mod travelling;

use pagerace_core::{Instant, Rng};
use serde::{Deserialize, Serialize};

pub use self::config::{LinkConfig, Rate};

use self::managed::{Drops, Managed};
use self::tail_drop::TailDrop;
use self::travelling::{Traveller, Travelling};
use crate::delay::DelayProcess;
use crate::loss::LossProcess;
use crate::queue::{Queue, Queued};
use crate::service::Service;

/// A packet that the queue refused for lack of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<P> {
    /// The payload of the packet.
    pub payload: P,
}

/// The fate of a packet that the queue accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit<P> {
    /// The packet arrived.
    Delivered {
        /// The time of arrival.
        at: Instant,
        /// The time at which the bottleneck finished transmitting the packet.
        crossed_at: Instant,
        /// The payload of the packet.
        payload: P,
    },
    /// The packet was lost behind the bottleneck.
    Lost {
        /// The time at which the packet would have arrived.
        at: Instant,
        /// The time at which the bottleneck finished transmitting the packet.
        crossed_at: Instant,
        /// The payload of the packet.
        payload: P,
    },
    /// The queue dropped the packet after accepting it, either because packets waited for
    /// too long or to make room.
    Dropped {
        /// The time of the drop.
        at: Instant,
        /// The payload of the packet.
        payload: P,
    },
}

/// Packet and byte counts since the link was created.
///
/// `enqueued = delivered + lost + queue_drops +` the packets in flight; the same holds
/// for the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounters {
    /// Packets offered, including refused ones.
    pub enqueued: u64,
    /// Packets that arrived.
    pub delivered: u64,
    /// Packets lost behind the bottleneck.
    pub lost: u64,
    /// Packets refused by the queue or dropped from it.
    pub queue_drops: u64,
    /// Bytes of the packets offered.
    pub bytes_enqueued: u64,
    /// Bytes of the packets that arrived.
    pub bytes_delivered: u64,
    /// Bytes of the packets lost behind the bottleneck.
    pub bytes_lost: u64,
    /// Bytes of the packets refused by the queue or dropped from it.
    pub bytes_dropped: u64,
}

/// The state of one direction of a path. `P` is the payload of a packet.
///
/// The owner offers packets with [`enqueue`](Self::enqueue), and takes packets that have
/// left the link with [`poll`](Self::poll) at [`next_at`](Self::next_at). The caller
/// supplies the time, which never runs backwards.
#[derive(Clone, Debug)]
pub struct Link<P> {
    line: Line<P>,
    beyond: Beyond<P>,
    counters: LinkCounters,
    now: Instant,
}

/// The queue in front of the bottleneck.
#[derive(Clone, Debug)]
enum Line<P> {
    TailDrop(TailDrop),
    Managed(Box<Managed<P>>),
}

/// The stages behind the queue.
#[derive(Clone, Debug)]
struct Beyond<P> {
    service: Service,
    loss: LossProcess,
    delay: DelayProcess,
    travelling: Travelling<P>,
}

impl<P> Link<P> {
    /// Creates an idle link. `rng` drives the losses; jitter uses a separate stream
    /// derived from it.
    pub fn new(config: &LinkConfig, rng: Rng) -> Self {
        let jitter_rng = Rng::new(rng.clone().next_u64(), "jitter");
        let delay = DelayProcess::new(config.delay.clone(), config.jitter, jitter_rng);
        let beyond = Beyond {
            service: Service::new(&config.rate),
            loss: LossProcess::new(&config.loss, rng),
            travelling: Travelling::new(delay.reorders()),
            delay,
        };
        let line = match &config.queue {
            Queue::TailDrop(limit) => Line::TailDrop(TailDrop::new(*limit)),
            Queue::Codel(codel) => Line::Managed(Box::new(Managed::codel(codel))),
            Queue::FqCodel(fq) => Line::Managed(Box::new(Managed::fq_codel(fq))),
        };
        Self {
            line,
            beyond,
            counters: LinkCounters::default(),
            now: Instant::ZERO,
        }
    }

    /// Offers a packet of `size` bytes on the wire, including the IP and transport headers.
    /// `flow` identifies the connection for queues that treat each flow separately.
    ///
    /// # Errors
    /// Returns [`Dropped`] with the payload if the queue has no room.
    ///
    /// # Panics
    /// Panics if `now` is earlier than in a previous call, or if `size` is zero.
    pub fn enqueue(
        &mut self,
        now: Instant,
        size: u32,
        flow: u64,
        payload: P,
    ) -> Result<(), Dropped<P>> {
        assert!(size > 0, "a packet has at least its headers");
        self.advance(now);
        self.counters.enqueued += 1;
        self.counters.bytes_enqueued += u64::from(size);
        let offered = match &mut self.line {
            Line::TailDrop(line) if line.admits(size) => {
                line.push(self.beyond.serve(now, size, payload), size);
                Ok(())
            }
            Line::TailDrop(_) => Err(Dropped { payload }),
            Line::Managed(line) => {
                let packet = Queued {
                    offered_at: now,
                    size,
                    payload,
                };
                let offered = line.push(flow, packet, |p| self.beyond.serve_queued(p));
                self.counters.count(line.take_drops());
                offered
            }
        };
        if offered.is_err() {
            self.counters.count(Drops::one(size));
        }
        offered
    }

    /// Returns the time at which to call [`poll`](Self::poll) next, or `None` if nothing
    /// is in flight. With a managed queue this may be the time at which the next packet
    /// is chosen for service, when `poll` may still return `None`.
    pub fn next_at(&self) -> Option<Instant> {
        let arrival = self.beyond.travelling.next_at();
        match &self.line {
            Line::TailDrop(_) => arrival,
            Line::Managed(line) => {
                let others = line.dropped_at().into_iter().chain(line.chooses_at());
                others.chain(arrival).min()
            }
        }
    }

    /// Returns the next packet that was delivered, lost or dropped at or before `now`.
    ///
    /// # Panics
    /// Panics if `now` is earlier than in a previous call.
    pub fn poll(&mut self, now: Instant) -> Option<Exit<P>> {
        self.advance(now);
        let arrival = self.beyond.travelling.next_at().filter(|&at| at <= now);
        if let Line::Managed(line) = &mut self.line
            && let Some(dropped_at) = line.dropped_at()
            && arrival.is_none_or(|at| dropped_at <= at)
        {
            let (at, payload) = line.pop_dropped()?;
            return Some(Exit::Dropped { at, payload });
        }
        let at = arrival?;
        let packet = self.beyond.travelling.pop()?;
        let (bytes, crossed_at) = (u64::from(packet.size), packet.crossed_at);
        let payload = packet.payload;
        if packet.lost {
            self.counters.lost += 1;
            self.counters.bytes_lost += bytes;
            Some(Exit::Lost {
                at,
                crossed_at,
                payload,
            })
        } else {
            self.counters.delivered += 1;
            self.counters.bytes_delivered += bytes;
            Some(Exit::Delivered {
                at,
                crossed_at,
                payload,
            })
        }
    }

    /// Returns the counts from the creation of the link up to the time of the last call.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// Returns the number of accepted packets that have been neither delivered, lost nor
    /// dropped.
    pub fn in_flight(&self) -> usize {
        let waiting = match &self.line {
            // Tail drop pushes waiting packets into `travelling` when it accepts them.
            Line::TailDrop(_) => 0,
            Line::Managed(line) => line.len(),
        };
        waiting + self.beyond.travelling.len()
    }

    /// Returns the bytes that are waiting for or crossing the bottleneck, as of the last call.
    pub fn waiting_bytes(&self) -> u64 {
        match &self.line {
            Line::TailDrop(line) => line.bytes(),
            Line::Managed(line) => line.bytes(),
        }
    }

    fn advance(&mut self, now: Instant) {
        assert!(
            now >= self.now,
            "a link at {:?} was given the time {now:?}",
            self.now
        );
        self.now = now;
        match &mut self.line {
            Line::TailDrop(line) => line.advance(now),
            Line::Managed(line) => {
                line.advance(now, |packet| self.beyond.serve_queued(packet));
                self.counters.count(line.take_drops());
            }
        }
    }
}

impl LinkCounters {
    fn count(&mut self, drops: Drops) {
        self.queue_drops += drops.packets;
        self.bytes_dropped += drops.bytes;
    }
}

impl<P> Beyond<P> {
    /// Sends a packet through the bottleneck and on to the delay stage. Returns the time
    /// at which the packet has crossed the bottleneck.
    fn serve(&mut self, offered_at: Instant, size: u32, payload: P) -> Instant {
        let crossed_at = self.service.finish(offered_at, size);
        self.travelling.push(Traveller {
            arrives_at: self.delay.arrival(crossed_at),
            crossed_at,
            size,
            lost: self.loss.loses_next(),
            payload,
        });
        crossed_at
    }

    /// Serves a packet chosen from a managed queue. The packet is served as of the time
    /// at which it was offered, so that a waiting packet uses the rest of a nanosecond or
    /// of a delivery opportunity that the previous packet left over.
    fn serve_queued(&mut self, packet: Queued<P>) -> Instant {
        self.serve(packet.offered_at, packet.size, packet.payload)
    }
}

#[cfg(test)]
mod tests;
