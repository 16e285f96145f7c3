//! Properties of any load: random trees of resources, random networks, random failures.

use std::sync::Arc;

use crate::causes;
use crate::common::{Loaded, Network, id, load, page, resource};
use pagerace_browser::{Action, BrowserConfig, Cached, Profile};
use pagerace_core::{Destination, Duration, Instant, Protocol, RequestPriority, ScriptMode};
use pagerace_page::model::{Page, Resource, ResourceId, Trigger};
use proptest::prelude::*;

const PRIORITIES: [RequestPriority; 5] = [
    RequestPriority::VeryHigh,
    RequestPriority::High,
    RequestPriority::Medium,
    RequestPriority::Low,
    RequestPriority::VeryLow,
];
const MODES: [ScriptMode; 4] = [
    ScriptMode::Blocking,
    ScriptMode::Defer,
    ScriptMode::Async,
    ScriptMode::Inserted,
];

/// Generates a resource other than the page itself, and the place of its parent.
fn child() -> impl Strategy<Value = (Resource, usize, u8, u64, u64)> {
    (
        (
            1..Destination::ALL.len(),
            0..5_usize,
            0..4_usize,
            0..40_000_u64,
        ),
        (
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            prop::option::of(0..200_u64),
        ),
        (
            any::<usize>(),
            0..6_u8,
            0..50_000_u64,
            prop_oneof![Just(0_u64), 0..3_000_u64],
        ),
        prop_oneof![9 => Just(200_u16), 1 => Just(404_u16)],
    )
        .prop_map(|(kind, flags, place, status)| {
            let r = Resource {
                priority: PRIORITIES[kind.1],
                script_mode: MODES[kind.2],
                render_blocking: flags.0,
                in_viewport: flags.1,
                blocks_load: flags.2,
                third_party: flags.3,
                cpu_time: flags.4.map(Duration::from_millis),
                status,
                ..resource(Destination::ALL[kind.0], kind.3, Trigger::Navigation)
            };
            (r, place.0, place.1, place.2, place.3)
        })
}

/// Generates a page of up to 24 resources; each child has any earlier resource as its
/// parent, with any trigger.
fn pages() -> impl Strategy<Value = Arc<Page>> {
    let loaded = any::<bool>();
    let parts = (0..60_000_u64, prop::collection::vec(child(), 0..24), loaded);
    parts.prop_map(|(size, children, loaded)| {
        let mut resources = vec![resource(Destination::Document, size, Trigger::Navigation)];
        for (mut r, parent, how, offset, delay) in children {
            let parent = id((parent % resources.len()) as u32);
            let delay = Duration::from_millis(delay);
            r.discovery.trigger = match how {
                0 | 1 => Trigger::Markup { parent, offset },
                2 => Trigger::Style { parent },
                3 => Trigger::Script { parent, delay },
                4 => Trigger::After { parent, delay },
                _ => Trigger::Redirect { parent },
            };
            resources.push(r);
        }
        let mut page = page(resources);
        // With a recorded load event, the resources that delay it do so from the start.
        Arc::make_mut(&mut page).recorded.on_load = loaded.then_some(Duration::ZERO);
        page
    })
}

fn configs() -> impl Strategy<Value = BrowserConfig> {
    (
        prop::sample::select(Profile::all().collect::<Vec<_>>()),
        prop_oneof![Just(0.0), Just(1.0), Just(4.0)],
        prop_oneof![Just(0.0), Just(0.2)],
    )
        .prop_map(|(profile, cpu, jitter)| BrowserConfig {
            profile,
            cpu,
            jitter,
        })
}

fn networks() -> impl Strategy<Value = Network> {
    (1..400_u64, prop_oneof![Just(0), 5_000..5_000_000_u64]).prop_map(|(rtt, rate)| Network {
        rtt: Duration::from_millis(rtt),
        rate,
        ..Network::default()
    })
}

