//! One direction of a path: bottleneck with its queue, then loss, then delay.

use std::collections::VecDeque;
use std::sync::Arc;

use pagerace_core::{Duration, Instant, Rng};
use serde::{Deserialize, Serialize};

use crate::loss::{Loss, LossProcess};
use crate::queue::QueueLimit;
use crate::service::Service;
use crate::trace::Trace;
use crate::units::BitRate;

/// How fast a bottleneck is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rate {
    /// Each packet takes size / rate.
    Constant(BitRate),
    /// The same in the long run, but up to `burst` bytes that were saved while
    /// the link was idle pass at once (`tc-tbf(8)`).
    TokenBucket {
        /// The rate at which tokens arrive.
        rate: BitRate,
        /// Bytes of tokens that can be saved; at least 1,500.
        burst: u32,
    },
    /// As recorded.
    Trace(Arc<Trace>),
}

impl Rate {
    /// The rate in the long run.
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) | Self::TokenBucket { rate, .. } => *rate,
            Self::Trace(trace) => trace.mean_rate(),
        }
    }
}

/// Everything about one direction of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// How fast the bottleneck is.
    pub rate: Rate,
    /// One way, from the end of the bottleneck to the receiver.
    pub delay: Duration,
    /// How much may wait for the bottleneck.
    pub queue: QueueLimit,
    /// What is lost behind the bottleneck.
    pub loss: Loss,
}

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
        /// What was sent.
        payload: P,
    },
    /// It was lost behind the bottleneck.
    Lost {
        /// When it would have arrived.
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
    /// Packets without room.
    pub queue_drops: u64,
    /// Bytes of the packets offered.
    pub bytes_enqueued: u64,
    /// Bytes of the packets that arrived.
    pub bytes_delivered: u64,
    /// Bytes of the packets lost behind the bottleneck.
    pub bytes_lost: u64,
    /// Bytes of the packets without room.
    pub bytes_dropped: u64,
}

/// One direction of a path at work. `P` is what a packet carries.
///
/// The owner offers packets with [`enqueue`](Self::enqueue), and at
/// [`next_at`](Self::next_at) takes with [`poll`](Self::poll) what has come
/// out. Time is given from outside and never runs backwards.
#[derive(Clone, Debug)]
pub struct Link<P> {
    delay: Duration,
    limit: QueueLimit,
    service: Service,
    loss: LossProcess,
    /// All packets in flight, in order; the first `crossed` have left the
    /// bottleneck.
    packets: VecDeque<InFlight<P>>,
    crossed: usize,
    waiting_bytes: u64,
    counters: LinkCounters,
    now: Instant,
}

#[derive(Clone, Debug)]
struct InFlight<P> {
    crosses_at: Instant,
    size: u32,
    lost: bool,
    payload: P,
}

impl<P> Link<P> {
    /// An idle link. `rng` decides what is lost.
    pub fn new(config: &LinkConfig, rng: Rng) -> Self {
        Self {
            delay: config.delay,
            limit: config.queue,
            service: Service::new(&config.rate),
            loss: LossProcess::new(&config.loss, rng),
            packets: VecDeque::new(),
            crossed: 0,
            waiting_bytes: 0,
            counters: LinkCounters::default(),
            now: Instant::ZERO,
        }
    }

    /// Offers a packet of `size` bytes on the wire, IP and UDP headers
    /// included.
    ///
    /// # Errors
    /// [`Dropped`] gives the payload back if the queue has no room.
    ///
    /// # Panics
    /// If `now` lies before an earlier call's, or `size` is zero.
    pub fn enqueue(&mut self, now: Instant, size: u32, payload: P) -> Result<(), Dropped<P>> {
        assert!(size > 0, "a packet has at least its headers");
        self.advance(now);
        self.counters.enqueued += 1;
        self.counters.bytes_enqueued += u64::from(size);
        let waiting_packets = (self.packets.len() - self.crossed) as u64;
        if !self.limit.admits(waiting_packets, self.waiting_bytes, size) {
            self.counters.queue_drops += 1;
            self.counters.bytes_dropped += u64::from(size);
            return Err(Dropped { payload });
        }
        let crosses_at = self.service.finish(now, size);
        let lost = self.loss.loses_next();
        self.waiting_bytes += u64::from(size);
        self.packets.push_back(InFlight {
            crosses_at,
            size,
            lost,
            payload,
        });
        Ok(())
    }

    /// When [`poll`](Self::poll) has something; `None` if nothing is in flight.
    pub fn next_at(&self) -> Option<Instant> {
        self.packets.front().map(|p| p.crosses_at + self.delay)
    }

    /// Takes the next packet that came out, or was lost, at or before `now`.
    ///
    /// # Panics
    /// If `now` lies before an earlier call's.
    pub fn poll(&mut self, now: Instant) -> Option<Exit<P>> {
        self.advance(now);
        let at = self.next_at().filter(|&at| at <= now)?;
        let packet = self.packets.pop_front()?;
        // What has arrived has crossed before.
        self.crossed -= 1;
        let (bytes, payload) = (u64::from(packet.size), packet.payload);
        if packet.lost {
            self.counters.lost += 1;
            self.counters.bytes_lost += bytes;
            Some(Exit::Lost { at, payload })
        } else {
            self.counters.delivered += 1;
            self.counters.bytes_delivered += bytes;
            Some(Exit::Delivered { at, payload })
        }
    }

    /// Sums since the link was made.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// Packets that were accepted and have not come out.
    pub fn in_flight(&self) -> usize {
        self.packets.len()
    }

    /// Bytes that wait for the bottleneck or cross it, as of the last call.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    fn advance(&mut self, now: Instant) {
        assert!(
            now >= self.now,
            "a link at {:?} was given the time {now:?}",
            self.now
        );
        self.now = now;
        while let Some(packet) = self.packets.get(self.crossed) {
            if packet.crosses_at > now {
                break;
            }
            self.crossed += 1;
            self.waiting_bytes -= u64::from(packet.size);
        }
    }
}

#[cfg(test)]
mod tests;
