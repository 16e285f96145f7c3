//! Tests with two hosts over a pipe with a fixed delay and selected packet losses.

mod floods;
mod gaps;
pub(super) mod pacing;
mod resumption;
mod slow_start;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use pagerace_core::{Duration, EventQueue, Instant};

use super::keys::{FlightSizes, Handshake, Identity};
use super::*;

const DELAY: Duration = Duration::from_millis(20);
/// 10 Mbit/s: about one packet of 1,200 bytes per millisecond.
const NANOS_PER_BYTE: u64 = 800;
/// The idle timeout of a connection. Twenty consecutive losses double the probe timeout ten
/// times.
const PATIENCE: Instant = Instant::from_nanos(600_000_000_000);

/// Selects the next of the ready responses (stream, sent, length).
type Order = fn(&mut Option<u64>, &[(u64, u64, u64)]) -> usize;

/// A server that sends `length` bytes on each stream that the client opens, in the given
/// order.
struct Server {
    /// stream, sent, length
    responses: Vec<(u64, u64, u64)>,
    blocked: Vec<u64>,
    last: Option<u64>,
    order: Order,
    /// Bytes in the order of the schedule: stream, from, to. Adjacent runs are merged.
    decided: Vec<(u64, u64, u64)>,
    /// Bytes in the order of their first transmission, in the same form.
    wire: Vec<(u64, u64, u64)>,
    frames: Vec<StreamFrame>,
    high: BTreeMap<u64, u64>,
}

/// Returns the byte of any response at an offset.
fn content(at: u64) -> u8 {
    (at % 251) as u8
}

fn push_run(runs: &mut Vec<(u64, u64, u64)>, stream: u64, from: u64, to: u64) {
    match runs.last_mut() {
        Some(last) if last.0 == stream && last.2 == from => last.2 = to,
        _ if from == to => {}
        _ => runs.push((stream, from, to)),
    }
}

impl Server {
    fn new(order: Order) -> Self {
        Self {
            responses: vec![],
            blocked: vec![],
            last: None,
            order,
            decided: vec![],
            wire: vec![],
            frames: vec![],
            high: BTreeMap::new(),
        }
    }
}

impl PacketSource for Server {
    fn pick(&mut self) -> Option<Offer> {
        let ready: Vec<_> = self
            .responses
            .iter()
            .copied()
            .filter(|r| r.1 < r.2 && !self.blocked.contains(&r.0))
            .collect();
        if ready.is_empty() {
            return None;
        }
        let (stream, sent, length) = ready[(self.order)(&mut self.last, &ready)];
        Some(Offer::Stream(StreamOffer {
            stream,
            offset: sent,
            left: length - sent,
            fin: true,
        }))
    }
    fn has_data(&self) -> bool {
        let open = |r: &&(u64, u64, u64)| r.1 < r.2 && !self.blocked.contains(&r.0);
        self.responses.iter().any(|r| open(&r))
    }
    fn peek(&mut self, stream: u64, max: usize) -> Result<Bytes, u64> {
        let r = self.responses.iter().find(|r| r.0 == stream).unwrap();
        Ok((r.1..r.2).take(max).map(content).collect())
    }
    fn handle_written(&mut self, stream: u64, bytes: usize, refused: bool) {
        let r = self.responses.iter_mut().find(|r| r.0 == stream).unwrap();
        push_run(&mut self.decided, stream, r.1, r.1 + bytes as u64);
        r.1 += bytes as u64;
        if refused {
            self.blocked.push(stream);
        }
    }
    fn handle_stopped(&mut self, stream: u64) {
        self.responses.retain(|r| r.0 != stream);
    }
    fn handle_frame_sent(&mut self, frame: StreamFrame) {
        self.frames.push(frame);
        let high = self.high.entry(frame.id).or_default();
        if frame.end() > *high {
            push_run(
                &mut self.wire,
                frame.id,
                frame.offset.max(*high),
                frame.end(),
            );
            *high = frame.end();
        }
    }
}

struct One<'a>(Option<&'a mut Server>);
impl Sources for One<'_> {
    fn source(&mut self, _: ConnectionId) -> Option<&mut dyn PacketSource> {
        self.0.as_deref_mut().map(|s| s as &mut dyn PacketSource)
    }
}

