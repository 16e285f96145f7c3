//! Average congestion windows over real QUIC packets, compared with theory.
//!
//! In theory, the sender always has data, the path loses one packet of every 1/p and is
//! never the bottleneck, and every packet is acknowledged. These tests differ as follows:
//!
//! - The simulator's links lose packets at random, which is another law: the gaps between
//!   losses vary, and averages grow (Reno's from 1.22 to 1.31 over sqrt(p), CUBIC's by a
//!   quarter). Therefore the numbers of theory are tested on a path that loses by count,
//!   and the simulator against the numbers for random loss.
//! - Windows are counted in packets of 1,200 bytes, the size of all packets. No result of
//!   theory depends on the size.
//! - Every second packet is acknowledged (RFC 9000, section 13.2.2). Windows grow by
//!   acknowledged bytes, so this alone changes nothing.
//! - After a loss, the window stays constant for a round trip, whereas it keeps growing
//!   in theory. At the smallest windows, this costs 1 packet of 12.
//! - A window of `n` whole packets allows `n - 1` in flight: quinn-proto sends only while
//!   the bytes in flight are below the window.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use common::{flat_page, scenario};
use pagerace_browser::Profile;
use pagerace_core::{Duration, EventQueue, Instant};
use pagerace_sim::run;
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{
    ClientKeys, ConnectionId, Epoch, Event, Host, Offer, PacketSource, QuicSettings, Read,
    ServerKeys, Sources, StreamOffer,
};

const CLIENT: usize = 0;
const SERVER: usize = 1;

/// A response without an end, sent once it is requested.
#[derive(Default)]
struct Endless {
    stream: Option<u64>,
    sent: u64,
}

impl PacketSource for Endless {
    fn pick(&mut self) -> Option<Offer> {
        let (offset, left) = (self.sent, 1 << 40);
        self.stream.map(|stream| {
            Offer::Stream(StreamOffer {
                stream,
                offset,
                left,
                fin: true,
            })
        })
    }

    fn has_data(&self) -> bool {
        self.stream.is_some()
    }

    fn peek(&mut self, _stream: u64, max: usize) -> Result<Bytes, u64> {
        Ok(Bytes::from_static(&[0; 1_200]).slice(..max.min(1_200)))
    }

    fn handle_written(&mut self, _stream: u64, bytes: usize, refused: bool) {
        assert!(!refused, "flow control must not be the limit");
        self.sent += bytes as u64;
    }

    fn handle_stopped(&mut self, _stream: u64) {
        unreachable!("nobody stops the stream");
    }
}

impl Sources for Endless {
    fn source(&mut self, _: ConnectionId) -> Option<&mut dyn PacketSource> {
        Some(self)
    }
}

/// A download over a path of infinite rate that loses every `n`-th packet.
struct Download {
    hosts: [Host; 2],
    ids: [Option<ConnectionId>; 2],
    source: Endless,
    path: EventQueue<Arrival>,
    now: Instant,
    one_way: Duration,
    n: u64,
    sent: u64,
}

struct Arrival {
    at: usize,
    data: BytesMut,
}

fn address(side: usize) -> SocketAddr {
    ([10, 0, 0, 1 + side as u8], 443).into()
}

impl Download {
    fn new(controller: &str, rtt_ms: u64, n: u64) -> Self {
        let settings = QuicSettings {
            congestion: controller.to_owned(),
            // Flow control must not be the limit.
            stream_receive_window: 1 << 28,
            receive_window: 1 << 28,
            send_window: 1 << 28,
            ..QuicSettings::default()
        };
        let (epoch, sizes) = (Epoch::new(), FlightSizes::default());
        let keys = ServerKeys::Null(sizes);
        let mut client = Host::client(&settings, 1, epoch, false).unwrap();
        let server = Host::server(&settings, keys, 2, epoch, false).unwrap();
        let id = client.connect(
            Instant::ZERO,
            address(SERVER),
            "localhost",
            &ClientKeys::Null(sizes),
        );
        Self {
            hosts: [client, server],
            ids: [Some(id.unwrap()), None],
            source: Endless::default(),
            path: EventQueue::new(),
            now: Instant::ZERO,
            one_way: Duration::from_micros(rtt_ms * 500),
            n,
            sent: 0,
        }
    }

