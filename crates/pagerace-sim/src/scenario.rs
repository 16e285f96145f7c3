//! Everything that decides how one page load goes.

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

/// A page, a network, a strategy, a browser: with a seed, one page load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scenario {
    /// What is loaded.
    pub page: Arc<Page>,
    /// Over which network.
    pub network: Network,
    /// In which order servers send.
    pub strategy: StrategySpec,
    /// In which version of HTTP each origin is spoken to.
    pub protocols: ProtocolMap,
    /// What an earlier visit left behind.
    pub visit: Visit,
    /// When lost bytes are sent again; of HTTP/3 connections (TCP sends its own
    /// bytes in order, so at once).
    pub retransmission: Retransmission,
    /// Which responses may be late, in part, or not arrive at all.
    #[serde(default)]
    pub reliability: ReliabilitySpec,
    /// What the page needs of its objects, by resource; of all of each if empty.
    #[serde(default)]
    pub needs: Arc<Vec<ObjectNeed>>,
    /// The browser's model and its settings.
    pub browser: BrowserConfig,
    /// Which origins share a connection.
    pub connections: Connections,
    /// The transport's settings.
    pub transport: TransportSettings,
    /// Which requests are blocked or answered late.
    #[serde(default)]
    pub interventions: Interventions,
    /// Virtual time after which a load is given up.
    pub deadline: Duration,
}

/// Which origins share a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// One for each origin, shared where the recording shows coalescing; of
    /// HTTP/1.1 up to six for each origin.
    #[default]
    PerOrigin,
    /// One for all origins, as in Sander 2022; of HTTP/1.1 up to six in all.
    Single,
}

/// Settings of the connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportSettings {
    /// Congestion controller, a name of `pagerace_cc`'s registry; `cubic` is Linux's
    /// over TCP.
    pub congestion: String,
    /// Real TLS instead of keys of the same sizes that cost nothing; on QUIC
    /// only.
    pub real_tls: bool,
    /// Largest UDP payload of QUIC, in bytes: at least 1200 (RFC 9000, section 14).
    pub quic_mtu: u16,
    /// TLS of TCP connections.
    pub tcp_tls: tls::Version,
    /// How large the first message of a client is.
    pub client_hello: tls::ClientHello,
    /// How servers fill TCP's segments.
    pub record_ends: RecordEnds,
    /// Whether requests may leave with the first flight of a resumed connection.
    pub early_data: EarlyData,
    /// What it costs to learn a server's address.
    pub name_lookup: NameLookup,
    /// How changed priorities are told.
    pub reprioritisation: Reprioritisation,
}

/// What it costs to learn a server's address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameLookup {
    /// One round trip to a resolver behind the same access link, once for each
    /// name; nothing in a warm visit.
    #[default]
    RoundTrip,
    /// Nothing: addresses are known, as where a hosts file has them.
    None,
}

/// How a browser tells a server of a changed priority of a request that has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reprioritisation {
    /// By `PRIORITY_UPDATE` (RFC 9218, section 7), and over HTTP/2 in the tree of
    /// RFC 7540 too, so that all strategies learn the same.
    Update,
    /// As Chromium: over HTTP/2 in the tree alone, so that strategies that go by
    /// RFC 9218 keep to the first signal; over HTTP/3 not at all.
    ///
    /// # Source
    /// Network logs of Chromium 156: a stream of HTTP/3 has one
    /// `HTTP3_PRIORITY_UPDATE_SENT`, as its request leaves, and none after
    /// `URL_REQUEST_SET_PRIORITY`.
    Chromium,
}

impl Default for TransportSettings {
    /// The web of today: a browser's first message, Chromium's signals, records as
    /// servers write them, Linux's TCP, the QUIC packets of large deployments, and the
    /// look-ups of a first visit. Live loads and their predictions have the same. What a
    /// paper assumed is said where the paper is reproduced.
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
