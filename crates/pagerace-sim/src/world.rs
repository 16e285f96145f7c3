//! The small differences between one load and another of the same scenario.
//!
//! Two loads of a page never meet the same network, servers and processor. A [`World`] is
//! one set of such conditions.

use pagerace_browser::config::CPU;
use pagerace_core::Duration;
use pagerace_net::Deviation;
use pagerace_peer::settings::QUIC_MTU;
use serde::{Deserialize, Serialize};

use crate::scenario::Scenario;

/// The conditions of one load, relative to its scenario.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Factor on the rates of both links.
    pub rate: f64,
    /// Milliseconds that are added to the round trip, half in each direction.
    pub rtt_ms: f64,
    /// Factor on the limits of both queues.
    pub queue: f64,
    /// Factor on the slow-down of the processor.
    pub cpu: f64,
    /// Factor on the think times of servers.
    pub think: f64,
    /// Milliseconds that are added to think times above zero, which stay at zero or more.
    pub think_ms: f64,
    /// Factor on the largest UDP payload of QUIC, which stays between 1200 and 1452 bytes.
    pub quic_payload: f64,
    /// The place in `[0, 1)` that selects the largest element among several that may be
    /// it. `None` selects the most probable one.
    pub largest: Option<f64>,
}

impl World {
    /// The scenario as it is.
    pub const NOMINAL: Self = Self {
        rate: 1.0,
        rtt_ms: 0.0,
        queue: 1.0,
        cpu: 1.0,
        think: 1.0,
        think_ms: 0.0,
        quic_payload: 1.0,
        largest: None,
    };

    /// Returns a think time in this world. A server that does not think in the recording does not
    /// here.
    pub(crate) fn think_time(&self, nominal: Duration) -> Duration {
        if nominal.is_zero() || *self == Self::NOMINAL {
            return nominal;
        }
        let millis = nominal.as_millis_f64() * self.think + self.think_ms;
        Duration::from_millis_f64(millis.max(0.0))
    }

    fn deviation(&self) -> Deviation {
        Deviation {
            rate: self.rate,
            rtt_ns: (self.rtt_ms * 1e6).round() as i64,
            queue: self.queue,
        }
    }
}

impl Default for World {
    fn default() -> Self {
        Self::NOMINAL
    }
}

impl Scenario {
    /// Returns the scenario of a load in `world`.
    ///
    /// # Panics
    /// Panics if the scenario is already of another world than the nominal one.
    #[must_use]
    pub fn in_world(mut self, world: World) -> Self {
        assert_eq!(self.world, World::NOMINAL, "a load has one world");
        if world == World::NOMINAL {
            return self;
        }
        self.network = self.network.deviating(&world.deviation());
        self.browser.cpu = (self.browser.cpu * world.cpu).clamp(*CPU.start(), *CPU.end());
        let payload = (f64::from(self.settings.quic_mtu) * world.quic_payload).round() as u16;
        self.settings.quic_mtu = payload.clamp(*QUIC_MTU.start(), *QUIC_MTU.end());
        self.world = world;
        self
    }
}