/// Checks the properties of every load.
fn check(page: &Page, l: &Loaded) -> Result<(), TestCaseError> {
    prop_assert!(l.done, "the load did not end");
    let fetched = l.fetch_order();
    let mut once = fetched.clone();
    once.sort_unstable();
    once.dedup();
    prop_assert_eq!(once.len(), fetched.len(), "something was fetched twice");
    for (_, action) in &l.actions {
        if let Action::Reprioritise { resource, .. } = action {
            prop_assert!(
                l.browser.requested_at(*resource).is_some(),
                "reprioritised what nobody asked for"
            );
        }
    }
    for r in &page.resources {
        let (found, asked) = (l.browser.discovered_at(r.id), l.browser.requested_at(r.id));
        prop_assert_eq!(
            found.is_some(),
            asked.is_some(),
            "resource {} is held for ever",
            r.id.0
        );
        let (Some(found), Some(asked)) = (found, asked) else {
            continue;
        };
        prop_assert!(found <= asked);
        if let Some(parent) = r.discovery.trigger.parent() {
            let earliest = match r.discovery.trigger {
                Trigger::Markup { offset, .. } => arrival(
                    l,
                    parent,
                    offset.min(page.resources[parent.index()].body_bytes),
                ),
                _ => l.browser.requested_at(parent),
            };
            let earliest = earliest.expect("a child needs its parent");
            prop_assert!(
                found >= earliest,
                "resource {} was known before its markup",
                r.id.0
            );
        }
    }
    let m = l.browser.metrics();
    prop_assert!(m.ttfb.is_none() || m.fcp.is_none() || m.ttfb <= m.fcp);
    // An image that fails after its first part leaves a first paint without a largest one.
    prop_assert!(m.lcp.is_none() || (m.fcp.is_some() && m.fcp <= m.lcp));
    prop_assert!(m.dom_content_loaded.is_none() || m.dom_content_loaded <= m.onload);
    prop_assert!(m.tti.is_none() || (m.tti >= m.fcp && m.tti >= m.dom_content_loaded));
    let progress = l.browser.visual_progress();
    if let (Some(first), Some(last)) = (progress.first(), progress.last()) {
        prop_assert_eq!(*first, (Instant::ZERO, 0.0));
        prop_assert!((last.1 - 1.0).abs() < 1e-12);
        prop_assert!(
            progress
                .windows(2)
                .all(|p| p[0].0 < p[1].0 && p[0].1 <= p[1].1)
        );
        // Parts of images may be painted before the first contentful paint.
        prop_assert!(Some(progress[1].0.since_start()) <= m.fcp || m.fcp.is_none());
        let si = m.speed_index.expect("something was painted");
        prop_assert!(si + Duration::from_nanos(1) >= progress[1].0.since_start());
        prop_assert!(si <= last.0.since_start() + Duration::from_nanos(1));
    }
    causes::check(page, l).map_err(TestCaseError::fail)
}

