//! Clients that open connections and never complete their handshakes, while a good one fetches a
//! file.

use pagerace_transport::quic::keys::Identity;
use pagerace_transport::quic::{Guard, Host, NoSources};

use super::*;

/// Bytes that the good client fetches.
const FILE: u64 = 1_000_000;
/// Handshakes that the attackers begin and never complete.
const HALF_OPEN: u64 = 10_000;
const GOOD: ([u8; 4], u16) = ([198, 51, 100, 1], 50_000);

/// A server, one good client, and attackers.
struct Siege {
    epoch: Epoch,
    keys: ClientKeys,
    server: Server<Numbers>,
    attackers: Host,
    begun: u64,
    to_good: Vec<BytesMut>,
    /// Work of the server in the turns that the good client causes: visits of connections, and
    /// datagrams.
    work: u64,
}

impl Siege {
    fn new(guard: Option<Guard>) -> Self {
        // Modelled keys have no Retry packets.
        let (keys, server_keys) = if guard.is_some() {
            let identity = Identity::new(&["localhost"]).unwrap();
            let client = identity.client_keys().unwrap();
            (client, identity.server_keys().unwrap())
        } else {
            let sizes = FlightSizes::default();
            (ClientKeys::Null(sizes), ServerKeys::Null(sizes))
        };
        let epoch = Epoch::new();
        let config = ServerConfig {
            settings: QuicSettings {
                guard,
                ..QuicSettings::default()
            },
            ..ServerConfig::new(server_keys, "fifo".parse().unwrap(), 2)
        };
        Self {
            server: Server::new(&config, epoch, Numbers).unwrap(),
            attackers: Host::client(&QuicSettings::default(), 4, epoch, false).unwrap(),
            epoch,
            keys,
            begun: 0,
            to_good: Vec::new(),
            work: 0,
        }
    }

    /// Lets attackers of 250 addresses begin `n` handshakes. No answer reaches them.
    fn begin(&mut self, now: Instant, n: u64) {
        let mut buf = Vec::new();
        for _ in 0..n {
            let number = self.begun;
            self.begun += 1;
            let connected = self
                .attackers
                .connect(now, address(), "localhost", &self.keys);
            let id = connected.unwrap();
            let from = [203, 0, 113, (number % 250) as u8];
            let from = SocketAddr::from((from, 1_024 + (number / 250) as u16));
            while let Some(t) = self.attackers.poll_transmit(now, &mut NoSources, &mut buf) {
                self.server
                    .handle_datagram(now, from, BytesMut::from(&buf[..t.size]));
                self.transmit(now);
            }
            if let Some(connection) = self.attackers.connection(id) {
                connection.close(now, 0, "");
            }
            while self
                .attackers
                .poll_transmit(now, &mut NoSources, &mut buf)
                .is_some()
            {}
        }
    }

    /// Sends what the server has to send.
    fn transmit(&mut self, now: Instant) {
        let mut buf = Vec::new();
        while let Some(t) = self.server.poll_transmit(now, &mut buf) {
            if t.remote == SocketAddr::from(GOOD) {
                self.to_good.push(BytesMut::from(&buf[..t.size]));
            }
        }
        self.server.poll_timeout();
    }

    /// Lets the good client fetch the file, over a path of 10 ms each way, while attackers
    /// begin `flood` handshakes each millisecond. Returns the work.
    fn fetch(&mut self, flood: u64) -> u64 {
        let config = ClientConfig {
            settings: QuicSettings::default(),
            keys: self.keys.clone(),
            seed: 3,
            h3: pagerace_http::h3::Config::default(),
            record: false,
        };
        let mut now = Instant::ZERO;
        let mut good = Client::connect(&config, now, self.epoch, address(), "localhost").unwrap();
        let field = |name, value: &str| Field::new(name, value.to_owned());
        let fields = [
            field(":method", "GET"),
            field(":scheme", "https"),
            field(":authority", "localhost"),
            field(":path", &format!("/{FILE}")),
        ];
        good.request(now, 0, fields.to_vec(), None, None);
        let mut wire: EventQueue<(bool, BytesMut)> = EventQueue::new();
        let (mut next_flood, mut read) = (now, 0);
        let mut buf = Vec::new();
        for _ in 0..100_000 {
            while let Some(event) = good.poll_event() {
                match event {
                    ClientEvent::Data { data, .. } => read += data.len() as u64,
                    ClientEvent::Lost { reason } => panic!("{reason}"),
                    _ => {}
                }
            }
            if read == FILE {
                return self.work;
            }
            while let Some(t) = good.poll_transmit(now, &mut buf) {
                wire.schedule(now + DELAY, (false, BytesMut::from(&buf[..t.size])));
            }
            for packet in self.to_good.drain(..) {
                self.work += 1;
                wire.schedule(now + DELAY, (true, packet));
            }
            let timers = [good.poll_timeout(), self.server.poll_timeout()];
            let flood_at = (flood > 0).then_some(next_flood);
            let times = timers.into_iter().flatten().chain(flood_at);
            now = times.chain(wire.next_at()).min().unwrap().max(now);
            if flood > 0 && now >= next_flood {
                self.begin(now, flood);
                next_flood = now + Duration::from_millis(1);
            }
            good.handle_timeout(now);
            if self.server.poll_timeout().is_some_and(|at| at <= now) {
                // The timers of the attackers' connections are not the client's work.
                let (packets, visits) = (self.to_good.len(), self.server.visits());
                self.server.handle_timeout(now);
                self.transmit(now);
                if self.to_good.len() > packets {
                    self.work += self.server.visits() - visits;
                }
            }
            while let Some((_, (to_good, packet))) = wire.pop_due(now) {
                if to_good {
                    good.handle_datagram(now, packet);
                } else {
                    let visits = self.server.visits();
                    self.server.handle_datagram(now, GOOD.into(), packet);
                    self.transmit(now);
                    self.work += 1 + self.server.visits() - visits;
                }
            }
        }
        panic!("the fetch stalls after {read} bytes");
    }
}

#[test]
fn ten_thousand_half_open_handshakes_cost_a_good_client_little() {
    for guard in [None, Some(Guard::default())] {
        let alone = Siege::new(guard).fetch(0);
        let mut siege = Siege::new(guard);
        // Without a guard, the table of connections must keep a place for the client.
        let before = if guard.is_some() { HALF_OPEN } else { 4_000 };
        siege.begin(Instant::ZERO, before);
        let besieged = siege.fetch(if guard.is_some() { 10 } else { 0 });
        println!("{guard:?}: work of {alone} alone, of {besieged} besieged");
        assert!(besieged * 10 < alone * 11, "{besieged} instead of {alone}");
        assert!(siege.begun >= before);
    }
}
