use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_core::{Destination, Duration, Instant, Rng};
use pagerace_page::{Page, Resource, ResourceId, Trigger};
use pagerace_sim::{Explainable, Explained, Outcome, Parts, Scenario, Step};

use super::{Tuning, tune};
use crate::advice::Worth;
use crate::fake;
use crate::worlds::Worlds;

/// A page with two images.
fn page() -> Page {
    let mut page = fake::page("news");
    let image = |i: u32, name: &str| {
        let markup = Trigger::Markup {
            parent: ResourceId(0),
            offset: 500,
        };
        let url = format!("https://news.example/{name}");
        Resource {
            body_bytes: 50_000,
            ..Resource::new(ResourceId(i), url, Destination::Image, markup)
        }
    };
    page.resources
        .extend([image(1, "hero.jpg"), image(2, "ad.jpg")]);
    page
}

/// A load that is sooner if the first image is urgent; the second one does not matter. Without it,
/// the link has time for the rest.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn load(scenario: &Scenario, seed: u64, _record: bool) -> Result<Outcome, String> {
    let mut rng = Rng::new(seed, "tune");
    let changed = scenario.changes.apply(&scenario.page).unwrap().page;
    let served = changed.resources[1].served_priority;
    let obeys = scenario.strategy.name() == "eps";
    let is_urgent = obeys && served.is_some_and(|one| one.urgency == 0);
    let is_empty = changed.resources[2].body_bytes == 0;
    let gain = if is_urgent { 200.0 } else { 0.0 } + if is_empty { 300.0 } else { 0.0 };
    Ok(fake::outcome(1_000.0 + 50.0 * rng.unit() - gain, seed))
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn explain(scenario: &Scenario, seed: u64, _: Explainable) -> Result<Option<Explained>, String> {
    let step = |i: u32| Step {
        resource: ResourceId(i),
        from: Instant::ZERO,
        arrived: Instant::ZERO,
        until: Instant::ZERO,
        parts: Parts::default(),
    };
    Ok(Some(Explained {
        total: Duration::ZERO,
        parts: Parts::default(),
        path: vec![step(0), step(1)],
        outcome: load(scenario, seed, true)?,
    }))
}

fn tuning() -> Tuning {
    let mut plan = fake::plan(&["h3"], 10);
    plan.pages = vec![Arc::new(page())];
    plan.worlds = Worlds::PLAUSIBLE;
    let go = |_| ControlFlow::Continue(());
    tune(&plan, 2, &load, &explain, &go, &|_| {}).unwrap()
}

#[test]
fn what_matters_is_urgent_and_what_does_not_is_left_alone() {
    let tuning = tuning();
    assert_eq!(tuning.changes.to_string(), "priority=u0 */hero.jpg");
    assert_eq!(tuning.effects.worth(), Worth::Gains);
    let effect = tuning.effects.networks[0].unwrap();
    assert!((effect.difference + 200.0).abs() < 1.0, "{effect:?}");
    assert!(tuning.tried > 2);
}

#[test]
fn the_bound_lies_below_all_strategies_and_tells_what_is_left() {
    let tuning = tuning();
    let bound = tuning.bounds[0].unwrap();
    // A load with nothing else on the link, and the browser's own signals.
    assert!((700.0..751.0).contains(&bound), "{bound}");
    let left = tuning.left(0).unwrap();
    // 100 of 300 ms.
    assert!((left - 1.0 / 3.0).abs() < 0.01, "{left}");
    for contender in 0..tuning.results.plan.contenders.len() {
        assert!(tuning.time(0, contender).unwrap() >= bound);
    }
}
