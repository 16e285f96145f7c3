use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};
use pagerace_page::{Evidence, Page, ResourceId, Trigger};

const MIMES: [(&str, &str); 4] = [
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("png", "image/png"),
    ("woff2", "font/woff2"),
];

/// An entry with a parser initiator, from `start` for 50 ms.
fn entry(path: &str, start: u32) -> Value {
    let extension = path.rsplit('.').next().unwrap();
    let mime = MIMES.iter().find(|m| m.0 == extension);
    json!({
        "startedDateTime": format!("2026-01-01T00:00:{:02}.{:03}Z", start / 1000, start % 1000),
        "time": 50,
        "timings": {"wait": 50, "receive": 0},
        "request": {"url": format!("https://a.test{path}")},
        "response": {"status": 200, "httpVersion": "h2", "content": {"size": 1000,
            "mimeType": mime.map_or("text/html", |m| m.1)}},
        "_initiator": {"type": "parser", "url": "https://a.test/", "lineNumber": 9},
    })
}

fn import(entries: &[Value]) -> Page {
    let har = json!({"log": {"entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

#[test]
fn an_image_long_after_the_document_is_a_scripts() {
    let page = import(&[
        entry("/", 0),
        entry("/a.js", 50),
        entry("/early.png", 290),
        entry("/late.png", 310),
    ]);
    let early = page.resources[2].discovery.trigger;
    assert!(matches!(early, Trigger::Markup { .. }), "{early:?}");
    let late = page.resources[3].discovery;
    let Trigger::Script { parent, delay } = late.trigger else {
        panic!("{late:?}");
    };
    assert_eq!(parent, ResourceId(1));
    assert!(
        (200.0..=210.0).contains(&delay.as_millis_f64()),
        "{delay:?}"
    );
    assert_eq!(late.evidence, Evidence::Timing);
}

#[test]
fn a_font_comes_from_the_sheet_unless_it_was_preloaded() {
    let mut preloaded = entry("/b.woff2", 110);
    preloaded["request"]["_isLinkPreload"] = json!(true);
    let page = import(&[
        entry("/", 0),
        entry("/a.css", 50),
        entry("/a.woff2", 110),
        preloaded,
    ]);
    let parent = ResourceId(1);
    assert_eq!(
        page.resources[2].discovery.trigger,
        Trigger::Style { parent }
    );
    let preload = page.resources[3].discovery.trigger;
    assert!(matches!(preload, Trigger::Markup { .. }), "{preload:?}");
}
