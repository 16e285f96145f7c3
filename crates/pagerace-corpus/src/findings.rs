//! Shares of providers and versions, and the gain of HTTP/3 in groups of pages.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::corpus::{Corpus, CorpusPage, Evidence, Http3Hosts};
use crate::experiment::{Experiment, PagePairs, Pairs};
use crate::provider::Provider;

mod objects;
mod recorded;
mod reductions;

pub use objects::{CategoryUse, Sizes};
pub use recorded::{RecordedPair, Side};
pub use reductions::{Cluster, DIFFERING_PAGES, Group, Loss, Phase, Reductions, Sharing, Spread};

/// The findings of a corpus, in the form of Zhou 2024.
#[derive(Clone, Debug, Serialize)]
pub struct Findings {
    /// Number of answered requests.
    pub requests: usize,
    /// Requests by version of HTTP (table II).
    pub versions: Vec<Version>,
    /// Requests by provider, most first (figure 2).
    pub providers: Vec<ProviderUse>,
    /// Requests by evidence of their provider.
    pub evidence: BTreeMap<Evidence, usize>,
    /// Number of pages by number of providers (figure 4b).
    pub provider_counts: BTreeMap<usize, usize>,
    /// Sizes of the bodies that content delivery networks sent, then those of others.
    pub sizes: [Option<Sizes>; 2],
    /// Requests by content category (Srivastava 2024, table 4), in the order of that table.
    pub categories: Vec<CategoryUse>,
    /// The pages, in the order of the corpus.
    pub pages: Vec<PageFindings>,
    /// Pages that were recorded over both versions.
    pub recorded_pairs: Vec<RecordedPair>,
    /// Savings in the pairs of loads; `None` if none ran.
    pub reductions: Option<Reductions>,
}

/// Requests over a version of HTTP.
#[derive(Clone, Debug, Serialize)]
pub struct Version {
    /// `http/1.1`, `h2`, `h3` or `unknown`.
    pub name: &'static str,
    /// Requests that content delivery networks answered.
    pub cdn: usize,
    /// Other requests.
    pub other: usize,
}

/// Use of a provider.
#[derive(Clone, Debug, Serialize)]
pub struct ProviderUse {
    /// The name.
    pub name: String,
    /// Requests.
    pub requests: usize,
    /// Requests over HTTP/3.
    pub over_h3: usize,
    /// Requests to hosts that speak HTTP/3.
    pub able: usize,
    /// Number of requests of each page with any, ascending (figure 5).
    pub by_page: Vec<usize>,
    /// True if the provider's edges speak HTTP/3; `None` if that is not known.
    pub offers_http3: Option<bool>,
}

impl ProviderUse {
    /// Number of pages with more than ten requests to it.
    pub fn many(&self) -> usize {
        self.by_page.iter().filter(|count| **count > 10).count()
    }
}

/// A page.
#[derive(Clone, Debug, Serialize)]
pub struct PageFindings {
    /// The name.
    pub name: String,
    /// The URL.
    pub url: String,
    /// Number of answered requests.
    pub requests: usize,
    /// Number of requests that content delivery networks answered.
    pub cdn_requests: usize,
    /// Number of requests that content delivery networks answered at hosts that speak HTTP/3.
    pub http3_cdn_requests: usize,
    /// The providers, by name.
    pub providers: Vec<String>,
    /// The providers of which hosts speak HTTP/3.
    pub http3_providers: Vec<String>,
    /// The pairs of loads on each network, then those of consecutive visits.
    pub pairs: Vec<Pairs>,
}

