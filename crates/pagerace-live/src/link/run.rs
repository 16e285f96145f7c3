//! One load on the link, without IO: two [`Link`]s as in the simulator, and the log of
//! their packets.
//!
//! The random streams have the simulator's names, so the same seed loses the same packets
//! of the same sequence.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use pagerace_core::{Duration, EventQueue, Instant, Rng};
use pagerace_net::{Exit, Link, Network};

use super::kernel::Drops;
use super::log::Log;
use super::packet::{self, Direction, Flow, Transport};
use super::report::{Fate, LinkPacket, LinkReport, Scheduling};
use super::setup;
use crate::Clock;
use crate::lateness::Lateness;

/// Two links and their log.
pub(super) struct Run {
    down: Link<Carried>,
    up: Link<Carried>,
    /// Round trips of servers beyond the links. As in the simulator, half of one follows the
    /// link in each direction.
    distances: BTreeMap<Ipv4Addr, Duration>,
    /// Packets that have crossed their link and are on the way beyond it.
    beyond: EventQueue<(Direction, Carried)>,
    /// Connections, numbered in the order in which they began.
    flows: BTreeMap<Flow, u64>,
    log: Log,
    lateness: Lateness,
    /// Arrival of the client's first packet, by the emulator's clock.
    zero: Option<Instant>,
    strays: u64,
    /// Buffers for reuse.
    spare: Vec<Vec<u8>>,
}

/// A packet on a link.
#[derive(Clone, Debug)]
struct Carried {
    bytes: Vec<u8>,
    /// Time from the end of the link to the arrival.
    beyond: Duration,
    logged: Option<usize>,
}

/// The decision about an offered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The link has accepted or dropped the packet.
    Taken,
    /// The packet belongs to no connection of this load and is discarded.
    Stray,
    /// Deliver the packet immediately: the kernel itself sent it before the load began.
    Pass,
}

/// A packet that a link has released.
pub(super) struct Delivery {
    /// The direction of the packet.
    pub(super) direction: Direction,
    /// The due time, since time zero.
    due: Instant,
    packet: Carried,
}

impl Delivery {
    /// Returns the bytes of the packet.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.packet.bytes
    }
}

impl Run {
    /// Creates idle links. `packets_max` limits the packets in the log.
    pub(super) fn new(network: &Network, seed: u64, packets_max: usize) -> Self {
        Self {
            down: Link::new(&network.down, Rng::new(seed, "link/down")),
            up: Link::new(&network.up, Rng::new(seed, "link/up")),
            distances: BTreeMap::new(),
            beyond: EventQueue::new(),
            flows: BTreeMap::new(),
            log: Log::new(packets_max),
            lateness: Lateness::default(),
            zero: None,
            strays: 0,
            spare: Vec::new(),
        }
    }

    /// Sets the round trips of servers beyond the links.
    pub(super) fn with_distances(mut self, distances: BTreeMap<Ipv4Addr, Duration>) -> Self {
        self.distances = distances;
        self
    }

    /// Offers a packet that arrived at `now`, by the emulator's clock.
    ///
    /// The client's first packet to a server sets time zero. A connection begins with a
    /// TCP SYN or a datagram from the client. Other TCP and UDP packets without such a
    /// connection are left over from an earlier load.
    pub(super) fn offer(&mut self, direction: Direction, now: Instant, bytes: &[u8]) -> Verdict {
        let Some((flow, tcp)) = packet::read(bytes, direction) else {
            return self.stray();
        };
        let opens = direction == Direction::Up
            && setup::is_server(flow.server)
            && match flow.transport {
                Transport::Tcp => tcp.is_some_and(|header| header.syn),
                Transport::Udp => true,
                Transport::Other => false,
            };
        if self.zero.is_none() {
            match (opens, flow.transport) {
                (true, _) => self.zero = Some(now),
                (false, Transport::Other) => return Verdict::Pass,
                (false, _) => return self.stray(),
            }
        }
        let known = self.flows.get(&flow).copied();
        let number = match known {
            Some(number) => number,
            None if opens || flow.transport == Transport::Other => {
                let number = self.flows.len() as u64;
                self.flows.insert(flow, number);
                number
            }
            None => return self.stray(),
        };
        let (at, size) = (self.time(now), bytes.len() as u32);
        let logged = self.log.push(LinkPacket {
            at,
            direction,
            size,
            flow,
            fate: Fate::InFlight,
            due: None,
            tcp,
        });
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(bytes);
        let distance = self.distances.get(&flow.server).copied();
        let carried = Carried {
            bytes: buffer,
            beyond: Duration::from_nanos(distance.unwrap_or_default().as_nanos() / 2),
            logged,
        };
        let refused = self.link(direction).enqueue(at, size, number, carried);
        if let Err(dropped) = refused {
            self.end(dropped.payload, None, Fate::Dropped { at });
        }
        Verdict::Taken
    }

