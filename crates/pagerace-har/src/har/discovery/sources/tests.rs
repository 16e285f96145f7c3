use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};
use pagerace_core::Duration;
use pagerace_page::{Evidence, Page, ResourceId, Trigger};

const SHEET: &str =
    "@font-face { font-family: F; src: url(a.woff2) format('woff2'), url(a.woff), url(a.ttf) }";

fn entry(path: &str, start: u32, mime: &str, status: u32, text: &str) -> Value {
    json!({
        "startedDateTime": format!("2026-01-01T00:00:00.{start:03}Z"),
        "time": 50,
        "timings": {"wait": 50, "receive": 0},
        "request": {"url": format!("https://a.test{path}")},
        "response": {"status": status, "httpVersion": "h2", "content": {"size": 1000,
            "mimeType": mime, "text": text}},
        "_initiator": {"type": "parser", "url": "https://a.test/a.css"},
    })
}

/// The page's fonts answer with these status codes.
fn page(fonts: &[(&str, u32)]) -> Page {
    let mut entries = vec![
        entry("/", 0, "text/html", 200, "<link rel=stylesheet href=a.css>"),
        entry("/a.css", 60, "text/css", 200, SHEET),
    ];
    let fonts = fonts.iter().zip(1..);
    entries.extend(
        fonts.map(|((path, status), k)| entry(path, 60 + 80 * k, "font/woff2", *status, "")),
    );
    let har = json!({"log": {"entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).expect("a recording")
}

fn trigger(page: &Page, resource: usize) -> Trigger {
    page.resources[resource].discovery.trigger
}

#[test]
fn a_source_follows_the_failed_one_before_it() {
    let page = page(&[("/a.woff2", 404), ("/a.ttf", 404)]);
    let sheet = ResourceId(1);
    assert_eq!(trigger(&page, 2), Trigger::Style { parent: sheet });
    // The first source was over at 190 ms, and the next one began at 220 ms.
    let (parent, delay) = (ResourceId(2), Duration::from_millis(30));
    assert_eq!(trigger(&page, 3), Trigger::After { parent, delay });
    assert_eq!(page.resources[3].discovery.evidence, Evidence::Body);
}

#[test]
fn each_source_follows_the_one_before_it() {
    let page = page(&[("/a.woff2", 404), ("/a.woff", 404), ("/a.ttf", 200)]);
    let Trigger::After { parent, .. } = trigger(&page, 4) else {
        panic!("{:?}", trigger(&page, 4));
    };
    assert_eq!(parent, ResourceId(3));
}

#[test]
fn a_font_does_not_follow_a_source_that_arrived() {
    let page = page(&[("/a.woff2", 200), ("/a.ttf", 200)]);
    let parent = ResourceId(1);
    assert_eq!(trigger(&page, 3), Trigger::Style { parent });
}
