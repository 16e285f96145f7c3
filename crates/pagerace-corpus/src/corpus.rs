//! The pages of a corpus, with the provider of each request.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use pagerace_core::{Protocol, words};
use pagerace_har::{Survey, SurveyedRequest};
use pagerace_page::Page;
use pagerace_sim::ProtocolMap;
use serde::Serialize;

use crate::provider::Provider;

/// A corpus of recorded pages.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The pages, in the order in which they were given.
    pub pages: Vec<CorpusPage>,
    /// The hosts of all pages.
    hosts: BTreeMap<String, Host>,
}

/// A page of a corpus.
#[derive(Clone, Debug)]
pub struct CorpusPage {
    /// The page.
    pub page: Arc<Page>,
    /// Its answered requests, in recorded order.
    pub requests: Vec<CorpusRequest>,
}

/// An answered request.
#[derive(Clone, Debug)]
pub struct CorpusRequest {
    /// The request as recorded.
    pub recorded: SurveyedRequest,
    /// The content delivery network that answered it, and the evidence; `None` if none is
    /// known to have.
    pub provider: Option<(Arc<str>, Evidence)>,
}

words! {
    /// Evidence of a request's provider, best first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Evidence {
        /// The fields of the response.
        Fields = "fields": "fields of the response",
        /// The host belongs to the provider.
        Host = "host": "the host's domain",
        /// The recorder named it; `WebPageTest` asks the DNS for aliases.
        Recorder = "recorder": "the recorder",
        /// Most responses of the same host or address have such evidence.
        Neighbour = "neighbour": "other responses of the same host or address",
    }
}

words! {
    /// The hosts that count as speaking HTTP/3.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Http3Hosts {
        /// Hosts that spoke it in any recording of the corpus, or announced it in at least half of
        /// their responses.
        #[default]
        Recorded = "recorded":
            "Hosts that spoke HTTP/3 in the corpus, or announced it in half of their responses",
        /// These, and all hosts of providers whose edges speak it.
        Providers = "providers":
            "These, and all hosts of providers that offer it, for older recordings",
    }
}

/// The side of a pair of loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Over HTTP/2, as a browser without HTTP/3 would.
    Http2,
    /// Over HTTP/3 where the host speaks it.
    Http3,
}

/// The properties of a host, over all pages.
#[derive(Clone, Debug, Default)]
struct Host {
    /// Number of responses.
    responses: usize,
    /// Number of responses that announced HTTP/3.
    announced: usize,
    /// True if it spoke HTTP/3.
    http3: bool,
    /// True if it answered over HTTP/1.1.
    http1: bool,
    /// True if it answered over HTTP/2 or HTTP/3.
    multiplexes: bool,
    /// True if it has encrypted responses.
    encrypted: bool,
    /// True if a provider that offers HTTP/3 answers for it.
    offered: bool,
}

impl Corpus {
    /// Sets the provider of each request of the `surveys`.
    pub fn new(surveys: Vec<Survey>) -> Self {
        let mut pages: Vec<CorpusPage> = surveys.into_iter().map(CorpusPage::new).collect();
        name_neighbours(&mut pages);
        let mut hosts: BTreeMap<String, Host> = BTreeMap::new();
        for CorpusRequest { recorded, provider } in pages.iter().flat_map(|page| &page.requests) {
            let host = hosts.entry(recorded.host.clone()).or_default();
            host.responses += 1;
            host.announced += usize::from(announces_http3(recorded));
            host.http3 |= recorded.protocol == Some("h3");
            host.http1 |= recorded.protocol == Some("http/1.1");
            host.multiplexes |= matches!(recorded.protocol, Some("h2" | "h3"));
            host.encrypted |= recorded.url.starts_with("https:");
            let known = provider
                .as_ref()
                .and_then(|(name, _)| Provider::named(name));
            host.offered |= known.is_some_and(|provider| provider.http3);
        }
        Self { pages, hosts }
    }

    /// Returns true if a host speaks HTTP/3. One that never used encryption does not.
    pub(crate) fn speaks_http3(&self, host: &str, which: Http3Hosts) -> bool {
        self.hosts.get(host).is_some_and(|host| {
            // Recorders confuse the responses of redirects, so that one announcement is not
            // enough.
            let announced = host.announced > 0 && 2 * host.announced >= host.responses;
            let offered = host.offered && which == Http3Hosts::Providers;
            host.encrypted && (host.http3 || announced || offered)
        })
    }

