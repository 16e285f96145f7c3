use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_core::{Destination, Duration, Instant, Rng};
use pagerace_page::model::ElementKind;
use pagerace_page::{Element, Page, PageLayout, Paints, Rect, Resource, ResourceId, Trigger};
use pagerace_sim::{Explainable, Explained, Outcome, Parts, Scenario, Step};

use super::{Advice, Idea, News, Question, Worth, advise, ideas};
use crate::fake;
use crate::metric::MetricId;
use crate::runner::Runner;
use crate::worlds::Worlds;

/// A page whose script requests data and an image.
fn page() -> Page {
    let mut page = fake::page("news");
    let resource = |i: u32, name: &str, destination, trigger| {
        let url = format!("https://news.example/{name}");
        Resource::new(ResourceId(i), url, destination, trigger)
    };
    let markup = Trigger::Markup {
        parent: ResourceId(0),
        offset: 500,
    };
    let by_script = Trigger::Script {
        parent: ResourceId(1),
        delay: Duration::ZERO,
    };
    page.resources.extend([
        resource(1, "app.js", Destination::Script, markup),
        resource(2, "data.json", Destination::Fetch, by_script),
        resource(3, "hero.jpg", Destination::Image, by_script),
    ]);
    page
}

/// A load whose largest paint comes sooner or later by what its changes say.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn load(scenario: &Scenario, seed: u64, _record: bool) -> Result<Outcome, String> {
    let mut rng = Rng::new(seed, "advice");
    let changes = scenario.changes.to_string();
    let has = |text: &str| f64::from(u8::from(changes.contains(text)));
    let (hero, data) = (has("preload */hero.jpg"), has("preload */data.json"));
    let lcp = 2_000.0 + 200.0 * rng.unit() - 300.0 * hero - 200.0 * data + 100.0 * hero * data;
    let jitter = 20.0 * rng.unit() * has("defer");
    Ok(fake::outcome(lcp + 90.0 * has("defer") + jitter, seed))
}

/// The largest paint waits for all resources.
fn explain(scenario: &Scenario, seed: u64, _: Explainable) -> Result<Option<Explained>, String> {
    let step = |i: usize| Step {
        resource: ResourceId(i as u32),
        from: Instant::ZERO,
        arrived: Instant::ZERO,
        until: Instant::ZERO,
        parts: Parts::default(),
    };
    Ok(Some(Explained {
        total: Duration::ZERO,
        parts: Parts::default(),
        path: (0..scenario.page.resources.len()).map(step).collect(),
        outcome: load(scenario, seed, true)?,
    }))
}

fn advice() -> Advice {
    advice_for(&load, &[])
}

/// Returns advice from these loads, for users of whom `shares` are on each network.
fn advice_for(load: &Runner<'_>, shares: &[f64]) -> Advice {
    let mut plan = fake::plan(&["h2"], 10);
    plan.pages = vec![Arc::new(page())];
    plan.worlds = Worlds::PLAUSIBLE;
    let question = Question {
        plan: &plan,
        goals: &["lcp".parse::<MetricId>().unwrap()],
        shares,
    };
    let go = |_| ControlFlow::Continue(());
    advise(question, 2, load, &explain, &go, &|_| {}).unwrap()
}

#[test]
fn changes_are_ranked_by_what_they_do() {
    let advice = advice();
    let named = |text: &str| {
        let mut all = advice.judged.iter();
        all.find(|one| one.idea.changes.to_string() == text)
            .unwrap()
    };
    let hero = named("preload */hero.jpg");
    assert_eq!(hero.worth(), Worth::Gains);
    let effect = hero.effects[0].networks[0].unwrap();
    assert!((effect.difference + 300.0).abs() < 1.0, "{effect:?}");
    // The times with the change are those of its loads, 1.7 s at least.
    assert!(effect.after_range.0 >= 1_700.0, "{effect:?}");
    assert!(effect.after < effect.before - 250.0, "{effect:?}");
    assert_eq!(named("defer */app.js").worth(), Worth::Harms);
    assert_eq!(advice.judged[0], *hero);
    let idle: Vec<String> = advice.idle.iter().map(Idea::brief).collect();
    assert!(idle.contains(&"async */app.js".to_owned()), "{idle:?}");
}

#[test]
fn what_is_made_together_says_what_it_adds() {
    let advice = advice();
    let together: Vec<String> = advice.together.iter().map(|one| one.idea.brief()).collect();
    assert_eq!(together, ["preload */hero.jpg", "preload */data.json"]);
    let added = advice.together[1].effects[0].networks[0]
        .unwrap()
        .difference;
    assert!((added + 100.0).abs() < 1.0, "{added}");
    let sum = advice.sum[0].networks[0].unwrap().difference;
    assert!((sum + 400.0).abs() < 1.0, "{sum}");
}

/// A load on fast-4g that gains by one preload and, on cable, loses by it.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn mixed(scenario: &Scenario, seed: u64, _record: bool) -> Result<Outcome, String> {
    let mut rng = Rng::new(seed, "advice");
    let changes = scenario.changes.to_string();
    let has = |text: &str| f64::from(u8::from(changes.contains(text)));
    let (time, gain) = if scenario.network.name == "cable" {
        (500.0, -100.0)
    } else {
        (2_000.0, 400.0)
    };
    let lcp = time + 10.0 * rng.unit() - gain * has("preload */hero.jpg");
    Ok(fake::outcome(lcp, seed))
}

