//! Simulations of every controller on the measured path.

use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, Instant, Protocol, Rng};
use pagerace_net::Network;

use super::loader::Fetch;
use super::shape::{Loss, Shape};
use super::trial::Trial;
use super::world::watch_tcp;
use crate::model::{Expected, NOISE, served};
use crate::plan::Object;
use crate::verdict::Scale;
use crate::world::{ServedSite, World, watch_losing};

/// QUIC implementations that are candidates. Each has the name of its controller. If path MTU
/// discovery makes its packets larger, it also has the UDP payload of the first ones in bytes.
pub const STACKS: [(&str, Option<u16>); 4] = [
    ("quinn-newreno", Some(1_200)),
    ("quinn-cubic", Some(1_200)),
    ("quic-go", Some(1_280)),
    ("aioquic", None),
];

/// Returns the size of the first packets of a server with this controller, if later ones are
/// larger.
pub(crate) fn first_mtu(controller: &str) -> Option<u16> {
    let stack = STACKS.iter().find(|(name, _)| *name == controller);
    stack.and_then(|(_, first)| *first)
}

/// Returns the candidates: all controllers, and over HTTP/3 the [`STACKS`]. `cubic` is left out,
/// because it is another name of the two that servers run.
pub fn controllers(protocol: Protocol) -> Vec<&'static str> {
    let names = pagerace_cc::registry()
        .iter()
        .map(|cc| cc.name)
        .filter(|name| *name != "cubic");
    let stacks = STACKS.iter().filter(|_| protocol == Protocol::H3);
    names.chain(stacks.map(|(name, _)| *name)).collect()
}

/// Scale of the distances. The worst third of the numbers counts: two controllers may differ in
/// their reaction to losses alone. See docs/probe.md for its calibration.
pub const SCALE: Scale = Scale {
    worst: 0.3,
    same: 1.0,
    far: 1.6,
    steepness: 1.5,
};

/// The path and the server, as far as they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// HTTP/2 or HTTP/3.
    pub protocol: Protocol,
    /// The object.
    pub object: Object,
    /// Round trip of the path that the trials' bottlenecks allow for.
    pub path_rtt: Duration,
    /// Round-trip time of the path alone.
    pub rtt: Duration,
    /// Rate of the path alone in bits per second, at most [`RATE_MAX`].
    pub rate: u64,
    /// Packets of each trial that the path lost.
    pub losses: Vec<Vec<Loss>>,
    /// UDP payload of the server's largest packets in bytes, over TCP their largest segment.
    pub mtu: u16,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Assumptions of a repeat about the path.
struct Assumed {
    /// Round trip beyond the measured one, in milliseconds and as a share of it.
    longer: (f64, f64),
    /// Jitter of each direction in milliseconds.
    jitter: f64,
    /// Packets by which a loss may come sooner or later than in the trial.
    neighbours: f64,
}

const fn assume(more_ms: f64, share: f64, jitter: f64, neighbours: f64) -> Assumed {
    Assumed {
        longer: (more_ms, share),
        jitter,
        neighbours,
    }
}

/// Simulations of each controller. The first has the measured path, the others vary it by errors
/// that a measurement may have. A think time that may be noise is zero in every other one.
const REPEATS: [Assumed; 32] = [
    assume(0.0, 0.0, 0.0, 0.0),
    assume(0.0, 0.0, 0.0, 1.0),
    assume(0.0, 0.0, 0.05, 2.0),
    assume(0.5, 0.0, 0.1, 1.0),
    assume(1.0, 0.0, 0.0, 2.0),
    assume(-1.0, 0.0, 0.2, 0.0),
    assume(2.0, 0.0, 0.1, 2.0),
    assume(-3.0, 0.0, 0.3, 1.0),
    assume(0.0, 0.02, 0.4, 2.0),
    assume(0.0, 0.05, 0.2, 1.0),
    assume(0.0, 0.1, 0.6, 2.0),
    assume(0.0, 0.0, 0.8, 1.0),
    assume(1.0, 0.0, 1.0, 2.0),
    assume(0.0, 0.03, 0.0, 2.0),
    assume(0.0, 0.07, 1.0, 2.0),
    assume(0.2, 0.0, 0.3, 2.0),
    assume(0.1, 0.0, 0.02, 0.0),
    assume(0.2, 0.0, 0.05, 1.0),
    assume(0.3, 0.0, 0.1, 0.0),
    assume(-0.1, 0.0, 0.1, 2.0),
    assume(-0.2, 0.0, 0.02, 1.0),
    assume(-0.5, 0.0, 0.05, 0.0),
    assume(0.4, 0.0, 0.2, 2.0),
    assume(0.7, 0.0, 0.15, 1.0),
    assume(0.0, 0.01, 0.05, 0.0),
    assume(0.0, 0.01, 0.2, 2.0),
    assume(0.0, 0.02, 0.1, 1.0),
    assume(0.0, 0.03, 0.5, 0.0),
    assume(0.0, 0.04, 0.1, 2.0),
    assume(1.5, 0.0, 0.2, 0.0),
    assume(-2.0, 0.0, 0.1, 1.0),
    assume(0.0, 0.0, 0.15, 0.0),
];