/// Returns the time at which the first `bytes` bytes of a body had arrived.
fn arrival(l: &Loaded, r: ResourceId, bytes: u64) -> Option<Instant> {
    l.arrivals
        .get(&r)?
        .iter()
        .find(|&&(_, received)| received >= bytes)
        .map(|&(at, _)| at)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every load ends, causes come before effects, and metrics are in order. Without
    /// failures, every resource is found.
    #[test]
    fn any_page_loads(page in pages(), config in configs(), network in networks(), seed in 0..4_u64) {
        let l = load(&page, &config, &network, seed);
        check(&page, &l)?;
        for r in &page.resources {
            prop_assert!(l.browser.discovered_at(r.id).is_some(), "resource {} was never found", r.id.0);
        }
        let m = l.browser.metrics();
        prop_assert!(m.onload.is_some() && m.dom_content_loaded.is_some());
    }

    /// Loads with failed or truncated responses end too.
    #[test]
    fn any_page_with_failures_ends(
        page in pages(), config in configs(), network in networks(),
        fails in prop::collection::vec(0..24_u32, 0..4),
        breaks in prop::collection::vec(0..24_u32, 0..4),
    ) {
        let ids = |v: Vec<u32>| v.into_iter().map(ResourceId).collect();
        let network = Network { fails: ids(fails), breaks: ids(breaks), ..network };
        let l = load(&page, &config, &network, 1);
        check(&page, &l)?;
    }

    /// A second visit over any mix of protocols ends too. Fresh resources are never requested,
    /// every resource is found, and only bytes from the network count as received.
    #[test]
    fn any_page_loads_from_a_cache(
        page in pages(), config in configs(), network in networks(),
        cached in prop::collection::vec(
            prop_oneof![Just(Cached::No), Just(Cached::Fresh), Just(Cached::Validate)], 24),
        protocol in prop::sample::select(&Protocol::ALL[..]),
    ) {
        let cached: Vec<Cached> = cached.into_iter().take(page.resources.len()).collect();
        let network = Network { cached: cached.clone(), protocols: vec![protocol], ..network };
        let l = load(&page, &config, &network, 1);
        prop_assert!(l.done, "the load did not end");
        causes::check(&page, &l).map_err(TestCaseError::fail)?;
        let fetched = l.fetch_order();
        for r in &page.resources {
            let found = l.browser.discovered_at(r.id);
            prop_assert!(found.is_some(), "resource {} was never found", r.id.0);
            let fresh = cached.get(r.id.index()) == Some(&Cached::Fresh);
            let times = fetched.iter().filter(|&&f| f == r.id.0).count();
            prop_assert_eq!(times, usize::from(!fresh), "requests for {}", r.id.0);
        }
        let m = l.browser.metrics();
        prop_assert!(m.onload.is_some() && m.dom_content_loaded <= m.onload);
        prop_assert!(m.fcp <= m.lcp && (m.fcp.is_none() || m.ttfb <= m.fcp));
        prop_assert!(m.byte_index.is_none() || !l.arrivals.is_empty());
    }

    /// The same inputs give the same load.
    #[test]
    fn a_load_repeats(page in pages(), config in configs(), network in networks(), seed in 0..4_u64) {
        let (a, b) = (load(&page, &config, &network, seed), load(&page, &config, &network, seed));
        prop_assert_eq!(a.actions, b.actions);
        prop_assert_eq!(a.browser.metrics(), b.browser.metrics());
        prop_assert_eq!(a.browser.visual_progress(), b.browser.visual_progress());
    }

    /// On a page that loads serially, a slower CPU never paints or finishes earlier.
    #[test]
    fn a_slower_cpu_never_helps_a_serial_page(
        size in 1_000..60_000_u64, sheet in 0..60_000_u64, script in 0..60_000_u64, image in 0..200_000_u64,
        network in networks(), slow in 1.0..8.0_f64,
    ) {
        let style = Resource {
            render_blocking: true,
            ..resource(Destination::Style, sheet, Trigger::Markup { parent: id(0), offset: 100 })
        };
        let import = Resource {
            render_blocking: true,
            ..resource(Destination::Style, sheet, Trigger::Style { parent: id(1) })
        };
        let script = Resource {
            render_blocking: true,
            ..resource(Destination::Script, script, Trigger::Markup { parent: id(0), offset: 200 })
        };
        let image = Resource {
            in_viewport: true,
            ..resource(Destination::Image, image, Trigger::Script { parent: id(3), delay: Duration::ZERO })
        };
        let document = resource(Destination::Document, size, Trigger::Navigation);
        let page = page(vec![document, style, import, script, image]);
        let metrics = |cpu| {
            let config = BrowserConfig { profile: Profile::CHROME, cpu, jitter: 0.0 };
            load(&page, &config, &network, 1).browser.metrics()
        };
        let (fast, slow) = (metrics(1.0), metrics(slow));
        prop_assert!(fast.fcp <= slow.fcp);
        prop_assert!(fast.dom_content_loaded <= slow.dom_content_loaded);
    }
}
