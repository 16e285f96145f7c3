//! Clients that open connections and never complete their handshakes.

use super::*;

const SERVER: ([u8; 4], u16) = ([192, 0, 2, 1], 443);

/// A server and the settings that reach it.
struct Target {
    identity: Identity,
    host: Host,
    epoch: Epoch,
}

impl Target {
    fn new(guard: Option<Guard>) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let settings = QuicSettings {
            guard,
            ..QuicSettings::default()
        };
        let keys = identity.server_keys().unwrap();
        let epoch = Epoch::new();
        let host = Host::server(&settings, keys, 2, epoch, false).unwrap();
        Self {
            identity,
            host,
            epoch,
        }
    }

    fn client(&self, seed: u64) -> (Host, ClientKeys) {
        let host = Host::client(&QuicSettings::default(), seed, self.epoch, false).unwrap();
        (host, self.identity.client_keys().unwrap())
    }

    /// Sends the first packets of `n` connections from as many ports of `client`, and
    /// drops every answer.
    fn flood(&mut self, now: Instant, client: [u8; 4], n: u16) {
        let (mut host, keys) = self.client(u64::from(client[3]));
        let mut buf = Vec::new();
        for port in 0..n {
            host.connect(now, SERVER.into(), "localhost", &keys)
                .unwrap();
            while let Some(t) = host.poll_transmit(now, &mut NoSources, &mut buf) {
                let packet = BytesMut::from(&buf[..t.size]);
                let from = SocketAddr::from((client, 1_024 + port));
                self.host.handle_datagram(now, from, packet);
            }
            while (self.host.poll_transmit(now, &mut NoSources, &mut buf)).is_some() {}
        }
    }

    /// Returns true if a client can connect over a path without delay.
    fn serves(&mut self, now: Instant, client: [u8; 4]) -> bool {
        let (mut host, keys) = self.client(1_000);
        let id = host
            .connect(now, SERVER.into(), "localhost", &keys)
            .unwrap();
        let from = SocketAddr::from((client, 50_000));
        let mut buf = Vec::new();
        for _ in 0..10 {
            while let Some(t) = host.poll_transmit(now, &mut NoSources, &mut buf) {
                let packet = BytesMut::from(&buf[..t.size]);
                self.host.handle_datagram(now, from, packet);
            }
            while let Some(t) = self.host.poll_transmit(now, &mut NoSources, &mut buf) {
                if t.remote == from {
                    let packet = BytesMut::from(&buf[..t.size]);
                    host.handle_datagram(now, SERVER.into(), packet);
                }
            }
        }
        let event = host.connection(id).and_then(Connection::poll_event);
        matches!(event, Some(Event::Connected))
    }
}

#[test]
fn a_guarded_server_keeps_few_half_open_connections() {
    let guard = Guard::default();
    let mut target = Target::new(Some(guard));
    for client in 2..6 {
        target.flood(Instant::ZERO, [192, 0, 2, client], 100);
    }
    assert_eq!(target.host.ids().len(), guard.unvalidated_max);
    assert!(
        target.serves(Instant::ZERO, [198, 51, 100, 1]),
        "a client that answers the Retry packet is served"
    );
    let later = Instant::ZERO + guard.handshake_timeout;
    assert!(target.host.poll_timeout().is_some_and(|at| at <= later));
    target.host.handle_timeout(later);
    assert_eq!(target.host.ids().len(), 1, "the good client stays");
}

#[test]
fn one_address_has_its_share() {
    let guard = Guard {
        unvalidated_max: usize::MAX,
        per_address_max: 20,
        ..Guard::default()
    };
    let mut target = Target::new(Some(guard));
    target.flood(Instant::ZERO, [192, 0, 2, 2], 100);
    assert_eq!(target.host.ids().len(), 20);
    assert!(!target.serves(Instant::ZERO, [192, 0, 2, 2]));
    assert!(target.serves(Instant::ZERO, [192, 0, 2, 3]));
}

