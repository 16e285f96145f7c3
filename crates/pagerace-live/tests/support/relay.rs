//! Emulated paths in front of servers on loopback sockets, and a server of known strategy there.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use pagerace_core::{Instant, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_live::{Clock, QuicServer, secret_seed};
use pagerace_net::{Exit, Link, Network};
use pagerace_peer::ServerConfig;
use pagerace_probe::plan::facts;
use pagerace_probe::world::{Served, ServedSite};
use pagerace_transport::quic::ClientKeys;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting};

/// Longest time without a look at the sockets.
const TICK: Duration = Duration::from_micros(200);

/// Media types that strategies treat differently.
const TYPES: [&str; 6] = [
    "application/wasm",
    "image/png",
    "font/woff2",
    "application/javascript",
    "text/css",
    "text/html",
];

/// An emulated path in front of a server, which carries datagrams until it is dropped.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    pub(crate) fn start(server: SocketAddr, network: &Network, seed: u64) -> Self {
        let front = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = front.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, network) = (stop.clone(), network.clone());
        let thread = std::thread::spawn(move || {
            relay(&front, server, &network, seed, &stopped);
        });
        Self {
            address,
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A server, and the relay in front of it.
pub(crate) struct Truth {
    pub(crate) address: pagerace_probe::Server,
    pub(crate) keys: ClientKeys,
    pub(crate) paths: Vec<String>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _relay: Option<Relay>,
}

impl Truth {
    /// Starts a server of six objects. Without a network, there is no relay.
    pub(crate) fn start(strategy: &StrategySpec, network: Option<&Network>, seed: u64) -> Self {
        let object = |(i, media_type): (usize, &&str)| Served {
            path: format!("/{i}"),
            length: 100_000,
            media_type: (*media_type).to_owned(),
            facts: facts(media_type),
            think_time: pagerace_core::Duration::ZERO,
        };
        let objects: Vec<Served> = TYPES.iter().enumerate().map(object).collect();
        let paths = objects.iter().map(|o| o.path.clone()).collect();
        let identity = Identity::new(&["localhost"]).unwrap();
        let keys = identity.server_keys().unwrap();
        let config = ServerConfig::new(keys, strategy.clone(), secret_seed().unwrap());
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = QuicServer::bind(any, &config, ServedSite(objects)).unwrap();
        let own = server.local_address().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || server.run(&stopped).unwrap());
        let relay = network.map(|network| Relay::start(own, network, seed));
        Self {
            address: pagerace_probe::Server {
                remote: relay.as_ref().map_or(own, |relay| relay.address),
                name: "localhost".to_owned(),
                authority: "localhost".to_owned(),
            },
            keys: client_keys_trusting(identity.certificate()).unwrap(),
            paths,
            stop,
            thread: Some(thread),
            _relay: relay,
        }
    }
}

impl Drop for Truth {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Carries datagrams between clients and the server over emulated links. Each client has a
/// socket of its own towards the server; only the latest client is served.
fn relay(front: &UdpSocket, server: SocketAddr, network: &Network, seed: u64, stop: &AtomicBool) {
    front.set_nonblocking(true).unwrap();
    let clock = Clock::start();
    let links = || {
        let down: Link<Vec<u8>> = Link::new(&network.down, Rng::new(seed, "down"));
        let up: Link<Vec<u8>> = Link::new(&network.up, Rng::new(seed, "up"));
        (down, up)
    };
    let (mut down, mut up) = links();
    let mut client: Option<(SocketAddr, UdpSocket)> = None;
    let mut buf = [0; 2_048];
    while !stop.load(Ordering::Relaxed) {
        let mut now = clock.now();
        while let Ok((n, from)) = front.recv_from(&mut buf) {
            if client.as_ref().is_none_or(|(known, _)| *known != from) {
                let back = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
                back.set_nonblocking(true).unwrap();
                client = Some((from, back));
                // Packets of the last client would make the server send to this one.
                (down, up) = links();
            }
            now = clock.now();
            let _ = up.enqueue(now, n as u32 + 28, 0, buf[..n].to_vec());
        }
        if let Some((to, back)) = &client {
            while let Ok(n) = back.recv(&mut buf) {
                now = clock.now();
                let _ = down.enqueue(now, n as u32 + 28, 0, buf[..n].to_vec());
            }
            deliver(&mut up, now, |data| back.send_to(data, server));
            deliver(&mut down, now, |data| front.send_to(data, *to));
        }
        std::thread::sleep(TICK);
    }
}

fn deliver(link: &mut Link<Vec<u8>>, now: Instant, send: impl Fn(&[u8]) -> std::io::Result<usize>) {
    while let Some(exit) = link.poll(now) {
        if let Exit::Delivered { payload, .. } = exit {
            // A datagram that the kernel refuses is lost.
            let _ = send(&payload);
        }
    }
}
