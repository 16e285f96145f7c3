//! What is loaded, how, and over what: one load of the live world.

use std::collections::BTreeMap;
use std::sync::Arc;

use pagerace_core::{Duration, Protocol};
use pagerace_delivery::StrategySpec;
use pagerace_net::Network;
use pagerace_page::{Device, Page, ResourceEffect};
use pagerace_peer::Retransmission;

use crate::replay::ReplaySite;

/// A recorded site, a network, a protocol for each host, a strategy.
#[derive(Clone)]
pub struct LiveScenario {
    /// What is loaded.
    pub page: Arc<Page>,
    /// What the servers answer.
    pub site: ReplaySite,
    /// On which screen.
    pub device: Device,
    /// Over which network.
    pub network: Network,
    /// In which order servers send.
    pub strategy: StrategySpec,
    /// In which version of HTTP each host is spoken to.
    pub protocols: BTreeMap<String, Protocol>,
    /// Congestion controller of the servers: the kernel's of this name for TCP,
    /// ours for QUIC.
    pub congestion: String,
    /// Largest UDP payload of QUIC, in bytes.
    pub quic_mtu: u16,
    /// When lost bytes are sent again; of HTTP/3.
    pub retransmission: Retransmission,
    /// All hosts on one address, so that a browser may share connections;
    /// else each has its own.
    pub single_address: bool,
    /// What is done to each resource of the page; empty if nothing is.
    pub effects: Vec<ResourceEffect>,
    /// Time after which a load is given up.
    pub deadline: Duration,
}

impl LiveScenario {
    /// Whether some host speaks such a protocol.
    pub(super) fn speaks(&self, wanted: fn(Protocol) -> bool) -> bool {
        self.protocols.values().any(|&protocol| wanted(protocol))
    }
}