#[test]
fn quiet_connections_cost_nothing() {
    let mut target = Target::new(None);
    target.flood(Instant::ZERO, [192, 0, 2, 2], 300);
    assert_eq!(target.host.ids().len(), 300);
    assert_eq!(
        target.host.next_ready(None),
        None,
        "all wait for their clients"
    );
    // A packet to one of them is work for that one.
    let now = Instant::ZERO + Duration::from_millis(1);
    target.flood(now, [192, 0, 2, 3], 1);
    target.host.poll_timeout();
    let (mut host, keys) = target.client(7);
    host.connect(now, SERVER.into(), "localhost", &keys)
        .unwrap();
    let mut buf = Vec::new();
    let t = host.poll_transmit(now, &mut NoSources, &mut buf).unwrap();
    let packet = BytesMut::from(&buf[..t.size]);
    target
        .host
        .handle_datagram(now, ([192, 0, 2, 4], 9).into(), packet);
    let first = target.host.next_ready(None);
    assert!(first.is_some() && target.host.next_ready(first).is_none());
}

/// Bytes that the good client fetches.
const FILE: usize = 1_000_000;
/// Handshakes that the attackers begin and never complete.
const HALF_OPEN: u64 = 10_000;

/// Work of a server in the turns that the good client causes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    /// Datagrams received from the client and sent to it.
    datagrams: u64,
    /// Connections that the server looked at for events.
    touched: u64,
    /// Connections that were asked for a packet.
    polls: u64,
}

impl Work {
    fn sum(self) -> u64 {
        self.datagrams + self.touched + self.polls
    }
}

/// A server, one good client, and attackers.
struct Siege {
    host: Host,
    good: Host,
    attackers: Host,
    keys: ClientKeys,
    begun: u64,
    to_good: Vec<BytesMut>,
    /// Bytes of the file that the server has written.
    written: usize,
    read: usize,
    work: Work,
}

const GOOD: ([u8; 4], u16) = ([198, 51, 100, 1], 50_000);

impl Siege {
    fn new(guard: Option<Guard>) -> Self {
        // Modelled keys have no Retry packets.
        let (keys, server_keys) = keys(guard.is_some());
        let settings = QuicSettings {
            guard,
            ..QuicSettings::default()
        };
        let epoch = Epoch::new();
        let client = |seed| Host::client(&QuicSettings::default(), seed, epoch, false).unwrap();
        Self {
            host: Host::server(&settings, server_keys, 2, epoch, false).unwrap(),
            good: client(3),
            attackers: client(4),
            keys,
            begun: 0,
            to_good: Vec::new(),
            written: 0,
            read: 0,
            work: Work::default(),
        }
    }

