//! Effects of changes of a page on its loads.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Item, busy_page, scenario};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::{Changes, Origin, OriginId, Page, ResourceId, Trigger};
use pagerace_sim::{Outcome, Scenario, run};

const NETWORK: &str = "rate 4mbit rtt 100ms";

/// A document that takes its server 400 ms, a style sheet of another host, a script that blocks
/// the parser, and an image.
fn page() -> Page {
    let item = |destination, class, render_blocking, body_bytes| Item {
        destination,
        script_mode: ScriptMode::Blocking,
        class,
        render_blocking,
        body_bytes,
        think_time: Duration::ZERO,
    };
    let mut page = busy_page(&[
        item(Destination::Style, RequestPriority::VeryHigh, true, 5_000),
        item(Destination::Script, RequestPriority::High, true, 20_000),
        item(Destination::Image, RequestPriority::Low, false, 60_000),
    ]);
    page.resources[0].body_bytes = 8_000;
    page.resources[0].think_time = Duration::from_millis(400);
    for (i, offset) in [(1, 200), (2, 300), (3, 6_000)] {
        page.resources[i].discovery.trigger = Trigger::Markup {
            parent: ResourceId(0),
            offset,
        };
    }
    let cdn = Origin {
        host: "cdn.example".to_owned(),
        connection_group: 1,
        third_party: true,
        recorded_rtt: Some(Duration::from_millis(120)),
        ..page.origins[0].clone()
    };
    page.origins[0].recorded_rtt = Some(Duration::from_millis(20));
    page.origins.push(cdn);
    page.resources[1].origin = OriginId(1);
    "https://cdn.example/1".clone_into(&mut page.resources[1].url);
    page
}

fn load(page: &Page, protocol: &str, changes: &str) -> Outcome {
    let scenario = Scenario {
        protocols: protocol.parse().unwrap(),
        changes: changes.parse().unwrap(),
        ..scenario(page, NETWORK, "sequential")
    };
    let outcome = run(&scenario, 1, false).unwrap();
    assert_eq!(outcome.failure, None, "{changes}");
    outcome
}

/// Returns first contentful paint, in milliseconds.
fn fcp(outcome: &Outcome) -> f64 {
    outcome.load.fcp.unwrap().as_millis_f64()
}

#[test]
fn early_hints_use_the_time_of_the_server() {
    // Nothing but the sheet holds the first paint.
    let page = "remove */2".parse::<Changes>().unwrap().apply(&page());
    let mut page = page.unwrap().page;
    // Longer than the connection to the other host takes.
    page.resources[0].think_time = Duration::from_millis(800);
    for protocol in ["h2", "h3"] {
        let before = load(&page, protocol, "unchanged");
        assert_eq!(before.load.early_hints, None);
        let css = load(&page, protocol, "early-hints=preload */1");
        let host = load(&page, protocol, "early-hints=preconnect cdn.example");
        for hinted in [&css, &host] {
            let (early, ttfb) = (hinted.load.early_hints.unwrap(), hinted.load.ttfb.unwrap());
            let gap = ttfb.as_millis_f64() - early.as_millis_f64();
            assert!(
                (790.0..810.0).contains(&gap),
                "{protocol}: {early} and {ttfb}"
            );
        }
        // The sheet and its connection come while the server thinks.
        let end = |outcome: &Outcome| {
            let sheet = outcome.resources[1].as_ref().unwrap();
            sheet.response_end().as_nanos() as f64 / 1e6
        };
        let (plain, preloaded, connected) = (end(&before), end(&css), end(&host));
        assert!(
            preloaded + 150.0 < connected && connected + 200.0 < plain,
            "{protocol}: {preloaded}, {connected} and {plain}"
        );
        assert!(fcp(&css) + 50.0 < fcp(&before) && fcp(&host) + 50.0 < fcp(&before));
        let sheet = css.resources[1].as_ref().unwrap();
        assert!(sheet.discovered.since_start() < css.load.ttfb.unwrap());
    }
}

#[test]
fn browsers_heed_no_hints_over_http_1_1() {
    let page = page();
    let plain = load(&page, "h1", "unchanged");
    let hinted = load(&page, "h1", "early-hints=preload */1");
    assert_eq!(hinted.load.early_hints, None);
    let gain = fcp(&plain) - fcp(&hinted);
    assert!(gain.abs() < 10.0, "{gain}");
}

#[test]
fn what_is_inside_the_document_is_not_requested() {
    let page = page();
    let before = load(&page, "h2", "unchanged");
    let inside = load(&page, "h2", "inline */1+*/2");
    assert!(inside.resources[1].is_none() && inside.resources[2].is_none());
    assert!(inside.resources[3].is_some());
    assert!(
        fcp(&inside) + 300.0 < fcp(&before),
        "{} and {}",
        fcp(&inside),
        fcp(&before)
    );
    let part = load(&page, "h2", "critical-css=0.2 css");
    assert!(fcp(&part) < fcp(&before));
}

#[test]
fn scripts_wait_for_the_end_of_the_body() {
    let page = page();
    let before = load(&page, "h2", "inline */1");
    let end = load(&page, "h2", "inline */1; body-end js");
    assert!(
        fcp(&end) < fcp(&before),
        "{} and {}",
        fcp(&end),
        fcp(&before)
    );
    let module = load(&page, "h2", "inline */1; module js");
    assert!(
        fcp(&module) < fcp(&before),
        "{} and {}",
        fcp(&module),
        fcp(&before)
    );
}

#[test]
fn near_servers_answer_sooner() {
    let page = page();
    let before = load(&page, "h2", "unchanged");
    let near = load(&page, "h2", "cdn=1ms cdn.example");
    // Three round trips of TCP, TLS 1.3 and HTTP.
    let gain = fcp(&before) - fcp(&near);
    assert!((290.0..350.0).contains(&gain), "{gain}");
}

#[test]
fn the_page_does_without_slow_hosts() {
    let mut page = page();
    page.resources[1].think_time = Duration::from_secs(8);
    for protocol in ["h1", "h2", "h3"] {
        let slow = load(&page, protocol, "unchanged");
        assert!(fcp(&slow) > 8_000.0);
        let limited = load(&page, protocol, "timeout=2s cdn.example");
        let asked = limited.resources[1].as_ref().unwrap().discovered;
        let waited = fcp(&limited) - asked.as_nanos() as f64 / 1e6;
        assert!((2_000.0..2_400.0).contains(&waited), "{protocol}: {waited}");
        // A host in time is not given up.
        let whole = load(&page, protocol, "timeout=2s */3");
        assert_eq!(whole.load.onload, slow.load.onload, "{protocol}");
    }
}