#[test]
fn the_slower_quarter_of_the_users_decides() {
    // Networks that count by themselves: a loss on one forbids the change.
    let alone = advice_for(&mixed, &[]);
    assert!(alone.together.is_empty(), "{:?}", alone.together);
    // One user of twenty loses.
    let most = advice_for(&mixed, &[0.95, 0.05]);
    let users = most.sum[0].users.unwrap();
    assert_eq!((users.gaining, users.losing), (0.95, 0.05));
    assert!((users.quantile.difference + 400.0).abs() < 1.0, "{users:?}");
    assert!((users.quantile.before - 2_005.0).abs() < 10.0, "{users:?}");
    // One of two loses.
    let half = advice_for(&mixed, &[0.5, 0.5]);
    assert!(half.together.is_empty(), "{:?}", half.together);
}

/// The worlds of the run in which ideas are sought make the preload of data look good.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn lucky(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, String> {
    let mut plan = fake::plan(&["h2"], 10);
    plan.seed += 1;
    let is_judged = (0..100).any(|run| plan.run_seed(run) == seed);
    let changes = scenario.changes.to_string();
    if is_judged && changes.contains("data.json") {
        let hero = f64::from(u8::from(changes.contains("preload */hero.jpg")));
        return Ok(fake::outcome(2_100.0 - 300.0 * hero, seed));
    }
    load(scenario, seed, record)
}

#[test]
fn a_combination_is_judged_in_other_worlds_than_it_was_found_in() {
    let advice = advice_for(&lucky, &[]);
    let together: Vec<String> = advice.together.iter().map(|one| one.idea.brief()).collect();
    assert_eq!(together, ["preload */hero.jpg"]);
}

#[test]
fn news_come_before_the_end() {
    let mut plan = fake::plan(&["h2"], 10);
    plan.pages = vec![Arc::new(page())];
    let told = std::cell::RefCell::new(Vec::new());
    let news = |news: News<'_>| {
        told.borrow_mut().push(match news {
            News::Part(name, _) => name.to_owned(),
            News::First(idea, _) => idea.brief(),
        });
    };
    let question = Question {
        plan: &plan,
        goals: &[plan.metric],
        shares: &[],
    };
    let go = |_| ControlFlow::Continue(());
    advise(question, 1, &load, &explain, &go, &news).unwrap();
    let told = told.into_inner();
    let place = |name: &str| told.iter().position(|one| one == name).unwrap();
    assert!(place("trying") < place("preload */hero.jpg"), "{told:?}");
    assert!(place("preload */hero.jpg") < place("judging"), "{told:?}");
}

/// A load that gains much on fast-4g and loses on cable in some worlds.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn doubtful(scenario: &Scenario, seed: u64, _record: bool) -> Result<Outcome, String> {
    let mut rng = Rng::new(seed, "advice");
    let has = scenario.changes.to_string().contains("preload */hero.jpg");
    let moved = if scenario.network.name == "cable" {
        300.0 * (rng.unit() - 0.3)
    } else {
        -400.0
    };
    Ok(fake::outcome(
        1_000.0 + moved * f64::from(u8::from(has)),
        seed,
    ))
}

#[test]
fn what_is_later_on_a_network_in_most_worlds_is_no_gain() {
    let advice = advice_for(&doubtful, &[]);
    assert!(advice.together.is_empty(), "{:?}", advice.together);
}

#[test]
fn requests_that_fail_and_images_that_are_shown_have_their_own_rules() {
    let mut page = page();
    page.resources[2].status = 404;
    page.resources[3].third_party = true;
    let told = |awaited: &[u32]| {
        let awaited = awaited.iter().map(|id| ResourceId(*id)).collect();
        let all = ideas(&page, &awaited);
        all.iter().map(Idea::brief).collect::<Vec<_>>()
    };
    let failing = told(&[2]);
    assert!(
        failing.contains(&"remove */data.json".to_owned()),
        "{failing:?}"
    );
    assert!(
        !failing.contains(&"preload */data.json".to_owned()),
        "{failing:?}"
    );
    // Without the image that the page waits for, another element is the largest.
    let cost = "remove third-party".to_owned();
    assert!(told(&[1]).contains(&cost));
    assert!(!told(&[1, 3]).contains(&cost));
}

#[test]
fn images_have_the_pixels_that_the_screen_shows() {
    let mut page = page();
    page.resources[3].body_bytes = 100_000;
    let element = Element {
        kind: ElementKind::Image {
            resource: ResourceId(3),
        },
        rect: Rect {
            x: 0.0,
            y: 0.0,
            width: 100.0,
            height: 100.0,
        },
        natural: Some((400.0, 400.0)),
        ..Element::default()
    };
    let advised = |scale: Option<f64>| {
        let layout = PageLayout {
            viewport: (400, 800),
            scale,
            elements: vec![element.clone()],
            ..PageLayout::default()
        };
        let page = Page {
            paints: Paints::Recorded(layout),
            ..page.clone()
        };
        let all = ideas(&page, &[ResourceId(3)].into());
        let mut all = all.iter().map(Idea::brief);
        all.find(|one| one.starts_with("resize"))
    };
    // Two pixels for each of 16, or four on a dense screen.
    assert_eq!(advised(None).as_deref(), Some("resize=0.12 */hero.jpg"));
    assert_eq!(
        advised(Some(2.0)).as_deref(),
        Some("resize=0.25 */hero.jpg")
    );
    assert_eq!(advised(Some(4.0)), None);
}
