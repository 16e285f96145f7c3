//! Event loop of connections that share two links.

use std::collections::BTreeMap;

use pagerace_core::{Duration, EventQueue, Instant, Rng};
use pagerace_net::{Exit, Link, Network};
use pagerace_page::ResourceId;

use crate::ends::{Ends, OnLink, Packet};
use crate::ids::{ById, ConnectionId, Id, LookUpId};
use crate::outcome::FrameSent;
use crate::trace::{LoggedPacket, Side};
use crate::wire::{Fate, WireLog};

/// Connections, the links that they share, and the time. The owner of the loop schedules
/// timers of type `T` among the events of connections.
pub(crate) struct EventLoop<S, T> {
    pub(crate) now: Instant,
    /// Client and server of each connection; `None` until both exist.
    pub(crate) ends: ById<ConnectionId, Option<Ends<S>>>,
    /// The link to the clients.
    pub(crate) down: Direction,
    /// The link to the servers.
    pub(crate) up: Direction,
    pub(crate) record: Record,
    /// Time until which the client process reads no datagrams. Those that arrive before wait in
    /// its socket.
    pub(crate) reads_from: Instant,
    /// Log of [`Record::Packets`].
    pub(crate) packets: Vec<LoggedPacket>,
    timers: EventQueue<Timer<T>>,
    /// Random stream of [`Reading`].
    reading: Rng,
    buf: Vec<u8>,
}

/// A link and the log of its packets.
pub(crate) struct Direction {
    pub(crate) link: Link<OnLink>,
    /// Log of [`Record::Wire`].
    pub(crate) log: WireLog,
    /// Queries and answers, which belong to no connection, that the link lost.
    pub(crate) queries_lost: u64,
    /// Packets that the queue dropped.
    pub(crate) queries_dropped: u64,
}

/// Records to keep of a run; each kind includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Record {
    #[default]
    Nothing,
    /// The fate of each packet, for traces and explanations.
    Wire,
    /// The contents of the packets that QUIC ends seal and open.
    Packets,
}

/// Result of a step of the loop.
pub(crate) enum Event<T> {
    /// An end of this connection handled a packet or a timeout.
    Connection(ConnectionId),
    /// A timer of the owner is due.
    Timer(T),
    /// The answer to a query has arrived.
    Answered(Query),
    /// No end and no timer of the owner was concerned.
    Nothing,
    /// The next event comes after the deadline.
    Deadline,
}

/// A query to the name server behind the link, or its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) look_up: LookUpId,
    pub(crate) kind: QueryKind,
    /// The owner's number of the round of queries.
    pub(crate) round: u32,
    /// Size of the answer on the wire in bytes.
    pub(crate) answer_bytes: u32,
}

/// Type of the resource record that a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryKind {
    /// The `A` record.
    Address,
    /// The `HTTPS` record (RFC 9460).
    Https,
}

enum Timer<T> {
    End(ConnectionId, Side),
    /// A packet reaches its end after the delay beyond the link.
    Arrives(Side, Packet),
    Owner(T),
}

/// Distribution of the time from the arrival of a packet until its end has read it and answers:
/// log-normal.
///
/// Without it, all ends answer in the same instant, and packets keep the rhythm of the
/// bottleneck's queue exactly. A packet of another connection then meets each burst at the same
/// distance, and a full queue always or never drops it (S. Floyd and V. Jacobson, On Traffic
/// Phase Effects in Packet-Switched Gateways, 1992). Gaps of 2.00 ms between ACKs, as at 12 Mbit/s,
/// then all belong to a train of `HyStart`, which ends at the first longer gap.
struct Reading {
    median: Duration,
    /// Standard deviation of the logarithm.
    spread: f64,
}

/// A program that wakes up, reads and decrypts.
///
/// # Source
/// Packets on the emulated link, loads of a page by Chromium 156 at 5 and 50 Mbit/s: from the last
/// datagram to the next answer, the browser took 0.12 to 0.15 ms and the server 0.14 to 0.20 ms in
/// the median. A tenth took at most 0.1 ms, and a tenth at least 0.4 ms. One distribution between
/// the two serves both.
const QUIC_READING: Reading = Reading {
    median: Duration::from_micros(170),
    spread: 0.6,
};

/// The kernel.
///
/// # Source
/// As above: Linux 6.18 took 0.02 to 0.04 ms in the median on one machine, and 0.08 to 0.09 on
/// another, half as fast. There, a tenth took at most 0.7 of the median and a tenth at least 1.6 to
/// 1.9 times the median (1,700 ACKs and responses at 12 Mbit/s).
const TCP_READING: Reading = Reading {
    median: Duration::from_micros(40),
    spread: 0.4,
};

