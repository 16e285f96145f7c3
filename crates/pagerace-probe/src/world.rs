//! A player and our server in virtual time, with an emulated path between them.

use std::net::SocketAddr;

use bytes::BytesMut;
use pagerace_core::{Duration, Instant, Rng};
use pagerace_delivery::reliability::Nature;
use pagerace_delivery::{Facts, StrategySpec};
use pagerace_http::Field;
use pagerace_net::{Exit, Link, Network};
use pagerace_peer::client::ClientError;
use pagerace_peer::{Body, Reply, Request, Server, ServerConfig, Site};
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{ClientKeys, Datagram, Epoch, QuicSettings, ServerKeys};

use crate::congestion::{Fetch, Loader, Watched, first_mtu};
use crate::player::{Job, Play, Player};
use crate::trace::Trace;

/// Size of the headers of IPv4 and UDP in bytes.
const IP_UDP_HEADER: usize = 28;

/// An object of the simulated server.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// `:path`.
    pub path: String,
    /// Size in bytes.
    pub length: u64,
    /// `content-type`.
    pub media_type: String,
    /// Facts that the strategy may use.
    pub facts: Facts,
    /// Time until the response is ready.
    pub think_time: Duration,
}

/// The site of the simulated server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedSite(pub Vec<Served>);

impl Site for ServedSite {
    fn reply(&mut self, request: &Request) -> Reply {
        let found = self
            .0
            .iter()
            .find(|o| o.path.as_bytes() == &request.path[..]);
        let status = if found.is_some() { "200" } else { "404" };
        let mut fields = vec![Field::from_static(":status", status)];
        fields.extend(found.map(|o| Field::new("content-type", o.media_type.clone())));
        Reply {
            think_time: found.map_or(Duration::ZERO, |o| o.think_time),
            early: Vec::new(),
            fields,
            body: found.map_or(Body::EMPTY, |o| Body::Filler(o.length)),
            facts: found.map_or(pagerace_peer::server::UNKNOWN, |o| o.facts),
            nature: Nature::ESSENTIAL,
        }
    }
}

/// A simulated server behind a simulated path.
#[derive(Clone, Debug)]
pub struct World {
    /// The path.
    pub network: Network,
    /// The objects.
    pub site: ServedSite,
    /// Name of the server's congestion controller, or over QUIC of one of the
    /// [`STACKS`](crate::congestion::STACKS).
    pub congestion: String,
    /// UDP payload of the server's packets in bytes, over TCP the size of its segments.
    pub mtu: u16,
    /// Order of responses.
    pub strategy: StrategySpec,
}

/// Plays a job in virtual time. The same arguments give the same trace.
///
/// # Panics
/// Panics if the congestion controller is unknown.
pub fn play(world: &World, job: Job, seed: u64) -> Trace {
    play_tampered(world, job, seed, |_| {})
}

/// Plays a job as [`play`] does, while `tamper` changes the server's datagrams. Packets are not
/// encrypted here, so that a hostile server's frames can be made of them.
///
/// # Panics
/// Panics if the congestion controller is unknown.
pub fn play_tampered(
    world: &World,
    job: Job,
    seed: u64,
    tamper: impl FnMut(&mut BytesMut),
) -> Trace {
    let connect = |server: &_, keys, seed, epoch| {
        Player::connect(job, server, keys, seed, Instant::ZERO, epoch)
    };
    run(world, connect, seed, &[], tamper)
}

/// Plays a trial in virtual time. The same arguments give the same packets.
///
/// # Panics
/// Panics if the congestion controller is unknown.
pub fn watch(world: &World, fetch: Fetch, seed: u64) -> Watched {
    watch_losing(world, fetch, seed, &[])
}

/// Plays a trial as [`watch`] does, while `tamper` changes the server's datagrams.
///
/// # Panics
/// Panics if the congestion controller is unknown.
pub fn watch_tampered(
    world: &World,
    fetch: Fetch,
    seed: u64,
    tamper: impl FnMut(&mut BytesMut),
) -> Watched {
    let connect = |server: &_, keys, seed, epoch| {
        Loader::connect(fetch, server, keys, seed, Instant::ZERO, epoch)
    };
    run(world, connect, seed, &[], tamper)
}

