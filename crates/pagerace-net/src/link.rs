//! One direction of a path: queue and bottleneck, then loss, then delay.

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

/// A packet that found no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<P> {
    /// What was offered.
    pub payload: P,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit<P> {
    /// It arrived.
    Delivered {
        /// When.
        at: Instant,
        /// When the bottleneck had finished it.
        crossed_at: Instant,
        /// What was sent.
        payload: P,
    },
    /// It was lost behind the bottleneck.
    Lost {
        /// When it would have arrived.
        at: Instant,
        /// When the bottleneck had finished it.
        crossed_at: Instant,
        /// What was sent.
        payload: P,
    },
    /// The queue dropped it after it had been accepted: because packets wait
    /// for too long, or to make room.
    Dropped {
        /// When.
        at: Instant,
        /// What was sent.
        payload: P,
    },
}

/// Sums since the link was made.
///
/// `enqueued = delivered + lost + queue_drops +` what is in flight; the same
/// holds for bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounters {
    /// Packets offered, those without room included.
    pub enqueued: u64,
    /// Packets that arrived.
    pub delivered: u64,
    /// Packets lost behind the bottleneck.
    pub lost: u64,
    /// Packets without room, and packets that the queue dropped.
    pub queue_drops: u64,
    /// Bytes of the packets offered.
    pub bytes_enqueued: u64,
    /// Bytes of the packets that arrived.
    pub bytes_delivered: u64,
    /// Bytes of the packets lost behind the bottleneck.
    pub bytes_lost: u64,
    /// Bytes of the packets without room or dropped.
    pub bytes_dropped: u64,
}

/// One direction of a path at work. `P` is what a packet carries.
///
/// The owner offers packets with [`enqueue`](Self::enqueue), and at
/// [`next_at`](Self::next_at) takes with [`poll`](Self::poll) what has come
/// out. Time is given from outside and never runs backwards.
#[derive(Clone, Debug)]
pub struct Link<P> {
    line: Line<P>,
    beyond: Beyond<P>,
    counters: LinkCounters,
    now: Instant,
}

/// What waits for the bottleneck.
#[derive(Clone, Debug)]
enum Line<P> {
    TailDrop(TailDrop),
    Managed(Box<Managed<P>>),
}

/// Everything behind the queue.
#[derive(Clone, Debug)]
struct Beyond<P> {
    service: Service,
    loss: LossProcess,
    delay: DelayProcess,
    travelling: Travelling<P>,
}

impl<P> Link<P> {
    /// An idle link. `rng` decides what is lost; jitter has a stream of its
    /// own that is derived from it.
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

    /// Offers a packet of `size` bytes on the wire, the headers of IP and of
    /// the transport included. `flow` tells connections apart, for queues that
    /// keep each one on its own.
    ///
    /// # Errors
    /// [`Dropped`] gives the payload back if the queue has no room.
    ///
    /// # Panics
    /// If `now` lies before an earlier call's, or `size` is zero.
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

    /// When to [`poll`](Self::poll) next; `None` if nothing is in flight. With
    /// a managed queue it may be the time at which the next packet is chosen,
    /// and `poll` may find that nothing has come out yet.
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

    /// Takes the next packet that came out, or was lost or dropped, at or
    /// before `now`.
    ///
    /// # Panics
    /// If `now` lies before an earlier call's.
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

    /// Sums since the link was made, up to the last call's time.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// Packets that were accepted and have neither come out nor been dropped.
    pub fn in_flight(&self) -> usize {
        let waiting = match &self.line {
            // They are among those whose arrival is known.
            Line::TailDrop(_) => 0,
            Line::Managed(line) => line.len(),
        };
        waiting + self.beyond.travelling.len()
    }

    /// Bytes that wait for the bottleneck or cross it, as of the last call.
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
    /// Sends a packet through the bottleneck and on; returns when it has
    /// crossed.
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

    /// The same for one that has been chosen now. It is served by the time of
    /// its arrival: what the bottleneck has left of a nanosecond or of an
    /// opportunity is for who waited.
    fn serve_queued(&mut self, packet: Queued<P>) -> Instant {
        self.serve(packet.offered_at, packet.size, packet.payload)
    }
}

#[cfg(test)]
mod tests;
