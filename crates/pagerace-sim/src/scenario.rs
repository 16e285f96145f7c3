//! Everything that decides how one page load goes.

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::Duration;
use pagerace_delivery::StrategySpec;
use pagerace_net::Network;
use pagerace_page::Page;
use pagerace_peer::Retransmission;
use serde::{Deserialize, Serialize};

/// A page, a network, a strategy, a browser: with a seed, one page load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scenario {
    /// What is loaded.
    pub page: Arc<Page>,
    /// Over which network.
    pub network: Network,
    /// In which order servers send.
    pub strategy: StrategySpec,
    /// When lost bytes are sent again.
    pub retransmission: Retransmission,
    /// The browser's model and its settings.
    pub browser: BrowserConfig,
    /// Which origins share a connection.
    pub connections: Connections,
    /// The transport's settings.
    pub transport: TransportSettings,
    /// Virtual time after which a load is given up.
    pub deadline: Duration,
}

/// Which origins share a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// One for each origin, shared where the recording shows coalescing.
    #[default]
    PerOrigin,
    /// One for all origins, as in Sander 2022.
    Single,
}

/// Settings of the QUIC connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportSettings {
    /// Congestion controller, a name of `pagerace_cc`'s registry.
    pub congestion: String,
    /// Real TLS instead of keys of the same sizes that cost nothing.
    pub real_tls: bool,
}

impl Default for TransportSettings {
    fn default() -> Self {
        Self {
            congestion: "cubic".to_owned(),
            real_tls: false,
        }
    }
}