    /// Lets attackers of 250 addresses begin `n` handshakes. No answer reaches them.
    fn begin(&mut self, now: Instant, n: u64) {
        let mut buf = Vec::new();
        for _ in 0..n {
            let number = self.begun;
            self.begun += 1;
            let id = self
                .attackers
                .connect(now, SERVER.into(), "localhost", &self.keys)
                .unwrap();
            let address = [203, 0, 113, (number % 250) as u8];
            let from = SocketAddr::from((address, 1_024 + (number / 250) as u16));
            while let Some(t) = self.attackers.poll_transmit(now, &mut NoSources, &mut buf) {
                let packet = BytesMut::from(&buf[..t.size]);
                self.host.handle_datagram(now, from, packet);
                self.turn(now);
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

    /// The connections that the server looks at in a turn.
    fn ready(&self) -> u64 {
        let next = |last: &ConnectionId| self.host.next_ready(Some(*last));
        std::iter::successors(self.host.next_ready(None), next).count() as u64
    }

    /// Serves as a server does after each datagram and each timer, and returns the work.
    fn turn(&mut self, now: Instant) -> Work {
        let mut work = Work::default();
        let mut last = None;
        while let Some(id) = self.host.next_ready(last) {
            last = Some(id);
            work.touched += 1;
            let Some(connection) = self.host.connection(id) else {
                continue;
            };
            while let Some(event) = connection.poll_event() {
                if let Event::Readable { stream } | Event::Writable { stream } = event {
                    while matches!(connection.read(stream), Read::Data(_)) {}
                    let file = Bytes::from(vec![7; FILE - self.written]);
                    self.written += connection.write(stream, &file);
                    if self.written == FILE {
                        connection.finish(stream);
                    }
                }
            }
        }
        let mut buf = Vec::new();
        loop {
            let before = self.ready();
            let sent = self.host.poll_transmit(now, &mut NoSources, &mut buf);
            work.polls += 1 + before - self.ready();
            let Some(t) = sent else { break };
            if t.remote == SocketAddr::from(GOOD) {
                work.datagrams += 1;
                self.to_good.push(BytesMut::from(&buf[..t.size]));
            }
        }
        self.host.poll_timeout();
        work
    }

    fn count(&mut self, work: Work) {
        self.work.datagrams += work.datagrams;
        self.work.touched += work.touched;
        self.work.polls += work.polls;
    }

    /// Lets the good client fetch the file, over a path of 10 ms each way, while attackers
    /// begin `flood` handshakes each millisecond.
    fn fetch(&mut self, flood: u64) -> Work {
        let delay = Duration::from_millis(10);
        let mut wire: EventQueue<(bool, BytesMut)> = EventQueue::new();
        let mut now = Instant::ZERO;
        let mut next_flood = now;
        let id = self
            .good
            .connect(now, SERVER.into(), "localhost", &self.keys)
            .unwrap();
        let mut buf = Vec::new();
        for _ in 0..100_000 {
            while let Some(event) = self.good.connection(id).unwrap().poll_event() {
                let connection = self.good.connection(id).unwrap();
                match event {
                    Event::Connected => {
                        let stream = connection.open_bidirectional().unwrap();
                        connection.write(stream, &Bytes::from_static(b"get"));
                        connection.finish(stream);
                    }
                    Event::Readable { stream } => {
                        while let Read::Data(bytes) = connection.read(stream) {
                            self.read += bytes.len();
                        }
                    }
                    Event::Lost { reason } => panic!("{reason}"),
                    _ => {}
                }
            }
            if self.read == FILE {
                return self.work;
            }
            while let Some(t) = self.good.poll_transmit(now, &mut NoSources, &mut buf) {
                wire.schedule(now + delay, (false, BytesMut::from(&buf[..t.size])));
            }
            for packet in self.to_good.drain(..) {
                wire.schedule(now + delay, (true, packet));
            }
            let timers = [self.good.poll_timeout(), self.host.poll_timeout()];
            let flood_at = (flood > 0).then_some(next_flood);
            let times = timers.into_iter().flatten().chain(flood_at);
            now = times.chain(wire.next_at()).min().unwrap().max(now);
            if flood > 0 && now >= next_flood {
                self.begin(now, flood);
                next_flood = now + Duration::from_millis(1);
            }
            self.good.handle_timeout(now);
            if self.host.poll_timeout().is_some_and(|at| at <= now) {
                self.host.handle_timeout(now);
                // The timers of the attackers' connections are not the client's work.
                let before = self.to_good.len();
                let work = self.turn(now);
                if self.to_good.len() > before {
                    self.count(work);
                }
            }
            while let Some((_, (to_good, packet))) = wire.pop_due(now) {
                if to_good {
                    self.good.handle_datagram(now, SERVER.into(), packet);
                } else {
                    self.host.handle_datagram(now, GOOD.into(), packet);
                    let work = self.turn(now);
                    self.count(work);
                    self.work.datagrams += 1;
                }
            }
        }
        panic!("the fetch stalls after {} bytes", self.read);
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
        println!("{guard:?}: alone {alone:?}, besieged {besieged:?}");
        assert!(
            besieged.sum() * 10 < alone.sum() * 11,
            "{besieged:?} instead of {alone:?}"
        );
        let open = siege.host.ids().len();
        match guard {
            Some(guard) => assert!(siege.begun > HALF_OPEN && open <= guard.unvalidated_max + 1),
            None => assert_eq!(open, 4_001),
        }
    }
}
