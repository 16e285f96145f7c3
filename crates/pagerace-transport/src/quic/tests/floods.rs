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