struct Run {
    server: Server,
    /// (nanoseconds, from the server?, UDP payload bytes)
    wire: Vec<(u64, bool, usize)>,
    packets: Vec<PacketRecord>,
    /// Times of packets that were dropped because the queue was full.
    drops: Vec<Instant>,
    /// Time at which the client read the first byte of a response.
    first_byte: Instant,
    done: Instant,
}

fn keys(tls: bool) -> (ClientKeys, ServerKeys) {
    if tls {
        let identity = Identity::new(&["localhost"]).unwrap();
        (
            identity.client_keys().unwrap(),
            identity.server_keys().unwrap(),
        )
    } else {
        let sizes = FlightSizes::default();
        (ClientKeys::Null(sizes), ServerKeys::Null(sizes))
    }
}

/// Requests `lengths.len()` responses at once. `lose` selects the server packets to drop.
fn run(tls: bool, lengths: &[u64], order: Order, lose: impl Fn(usize) -> bool) -> Run {
    let lose = |side, n| side == 1 && lose(n);
    run_with(Setup::new(keys(tls)), lengths, order, lose)
}

/// Parameters of a run.
struct Setup {
    keys: (ClientKeys, ServerKeys),
    /// Congestion controller of the server. The client uses `reno`.
    congestion: &'static str,
    /// True if the server's packets grow from 1,200 to 1,452 bytes.
    grows: bool,
    /// Returns the number of bytes of each request.
    request: fn(usize) -> usize,
    /// Maximum time that a packet waits before a link.
    queue: Duration,
    /// Transmission time per byte of both links.
    nanos_per_byte: u64,
    /// Delay of one direction.
    delay: Duration,
}

impl Setup {
    fn new(keys: (ClientKeys, ServerKeys)) -> Self {
        Self {
            keys,
            congestion: "reno",
            grows: false,
            request: |_| 3,
            queue: Duration::MAX,
            nanos_per_byte: NANOS_PER_BYTE,
            delay: DELAY,
        }
    }
}

