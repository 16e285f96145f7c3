//! Pairs of loads over HTTP/2 and HTTP/3.
//!
//! Each page is loaded on every network as a first visit, and on the first network also within
//! a series of visits to all pages, in an order that each run draws. Between two visits of a
//! series the browser drops its connections and its cache, and keeps TLS tickets (Zhou 2024,
//! section VI-D).

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_core::rng::Rng;
use pagerace_core::{Protocol, parallel};
use pagerace_lab::stats::{differences, median};
use pagerace_lab::{Contender, Plan, Progress, RunSummary, Runner, Worlds};
use pagerace_net::Network;
use pagerace_page::{OriginId, Page};
use pagerace_sim::{LoadSettings, Outcome, ProtocolMap, ResourceTiming, Visit};
use serde::Serialize;

use crate::corpus::{Corpus, CorpusPage, Http3Hosts, Over};

/// The settings of an experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The networks; the first is that of consecutive visits and of requests' times.
    pub networks: Vec<Network>,
    /// Number of pairs of each page, network and kind of visit.
    pub runs: u32,
    /// The seed from which all others derive.
    pub seed: u64,
    /// The congestion controller.
    pub congestion: String,
    /// The hosts that speak HTTP/3.
    pub http3: Http3Hosts,
    /// The settings of all loads.
    pub settings: LoadSettings,
}

/// The pairs of a page on a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pairs {
    /// Page load times over HTTP/2 and HTTP/3 in each run, ms; `None` if a load failed.
    pub onload_ms: Vec<(Option<f64>, Option<f64>)>,
    /// Mean number of requests on connections that existed, over HTTP/2 and HTTP/3; `None` if
    /// no pair finished.
    pub reused: Option<(f64, f64)>,
    /// Mean number of connections that used a TLS ticket, likewise; 0 on first visits.
    pub resumed: Option<(f64, f64)>,
    /// Times of each resource over HTTP/2 and HTTP/3, if asked for: connect, wait and
    /// receive, ms, medians over the runs. `None` without a request in most runs.
    #[serde(skip)]
    pub times: Vec<Option<(Times, Times)>>,
    /// The metrics of each run of first visits, over HTTP/2 and HTTP/3.
    #[serde(skip)]
    pub loads: Vec<(RunSummary, RunSummary)>,
}

/// Times of a request: connect, wait and receive, ms.
pub type Times = [f64; 3];

/// One pair of loads.
#[derive(Default)]
struct Pair {
    onload: (Option<f64>, Option<f64>),
    reused: (u32, u32),
    resumed: (u32, u32),
    times: (Vec<Option<Times>>, Vec<Option<Times>>),
    /// The metrics, on first visits.
    loads: Option<(RunSummary, RunSummary)>,
}

/// The pairs of a page: on each network, then those of consecutive visits.
pub(crate) type PagePairs = Vec<Pairs>;

impl Experiment {
    /// Returns a plan with these settings, without pages, for descriptions.
    pub fn plan(&self) -> Plan {
        let contender = |protocol| Contender {
            protocols: ProtocolMap::uniform(protocol),
            congestion: self.congestion.clone(),
            ..Contender::default()
        };
        let contenders = [Protocol::H2, Protocol::H3].map(contender);
        let mut plan = Plan::new(Vec::new(), self.networks.clone(), contenders.into());
        plan.runs = self.runs;
        // As the study that it repeats: each pair of loads is of one network.
        plan.worlds = Worlds::Nominal;
        plan.seed = self.seed;
        plan.settings = self.settings;
        plan
    }

    /// Number of pairs of loads.
    pub fn pairs(&self, corpus: &Corpus) -> usize {
        corpus.pages.len() * self.kinds() * self.runs as usize
    }

    /// Number of kinds of visit: a first visit on each network, and consecutive ones.
    fn kinds(&self) -> usize {
        self.networks.len() + 1
    }

