//! What every controller would do on the measured path.

use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, Instant, Protocol, Rng};
use pagerace_sim::{BulkScenario, LoadSettings, QUIC_MTU, ScenarioError, run_bulk_watched};

use super::shape::Shape;
use super::trial::Trial;
use crate::model::Expected;
use crate::verdict::Scale;

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
    far: 2.5,
    steepness: 1.5,
};

/// The path and the server, as far as they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// HTTP/3 for QUIC, HTTP/2 for TCP.
    pub protocol: Protocol,
    /// Round-trip time of the path alone.
    pub rtt: Duration,
    /// Times of each trial at which the path lost a packet.
    pub losses: Vec<Vec<Instant>>,
    /// UDP payload of the server's largest packets in bytes. TCP's are those of Ethernet.
    pub mtu: u16,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Number of simulations of each controller.
const REPEATS: u32 = 6;

/// Bytes of the simulated object: more than any trial reads.
const BYTES: u64 = 1 << 30;

/// Bits of a packet on the wire.
const PACKET_BITS: u64 = 12_000;

/// Packets by which a loss may come sooner or later than in the trial.
const NEIGHBOURS: f64 = 2.0;

/// Largest share by which a measured round trip may be too short.
const RTT_ERROR: f64 = 0.1;

impl Model {
    /// Simulates a controller.
    ///
    /// # Errors
    /// The controller is unknown.
    pub fn expect(&self, controller: &str, trials: &[Trial]) -> Result<Expected, ScenarioError> {
        let repeats: Result<Vec<_>, _> = (0..REPEATS)
            .map(|repeat| self.repeat(controller, trials, repeat))
            .collect();
        Ok(Expected::of(&repeats?, SCALE.worst))
    }

    /// Simulates the trials once, and returns the numbers of each.
    ///
    /// # Errors
    /// The controller is unknown.
    pub fn repeat(
        &self,
        controller: &str,
        trials: &[Trial],
        repeat: u32,
    ) -> Result<Vec<Vec<f64>>, ScenarioError> {
        let seed = derive_seed(self.seed, &format!("repeat/{repeat}"));
        let mut rng = Rng::new(seed, "path");
        let more = self.rtt.mul_f64(RTT_ERROR * rng.unit());
        let none = Vec::new();
        let each = trials.iter().enumerate().map(|(i, trial)| {
            let longer = Trial {
                rtt: trial.rtt + more,
                ..*trial
            };
            let scenario = BulkScenario {
                bytes: BYTES,
                network: longer.network(),
                protocol: self.protocol,
                congestion: controller.to_owned(),
                settings: LoadSettings {
                    quic_mtu: self.mtu.clamp(*QUIC_MTU.start(), *QUIC_MTU.end()),
                    deadline: trial.time,
                    ..LoadSettings::default()
                },
            };
            // The lost packet may be a neighbour of the one that would be lost here.
            let packet = Duration::from_nanos(PACKET_BITS * 1_000_000_000 / trial.rate);
            let mut shift = |at: &Instant| {
                let later = at.since_start() + packet.mul_f64(2.0 * NEIGHBOURS * rng.unit());
                Instant::ZERO + later.saturating_sub(packet.mul_f64(NEIGHBOURS))
            };
            let losses = self.losses.get(i).unwrap_or(&none);
            let mut losses: Vec<Instant> = losses.iter().map(&mut shift).collect();
            losses.sort_unstable();
            let seed = derive_seed(seed, trial.name);
            let (_, offered) = run_bulk_watched(&scenario, &losses, seed)?;
            Ok(Shape::of(trial, &offered).values())
        });
        each.collect()
    }
}