    /// Returns the time average of the congestion window, in packets, between the packets
    /// numbered `from` and `until`.
    fn average_window(&mut self, from: u64, until: u64) -> f64 {
        let (mut area, mut began) = (0.0, None);
        while self.sent < until {
            for side in [CLIENT, SERVER] {
                self.drive(side);
            }
            let before = self.now;
            let window = self.window();
            self.advance();
            if self.sent >= from {
                began.get_or_insert(before);
                area += window * self.now.since(before).as_secs_f64();
            }
        }
        area / self
            .now
            .since(began.expect("packets were sent"))
            .as_secs_f64()
    }

    fn window(&mut self) -> f64 {
        let connection = self.ids[SERVER].and_then(|id| self.hosts[SERVER].connection(id));
        let bytes = connection.map_or(0, |c| c.stats().congestion_window);
        bytes as f64 / f64::from(QuicSettings::default().mtu)
    }

    /// Lets one side handle its events and send all packets that it may.
    fn drive(&mut self, side: usize) {
        let host = &mut self.hosts[side];
        if self.ids[side].is_none() {
            self.ids[side] = host.poll_accepted();
        }
        if let Some(connection) = self.ids[side].and_then(|id| host.connection(id)) {
            while let Some(event) = connection.poll_event() {
                match event {
                    Event::Connected if side == CLIENT => {
                        let stream = connection.open_bidirectional().unwrap();
                        connection.write(stream, &Bytes::from_static(b"GET"));
                        connection.finish(stream);
                    }
                    Event::Readable { stream } => loop {
                        match connection.read(stream) {
                            Read::Data(_) => {}
                            Read::End => {
                                self.source.stream = Some(stream);
                                break;
                            }
                            _ => break,
                        }
                    },
                    Event::Lost { reason } => panic!("{reason}"),
                    _ => {}
                }
            }
            connection.drain_received(|_| {});
        }
        let mut nothing = Endless::default();
        let source = if side == SERVER {
            &mut self.source
        } else {
            &mut nothing
        };
        let mut buf = Vec::new();
        while let Some(datagram) = host.poll_transmit(self.now, source, &mut buf) {
            if side == SERVER {
                self.sent += 1;
                if self.sent.is_multiple_of(self.n) {
                    continue;
                }
            }
            let (at, data) = (1 - side, buf[..datagram.size].into());
            self.path
                .schedule(self.now + self.one_way, Arrival { at, data });
        }
    }

    /// Advances to the next arrival or timer.
    fn advance(&mut self) {
        let timers = self.hosts.iter_mut().filter_map(Host::poll_timeout).min();
        let next = self.path.next_at().into_iter().chain(timers).min();
        self.now = self.now.max(next.expect("something is on its way"));
        while let Some((_, Arrival { at, data })) = self.path.pop_due(self.now) {
            self.hosts[at].handle_datagram(self.now, address(1 - at), data);
        }
        for host in &mut self.hosts {
            host.handle_timeout(self.now);
        }
    }
}

/// Average windows in packets: controller, round-trip time in ms, and one value each for
/// a loss of 1 in 100, in 1,000 and in 10,000.
///
/// Source: RFC 9438, section 5.1, <https://www.rfc-editor.org/rfc/rfc9438#section-5.1>
/// (C = 0.4). At 10 ms CUBIC follows Reno.
const PERIODIC: [(&str, u64, [f64; 3]); 4] = [
    ("reno", 100, [12.0, 38.0, 120.0]),
    ("reno", 10, [12.0, 38.0, 120.0]),
    ("cubic", 100, [12.0, 38.0, 187.0]),
    ("cubic", 10, [12.0, 38.0, 120.0]),
];

