//! Properties of pages and networks that a server can know before it answers.

use pagerace_core::words;
use pagerace_lab::unit::Unit;
use serde_json::Value;

use super::population::PageName;

/// The properties of a page, from the rows' metadata.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageFacts {
    /// Bytes of all bodies.
    pub bytes: f64,
    /// Number of requests.
    pub requests: f64,
    /// Number of hosts (origins).
    pub hosts: f64,
    /// Number of content delivery networks that answer its requests; `None` if the page is no
    /// recording, so that no responses tell.
    pub providers: Option<f64>,
}

impl PageFacts {
    /// Reads the facts about a page in the metadata of rows; `None` if one is missing.
    pub fn of_json(facts: &Value) -> Option<(PageName, Self)> {
        let name = |key: &str| facts[key].as_str().map(str::to_owned);
        let known = Self {
            bytes: facts["body_bytes"].as_f64()?,
            requests: facts["requests"].as_f64()?,
            hosts: facts["origins"].as_f64()?,
            providers: facts["providers"].as_f64(),
        };
        Some(((name("group")?, name("page")?), known))
    }
}

pub use pagerace_lab::users::NetworkFacts;

words! {
    /// A property by which a rule may decide.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Feature {
        /// [`NetworkFacts::loss_percent`].
        Loss = "loss_percent": "packet loss",
        /// [`NetworkFacts::rtt_ms`].
        RoundTrip = "rtt_ms": "round trip",
        /// [`NetworkFacts::down_mbps`].
        Downlink = "down_mbps": "downlink",
        /// [`PageFacts::bytes`].
        Bytes = "page_bytes": "page's bytes",
        /// [`PageFacts::requests`].
        Requests = "page_requests": "page's requests",
        /// [`PageFacts::hosts`].
        Hosts = "page_hosts": "page's hosts",
        /// [`PageFacts::providers`].
        Providers = "page_providers": "page's CDNs",
    }
}

impl Feature {
    /// The properties of networks, in the order in which they are preferred.
    pub const OF_NETWORKS: [Self; 3] = [Self::Loss, Self::RoundTrip, Self::Downlink];
    /// The properties of pages, in the order in which they are preferred.
    pub const OF_PAGES: [Self; 4] = [Self::Bytes, Self::Requests, Self::Hosts, Self::Providers];

    /// Formats a threshold for people.
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Loss => format!("{value} %"),
            Self::RoundTrip => format!("{value} ms"),
            Self::Downlink => format!("{value} Mbit/s"),
            Self::Bytes => Unit::Bytes.format(value),
            // More than 3.5 hosts are more than 3.
            Self::Requests | Self::Hosts | Self::Providers => value.floor().to_string(),
        }
    }

    /// Returns the value of a property of networks; `None` for those of pages.
    pub(crate) fn of_network(self, facts: &NetworkFacts) -> Option<f64> {
        match self {
            Self::Loss => Some(facts.loss_percent),
            Self::RoundTrip => Some(facts.rtt_ms),
            Self::Downlink => Some(facts.down_mbps),
            _ => None,
        }
    }

    /// Returns the value of a property of pages; `None` for those of networks.
    pub(crate) fn of_page(self, facts: &PageFacts) -> Option<f64> {
        match self {
            Self::Bytes => Some(facts.bytes),
            Self::Requests => Some(facts.requests),
            Self::Hosts => Some(facts.hosts),
            Self::Providers => facts.providers,
            _ => None,
        }
    }
}
