//! Reductions of groups of pages, and their trends.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_lab::stats::{Line, line, median, median_interval, quantile};
use pagerace_net::Network;
use pagerace_papers::zhou::{NETWORKS, SLOPES};
use serde::Serialize;

use super::PageFindings;
use crate::cluster::two_means;
use crate::corpus::{Corpus, Http3Hosts};
use crate::experiment::{Experiment, Pairs, Times};

/// Number of pages that a trend over reused connections needs, each with a difference of at
/// least one request. Below that, its slope is noise.
pub const DIFFERING_PAGES: usize = 3;

/// Savings of HTTP/3 in pairs of loads.
#[derive(Clone, Debug, Serialize)]
pub struct Reductions {
    /// Names of the networks.
    pub networks: Vec<String>,
    /// Pages without requests to content delivery networks that speak HTTP/3. They are in no
    /// group and no trend.
    pub left_out: Vec<String>,
    /// Number of failed loads over HTTP/2 and HTTP/3, and of the pairs. Pages whose median
    /// reduction is not finite for that are in no group and no trend, either.
    pub failed: (usize, usize, usize),
    /// Quarters of the pages by number of requests to such networks (figures 6a, 7a, 7b).
    pub groups: Vec<Group>,
    /// Reductions of requests to such networks: connect, wait and receive (figure 6b).
    pub phases: Vec<Phase>,
    /// Reduction of the page load time over the difference in reused connections, HTTP/2 less
    /// HTTP/3 (figure 7c); none if fewer than [`DIFFERING_PAGES`] pages differ by a request.
    pub reuse: Option<Line>,
    /// Consecutive visits by number of providers that speak HTTP/3 (figure 8).
    pub consecutive: Vec<Sharing>,
    /// Reduction on consecutive visits over the number of such providers.
    pub sharing: Option<Line>,
    /// Pages that share many and few hosts (table III), high first; empty if the pages cannot
    /// be split.
    pub clusters: Vec<Cluster>,
    /// Reduction over the number of requests to content delivery networks, on each network
    /// (figure 9).
    pub losses: Vec<Loss>,
}

/// A quarter of the pages.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// `low`, `medium-low`, `medium-high` or `high`.
    pub name: &'static str,
    /// The pages.
    pub members: Vec<String>,
    /// Least and largest number of requests to content delivery networks that speak HTTP/3.
    pub requests: (usize, usize),
    /// Reductions of the page load time, ms.
    pub reduction: Spread,
    /// Mean number of requests on connections that existed, over HTTP/2 and HTTP/3.
    pub reused: (f64, f64),
}

/// A distribution.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// 95 % interval of the median; `None` with too few values.
    pub interval: Option<(f64, f64)>,
    /// First and last decile.
    pub deciles: (f64, f64),
}

/// Reduction of a phase of requests.
#[derive(Clone, Debug, Serialize)]
pub struct Phase {
    /// `connect`, `wait` or `receive`.
    pub name: &'static str,
    /// Number of requests; for `connect`, of those that open a connection in either load.
    pub requests: usize,
    /// Reductions, ms.
    pub reduction: Spread,
    /// The reductions' percentiles from 0 to 100, ms.
    pub percentiles: Vec<f64>,
    /// Share of requests whose phase is shorter over HTTP/3, and of those whose phase is
    /// longer.
    pub shares: (f64, f64),
}

/// Pages with a number of providers, on consecutive visits.
#[derive(Clone, Debug, Serialize)]
pub struct Sharing {
    /// Number of providers that speak HTTP/3.
    pub providers: usize,
    /// Number of pages.
    pub pages: usize,
    /// Mean reduction of the page load time, ms.
    pub reduction: f64,
    /// Mean number of resumed connections, over HTTP/2 and HTTP/3.
    pub resumed: (f64, f64),
}

/// Pages that share hosts.
#[derive(Clone, Debug, Serialize)]
pub struct Cluster {
    /// `high` or `low`.
    pub name: &'static str,
    /// The pages.
    pub pages: Vec<String>,
    /// Mean number of hosts that other pages use, too.
    pub shared_hosts: f64,
    /// Mean number of providers.
    pub providers: f64,
    /// Mean number of resumed connections over HTTP/3.
    pub resumed: f64,
    /// Mean reduction of the page load time on consecutive visits, ms.
    pub reduction: f64,
}

/// The trend on a network.
#[derive(Clone, Debug, Serialize)]
pub struct Loss {
    /// The network.
    pub network: String,
    /// The trend; `None` if the pages have none.
    pub trend: Option<Line>,
    /// Reductions of the pages, ms.
    pub reduction: Option<Spread>,
    /// The slope that Zhou 2024 found with this share of lost packets.
    pub published: Option<f64>,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        let interval = median_interval(values, 0.95);
        Some(Self {
            mean: mean(values.iter().copied())?,
            median: median(values)?,
            interval: interval.map(|interval| (interval.low, interval.high)),
            deciles: (quantile(values, 0.1)?, quantile(values, 0.9)?),
        })
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

impl Reductions {
    /// Returns true if no pair of loads finished.
    pub fn none_finished(&self) -> bool {
        let (h2, h3, all) = self.failed;
        h2 == all || h3 == all
    }