    /// Returns the versions in which a page's hosts are requested. Those that speak HTTP/3 have it
    /// or HTTP/2, as `over` says. Others have HTTP/1.1 if they spoke nothing else, and else
    /// HTTP/2.
    pub fn protocols(&self, page: &Page, which: Http3Hosts, over: Over) -> ProtocolMap {
        let hosts: BTreeSet<&str> = page.origins.iter().map(|o| o.host.as_str()).collect();
        let version = |host: &str| {
            let http3 = self.speaks_http3(host, which);
            let known = self.hosts.get(host);
            let old = known.is_some_and(|host| host.http1 && !host.multiplexes);
            let mut origins = page.origins.iter().filter(|origin| origin.host == host);
            match (http3, over) {
                (true, Over::Http3) => Protocol::H3,
                (false, _) if old || origins.all(|o| o.scheme == "http") => Protocol::H1,
                _ => Protocol::H2,
            }
        };
        let rules = hosts.into_iter().map(|host| (host, version(host)));
        ProtocolMap::of_hosts(rules, Protocol::H2)
    }
}

impl CorpusPage {
    fn new(Survey { page, requests }: Survey) -> Self {
        let request = |recorded: SurveyedRequest| {
            let named = |provider: &Provider| Arc::from(provider.name);
            let fields = || Provider::of_fields(&recorded.fields).map(named);
            let host = || Provider::of_host(&recorded.host).map(named);
            let known = |name| Provider::named(name).map_or(name, |provider| provider.name);
            let recorder = || recorded.cdn.as_deref().map(|name| Arc::from(known(name)));
            let provider = fields()
                .map(|name| (name, Evidence::Fields))
                .or_else(|| host().map(|name| (name, Evidence::Host)))
                .or_else(|| recorder().map(|name| (name, Evidence::Recorder)));
            CorpusRequest { recorded, provider }
        };
        Self {
            page: Arc::new(page),
            requests: requests.into_iter().map(request).collect(),
        }
    }

    /// Returns the providers of the page, by name, with the number of requests of each.
    pub fn providers(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for request in &self.requests {
            if let Some(name) = request.provider() {
                *counts.entry(name).or_default() += 1;
            }
        }
        counts
    }
}

impl CorpusRequest {
    /// Returns the name of the provider; `None` if nothing tells it.
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_ref().map(|(name, _)| &**name)
    }
}

/// Returns true if the response announces HTTP/3 or a draft of it (RFC 7838, RFC 9114).
fn announces_http3(recorded: &SurveyedRequest) -> bool {
    let mut services = recorded.field("alt-svc").flat_map(|list| list.split(','));
    services.any(|service| {
        let name = service.trim().split('=').next().unwrap_or_default();
        name == "h3" || name.starts_with("h3-")
    })
}

/// Names the provider of requests without evidence of their own, if at least half of the
/// responses of the same host on the page, or of the same address on all pages, have evidence,
/// and none of another provider. A few are not enough, because recorders confuse the responses
/// of redirects.
fn name_neighbours(pages: &mut [CorpusPage]) {
    let mut addresses = Neighbours::default();
    for request in pages.iter().flat_map(|page| &page.requests) {
        if let Some(address) = request.recorded.address.as_ref().filter(|a| is_public(a)) {
            addresses.learn(address, request);
        }
    }
    for page in pages {
        let mut hosts = Neighbours::default();
        for request in &page.requests {
            hosts.learn(&request.recorded.host, request);
        }
        for request in &mut page.requests {
            if request.provider.is_none() {
                let address = request.recorded.address.as_deref();
                let name = hosts.name(&request.recorded.host);
                let name = name.or_else(|| addresses.name(address?));
                request.provider = name.map(|name| (name, Evidence::Neighbour));
            }
        }
    }
}

/// Returns false for the addresses of local proxies and networks, at which many servers seem to
/// be.
fn is_public(address: &str) -> bool {
    match address.parse() {
        Ok(IpAddr::V4(address)) => !address.is_private() && !address.is_loopback(),
        Ok(IpAddr::V6(address)) => !address.is_unique_local() && !address.is_loopback(),
        Err(_) => false,
    }
}

/// Responses of a host or an address: their number, and that of each provider.
#[derive(Default)]
struct Neighbours(BTreeMap<String, (usize, BTreeMap<Arc<str>, usize>)>);

impl Neighbours {
    fn learn(&mut self, key: &str, request: &CorpusRequest) {
        let (all, providers) = self.0.entry(key.to_owned()).or_default();
        *all += 1;
        if let Some((name, _)) = &request.provider {
            *providers.entry(Arc::clone(name)).or_default() += 1;
        }
    }

    fn name(&self, key: &str) -> Option<Arc<str>> {
        let (all, providers) = self.0.get(key)?;
        let (name, count) = providers.first_key_value()?;
        (providers.len() == 1 && 2 * count >= *all).then(|| Arc::clone(name))
    }
}

#[cfg(test)]
pub(crate) mod tests;