/// Like [`run`], but `lose` takes the side (1: server) and the number of the packet.
fn run_with(
    setup: Setup,
    lengths: &[u64],
    order: Order,
    lose: impl Fn(usize, usize) -> bool,
) -> Run {
    let (client_keys, server_keys) = setup.keys;
    let settings = |congestion: &str| QuicSettings {
        congestion: congestion.to_owned(),
        // The tests count packets of this size.
        mtu: 1_200,
        ..QuicSettings::default()
    };
    let epoch = Epoch::new();
    let addresses: [SocketAddr; 2] = [([10, 0, 0, 1], 1000).into(), ([10, 0, 0, 2], 443).into()];
    let mut server_settings = settings(setup.congestion);
    if setup.grows {
        (server_settings.mtu, server_settings.mtu_first) = (1_452, Some(1_200));
    }
    let mut hosts = [
        Host::client(&settings("reno"), 1, epoch, true).unwrap(),
        Host::server(&server_settings, server_keys, 2, epoch, true).unwrap(),
    ];
    let id = hosts[0]
        .connect(Instant::ZERO, addresses[1], "localhost", &client_keys)
        .unwrap();
    let mut server = Server::new(order);
    let (mut wire, mut packets) = (vec![], vec![]);
    let mut queue: EventQueue<Option<(usize, BytesMut)>> = EventQueue::new();
    let mut free = [Instant::ZERO; 2];
    let (mut now, mut sent, mut finished) = (Instant::ZERO, [0; 2], 0);
    let (mut asked, mut drops, mut first_byte) = (false, vec![], None);
    let mut accepted = None;
    let mut read = BTreeMap::<u64, u64>::new();
    loop {
        for side in 0..2 {
            if side == 1 && accepted.is_none() {
                accepted = hosts[1].poll_accepted();
            }
            let Some(id) = (if side == 0 { Some(id) } else { accepted }) else {
                continue;
            };
            let connection = hosts[side].connection(id).unwrap();
            if side == 0 && !asked && connection.can_send() {
                asked = true;
                for i in 0..lengths.len() {
                    let request = Bytes::from(vec![0x47; (setup.request)(i)]);
                    let stream = connection.open_bidirectional().unwrap();
                    assert_eq!(connection.write(stream, &request), request.len());
                    connection.finish(stream);
                }
            }
            while let Some(event) = connection.poll_event() {
                match event {
                    Event::Readable { stream } => loop {
                        match connection.read(stream) {
                            Read::Data(data) => {
                                if side == 0 {
                                    first_byte.get_or_insert(now);
                                    let at = read.entry(stream).or_default();
                                    let expected = (*at..).map(content);
                                    assert!(data.iter().copied().eq(expected.take(data.len())));
                                    *at += data.len() as u64;
                                }
                            }
                            Read::End if side == 0 => {
                                assert_eq!(read[&stream], lengths[(stream / 4) as usize]);
                                finished += 1;
                                break;
                            }
                            Read::End => {
                                let length = lengths[(stream / 4) as usize];
                                server.responses.push((stream, 0, length));
                                break;
                            }
                            _ => break,
                        }
                    },
                    Event::Writable { stream } => server.blocked.retain(|b| *b != stream),
                    Event::Lost { reason } => panic!("lost: {reason}"),
                    _ => {}
                }
            }
            let mut buf = Vec::new();
            let mut none = One(None);
            let mut some = One(Some(&mut server));
            while let Some(t) = hosts[side].poll_transmit(
                now,
                if side == 0 { &mut none } else { &mut some },
                &mut buf,
            ) {
                wire.push((now.as_nanos(), side == 1, t.size));
                sent[side] += 1;
                if free[side].since(now) > setup.queue {
                    drops.push(now);
                    continue;
                }
                free[side] = free[side].max(now)
                    + Duration::from_nanos(t.size as u64 * setup.nanos_per_byte);
                if !lose(side, sent[side] - 1) {
                    let data = BytesMut::from(&buf[..t.size]);
                    queue.schedule(free[side] + setup.delay, Some((1 - side, data)));
                }
            }
            if let Some(c) = hosts[1 - side].connection(id) {
                c.drain_packets(|p| packets.push(p));
            }
        }
        if finished == lengths.len() || now > PATIENCE {
            break;
        }
        let timer = hosts.iter_mut().filter_map(Host::poll_timeout).min();
        match (queue.next_at(), timer) {
            (Some(at), t) if t.is_none_or(|t| at <= t) => {
                let (at, arrival) = queue.pop().unwrap();
                now = at;
                if let Some((side, data)) = arrival {
                    hosts[side].handle_datagram(now, addresses[1 - side], data);
                }
            }
            (_, Some(t)) => {
                now = t.max(now);
                for h in &mut hosts {
                    h.handle_timeout(now);
                }
            }
            (_, None) => panic!("nothing left to happen"),
        }
    }
    assert_eq!(finished, lengths.len(), "every response arrives");
    Run {
        server,
        wire,
        packets,
        drops,
        first_byte: first_byte.unwrap(),
        done: now,
    }
}

fn round_robin(last: &mut Option<u64>, ready: &[(u64, u64, u64)]) -> usize {
    let i = ready.iter().position(|r| Some(r.0) > *last).unwrap_or(0);
    *last = Some(ready[i].0);
    i
}

fn sequential(_: &mut Option<u64>, _: &[(u64, u64, u64)]) -> usize {
    0
}

const PAGE: [u64; 8] = [40_000, 1_500, 90_000, 17, 60_123, 1_161, 25_000, 130_000];

fn one_in_fifty(n: usize) -> bool {
    n % 50 == 17
}

#[test]
fn the_wire_carries_what_the_schedule_decided_byte_for_byte() {
    for order in [round_robin, sequential] {
        for lose in [(|_| false) as fn(usize) -> bool, one_in_fifty] {
            let run = run(false, &PAGE, order, lose);
            assert_eq!(run.server.wire, run.server.decided);
            let bytes: u64 = run.server.high.values().sum();
            assert_eq!(bytes, PAGE.iter().sum::<u64>());
        }
    }
}

#[test]
fn packets_are_full_and_hold_one_frame_each() {
    let run = run(false, &[400_000, 400_000, 400_000], round_robin, |_| false);
    let data: Vec<_> = run.server.frames.iter().filter(|f| f.length > 0).collect();
    let full = data.iter().filter(|f| f.length > 1_100).count();
    assert!(
        full * 100 >= data.len() * 93,
        "{full} of {} frames fill a packet",
        data.len()
    );
    // Streams alternate strictly.
    let turns = data
        .windows(3)
        .filter(|w| w[0].id != w[1].id && w[1].id != w[2].id)
        .count();
    assert!(turns * 100 >= data.len() * 93, "{turns} of {}", data.len());
}

