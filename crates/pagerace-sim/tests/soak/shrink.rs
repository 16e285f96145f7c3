//! Makes a failing scenario smaller, as long as it breaks the same law.

use std::sync::Arc;

use pagerace_net::Network;
use pagerace_page::{Interventions, Paints, ResourceId};
use pagerace_sim::{LoadSettings, ProtocolMap, Scenario, Visit};

use super::inputs::Case;
use super::laws::check;

/// Loads that shrinking may cost.
const TRIES: usize = 300;

/// Returns the smallest case found, and the law that it breaks.
pub(crate) fn shrink(case: Case, broken: String) -> (Case, String) {
    let (mut best, mut reason) = (case, broken);
    let mut tries = 0;
    loop {
        let mut progress = false;
        for candidate in simpler(&best) {
            tries += 1;
            if tries > TRIES {
                return (best, reason);
            }
            if let Err(found) = check(&candidate)
                && kind(&found) == kind(&reason)
            {
                (best, reason, progress) = (candidate, found, true);
                break;
            }
        }
        if !progress {
            return (best, reason);
        }
    }
}

/// A law without the values that break it.
fn kind(reason: &str) -> String {
    reason
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .take(30)
        .collect()
}

/// Simpler cases, the boldest first.
fn simpler(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = case.scenario.clone();
        change(&mut scenario);
        let same =
            serde_json::to_string(&scenario).ok() == serde_json::to_string(&case.scenario).ok();
        if !same && scenario.page.check().is_ok() {
            all.push(Case {
                scenario,
                ..case.clone()
            });
        }
    };
    let count = case.scenario.page.resources.len();
    for left in [count / 4, count / 2, count * 3 / 4, count.saturating_sub(1)] {
        with(&|s| {
            let page = Arc::make_mut(&mut s.page);
            page.resources.truncate(left);
            page.paints = Paints::default();
            if !s.needs.is_empty() {
                Arc::make_mut(&mut s.needs).truncate(left);
            }
        });
        with(&|s| {
            Arc::make_mut(&mut s.page).resources.truncate(left);
            if !s.needs.is_empty() {
                Arc::make_mut(&mut s.needs).truncate(left);
            }
        });
    }
    with(&|s| Arc::make_mut(&mut s.page).paints = Paints::default());
    with(&|s| s.interventions = Interventions::default());
    with(&|s| s.settings = LoadSettings::default());
    with(&|s| "cubic".clone_into(&mut s.congestion));
    with(&|s| s.visit = Visit::Cold);
    with(&|s| s.reliability = pagerace_sim::ReliabilitySpec::default());
    with(&|s| s.needs = Arc::default());
    with(&|s| s.browser = pagerace_browser::BrowserConfig::default());
    with(&|s| s.strategy = "sequential".parse().expect("a strategy"));
    with(&|s| s.settings.connections = pagerace_sim::Connections::PerOrigin);
    with(&|s| s.protocols = ProtocolMap::default());
    // The resources of one origin, without their sizes, failures and costs.
    with(&|s| {
        for r in &mut Arc::make_mut(&mut s.page).resources {
            r.origin = pagerace_page::OriginId(0);
        }
    });
    for i in (0..count).rev() {
        with(&|s| {
            let r = &mut Arc::make_mut(&mut s.page).resources[i];
            if !depends(&case.scenario, ResourceId(i as u32)) {
                r.body_bytes = r.body_bytes.min(100);
            }
            r.no_response = None;
            r.think_time = pagerace_core::Duration::ZERO;
            r.cpu_time = None;
            r.request_body_bytes = 0;
        });
        with(&|s| Arc::make_mut(&mut s.page).resources[i].discovery.wait = None);
    }
    let mut plain = case.clone();
    let text = "rate 10mbit rtt 50ms";
    if plain.scenario.network.name != text {
        plain.scenario.network = Network::parse(text).expect("a network");

        all.push(plain);
    }
    all
}

/// Returns true if markup offsets refer to the body of this resource.
fn depends(scenario: &Scenario, id: ResourceId) -> bool {
    let children = scenario.page.resources.iter();
    let mut parents = children.filter_map(|r| r.discovery.trigger.parent());
    id == scenario.page.document || parents.any(|parent| parent == id)
}