    fn stray(&mut self) -> Verdict {
        self.strays += 1;
        Verdict::Stray
    }

    /// Converts the emulator's clock to the time since time zero.
    fn time(&self, now: Instant) -> Instant {
        let since = now.since(self.zero.unwrap_or(now));
        Instant::ZERO + since
    }

    /// Returns the time of the next [`poll`](Self::poll), by the emulator's clock.
    pub(super) fn next_at(&self) -> Option<Instant> {
        let zero = self.zero?;
        let links = self.down.next_at().into_iter().chain(self.up.next_at());
        let next = links.chain(self.beyond.next_at());
        next.min().map(|at| zero + at.since_start())
    }

    /// Returns the next packet that is due at `now`, by the emulator's clock.
    pub(super) fn poll(&mut self, now: Instant) -> Option<Delivery> {
        let now = self.time(now);
        loop {
            let links = self.down.next_at().into_iter().chain(self.up.next_at());
            let first = links.min();
            let arrives = self.beyond.next_at().filter(|at| *at <= now);
            if arrives.is_some_and(|at| first.is_none_or(|link| at <= link)) {
                let (due, (direction, packet)) = self.beyond.pop().expect("it is due");
                return Some(Delivery {
                    direction,
                    due,
                    packet,
                });
            }
            let next = |link: &Link<Carried>| link.next_at().filter(|at| *at <= now);
            let direction = match (next(&self.down), next(&self.up)) {
                (None, None) => return None,
                (Some(down), Some(up)) if up < down => Direction::Up,
                (None, Some(_)) => Direction::Up,
                _ => Direction::Down,
            };
            match self.link(direction).poll(now) {
                Some(Exit::Delivered { at, payload, .. }) if !payload.beyond.is_zero() => {
                    let due = at + payload.beyond;
                    self.beyond.schedule(due, (direction, payload));
                }
                Some(Exit::Delivered { at, payload, .. }) => {
                    return Some(Delivery {
                        direction,
                        due: at,
                        packet: payload,
                    });
                }
                Some(Exit::Lost { at, payload, .. }) => self.end(payload, Some(at), Fate::Lost),
                Some(Exit::Dropped { at, payload }) => {
                    self.end(payload, None, Fate::Dropped { at });
                }
                // An actively managed queue has selected its next packet.
                None => {}
            }
        }
    }

    /// Records the delivery of a packet at `now`, by the emulator's clock.
    pub(super) fn handle_delivery(&mut self, delivery: Delivery, now: Instant) {
        let at = self.time(now);
        self.lateness.add(at.since(delivery.due));
        self.end(delivery.packet, Some(delivery.due), Fate::Delivered { at });
    }

    fn end(&mut self, packet: Carried, due: Option<Instant>, fate: Fate) {
        if let Some(logged) = packet.logged.and_then(|i| self.log.get_mut(i)) {
            logged.fate = fate;
            logged.due = due;
        }
        self.spare.push(packet.bytes);
    }

    fn link(&mut self, direction: Direction) -> &mut Link<Carried> {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    /// Ends the load. Packets in flight are dropped. `clock` is the emulator's, and
    /// `drops` are those of the kernel.
    pub(super) fn end_load(self, clock: Clock, drops: Drops, scheduling: Scheduling) -> LinkReport {
        LinkReport {
            unlogged: self.log.unlogged(),
            packets: self.log.into_packets(),
            down: *self.down.counters(),
            up: *self.up.counters(),
            lateness: self.lateness,
            started: self.zero.map(|zero| clock.monotonic(zero)),
            strays: self.strays,
            kernel_drops: drops.device,
            socket_drops: drops.socket,
            scheduling,
        }
    }
}

#[cfg(test)]
mod tests;
