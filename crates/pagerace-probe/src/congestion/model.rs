//! What every controller would do on the measured path.

use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, Instant, Protocol, Rng};
use pagerace_net::Network;

use super::loader::Fetch;
use super::shape::Shape;
use super::trial::Trial;
use super::world::watch_tcp;
use crate::model::{Expected, served};
use crate::plan::Object;
use crate::verdict::Scale;
use crate::world::{ServedSite, World, watch_losing};

/// Returns the candidates: all controllers. `cubic` is left out, because it is another name of
/// the two that servers run.
pub fn controllers() -> Vec<&'static str> {
    let names = pagerace_cc::registry().iter().map(|cc| cc.name);
    names.filter(|name| *name != "cubic").collect()
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
    /// Round-trip time of the path alone.
    pub rtt: Duration,
    /// Rate of the path alone in bits per second, at most [`RATE_MAX`].
    pub rate: u64,
    /// Times of each trial at which the path lost a packet.
    pub losses: Vec<Vec<Instant>>,
    /// UDP payload of the server's largest packets in bytes, over TCP their largest segment.
    pub mtu: u16,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Number of simulations of each controller.
const REPEATS: u32 = 12;

/// Rate of a path in bits per second beyond which the time of a packet on it does not matter.
pub const RATE_MAX: u64 = 1_000_000_000;

/// Bits of a packet on the wire.
const PACKET_BITS: u64 = 12_000;

/// Packets by which a loss may come sooner or later than in the trial.
const NEIGHBOURS: f64 = 2.0;

/// Largest share by which a measured round trip may be too short.
const RTT_ERROR: f64 = 0.1;

/// Most jitter of each direction.
const JITTER: Duration = Duration::from_millis(1);

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
        let repeats = (0..REPEATS).map(|repeat| self.repeat(controller, trials, repeat));
        Expected::each(&repeats.collect::<Vec<_>>(), SCALE.worst)
    }

    /// Simulates the trials once, and returns the numbers of each.
    fn repeat(&self, controller: &str, trials: &[Trial], repeat: u32) -> Vec<Vec<f64>> {
        let seed = derive_seed(self.seed, &format!("repeat/{repeat}"));
        let mut rng = Rng::new(seed, "path");
        // The measured round trip may be too short.
        let rtt = self.rtt.mul_f64(1.0 + RTT_ERROR * rng.unit());
        let rtt_ms = rtt.as_millis_f64().max(0.1);
        // A burst that takes longer on the path shares a loss with fewer rounds.
        let rate = self.rate.clamp(1, RATE_MAX);
        // Machines answer neither at once nor always as fast.
        let jitter = JITTER.as_millis_f64() * rng.unit();
        let path = format!("rate {rate}bit rtt {rtt_ms:.3}ms jitter {jitter:.3}ms queue 1000p");
        let (least, most) = match self.protocol {
            Protocol::H3 => MTU,
            _ => SEGMENT,
        };
        let world = World {
            network: Network::parse(&path).expect("the description is complete"),
            site: ServedSite(vec![served(&self.object)]),
            congestion: controller.to_owned(),
            mtu: self.mtu.clamp(least, most),
            strategy: "fifo".parse().expect("fifo is registered"),
        };
        let none = Vec::new();
        let each = trials.iter().enumerate().map(|(i, trial)| {
            let fetch = Fetch {
                trial: *trial,
                path_rtt: self.rtt,
                path: self.object.path.clone(),
                length: self.object.length,
                requests: usize::MAX,
            };
            // The lost packet may be a neighbour of the one that would be lost here. It is lost
            // half a round trip before its gap shows.
            let packet = Duration::from_nanos(PACKET_BITS * 1_000_000_000 / trial.rate);
            let early = packet.mul_f64(NEIGHBOURS) + rtt.mul_f64(0.5);
            let losses = self.losses.get(i).unwrap_or(&none).iter();
            let mut losses: Vec<Instant> = losses
                .map(|at| {
                    let later = at.since_start() + packet.mul_f64(2.0 * NEIGHBOURS * rng.unit());
                    Instant::ZERO + later.saturating_sub(early)
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
