//! Validation of pages that were read from results files.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use pagerace_core::Duration;
use serde_json::{Value, json};

use pagerace_har::{ImportOptions, from_bytes};
use pagerace_page::{Page, ResourceId, Trigger, Wait};

/// A document, a script that it names, and an image that the script requests.
fn page() -> Page {
    let entry = |path: &str, mime: &str, initiator: Value| {
        json!({"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 50,
            "request": {"method": "GET", "url": format!("https://a.test/{path}")},
            "response": {"status": 200, "bodySize": 1_000, "content": {"mimeType": mime}},
            "_initiator": initiator})
    };
    let stack = json!({"callFrames": [{"url": "https://a.test/a.js"}]});
    let layout = json!({"viewport": [400, 300], "elements": [
        {"kind": "image", "rect": [0, 0, 90, 90], "url": "https://a.test/a.png"}]});
    let har = json!({"log": {
    "pages": [{"_pagerace": {"layout": layout}}],
    "entries": [
        entry("", "text/html", json!({"type": "other"})),
        entry("a.js", "text/javascript", json!({"type": "parser", "url": "https://a.test/"})),
        entry("a.png", "image/png", json!({"type": "script", "stack": stack})),
    ]}});
    let bytes = har.to_string();
    from_bytes("a.har", bytes.as_bytes(), &ImportOptions::default()).expect("a page")
}

#[test]
fn what_no_page_load_has_is_refused_by_field() {
    let refused = |change: fn(&mut Page)| {
        let mut page = page();
        assert_eq!(page.check(), Ok(()));
        change(&mut page);
        page.check().expect_err("damaged")
    };
    let starts = |change, field: &str| {
        let error = refused(change);
        assert!(error.starts_with(field), "{error}");
    };
    starts(|p| p.resources.clear(), "resources: ");
    starts(
        |p| p.document = ResourceId(3),
        "document: there is no resource 3",
    );
    starts(
        |p| p.origins.clear(),
        "resources[0].origin: there is no origin 0",
    );
    starts(
        |p| p.resources.swap(1, 2),
        "resources[1].id: found 2, expected 1",
    );
    starts(
        |p| p.resources[1].body_bytes = 1 << 63,
        "resources[1].body_bytes: ",
    );
    starts(
        |p| p.resources[2].response_header_bytes = u32::MAX,
        "resources[2].response_header_bytes",
    );
    starts(
        |p| p.resources[2].think_time = Duration::from_secs(100_000),
        "resources[2].think_time: found 100000 s, expected at most 86400 s",
    );
    starts(
        |p| p.resources[1].discovery.trigger = Trigger::Navigation,
        "resources[1].discovery.trigger: only the first request",
    );
    let cycle = |p: &mut Page| {
        let parent = ResourceId(2);
        p.resources[1].discovery.trigger = Trigger::Style { parent };
    };
    starts(
        cycle,
        "resources[1].discovery.trigger.parent: found 2, expected a resource before 1",
    );
    let beyond = |p: &mut Page| {
        let parent = ResourceId(0);
        p.resources[1].discovery.trigger = Trigger::Markup {
            parent,
            offset: 1_001,
        };
    };
    starts(
        beyond,
        "resources[1].discovery.trigger.offset: found 1001, expected at most 1000",
    );
    let wait = |p: &mut Page| {
        p.resources[2].discovery.wait = Some(Wait::Resource { id: ResourceId(9) });
    };
    starts(
        wait,
        "resources[2].discovery.wait.id: there is no resource 9",
    );
}

#[test]
fn a_layout_of_other_resources_and_of_no_screen_is_refused() {
    let refused = |change: fn(&mut pagerace_page::PageLayout)| {
        let mut page = page();
        change(page.layout_mut().expect("recorded"));
        page.check().expect_err("damaged")
    };
    assert!(refused(|l| l.viewport = (0, 300)).starts_with("paints.viewport: found 0"));
    assert!(refused(|l| l.elements[0].rect.x = f32::NAN).starts_with("paints.elements[0].rect"));
    assert!(refused(|l| l.elements[0].share = 2.0).starts_with("paints.elements[0].share"));
    assert!(refused(|l| l.by_layout.push(ResourceId(7))).starts_with("paints.by_layout"));
    let largest = |l: &mut pagerace_page::PageLayout| {
        l.largest = Some(pagerace_page::Largest {
            size: 1.0,
            image: None,
            text: Some(1),
            rebuilt: false,
        });
    };
    assert_eq!(
        refused(largest),
        "paints.largest.text: there is no element 1"
    );
}
