//! Input of one page load.

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::Duration;
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_net::Network;
use pagerace_page::{Interventions, Page};
use pagerace_peer::Retransmission;
use pagerace_peer::tcp::RecordEnds;
use pagerace_transport::{quic, tls};
use serde::{Deserialize, Serialize};

use crate::objects::ObjectNeed;
use crate::protocols::ProtocolMap;
use crate::visit::{EarlyData, Visit};

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
    /// State left by an earlier visit.
    pub visit: Visit,
    /// Time at which lost bytes are sent again over HTTP/3. TCP sends its own bytes in
    /// order, and therefore at once.
    pub retransmission: Retransmission,
    /// Policy that determines which responses may be late, partial or missing.
    #[serde(default)]
    pub reliability: ReliabilitySpec,
    /// Requirements of the page on its objects, by resource. If empty, the page needs
    /// every object completely.
    #[serde(default)]
    pub needs: Arc<Vec<ObjectNeed>>,
    /// The browser model and its settings.
    pub browser: BrowserConfig,
    /// Origins that share a connection.
    pub connections: Connections,
    /// Transport settings.
    pub transport: TransportSettings,
    /// Requests that are blocked or answered late.
    #[serde(default)]
    pub interventions: Interventions,
    /// Virtual time after which the load is given up.
    pub deadline: Duration,
}

/// Origins that share a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// One connection for each origin, shared where the recording shows coalescing. Over
    /// HTTP/1.1, up to six for each origin.
    #[default]
    PerOrigin,
    /// One connection for all origins of the same protocol, as in Sander 2022. Over
    /// HTTP/1.1, up to six in all.
    Single,
}

/// Settings of the connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportSettings {
    /// Congestion controller, by its name in `pagerace_cc`'s registry. Over TCP, `cubic`
    /// is Linux's variant.
    pub congestion: String,
    /// True for real TLS, false for modelled keys, which have the same sizes and no CPU
    /// cost. QUIC only.
    pub real_tls: bool,
    /// Largest UDP payload of QUIC in bytes, at least 1200 (RFC 9000, section 14).
    pub quic_mtu: u16,
    /// TLS version of TCP connections.
    pub tcp_tls: tls::Version,
    /// Size of the `ClientHello`.
    pub client_hello: tls::ClientHello,
    /// Alignment of TLS records with TCP segments on servers.
    pub record_ends: RecordEnds,
    /// Use of early data on resumed connections.
    pub early_data: EarlyData,
    /// Cost of resolving a server's name.
    pub name_lookup: NameLookup,
    /// Signalling of changed priorities.
    pub reprioritisation: Reprioritisation,
}

/// Cost of resolving a server's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameLookup {
    /// One round trip to a resolver behind the same access link, once for each group of
    /// origins that share connections. Free in a warm visit.
    #[default]
    RoundTrip,
    /// No cost: addresses are known, as from a hosts file.
    None,
}

/// Signal by which a browser changes the priority of a request that it has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reprioritisation {
    /// `PRIORITY_UPDATE` (RFC 9218, section 7), and over HTTP/2 also the priority tree of
    /// RFC 7540, so that all strategies learn the same.
    Update,
    /// Chromium's signals. Over HTTP/2, only the priority tree changes, so that
    /// strategies based on RFC 9218 keep the first signal. Over HTTP/3, there is no
    /// signal.
    ///
    /// # Source
    /// Network logs of Chromium 156: an HTTP/3 stream has one
    /// `HTTP3_PRIORITY_UPDATE_SENT`, as its request leaves, and none after
    /// `URL_REQUEST_SET_PRIORITY`.
    Chromium,
}

impl Default for TransportSettings {
    /// Returns settings of today's web: a browser's `ClientHello`, Chromium's signals,
    /// records as servers write them, Linux's TCP, the QUIC packets of large deployments,
    /// and the name lookups of a first visit. Live loads and their predictions use the
    /// same settings. Reproductions of papers state the settings that the paper assumes.
    fn default() -> Self {
        Self {
            congestion: "cubic".to_owned(),
            real_tls: false,
            quic_mtu: quic::DEFAULT_MTU,
            tcp_tls: tls::Version::Tls13,
            client_hello: tls::ClientHello::Browser,
            record_ends: RecordEnds::Short,
            early_data: EarlyData::default(),
            name_lookup: NameLookup::default(),
            reprioritisation: Reprioritisation::Chromium,
        }
    }
}