impl Findings {
    /// Returns the findings of a corpus. `pairs` are the pairs of each page that `experiment` ran.
    pub fn of(
        corpus: &Corpus,
        which: Http3Hosts,
        ran: Option<(&Experiment, Vec<PagePairs>)>,
    ) -> Self {
        let requests = || corpus.pages.iter().flat_map(|page| &page.requests);
        let mut evidence = BTreeMap::new();
        for (_, kind) in requests().filter_map(|request| request.provider.as_ref()) {
            *evidence.entry(*kind).or_default() += 1;
        }
        let mut provider_counts = BTreeMap::new();
        for page in &corpus.pages {
            *provider_counts.entry(page.providers().len()).or_default() += 1;
        }
        let (experiment, pairs) = ran.unzip();
        let mut pairs = pairs.unwrap_or_default().into_iter();
        let page = |page| PageFindings::of(corpus, page, which, pairs.next().unwrap_or_default());
        let pages: Vec<PageFindings> = corpus.pages.iter().map(page).collect();
        Self {
            requests: requests().count(),
            versions: versions(corpus),
            providers: providers(corpus, which),
            evidence,
            provider_counts,
            sizes: [true, false].map(|cdn| Sizes::of(corpus, cdn)),
            categories: objects::categories(corpus),
            recorded_pairs: recorded::pairs(corpus),
            reductions: experiment.map(|run| Reductions::of(corpus, run, &pages)),
            pages,
        }
    }
}

fn versions(corpus: &Corpus) -> Vec<Version> {
    let mut versions = ["http/1.1", "h2", "h3", "unknown"].map(|name| Version {
        name,
        cdn: 0,
        other: 0,
    });
    for request in corpus.pages.iter().flat_map(|page| &page.requests) {
        let name = request.recorded.protocol.unwrap_or("unknown");
        if let Some(version) = versions.iter_mut().find(|version| version.name == name) {
            *match request.provider {
                Some(_) => &mut version.cdn,
                None => &mut version.other,
            } += 1;
        }
    }
    versions.into()
}

fn providers(corpus: &Corpus, which: Http3Hosts) -> Vec<ProviderUse> {
    let mut uses: BTreeMap<&str, ProviderUse> = BTreeMap::new();
    for page in &corpus.pages {
        let mut here: BTreeMap<&str, usize> = BTreeMap::new();
        for request in &page.requests {
            let Some(name) = request.provider() else {
                continue;
            };
            let one = uses.entry(name).or_insert_with(|| ProviderUse {
                name: name.to_owned(),
                requests: 0,
                over_h3: 0,
                able: 0,
                by_page: Vec::new(),
                offers_http3: Provider::named(name).map(|provider| provider.http3),
            });
            one.requests += 1;
            one.over_h3 += usize::from(request.recorded.protocol == Some("h3"));
            one.able += usize::from(corpus.speaks_http3(&request.recorded.host, which));
            *here.entry(name).or_default() += 1;
        }
        for (name, count) in here {
            if let Some(one) = uses.get_mut(name) {
                one.by_page.push(count);
            }
        }
    }
    let mut uses: Vec<ProviderUse> = uses.into_values().collect();
    for one in &mut uses {
        one.by_page.sort_unstable();
    }
    uses.sort_by_key(|one| std::cmp::Reverse(one.requests));
    uses
}

impl PageFindings {
    fn of(corpus: &Corpus, page: &CorpusPage, which: Http3Hosts, pairs: PagePairs) -> Self {
        let mut http3_cdn_requests = 0;
        let mut http3_providers = BTreeSet::new();
        for request in &page.requests {
            if let Some(name) = request.provider()
                && corpus.speaks_http3(&request.recorded.host, which)
            {
                http3_cdn_requests += 1;
                http3_providers.insert(name.to_owned());
            }
        }
        let providers = page.providers();
        Self {
            name: page.page.name.clone(),
            url: page.page.url.clone(),
            requests: page.requests.len(),
            cdn_requests: providers.values().sum(),
            http3_cdn_requests,
            providers: providers.into_keys().map(str::to_owned).collect(),
            http3_providers: http3_providers.into_iter().collect(),
            pairs,
        }
    }

    /// Returns the pairs of consecutive visits; `None` without any pairs.
    fn consecutive(&self) -> Option<&Pairs> {
        self.pairs.last()
    }
}

#[cfg(test)]
mod tests;