impl Reading {
    fn draw(&self, random: &mut Rng) -> Duration {
        self.median.mul_f64(random.lognormal(self.spread))
    }
}

impl<S: pagerace_peer::Site, T> EventLoop<S, T> {
    pub(crate) fn new(network: &Network, seed: u64, record: Record) -> Self {
        let direction = |config, stream| Direction {
            link: Link::new(config, Rng::new(seed, stream)),
            log: WireLog::default(),
            queries_lost: 0,
            queries_dropped: 0,
        };
        Self {
            now: Instant::ZERO,
            ends: ById::default(),
            down: direction(&network.down, "link/down"),
            up: direction(&network.up, "link/up"),
            record,
            reads_from: Instant::ZERO,
            packets: Vec::new(),
            timers: EventQueue::new(),
            reading: Rng::new(seed, "link/reading"),
            buf: Vec::with_capacity(2048),
        }
    }

    pub(crate) fn schedule(&mut self, at: Instant, timer: T) {
        self.timers.schedule(at, Timer::Owner(timer));
    }

    /// Sends a query of `size` bytes on the wire.
    pub(crate) fn ask(&mut self, query: Query, size: u32) {
        Self::carry(&mut self.up, self.now, query, size);
    }

    /// Puts a query or its answer on a link. The queue may drop it.
    fn carry(direction: &mut Direction, now: Instant, query: Query, size: u32) {
        // No connection has this flow.
        let flow = u64::MAX - query.look_up.index() as u64;
        // The client asks again for a datagram that was dropped.
        let query = OnLink::Query(query);
        if direction.link.enqueue(now, size, flow, query).is_err() {
            direction.queries_dropped += 1;
        }
    }

    /// Moves the time to the next event and handles the event. Returns `None` if nothing
    /// is left to happen.
    pub(crate) fn step(&mut self, deadline: Instant) -> Option<Event<T>> {
        let (down, up) = (self.down.link.next_at(), self.up.link.next_at());
        let next = [down, up, self.timers.next_at()]
            .into_iter()
            .flatten()
            .min()?;
        self.now = next.min(deadline);
        Some(if next > deadline {
            Event::Deadline
        } else if let Some(exit) = self.down.link.poll(next) {
            self.handle_exit(exit, Side::Server)
        } else if let Some(exit) = self.up.link.poll(next) {
            self.handle_exit(exit, Side::Client)
        } else {
            match self.timers.pop_due(next) {
                Some((_, Timer::End(i, side))) => self.handle_alarm(i, side),
                Some((_, Timer::Arrives(to, packet))) => self.handle_arrival(packet, to),
                Some((_, Timer::Owner(timer))) => Event::Timer(timer),
                None => Event::Nothing,
            }
        })
    }

    /// Handles the end of a packet's way through a link.
    fn handle_exit(&mut self, exit: Exit<OnLink>, from: Side) -> Event<T> {
        let (packet, crossed_at, fate) = match exit {
            Exit::Delivered {
                at,
                crossed_at,
                payload,
            } => (payload, Some(crossed_at), Fate::Arrived(at)),
            Exit::Lost {
                crossed_at,
                payload,
                ..
            } => (payload, Some(crossed_at), Fate::Lost),
            Exit::Dropped { payload, .. } => (payload, None, Fate::Dropped),
        };
        let packet = match packet {
            OnLink::Query(query) => return self.handle_query_exit(query, fate, from),
            OnLink::Packet(packet) => packet,
        };
        let (direction, to) = match from {
            Side::Client => (&mut self.up, Side::Server),
            Side::Server => (&mut self.down, Side::Client),
        };
        let ends = &mut self.ends[packet.connection];
        let ends = ends.as_mut().expect("only ends send packets");
        let fate = match fate {
            Fate::Arrived(at) => {
                let at = at + ends.extra_delay;
                let (reading, reads_from) = match (ends.is_quic(), to) {
                    (true, Side::Client) => (QUIC_READING, self.reads_from),
                    (true, Side::Server) => (QUIC_READING, Instant::ZERO),
                    (false, _) => (TCP_READING, Instant::ZERO),
                };
                let read = &mut ends.side(to).read;
                // Whatever has arrived by then is read at once.
                if at > *read {
                    *read = at + reading.draw(&mut self.reading);
                }
                *read = (*read).max(reads_from);
                Fate::Arrived(*read)
            }
            other => other,
        };
        direction.log.handle_end(packet.logged, crossed_at, fate);
        match fate {
            Fate::Arrived(at) => self.timers.schedule(at, Timer::Arrives(to, packet)),
            Fate::Dropped => ends.side(from).dropped += 1,
            Fate::Lost | Fate::InFlight => {}
        }
        Event::Nothing
    }