#[test]
fn a_run_repeats_to_the_byte() {
    let a = run(false, &PAGE, round_robin, one_in_fifty);
    let b = run(false, &PAGE, round_robin, one_in_fifty);
    assert_eq!(a.wire, b.wire);
    assert_eq!(a.packets, b.packets);
}

#[test]
fn null_keys_have_the_sizes_and_times_of_tls() {
    let null = run(false, &PAGE, round_robin, one_in_fifty);
    let tls = run(true, &PAGE, round_robin, one_in_fifty);
    let crypto = |r: &Run| -> BTreeMap<(bool, Space), u64> {
        let mut sizes = BTreeMap::new();
        for p in &r.packets {
            for f in frame::frames(&p.payload) {
                if let Frame::Crypto { offset, length } = f {
                    let size: &mut u64 = sizes.entry((p.sent, p.space)).or_default();
                    *size = (*size).max(offset + length);
                }
            }
        }
        sizes
    };
    assert_eq!(
        crypto(&null),
        crypto(&tls),
        "handshake bytes by direction and level"
    );
    assert_eq!(null.wire, tls.wire);
}

#[test]
fn losses_cost_time_and_are_repaired() {
    let clean = run(false, &PAGE, sequential, |_| false);
    let lossy = run(false, &PAGE, sequential, one_in_fifty);
    assert!(lossy.done > clean.done);
    let resent: u64 =
        lossy.server.frames.iter().map(|f| f.length).sum::<u64>() - PAGE.iter().sum::<u64>();
    assert!(resent > 0);
}

/// Maximum number of stream bytes in one packet.
const PACKET: u64 = 1_172;

/// Returns the maximum number of bytes by which a stream on the wire differs from the
/// schedule.
fn displaced(server: &Server) -> u64 {
    let ends = |runs: &[(u64, u64, u64)]| -> Vec<(u64, u64)> {
        let spread = runs
            .iter()
            .flat_map(|(id, from, to)| (*from..*to).map(|at| (*id, at)));
        spread.collect()
    };
    let (wire, decided) = (ends(&server.wire), ends(&server.decided));
    assert_eq!(wire.len(), decided.len());
    let mut lead: BTreeMap<u64, i64> = BTreeMap::new();
    let mut most = 0;
    for (w, d) in wire.iter().zip(&decided) {
        *lead.entry(w.0).or_default() += 1;
        *lead.entry(d.0).or_default() -= 1;
        most = most.max(lead[&w.0].unsigned_abs());
    }
    most
}

/// A stream with retransmissions also sends its new bytes ahead of other streams, but never
/// by more than one packet's worth.
#[test]
fn repairs_displace_at_most_a_packet() {
    let mut some = 0;
    for from in (10..100).step_by(6) {
        for length in [5, 8, 12] {
            let lose = |n| n % 7 == 3 || (from..from + length).contains(&n);
            let most = displaced(&run(false, &PAGE, round_robin, lose).server);
            assert!(
                most <= PACKET,
                "{most} bytes, {length} losses from {from} on"
            );
            some += usize::from(most > 0);
        }
    }
    assert!(some > 0, "nothing was displaced: the test tests nothing");
}

/// quinn-proto must not write frames that the tap cannot read, because the tap would miss
/// the frames after them.
#[test]
fn every_frame_is_known() {
    let run = run(false, &PAGE, round_robin, |n| {
        n % 7 == 3 || (40..60).contains(&n)
    });
    let bytes: u64 = run.server.high.values().sum();
    assert_eq!(bytes, PAGE.iter().sum::<u64>());
    assert!(
        displaced(&run.server) <= PACKET,
        "{}",
        displaced(&run.server)
    );
    for p in &run.packets {
        let unknown = frame::frames(&p.payload).find(|f| {
            matches!(f, Frame::Unknown { raw_frame_type } if *raw_frame_type != frame::IMMEDIATE_ACK)
        });
        assert_eq!(unknown, None);
    }
}

#[test]
fn the_payload_floor_of_physics_holds() {
    let run = run(false, &[500_000], sequential, |_| false);
    let bytes = Duration::from_nanos(500_000 * NANOS_PER_BYTE);
    // The two round trips are those of the handshake and the request.
    assert!(run.done.since_start() > bytes + DELAY * 4);
}