/// The tolerance that theory's numbers have to be met with.
const TOLERANCE: f64 = 0.15;

/// Fails if any result (description, measured, expected) is off by more than
/// [`TOLERANCE`].
fn compare(results: &[(String, f64, f64)]) {
    let mut off = 0;
    for (what, got, expected) in results {
        let difference = got / expected - 1.0;
        off += usize::from(difference.abs() > TOLERANCE);
        eprintln!(
            "{what}: {got:.1}, expected {expected:.1}: {:+.1} %",
            difference * 100.0
        );
    }
    assert_eq!(off, 0, "so many averages are off (see above)");
}

#[test]
fn average_windows_under_periodic_loss_are_those_of_theory() {
    let mut results = Vec::new();
    for (controller, rtt_ms, windows) in PERIODIC {
        for (n, expected) in [100, 1_000, 10_000].into_iter().zip(windows) {
            // Slow start overshoots by far, and each loss removes only a part of that.
            let got = Download::new(controller, rtt_ms, n).average_window(20 * n, 40 * n);
            results.push((
                format!("{controller}, {rtt_ms} ms, 1 of {n}"),
                got,
                expected,
            ));
        }
    }
    compare(&results);
}

/// Returns the average number of packets in flight in the simulator, by Little's law:
/// delivered packets times round-trip time, divided by the time. Excludes the first fifth
/// of the download, which contains slow start.
fn in_flight(controller: &str, rtt_ms: u64, loss: &str, packets: u64) -> f64 {
    let network = format!("rate 1gbit rtt {rtt_ms}ms loss {loss} loss-up 0% queue 100000p");
    let mut scenario = scenario(&flat_page(&[packets * 1_150]), &network, "fifo");
    controller.clone_into(&mut scenario.congestion);
    scenario.settings.deadline = Duration::from_secs(10_000);
    // The receiver of theory acknowledges often.
    scenario.browser.profile = Profile::FIREFOX;
    let outcome = run(&scenario, 1, true).unwrap();
    assert_eq!(outcome.failure, None);
    assert_eq!(outcome.transport.queue_drops, 0);
    let trace = outcome.trace.unwrap();
    // There is one response, so there is one frame per packet.
    let frames = &trace.frames[trace.frames.len() / 5..];
    let (from, until) = (frames[0].at, frames[frames.len() - 1].at);
    let lost = trace.drops.iter().filter(|d| (from..until).contains(&d.at));
    let delivered = (frames.len() - lost.count()) as f64;
    delivered * scenario.network.rtt().as_secs_f64() / until.since(from).as_secs_f64()
}

/// The references are average windows under random loss: for Reno 1.31 over sqrt(p) (Ott,
/// Kemperman and Mathis 1996), for CUBIC the fluid model of RFC 9438 in the tests of
/// `pagerace-cc`. The unused part of a window is one packet if the window is a whole
/// number of packets (Reno), and half a packet on average if not (CUBIC).
#[test]
fn the_simulator_keeps_the_window_of_random_loss_in_flight() {
    let references = [
        ("reno", 100, "1%", 13.1 - 1.0),
        ("reno", 100, "0.1%", 41.4 - 1.0),
        ("cubic", 100, "1%", 14.2 - 0.5),
        ("cubic", 100, "0.1%", 47.2 - 0.5),
        ("cubic", 10, "1%", 14.1 - 0.5),
        ("cubic", 10, "0.1%", 44.7 - 0.5),
    ];
    let results = references.map(|(controller, rtt_ms, loss, expected)| {
        let packets = if loss == "1%" { 60_000 } else { 200_000 };
        let got = in_flight(controller, rtt_ms, loss, packets);
        (
            format!("{controller}, {rtt_ms} ms, {loss} at random"),
            got,
            expected,
        )
    });
    compare(&results);
}