    /// Handles the end of the way of a query, or of its answer, through a link. The name server
    /// answers at once.
    fn handle_query_exit(&mut self, query: Query, fate: Fate, from: Side) -> Event<T> {
        let direction = match from {
            Side::Client => &mut self.up,
            Side::Server => &mut self.down,
        };
        match (fate, from) {
            (Fate::Arrived(_), Side::Client) => {
                Self::carry(&mut self.down, self.now, query, query.answer_bytes);
            }
            (Fate::Arrived(_), Side::Server) => return Event::Answered(query),
            (Fate::Lost, _) => direction.queries_lost += 1,
            (Fate::Dropped, _) => direction.queries_dropped += 1,
            (Fate::InFlight, _) => {}
        }
        Event::Nothing
    }

    fn handle_arrival(&mut self, packet: Packet, to: Side) -> Event<T> {
        let ends = &mut self.ends[packet.connection];
        let ends = ends.as_mut().expect("only ends send packets");
        ends.side(to).received += u64::from(packet.payload.wire_size());
        ends.handle(self.now, to, packet.payload);
        Event::Connection(packet.connection)
    }

    fn handle_alarm(&mut self, i: ConnectionId, side: Side) -> Event<T> {
        let ends = self.ends[i].as_mut().expect("only ends have alarms");
        if !ends.side(side).alarm.handle_ring(self.now) {
            return Event::Nothing;
        }
        if ends.poll_timeout(side).is_some_and(|at| at <= self.now) {
            ends.handle_timeout(self.now, side);
        }
        Event::Connection(i)
    }

    /// Puts the packets that both ends of a connection have to send on the links, and sets
    /// the alarms of both. `streams` has the resource of each request stream.
    pub(crate) fn flush(&mut self, i: ConnectionId, streams: &BTreeMap<u64, ResourceId>) {
        let now = self.now;
        let Some(ends) = &mut self.ends[i] else {
            return;
        };
        for (from, direction) in [(Side::Client, &mut self.up), (Side::Server, &mut self.down)] {
            while let Some((size, payload)) = ends.transmit(now, from, &mut self.buf) {
                let mut logged = 0;
                if self.record >= Record::Wire {
                    let frames = match from {
                        Side::Client => Vec::new(),
                        Side::Server => ends.take_frames(),
                    };
                    let frames = frames.into_iter().filter_map(|f| {
                        Some(FrameSent {
                            at: f.at,
                            connection: i.0,
                            resource: *streams.get(&f.stream)?,
                            offset: f.offset,
                            length: f.length as u32,
                            retransmission: f.retransmission,
                        })
                    });
                    logged = direction.log.handle_sent(i, now, size, frames);
                }
                let packet = Packet {
                    connection: i,
                    logged,
                    payload,
                };
                let sent = ends.side(from);
                sent.bytes += u64::from(size);
                let (flow, packet) = (u64::from(i.0), OnLink::Packet(packet));
                if direction.link.enqueue(now, size, flow, packet).is_err() {
                    sent.dropped += 1;
                    direction.log.handle_end(logged, None, Fate::Dropped);
                }
            }
        }
        for side in [Side::Client, Side::Server] {
            let deadline = ends.poll_timeout(side);
            if let Some(at) = ends.side(side).alarm.set(now, deadline) {
                self.timers.schedule(at, Timer::End(i, side));
            }
        }
        if self.record >= Record::Packets {
            let log = &mut self.packets;
            ends.drain_packets(|side, packet| {
                log.push(LoggedPacket {
                    at: now,
                    connection: i.0,
                    side,
                    packet,
                });
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_times_have_the_measured_quantiles() {
        let mut random = Rng::new(1, "link/reading");
        let mut quantiles = |reading: Reading| {
            let mut times: Vec<_> = (0..10_000).map(|_| reading.draw(&mut random)).collect();
            times.sort_unstable();
            [1_000, 5_000, 9_000].map(|i: usize| times[i].as_millis_f64())
        };
        let quic = quantiles(QUIC_READING);
        let tcp = quantiles(TCP_READING);
        for (measured, [low, middle, high]) in [
            (quic, [0.07..0.1, 0.16..0.18, 0.34..0.42]),
            (tcp, [0.02..0.03, 0.03..0.05, 0.06..0.08]),
        ] {
            assert!(low.contains(&measured[0]), "{measured:?}");
            assert!(middle.contains(&measured[1]), "{measured:?}");
            assert!(high.contains(&measured[2]), "{measured:?}");
        }
    }
}