/// Rate of a path in bits per second beyond which the time of a packet on it does not matter.
pub const RATE_MAX: u64 = 1_000_000_000;

/// Bits of a packet on the wire.
const PACKET_BITS: u64 = 12_000;

/// Time from the packet before a loss to the one after it, as a share, from which on the next
/// packet is lost.
const NEXT: f64 = 0.02;

/// UDP payloads in bytes that our server can have.
const MTU: (u16, u16) = (1_200, 1_452);

/// Sizes of TCP segments in bytes that servers have on any path.
const SEGMENT: (u16, u16) = (556, 1_480);

impl Model {
    /// Simulates a controller.
    ///
    /// # Panics
    /// Panics if the controller is unknown.
    pub fn expect(&self, controller: &str, trials: &[Trial]) -> Expected {
        let repeats = (0..REPEATS.len()).map(|repeat| self.repeat(controller, trials, repeat));
        Expected::each(&repeats.collect::<Vec<_>>(), SCALE.worst)
    }

    /// Simulates the trials once, and returns the numbers of each.
    fn repeat(&self, controller: &str, trials: &[Trial], repeat: usize) -> Vec<Vec<f64>> {
        let seed = derive_seed(self.seed, &format!("repeat/{repeat}"));
        let mut rng = Rng::new(seed, "path");
        let Assumed {
            longer: (more, share),
            jitter,
            neighbours,
        } = REPEATS[repeat];
        let rtt_ms = (self.rtt.as_millis_f64() * (1.0 + share) + more).max(0.1);
        // A burst that takes longer on the path shares a loss with fewer rounds.
        let rate = self.rate.clamp(1, RATE_MAX);
        let path = format!("rate {rate}bit rtt {rtt_ms:.3}ms jitter {jitter:.3}ms queue 1000p");
        let (least, most) = match self.protocol {
            Protocol::H3 => MTU,
            _ => SEGMENT,
        };
        let mut world = World {
            network: Network::parse(&path).expect("the description is complete"),
            site: ServedSite(vec![served(&self.object)]),
            congestion: controller.to_owned(),
            mtu: self.mtu.clamp(least, most),
            strategy: "fifo".parse().expect("fifo is registered"),
        };
        let noise = self.rtt.mul_f64(NOISE.0) + NOISE.1;
        if repeat % 2 == 1 && self.object.think_time < noise {
            // A response without a think time shares its first segment with the server's settings,
            // which moves all others.
            world.site.0[0].think_time = Duration::ZERO;
        }
        let none = Vec::new();
        let each = trials.iter().enumerate().map(|(i, trial)| {
            let fetch = Fetch {
                trial: *trial,
                path_rtt: self.path_rtt,
                path: self.object.path.clone(),
                length: self.object.length,
                requests: usize::MAX,
                patience: None,
            };
            let losses = self.losses.get(i).unwrap_or(&none).iter();
            let packet = Duration::from_nanos(PACKET_BITS * 1_000_000_000 / trial.rate);
            let spread = packet.mul_f64(neighbours);
            let mut losses: Vec<Instant> = losses
                .map(|loss| {
                    let between = loss.before.since(loss.after).mul_f64(NEXT)
                        + spread.mul_f64(2.0 * rng.unit());
                    let later = loss.after.since_start() + between;
                    Instant::ZERO + later.saturating_sub(spread)
                })
                .collect();
            losses.sort_unstable();
            let watch = match self.protocol {
                Protocol::H3 => watch_losing,
                _ => watch_tcp,
            };
            let watched = watch(&world, fetch, derive_seed(seed, trial.name), &losses);
            Shape::of(trial, &watched.offered).values()
        });
        each.collect()
    }
}
