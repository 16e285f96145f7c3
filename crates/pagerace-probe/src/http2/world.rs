//! A player and our server in virtual time. Bytes pass between the state machines, without
//! TCP: as the window is the brake, all that a path does is to delay them.

use std::collections::VecDeque;

use bytes::Bytes;
use pagerace_core::{Duration, Instant, Protocol, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_peer::stream::{StreamServer, StreamServerConfig};

use super::Player;
use crate::player::Job;
use crate::trace::Trace;
use crate::world::ServedSite;

/// Largest frames of simulated servers in bytes, as most servers have.
pub const PIECE_MAX: usize = 1 << 14;

/// A simulated server behind a path that delays bytes.
#[derive(Clone, Debug)]
pub struct Line {
    /// Shortest round trip.
    pub rtt: Duration,
    /// Longest further delay in each direction. Bytes that would overtake others arrive
    /// together with them.
    pub jitter: Duration,
    /// The objects.
    pub site: ServedSite,
    /// Order of responses.
    pub strategy: StrategySpec,
    /// Largest frames of the server in bytes.
    pub piece_max: usize,
}

/// One direction of a path.
struct Way {
    delay: Duration,
    jitter: Duration,
    rng: Rng,
    in_flight: VecDeque<(Instant, Bytes)>,
}

impl Way {
    fn new(line: &Line, seed: u64, name: &str) -> Self {
        Self {
            delay: line.rtt.mul_f64(0.5),
            jitter: line.jitter,
            rng: Rng::new(seed, name),
            in_flight: VecDeque::new(),
        }
    }

    fn send(&mut self, now: Instant, data: Bytes) {
        let at = now + self.delay + self.jitter.mul_f64(self.rng.unit());
        let last = self.in_flight.back().map_or(now, |(last, _)| *last);
        self.in_flight.push_back((at.max(last), data));
    }

    fn next_at(&self) -> Option<Instant> {
        self.in_flight.front().map(|(at, _)| *at)
    }

    fn receive(&mut self, now: Instant) -> Option<Bytes> {
        self.next_at().filter(|at| *at <= now)?;
        self.in_flight.pop_front().map(|(_, data)| data)
    }
}

/// Plays a job in virtual time. The same arguments give the same trace.
pub fn play(line: &Line, job: Job, seed: u64) -> Trace {
    play_tampered(line, job, seed, |_| {})
}

/// Plays a job as [`play`] does, while `tamper` changes the server's bytes.
pub fn play_tampered(
    line: &Line,
    job: Job,
    seed: u64,
    mut tamper: impl FnMut(&mut Vec<u8>),
) -> Trace {
    let config = StreamServerConfig {
        piece_max: line.piece_max,
        ..StreamServerConfig::new(line.strategy.clone())
    };
    let mut server = StreamServer::new(Protocol::H2, &config, line.site.clone());
    let mut up = Way::new(line, seed, "up");
    let mut down = Way::new(line, seed, "down");
    // The handshakes of TCP and TLS.
    let mut now = Instant::ZERO + line.rtt * 2;
    let mut player = Player::start(job, "probe.example", line.rtt, now);
    let mut carried = 0;
    loop {
        while let Some(data) = player.poll_output() {
            up.send(now, data);
        }
        while let Some(output) = server.poll_output(now, usize::MAX) {
            let mut data = [output.head, output.content].concat();
            tamper(&mut data);
            down.send(now, data.into());
        }
        if player.is_over() {
            return player.finish();
        }
        let others = [up.next_at(), down.next_at(), server.poll_timeout()];
        let next = others.into_iter().flatten().min();
        now = next
            .map_or(player.poll_timeout(), |at| at.min(player.poll_timeout()))
            .max(now);
        while let Some(data) = up.receive(now) {
            server.handle_data(now, data);
        }
        while let Some(data) = down.receive(now) {
            carried += data.len() as u64;
            player.handle_data(now, data, carried);
        }
        server.handle_timeout(now);
        if player.poll_timeout() <= now {
            player.handle_timeout(now);
        }
    }
}