    /// Runs all pairs on `jobs` threads. `None` if `progress` stops the work.
    ///
    /// # Errors
    /// A scenario that cannot be run.
    pub fn run(
        &self,
        corpus: &Corpus,
        runner: &Runner<'_>,
        jobs: usize,
        progress: &(impl Fn(Progress) -> ControlFlow<()> + Sync),
    ) -> Result<Option<Vec<PagePairs>>, String> {
        let total = self.pairs(corpus);
        let visited = self.visited(corpus);
        let work = |(): &mut (), index: usize| {
            let (rest, run) = (index / self.runs as usize, index % self.runs as usize);
            let (page, kind) = (rest / self.kinds(), rest % self.kinds());
            let visited = (kind == self.networks.len()).then(|| &visited[run][page]);
            self.pair(corpus, &corpus.pages[page], kind, run, visited, runner)
        };
        let tell = |done| progress(Progress { done, total });
        let Some(pairs) = parallel::map(jobs, total, &work, &tell) else {
            return Ok(None);
        };
        let mut pairs = pairs.into_iter();
        let mut all = Vec::new();
        for _ in &corpus.pages {
            let mut of_page = Vec::new();
            for _ in 0..self.kinds() {
                let runs: Result<Vec<Pair>, String> =
                    pairs.by_ref().take(self.runs as usize).collect();
                of_page.push(Pairs::of(runs?));
            }
            all.push(of_page);
        }
        Ok(Some(all))
    }

    /// Returns the hosts of each page that earlier visits of the series reached, by run and
    /// page.
    fn visited<'a>(&self, corpus: &'a Corpus) -> Vec<Vec<BTreeSet<&'a str>>> {
        let of_run = |run: u32| {
            let mut order: Vec<usize> = (0..corpus.pages.len()).collect();
            let mut rng = Rng::new(self.seed, &format!("order/{run}"));
            for last in (1..order.len()).rev() {
                order.swap(last, rng.below(last as u64 + 1) as usize);
            }
            let mut seen = BTreeSet::new();
            let mut visited = vec![BTreeSet::new(); corpus.pages.len()];
            for page in order {
                let origins = corpus.pages[page].page.origins.iter();
                let hosts = origins.map(|origin| origin.host.as_str());
                let known = hosts.clone().filter(|host| seen.contains(host));
                visited[page] = known.collect();
                seen.extend(hosts);
            }
            visited
        };
        (0..self.runs).map(of_run).collect()
    }

    fn pair(
        &self,
        corpus: &Corpus,
        page: &CorpusPage,
        kind: usize,
        run: usize,
        visited: Option<&BTreeSet<&str>>,
        runner: &Runner<'_>,
    ) -> Result<Pair, String> {
        let network = &self.networks[kind % self.networks.len()];
        let mut loaded = Arc::clone(&page.page);
        if let Some(visited) = visited {
            for origin in &mut Arc::make_mut(&mut loaded).origins {
                origin.unvisited = !visited.contains(origin.host.as_str());
            }
        }
        let load = |over: Over| {
            let contender = Contender {
                protocols: corpus.protocols(&page.page, self.http3, over),
                congestion: self.congestion.clone(),
                visit: visited.map_or(Visit::Cold, |_| Visit::Resumed),
                ..Contender::default()
            };
            let mut plan = Plan::new(
                vec![Arc::clone(&loaded)],
                vec![network.clone()],
                vec![contender],
            );
            plan.seed = self.seed;
            plan.worlds = Worlds::Nominal;
            plan.settings = self.settings;
            let outcome = runner(&plan.scenario(0, run), plan.run_seed(run), false);
            outcome.map_err(|error| format!("{}: {error}", page.page.name))
        };
        let (h2, h3) = (load(Over::Http2)?, load(Over::Http3)?);
        let both = |get: &dyn Fn(&Outcome) -> u32| (get(&h2), get(&h3));
        let wants_times = kind == 0;
        Ok(Pair {
            onload: (onload(&h2), onload(&h3)),
            reused: both(&|outcome| timings(outcome).filter(|t| t.reused).count() as u32),
            resumed: match visited {
                Some(_) => both(&|outcome| resumed(&loaded, outcome)),
                None => (0, 0),
            },
            times: if wants_times {
                (times(&h2), times(&h3))
            } else {
                Default::default()
            },
            loads: visited
                .is_none()
                .then(|| (RunSummary::from(&h2), RunSummary::from(&h3))),
        })
    }
}

fn onload(outcome: &Outcome) -> Option<f64> {
    let finished = outcome.failure.is_none();
    let onload = outcome.load.onload.filter(|_| finished);
    onload.map(pagerace_core::Duration::as_millis_f64)
}

fn timings(outcome: &Outcome) -> impl Iterator<Item = &ResourceTiming> {
    outcome.resources.iter().flatten()
}

