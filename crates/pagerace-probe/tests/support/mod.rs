//! Simulated servers to probe: objects, networks, and strategies that are no candidates.

#![allow(clippy::unwrap_used, reason = "tests fail where they stand")]
#![allow(dead_code, reason = "each test uses a part")]

use std::convert::Infallible;

use pagerace_core::{Duration, Protocol};
use pagerace_delivery::{Response, Strategy, StrategyInfo, StrategySpec, Values};
use pagerace_net::Network;
use pagerace_probe::world::{Served, ServedSite, World, play};
use pagerace_probe::{Budget, Candidate, Job, Observed, Subject, observe, plan};

/// Media types that strategies treat differently.
const TYPES: [&str; 6] = [
    "application/wasm",
    "image/png",
    "font/woff2",
    "application/javascript",
    "text/css",
    "text/html",
];

/// Returns a site of this many objects.
pub(crate) fn site(objects: usize, length: u64) -> ServedSite {
    let object = |(i, media_type): (usize, &&str)| Served {
        path: format!("/{i}"),
        length,
        media_type: (*media_type).to_owned(),
        facts: plan::facts(media_type),
        think_time: Duration::ZERO,
    };
    ServedSite(TYPES.iter().take(objects).enumerate().map(object).collect())
}

/// Returns a server behind a path.
pub(crate) fn world(strategy: StrategySpec, network: &str, site: ServedSite) -> World {
    World {
        network: Network::parse(network).unwrap(),
        site,
        congestion: "cubic".to_owned(),
        mtu: 1_280,
        strategy,
    }
}

/// Probes a server that heeds the signals of `truth`.
pub(crate) fn probe(world: &World, truth: Option<&Candidate>, seed: u64) -> Observed {
    let paths: Vec<String> = world.site.0.iter().map(|o| o.path.clone()).collect();
    let budget = Budget {
        time: Duration::from_secs(600),
        ..Budget::default()
    };
    let mut seed = seed * 1_000;
    let played = observe(Protocol::H3, Subject::Objects(&paths), &budget, |job| {
        seed += 1;
        let script = truth.map_or_else(|| job.script.clone(), |c| c.hear(&job.script));
        Ok::<_, Infallible>(play(world, Job { script, ..job }, seed))
    });
    played.unwrap()
}

/// Strategies that are no candidates.
pub(crate) const STRANGERS: &[StrategyInfo] = &[
    stranger("latest-first", |_: &Values| Box::new(LatestFirst)),
    stranger("pairs", |_: &Values| Box::new(Pairs(0))),
    stranger("least-urgent", |_: &Values| Box::new(LeastUrgent)),
];

const fn stranger(name: &'static str, build: fn(&Values) -> Box<dyn Strategy>) -> StrategyInfo {
    StrategyInfo {
        name,
        summary: "a strategy of tests",
        source: "none",
        parameters: &[],
        build,
    }
}

/// The latest request first.
struct LatestFirst;

impl Strategy for LatestFirst {
    fn pick(&mut self, ready: &[Response]) -> usize {
        ready.len() - 1
    }
}

/// The two earliest requests take turns.
struct Pairs(u64);

impl Strategy for Pairs {
    fn pick(&mut self, ready: &[Response]) -> usize {
        usize::from(ready.len() > 1 && ready[0].stream == self.0)
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        self.0 = response.stream;
    }
}

/// The largest urgency value first.
struct LeastUrgent;

impl Strategy for LeastUrgent {
    fn pick(&mut self, ready: &[Response]) -> usize {
        let urgency = |i: &usize| ready[*i].signal.urgency;
        (0..ready.len()).rev().max_by_key(urgency).unwrap()
    }
}
