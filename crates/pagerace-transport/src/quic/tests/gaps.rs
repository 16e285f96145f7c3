//! Tests with more chunks of a stream behind gaps than quinn-proto allows.

use super::*;

/// Approximate number of bytes in a packet of the server.
const PACKET: u64 = 1_200;
const STREAM: u64 = 0;
const STREAM_WINDOW: u32 = 2 << 20;
const LENGTH: u64 = 16 << 20;

/// The whole response is in the link's queue before the first loss is detected.
#[test]
fn thousands_of_gaps_do_not_end_the_connection() {
    let setup = Setup {
        congestion: "test-rate-1000000000",
        ..Setup::new(keys(false))
    };
    let lose = |side, n| side == 1 && n > 10 && n < 4_000 && n % 2 == 0;
    let run = run_with(setup, &[5_000_000], sequential, lose);
    // `run_with` has checked every byte that was read.
    assert_eq!(run.server.high[&STREAM], 5_000_000);
}

/// A client that reads from a server without delay. The test decides which packets are
/// lost.
struct Pair {
    hosts: [Host; 2],
    ids: [ConnectionId; 2],
    server: Server,
    now: Instant,
    read: u64,
    last: Read,
}

impl Pair {
    fn new() -> Self {
        let settings = QuicSettings {
            congestion: "test-rate-1000000000".to_owned(),
            stream_receive_window: STREAM_WINDOW,
            mtu: 1_200,
            ..QuicSettings::default()
        };
        let (client_keys, server_keys) = keys(false);
        let epoch = Epoch::new();
        let mut client = Host::client(&settings, 1, epoch, false).unwrap();
        let server = Host::server(&settings, server_keys, 2, epoch, false).unwrap();
        let id = client
            .connect(Instant::ZERO, address(1), "localhost", &client_keys)
            .unwrap();
        let mut pair = Self {
            hosts: [client, server],
            ids: [id, id],
            server: Server::new(sequential),
            now: Instant::ZERO,
            read: 0,
            last: Read::Blocked,
        };
        while !pair.client().can_send() {
            pair.step(|_| false);
        }
        pair.ids[1] = pair.hosts[1].poll_accepted().unwrap();
        let stream = pair.client().open_bidirectional().unwrap();
        assert_eq!(stream, STREAM);
        pair.client().write(stream, &Bytes::from_static(b"GET"));
        pair.step(|_| false);
        pair.server.responses.push((stream, 0, LENGTH));
        pair
    }

    fn client(&mut self) -> &mut Connection {
        self.hosts[0].connection(self.ids[0]).unwrap()
    }

    fn held(&mut self) -> u64 {
        self.client().received.held()
    }

    /// Advances time by a millisecond.
    fn step(&mut self, lose: impl Fn(StreamFrame) -> bool) {
        self.now += Duration::from_millis(1);
        let mut flight = vec![];
        for side in 0..2 {
            self.hosts[side].handle_timeout(self.now);
            let mut buf = Vec::new();
            loop {
                let mut sources = One((side == 1).then_some(&mut self.server));
                let Some(t) = self.hosts[side].poll_transmit(self.now, &mut sources, &mut buf)
                else {
                    break;
                };
                let lost = self.server.frames.drain(..).any(&lose);
                if !lost {
                    flight.push((1 - side, BytesMut::from(&buf[..t.size])));
                }
            }
        }
        for (side, data) in flight {
            self.hosts[side].handle_datagram(self.now, address(1 - side), data);
            self.read_all();
        }
        if let Some(c) = self.hosts[1].connection(self.ids[1]) {
            while let Some(event) = c.poll_event() {
                match event {
                    Event::Writable { stream } => self.server.blocked.retain(|b| *b != stream),
                    Event::Lost { reason } => panic!("lost: {reason}"),
                    _ => {}
                }
            }
        }
    }

    fn read_all(&mut self) {
        while let Some(event) = self.client().poll_event() {
            match event {
                Event::Readable { stream } => while self.read_one(stream) {},
                Event::Lost { reason } => panic!("lost: {reason}"),
                _ => {}
            }
        }
    }

    /// Reads once. Returns true if there may be more to read.
    fn read_one(&mut self, stream: u64) -> bool {
        self.last = self.client().read(stream);
        let Read::Data(data) = &self.last else {
            return false;
        };
        let expected = (self.read..).map(content);
        assert!(data.iter().copied().eq(expected.take(data.len())));
        self.read += data.len() as u64;
        true
    }

    /// Runs until flow control stops the server. The first packet is lost, however often it
    /// is retransmitted.
    fn fill(&mut self) {
        let mut before = (0, 0);
        loop {
            for _ in 0..100 {
                self.step(|f| f.offset == 0);
            }
            let after = (self.held(), self.server.responses[0].1);
            if before == after {
                assert!(after.0 > u64::from(STREAM_WINDOW) / 4, "{} wait", after.0);
                return;
            }
            before = after;
        }
    }
}

fn address(side: usize) -> SocketAddr {
    ([10, 0, 0, 1 + side as u8], 443).into()
}

#[test]
fn what_waits_behind_a_gap_is_bounded() {
    let window = u64::from(STREAM_WINDOW);
    let mut pair = Pair::new();
    pair.fill();
    assert_eq!(pair.read, 0);
    let (held, sent) = (pair.held(), pair.server.responses[0].1);
    assert!(held <= 4 * window + PACKET, "{held} bytes wait");
    assert!(sent <= 5 * window, "{sent} bytes sent");

    for _ in 0..40_000 {
        pair.step(|_| false);
    }
    assert_eq!((pair.read, pair.last.clone()), (LENGTH, Read::End));
    assert_eq!(pair.held(), 0);
}

#[test]
fn a_reset_drops_what_waits() {
    let mut pair = Pair::new();
    pair.fill();
    let id = pair.ids[1];
    pair.server.responses.clear();
    pair.hosts[1].connection(id).unwrap().reset(STREAM, 7);
    for _ in 0..10 {
        pair.step(|_| false);
    }
    assert_eq!((pair.read, pair.last.clone()), (0, Read::Reset { code: 7 }));
    assert_eq!(pair.held(), 0);
}

#[test]
fn a_stop_drops_what_waits() {
    let mut pair = Pair::new();
    pair.fill();
    pair.client().stop(STREAM, 9);
    assert_eq!(pair.held(), 0);
    assert_eq!(pair.client().read(STREAM), Read::Blocked);
}