fn times(outcome: &Outcome) -> Vec<Option<Times>> {
    let of = |timing: &Option<ResourceTiming>| {
        let timing = timing.as_ref()?;
        let all = [timing.connect, timing.wait, timing.receive];
        Some(all.map(pagerace_core::Duration::as_millis_f64))
    };
    outcome.resources.iter().map(of).collect()
}

/// Number of connections with a TLS ticket: encrypted ones to servers that an earlier visit
/// reached. Origins share connections by protocol and group, and over HTTP/1.1 not at all.
fn resumed(page: &Page, outcome: &Outcome) -> u32 {
    let place = |origin: OriginId, protocol: Protocol| {
        let alone = (protocol == Protocol::H1).then_some(origin);
        (protocol, page.origin(origin).connection_group, alone)
    };
    let requests = || {
        let all = page.resources.iter().zip(&outcome.resources);
        all.filter_map(|(resource, timing)| Some((resource.origin, timing.as_ref()?)))
    };
    let visited: BTreeSet<_> = requests()
        .filter(|(origin, _)| !page.origin(*origin).unvisited)
        .filter(|(origin, _)| page.origin(*origin).scheme == "https")
        .map(|(origin, timing)| place(origin, timing.protocol))
        .collect();
    let known =
        requests().filter(|(origin, timing)| visited.contains(&place(*origin, timing.protocol)));
    let connections: BTreeSet<u32> = known.filter_map(|(_, timing)| timing.connection).collect();
    connections.len() as u32
}

impl Pairs {
    fn of(mut all: Vec<Pair>) -> Self {
        let loads = all
            .iter_mut()
            .filter_map(|pair| pair.loads.take())
            .collect();
        let onload_ms = all.iter().map(|pair| pair.onload).collect();
        let finished = |pair: &Pair| pair.onload.0.is_some() && pair.onload.1.is_some();
        let pairs: Vec<Pair> = all.into_iter().filter(finished).collect();
        let mean = |get: fn(&Pair) -> (u32, u32)| {
            let of = |one: fn((u32, u32)) -> u32| {
                let all = pairs.iter().map(|pair| f64::from(one(get(pair))));
                all.sum::<f64>() / pairs.len() as f64
            };
            (!pairs.is_empty()).then(|| (of(|both| both.0), of(|both| both.1)))
        };
        let resources = pairs.first().map_or(0, |pair| pair.times.0.len());
        let of_resource = |index: usize| {
            let runs: Vec<(Times, Times)> = pairs
                .iter()
                .filter_map(|pair| Some((pair.times.0[index]?, pair.times.1[index]?)))
                .collect();
            if runs.len() * 2 <= pairs.len() {
                return None;
            }
            let median = |get: &dyn Fn(&(Times, Times)) -> f64| {
                let values: Vec<f64> = runs.iter().map(get).collect();
                median(&values).unwrap_or_default()
            };
            Some((
                [0, 1, 2].map(|i: usize| median(&|run| run.0[i])),
                [0, 1, 2].map(|i: usize| median(&|run| run.1[i])),
            ))
        };
        Self {
            reused: mean(|pair| pair.reused),
            resumed: mean(|pair| pair.resumed),
            times: (0..resources).map(of_resource).collect(),
            onload_ms,
            loads,
        }
    }

    /// Returns the page load time that HTTP/3 saves in each run, ms. A failed load counts as
    /// later than any that finished; runs in which both failed say nothing.
    pub fn reductions(&self) -> Vec<f64> {
        let time = |onload: Option<f64>| Some(onload.unwrap_or(f64::INFINITY));
        let pairs = self.onload_ms.iter();
        differences(pairs.map(|(h2, h3)| (time(*h2), time(*h3))))
    }

    /// Returns the median reduction; `None` if it is not finite, because loads failed.
    pub fn reduction(&self) -> Option<f64> {
        median(&self.reductions()).filter(|reduction| reduction.is_finite())
    }

    /// Number of failed loads over HTTP/2 and HTTP/3.
    pub fn failed(&self) -> (usize, usize) {
        let pairs = || self.onload_ms.iter();
        (
            pairs().filter(|(h2, _)| h2.is_none()).count(),
            pairs().filter(|(_, h3)| h3.is_none()).count(),
        )
    }
}

#[cfg(test)]
mod tests;