    pub(super) fn of(corpus: &Corpus, experiment: &Experiment, pages: &[PageFindings]) -> Self {
        let (mut able, left_out): (Vec<&PageFindings>, Vec<&PageFindings>) =
            pages.iter().partition(|page| page.http3_cdn_requests > 0);
        let trend = |x: &dyn Fn(&PageFindings) -> Option<f64>,
                     y: &dyn Fn(&PageFindings) -> Option<f64>| {
            let points: Option<Vec<(f64, f64)>> = able
                .iter()
                .filter(|page| y(page).is_some())
                .map(|page| Some((x(page)?, y(page)?)))
                .collect();
            line(&points?)
        };
        let first = |page: &PageFindings| page.pairs.first()?.reduction();
        let later = |page: &PageFindings| page.consecutive()?.reduction();
        let losses = experiment.networks.iter().enumerate();
        let losses = losses.map(|(i, network)| {
            let of = |page: &PageFindings| page.pairs.get(i)?.reduction();
            let values: Vec<f64> = able.iter().filter_map(|page| of(page)).collect();
            Loss {
                network: network.name.clone(),
                trend: trend(&|page| Some(page.cdn_requests as f64), &of),
                reduction: Spread::of(&values),
                published: published_slope(network),
            }
        });
        let losses = losses.collect();
        let more_reused = |page: &PageFindings| {
            let (h2, h3) = page.pairs.first()?.reused?;
            Some(h2 - h3)
        };
        let differ = |page: &&&PageFindings| more_reused(page).is_some_and(|d| d.abs() >= 1.0);
        let reuse = (able.iter().filter(differ).count() >= DIFFERING_PAGES)
            .then(|| trend(&more_reused, &first))
            .flatten();
        let sharing = trend(&|page| Some(page.http3_providers.len() as f64), &later);
        able.sort_by_key(|page| page.http3_cdn_requests);
        Self {
            networks: experiment.networks.iter().map(|n| n.name.clone()).collect(),
            failed: failed(pages),
            left_out: left_out.iter().map(|page| page.name.clone()).collect(),
            groups: groups(&able),
            phases: phases(corpus, experiment.http3, pages),
            reuse,
            consecutive: consecutive(&able),
            sharing,
            clusters: clusters(corpus, &able),
            losses,
        }
    }
}

fn failed(pages: &[PageFindings]) -> (usize, usize, usize) {
    let pairs = pages.iter().flat_map(|page| &page.pairs);
    pairs.fold((0, 0, 0), |(h2, h3, all), pairs| {
        let (more_h2, more_h3) = pairs.failed();
        (h2 + more_h2, h3 + more_h3, all + pairs.onload_ms.len())
    })
}

/// Returns the slope of figure 9 for the share of lost packets of one of [`NETWORKS`].
fn published_slope(network: &Network) -> Option<f64> {
    let place = NETWORKS.iter().position(|name| *name == network.name)?;
    Some(SLOPES[place])
}

/// Returns quarters of `pages`, which come in the order of their requests; pages with the same
/// number in that of the corpus. None with fewer pages than quarters.
fn groups(pages: &[&PageFindings]) -> Vec<Group> {
    let names = ["low", "medium-low", "medium-high", "high"];
    if pages.len() < names.len() {
        return Vec::new();
    }
    let group = |(i, name): (usize, &'static str)| {
        let end = |i: usize| pages.len() * i / names.len();
        let members = &pages[end(i)..end(i + 1)];
        let values: Vec<f64> = members
            .iter()
            .filter_map(|page| page.pairs.first()?.reduction())
            .collect();
        let reused = |get: fn((f64, f64)) -> f64| {
            mean(
                members
                    .iter()
                    .filter_map(|page| page.pairs.first()?.reused.map(get)),
            )
        };
        Some(Group {
            name,
            members: members.iter().map(|page| page.name.clone()).collect(),
            requests: (
                members.first()?.http3_cdn_requests,
                members.last()?.http3_cdn_requests,
            ),
            reduction: Spread::of(&values)?,
            reused: (reused(|both| both.0)?, reused(|both| both.1)?),
        })
    };
    names.into_iter().enumerate().filter_map(group).collect()
}

/// Returns the reductions of the requests to content delivery networks that speak HTTP/3.
fn phases(corpus: &Corpus, which: Http3Hosts, pages: &[PageFindings]) -> Vec<Phase> {
    let mut times = Vec::new();
    for (page, found) in corpus.pages.iter().zip(pages) {
        let Some(pairs) = found.pairs.first() else {
            continue;
        };
        let able = page.requests.iter().filter(|request| {
            let host = &request.recorded.host;
            request.provider.is_some() && corpus.speaks_http3(host, which)
        });
        times.extend(able.filter_map(|r| *pairs.times.get(r.recorded.resource?.index())?));
    }
    let phase = |(i, name): (usize, &'static str)| {
        // Most requests open no connection.
        let counts = |(h2, h3): &&(Times, Times)| i > 0 || h2[i] > 0.0 || h3[i] > 0.0;
        let counted = times.iter().filter(counts);
        let values: Vec<f64> = counted.map(|(h2, h3)| h2[i] - h3[i]).collect();
        let share = |is: fn(&f64) -> bool| {
            let count = values.iter().filter(|value| is(value)).count();
            count as f64 / values.len() as f64
        };
        Some(Phase {
            name,
            requests: values.len(),
            reduction: Spread::of(&values)?,
            percentiles: (0..=100)
                .filter_map(|p| quantile(&values, f64::from(p) / 100.0))
                .collect(),
            shares: (share(|v| *v > 0.0), share(|v| *v < 0.0)),
        })
    };
    let names = ["connect", "wait", "receive"];
    names.into_iter().enumerate().filter_map(phase).collect()
}

fn consecutive(pages: &[&PageFindings]) -> Vec<Sharing> {
    let mut by_count: BTreeMap<usize, Vec<&Pairs>> = BTreeMap::new();
    for page in pages {
        let members = by_count.entry(page.http3_providers.len()).or_default();
        members.extend(page.consecutive());
    }
    let sharing = |(providers, members): (usize, Vec<&Pairs>)| {
        let of = |get: fn(&Pairs) -> Option<f64>| mean(members.iter().filter_map(|p| get(p)));
        Some(Sharing {
            providers,
            pages: members.iter().filter(|p| p.reduction().is_some()).count(),
            reduction: of(Pairs::reduction)?,
            resumed: (of(|p| Some(p.resumed?.0))?, of(|p| Some(p.resumed?.1))?),
        })
    };
    by_count.into_iter().filter_map(sharing).collect()
}

/// Splits the pages by the hosts of content delivery networks that they use. Hosts of one page
/// alone do not count, and pages that have only such hosts are left out, as in the paper.
fn clusters(corpus: &Corpus, pages: &[&PageFindings]) -> Vec<Cluster> {
    let hosts_of = |page: &PageFindings| -> BTreeSet<&str> {
        let found = corpus
            .pages
            .iter()
            .find(|other| other.page.name == page.name);
        let requests = found.into_iter().flat_map(|page| &page.requests);
        let cdn = requests.filter(|request| request.provider.is_some());
        cdn.map(|request| request.recorded.host.as_str()).collect()
    };
    let hosts: Vec<BTreeSet<&str>> = pages.iter().map(|page| hosts_of(page)).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for host in hosts.iter().flatten() {
        *uses.entry(host).or_default() += 1;
    }
    let shared: Vec<&str> = uses
        .into_iter()
        .filter(|(_, pages)| *pages > 1)
        .map(|(host, _)| host)
        .collect();
    let members: Vec<(&PageFindings, Vec<bool>)> = pages
        .iter()
        .zip(&hosts)
        .map(|(page, own)| {
            (
                *page,
                shared.iter().map(|host| own.contains(host)).collect(),
            )
        })
        .filter(|(_, vector): &(_, Vec<bool>)| vector.contains(&true))
        .collect();
    let vectors: Vec<Vec<bool>> = members.iter().map(|(_, vector)| vector.clone()).collect();
    let Some(split) = two_means(&vectors) else {
        return Vec::new();
    };
    let cluster = |group: usize| {
        let own = members.iter().zip(&split.groups);
        let own = own.filter(|(_, other)| **other == group);
        let hosts = own.clone().map(|((_, vector), _)| {
            let shared = vector.iter().filter(|uses| **uses);
            shared.count() as f64
        });
        let shared_hosts = mean(hosts)?;
        let own: Vec<&PageFindings> = own.map(|((page, _), _)| *page).collect();
        let later = |get: fn(&Pairs) -> Option<f64>| {
            mean(own.iter().filter_map(|page| get(page.consecutive()?)))
        };
        Some(Cluster {
            name: "low",
            pages: own.iter().map(|page| page.name.clone()).collect(),
            shared_hosts,
            providers: mean(own.iter().map(|page| page.providers.len() as f64))?,
            resumed: later(|pairs| Some(pairs.resumed?.1))?,
            reduction: later(Pairs::reduction)?,
        })
    };
    let mut clusters: Vec<Cluster> = [0, 1].into_iter().filter_map(cluster).collect();
    clusters.sort_by(|a, b| b.shared_hosts.total_cmp(&a.shared_hosts));
    if let [high, _] = clusters.as_mut_slice() {
        high.name = "high";
    }
    clusters
}
