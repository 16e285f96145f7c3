//! Description of one load in the live world: the page, the network and the servers.

use std::collections::BTreeMap;
use std::sync::Arc;

use pagerace_core::{Duration, Protocol};
use pagerace_delivery::StrategySpec;
use pagerace_har::Device;
use pagerace_net::Network;
use pagerace_page::{Page, ResourceEffect};
use pagerace_peer::LoadSettings;

use crate::replay::ReplaySite;

/// A recorded site, a network, a protocol for each host, and a strategy.
#[derive(Clone)]
pub struct LiveScenario {
    /// The page to load.
    pub page: Arc<Page>,
    /// The site that the servers serve.
    pub site: ReplaySite,
    /// The device that the browser emulates.
    pub device: Device,
    /// The network between browser and servers.
    pub network: Network,
    /// The strategy that orders response bytes.
    pub strategy: StrategySpec,
    /// The version of HTTP of each host.
    pub protocols: BTreeMap<String, Protocol>,
    /// Congestion controller of the servers: for TCP the kernel's of this name, for QUIC
    /// ours.
    pub congestion: String,
    /// Round trips of hosts beyond the network; others have none.
    pub distances: BTreeMap<String, Duration>,
    /// Interventions by resource of the page; empty if there are none.
    pub effects: Vec<ResourceEffect>,
    /// True to record the requests of timed loads, too, because another load that this one is
    /// compared with blocks some. Loads that block requests are always recorded.
    pub recorded: bool,
    /// True if this load, or another one that it is compared with, has hints that open connections
    /// early (`<link rel=preconnect>`).
    pub hinted: bool,
    /// Settings that all contenders share, as far as the live world has them. With
    /// [`Connections::Single`](pagerace_peer::Connections), all hosts with the same
    /// protocol have one address, so that a browser may share connections.
    pub settings: LoadSettings,
}

impl LiveScenario {
    /// Returns true if any host speaks a protocol that satisfies `wanted`.
    pub(super) fn speaks(&self, wanted: fn(Protocol) -> bool) -> bool {
        self.protocols.values().any(|&protocol| wanted(protocol))
    }
}
