//! Laws of changes of a page.

use std::sync::Arc;

use pagerace_core::{Destination, Duration};
use pagerace_net::Network;
use pagerace_page::change::KINDS;
use pagerace_page::{Changes, Page, Resource, ResourceId};
use pagerace_sim::{LoadSettings, ProtocolMap, Scenario, Visit, run};

use crate::inputs;

/// Seeds that every test run loads.
const SEEDS: u64 = 60;
/// Time by which a resource may be later without another: a task of the main thread, such as the
/// first layout, which comes before one that it came after.
const TASK: Duration = Duration::from_millis(100);

fn change(kind: &str, resource: &Resource) -> Changes {
    format!("{kind} {}", resource.url).parse().unwrap()
}

/// Returns the resources other than the document that have URLs of their own.
fn candidates(page: &Page) -> Vec<&Resource> {
    let others = page.resources.iter();
    let others = others.filter(|one| one.destination != Destination::Document);
    let alone = |one: &&Resource| {
        let same = page.resources.iter().filter(|other| other.url == one.url);
        same.count() == 1 && !one.url.is_empty()
    };
    others.filter(alone).collect()
}

#[test]
fn what_touches_nothing_changes_no_byte() {
    for seed in 0..SEEDS {
        let case = inputs::case(seed);
        let load = |changes: &str| {
            let changes = changes.parse().unwrap();
            let scenario = Scenario {
                changes,
                ..case.scenario.clone()
            };
            serde_json::to_string(&run(&scenario, seed, true).unwrap()).unwrap()
        };
        let plain = load("unchanged");
        assert_eq!(load("remove nowhere.example"), plain, "seed {seed}");
    }
}

/// Each kind of change is refused, or leaves a page that is valid and loads.
#[test]
fn a_changed_page_loads() {
    let mut made = std::collections::BTreeSet::new();
    for seed in 0..SEEDS * 3 {
        let case = inputs::case(seed);
        let page = &case.scenario.page;
        for kind in KINDS {
            let (word, _) = kind.example().split_once(' ').unwrap();
            let resource = &page.resources[(seed as usize * 7) % page.resources.len()];
            for selector in [resource.url.as_str(), "css", "js"] {
                let Ok(changes) = format!("{word} {selector}").parse::<Changes>() else {
                    continue;
                };
                let Ok(changed) = changes.apply(page) else {
                    continue;
                };
                let checked = changed.page.check();
                assert!(checked.is_ok(), "seed {seed}, {changes}: {checked:?}");
                // Loads take time, so each kind loads a few.
                if made.len() > 400 || !made.insert((kind.name(), seed % 12)) {
                    continue;
                }
                let scenario = Scenario {
                    changes,
                    ..case.scenario.clone()
                };
                run(&scenario, seed, false).unwrap();
            }
        }
    }
    let kinds: std::collections::BTreeSet<_> = made.iter().map(|(name, _)| *name).collect();
    // Changes that need measured sizes, a layout with motion, or a host alone are rare or absent here.
    assert!(kinds.len() >= 20, "{kinds:?}");
}

#[test]
fn changes_that_commute_give_the_same_page() {
    let mut compared = 0;
    for seed in 0..SEEDS {
        let page = inputs::case(seed).scenario.page;
        let all = candidates(&page);
        for pair in all.windows(2) {
            let [a, b] = [
                change("remove", pair[0]),
                change("fetchpriority=high", pair[1]),
            ];
            let both = |one: &Changes, two: &Changes| {
                let first = one.apply(&page).ok()?.page;
                Some(two.apply(&first).ok()?.page)
            };
            if let (Some(one), Some(two)) = (both(&a, &b), both(&b, &a)) {
                assert_eq!(one, two, "seed {seed}: {a}, {b}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared} pairs");
}

/// Returns a scenario in which a resource takes time and bytes of no other: the link is never
/// full, everything fits in the first flight, and one connection carries it.
fn roomy(seed: u64) -> Scenario {
    let mut scenario = inputs::case(seed).scenario;
    let mut page = Page::clone(&scenario.page);
    for resource in &mut page.resources {
        // Bytes of one resource would open the window for the next.
        resource.body_bytes = resource.body_bytes.min(20);
        resource.response_header_bytes = 20;
        // A response that takes long can keep others waiting, in any order but this one.
        resource.think_time = Duration::ZERO;
        resource.origin = pagerace_page::OriginId(0);
        resource.anonymous = false;
        if resource.destination == Destination::Iframe {
            // Browsers give frames connections of their own.
            resource.destination = Destination::Style;
        }
        resource.cpu_time = Some(Duration::ZERO);
        resource.used_at = None;
        match &mut resource.discovery.trigger {
            pagerace_page::Trigger::Markup { offset, .. }
            | pagerace_page::Trigger::Inline { offset, .. } => *offset = 0,
            _ => {}
        }
    }
    for origin in &mut page.origins {
        origin.recorded_rtt = None;
    }
    scenario.page = Arc::new(page);
    scenario.network = Network::parse("rate 10gbit rtt 0.2ms queue 10000bdp").unwrap();
    scenario.protocols = ProtocolMap::uniform(pagerace_core::Protocol::H3);
    scenario.settings = LoadSettings::default();
    scenario.visit = Visit::Cold;
    scenario.reliability = "full".parse().unwrap();
    scenario.interventions = "none".parse().unwrap();
    scenario.browser.jitter = 0.0;
    scenario.browser.cpu = 0.01;
    scenario
}

#[test]
fn nothing_is_later_without_a_resource() {
    let mut compared = 0;
    for seed in 0..SEEDS {
        let scenario = roomy(seed);
        let base = run(&scenario, seed, false).unwrap();
        if base.failure.is_some() {
            continue;
        }
        for resource in candidates(&scenario.page).into_iter().step_by(7) {
            let changes = change("remove", resource);
            let Ok(changed) = changes.apply(&scenario.page) else {
                continue;
            };
            // What followed it for an unknown cause comes sooner, and so before others.
            let is_gone = |id: ResourceId| changed.kept.place(id).is_none();
            let mut others = scenario.page.resources.iter();
            if others
                .any(|one| !is_gone(one.id) && one.discovery.trigger.parent().is_some_and(is_gone))
            {
                continue;
            }
            let without = Scenario {
                changes,
                ..scenario.clone()
            };
            let outcome = run(&without, seed, false).unwrap();
            for i in 0..scenario.page.resources.len() {
                let id = ResourceId(i as u32);
                let end = |outcome: &pagerace_sim::Outcome| {
                    Some(outcome.resources[i].as_ref()?.response_end())
                };
                if let (Some(before), Some(after), Some(_)) =
                    (end(&base), end(&outcome), changed.kept.place(id))
                {
                    assert!(
                        after <= before + TASK,
                        "seed {seed}: without {}, {} ends at {after:?} instead of {before:?}",
                        resource.url,
                        scenario.page.resource(id).url
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "{compared} resources");
}
