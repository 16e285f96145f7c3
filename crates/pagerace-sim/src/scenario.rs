//! Input of one page load.

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_net::Network;
use pagerace_page::{Changes, Interventions, Page};
use pagerace_peer::LoadSettings;
use serde::{Deserialize, Serialize};

use crate::protocols::ProtocolMap;
use crate::reliability::ObjectNeed;
use crate::visit::Visit;
use crate::world::World;

/// A page, a network, a strategy and a browser. With a seed, they determine one page
/// load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scenario {
    /// The page to load.
    pub page: Arc<Page>,
    /// The network that the page is loaded over.
    pub network: Network,
    /// The order in which servers send.
    pub strategy: StrategySpec,
    /// The HTTP version that each origin is requested over.
    pub protocols: ProtocolMap,
    /// Congestion controller of the servers, by its name in `pagerace_cc`'s registry. Over
    /// TCP, `cubic` is Linux's variant.
    pub congestion: String,
    /// State left by an earlier visit.
    pub visit: Visit,
    /// Policy that determines which responses may be late, partial or missing.
    #[serde(default)]
    pub reliability: ReliabilitySpec,
    /// Requirements of the page on its objects, by resource. If empty, the page needs
    /// every object completely.
    #[serde(default)]
    pub needs: Arc<Vec<ObjectNeed>>,
    /// Requests that are blocked or answered late.
    #[serde(default)]
    pub interventions: Interventions,
    /// Changes of the page before the load. A page that they cannot be made to is loaded as it
    /// is. Outcomes name resources by their places in `page`.
    #[serde(default, skip_serializing_if = "Changes::is_empty")]
    pub changes: Changes,
    /// The browser model and its settings.
    pub browser: BrowserConfig,
    /// Settings that all contenders of a race share.
    pub settings: LoadSettings,
    /// The world of this load. [`in_world`](Self::in_world) sets it, and has changed the
    /// network, the browser and the settings by it.
    #[serde(default)]
    pub world: World,
}