/// Plays a trial as [`watch`] does. At each of `losses`, which ascend, the path loses the next
/// large packet that reaches the client: a loss shows in data, and acknowledgements have none.
///
/// # Panics
/// Panics if the congestion controller is unknown.
pub fn watch_losing(world: &World, fetch: Fetch, seed: u64, losses: &[Instant]) -> Watched {
    let connect = |server: &_, keys, seed, epoch| {
        Loader::connect(fetch, server, keys, seed, Instant::ZERO, epoch)
    };
    run(world, connect, seed, losses, |_| {})
}

fn run<P: Play<Received = BytesMut, Sent = Datagram>>(
    world: &World,
    connect: impl FnOnce(&crate::Server, ClientKeys, u64, Epoch) -> Result<P, ClientError>,
    seed: u64,
    mut losses: &[Instant],
    mut tamper: impl FnMut(&mut BytesMut),
) -> P::Result {
    let epoch = Epoch::new();
    let remote = SocketAddr::from(([192, 0, 2, 1], 443));
    let client = SocketAddr::from(([198, 51, 100, 1], 50_000));
    let config = ServerConfig {
        settings: QuicSettings {
            congestion: world.congestion.clone(),
            mtu: world.mtu,
            mtu_first: first_mtu(&world.congestion),
            ..QuicSettings::default()
        },
        ..ServerConfig::new(
            ServerKeys::Null(FlightSizes::default()),
            world.strategy.clone(),
            pagerace_core::rng::derive_seed(seed, "server"),
        )
    };
    let mut server = Server::new(&config, epoch, world.site.clone()).expect("a known controller");
    let address = crate::player::Server {
        remote,
        name: "probe.example".to_owned(),
        authority: "probe.example".to_owned(),
    };
    let keys = ClientKeys::Null(FlightSizes::default());
    let seed_client = pagerace_core::rng::derive_seed(seed, "client");
    let mut now = Instant::ZERO;
    let mut player =
        connect(&address, keys, seed_client, epoch).expect("the name and address are valid");
    let mut down: Link<BytesMut> = Link::new(&world.network.down, Rng::new(seed, "link/down"));
    let mut up: Link<BytesMut> = Link::new(&world.network.up, Rng::new(seed, "link/up"));
    let mut buf = Vec::new();
    loop {
        while let Some(datagram) = player.poll_transmit(now, &mut buf) {
            send(&mut up, now, &buf[..datagram.size]);
        }
        while let Some(datagram) = server.poll_transmit(now, &mut buf) {
            send(&mut down, now, &buf[..datagram.size]);
        }
        if player.is_over() {
            return player.finish();
        }
        let deadlines = [
            down.next_at(),
            up.next_at(),
            player.poll_timeout(),
            server.poll_timeout(),
        ];
        let Some(next) = deadlines.into_iter().flatten().min() else {
            return player.finish();
        };
        now = next.max(now);
        if let Some(exit) = down.poll(now) {
            if let Exit::Delivered { mut payload, .. } = exit {
                let due = losses.first().is_some_and(|at| *at <= now);
                if due && 2 * payload.len() > usize::from(world.mtu) {
                    losses = &losses[1..];
                } else {
                    tamper(&mut payload);
                    player.handle_packet(now, payload);
                }
            }
        } else if let Some(exit) = up.poll(now) {
            if let Exit::Delivered { payload, .. } = exit {
                server.handle_datagram(now, client, payload);
            }
        } else {
            if player.poll_timeout().is_some_and(|at| at <= now) {
                player.handle_timeout(now);
            }
            if server.poll_timeout().is_some_and(|at| at <= now) {
                server.handle_timeout(now);
            }
        }
    }
}

fn send(link: &mut Link<BytesMut>, now: Instant, data: &[u8]) {
    let size = (data.len() + IP_UDP_HEADER) as u32;
    // A packet that the queue refuses is lost.
    let _ = link.enqueue(now, size, 0, BytesMut::from(data));
}
