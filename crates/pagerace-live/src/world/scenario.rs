//! Description of one load in the live world: the page, the network and the servers.

use std::collections::BTreeMap;
use std::sync::Arc;

use pagerace_core::{Duration, Protocol};
use pagerace_delivery::StrategySpec;
use pagerace_net::Network;
use pagerace_page::{Device, Page, ResourceEffect};
use pagerace_peer::Retransmission;

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
    /// Largest UDP payload of QUIC, in bytes.
    pub quic_mtu: u16,
    /// When lost bytes are retransmitted (HTTP/3 only).
    pub retransmission: Retransmission,
    /// True to place all hosts with the same protocol on one address, so that a browser
    /// may share connections. Otherwise each host has its own address.
    pub single_address: bool,
    /// Interventions by resource of the page; empty if there are none.
    pub effects: Vec<ResourceEffect>,
    /// Time after which a load is aborted.
    pub deadline: Duration,
}

impl LiveScenario {
    /// Returns true if any host speaks a protocol that satisfies `wanted`.
    pub(super) fn speaks(&self, wanted: fn(Protocol) -> bool) -> bool {
        self.protocols.values().any(|&protocol| wanted(protocol))
    }
}
