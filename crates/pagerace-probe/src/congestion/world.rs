//! A trial and our server over TCP in virtual time, with an emulated path between them.

use pagerace_core::{Instant, Protocol, Rng};
use pagerace_net::{Exit, Link};
use pagerace_peer::stream::StreamServerConfig;
use pagerace_peer::tcp::{TcpServer, TcpServerConfig};
use pagerace_transport::tcp::{Segment, TcpSettings};
use pagerace_transport::tls::{Session, TlsSettings};

use super::loader::{Fetch, Loader, Watched};
use crate::player::Play as _;
use crate::world::World;

/// Bytes of a segment's header with timestamps.
const HEADER: u16 = 32;

/// Plays a trial over TCP in virtual time. At each of `losses`, which ascend, the path loses the
/// next large packet that reaches the client. The same arguments give the same packets.
///
/// # Panics
/// Panics if the congestion controller is unknown.
pub fn watch_tcp(world: &World, fetch: Fetch, seed: u64, mut losses: &[Instant]) -> Watched {
    let config = TcpServerConfig {
        tcp: TcpSettings {
            congestion: world.congestion.clone(),
            mss: world.mtu - HEADER,
            ..TcpSettings::default()
        },
        ..TcpServerConfig::new(
            Protocol::H2,
            StreamServerConfig::new(world.strategy.clone()),
        )
    };
    let mut server = TcpServer::new(&config, world.site.clone()).expect("a known controller");
    let tls = Session::client(&TlsSettings::default());
    let mut now = Instant::ZERO;
    let mut player = Loader::connect_tcp(fetch, "probe.example", tls, seed, now);
    let mut down: Link<Segment> = Link::new(&world.network.down, Rng::new(seed, "link/down"));
    let mut up: Link<Segment> = Link::new(&world.network.up, Rng::new(seed, "link/up"));
    // A packet that the queue refuses is lost.
    let send = |link: &mut Link<Segment>, now, segment: Segment| {
        let _ = link.enqueue(now, segment.wire_size(), 0, segment);
    };
    loop {
        while let Some(segment) = player.poll_transmit(now, &mut Vec::new()) {
            send(&mut up, now, segment);
        }
        while let Some(segment) = server.poll_transmit(now) {
            send(&mut down, now, segment);
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
        let next = deadlines.into_iter().flatten().min();
        now = next.expect("a trial ends in time").max(now);
        if let Some(exit) = down.poll(now) {
            if let Exit::Delivered { payload, .. } = exit {
                let due = losses.first().is_some_and(|at| *at <= now);
                if due && 2 * payload.wire_size() > u32::from(world.mtu) {
                    losses = &losses[1..];
                } else {
                    player.handle_packet(now, payload);
                }
            }
        } else if let Some(exit) = up.poll(now) {
            if let Exit::Delivered { payload, .. } = exit {
                server.handle_segment(now, payload);
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
