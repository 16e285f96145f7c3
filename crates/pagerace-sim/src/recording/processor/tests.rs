use pagerace_har::{ImportOptions, from_bytes};
use serde_json::{Value, json};

use super::*;

/// Searches with an event that comes at `at(slowdown)` instead of at 1,000.
fn found(at: impl Fn(f64) -> f64) -> Option<f64> {
    search(|slowdown| Ok(at(slowdown) - 1_000.0), 50.0).unwrap()
}

#[test]
fn the_slowdown_nearest_to_one_that_explains_the_event_is_found() {
    let slower = found(|slowdown| 700.0 + 50.0 * slowdown).unwrap();
    assert!((5.0..5.5).contains(&slower), "{slower}");
    let faster = found(|slowdown| 800.0 + 500.0 * slowdown).unwrap();
    assert!((0.45..=0.5).contains(&faster), "{faster}");
    assert_eq!(
        found(|slowdown| 940.0 + 11.0 * slowdown),
        None,
        "near enough"
    );
}

#[test]
fn what_no_processor_explains_is_not_the_processors() {
    assert_eq!(found(|slowdown| 10.0 * slowdown), None);
    assert_eq!(found(|_| 5_000.0), None);
    assert_eq!(found(|_| f64::NAN), None);
    let fails = |slowdown| if slowdown > 3.0 { f64::NAN } else { 0.0 };
    assert_eq!(found(fails), None);
}

/// Returns a page with a script at the end of the document, recorded without times of a network.
fn page() -> Page {
    let entry = |path: &str, mime: &str, bytes: u32, text: &str| -> Value {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z",
            "time": 0,
            "request": {"url": format!("https://a.test{path}")},
            "response": {"status": 200, "httpVersion": "h2",
                "content": {"mimeType": mime, "size": bytes, "text": text}},
            "_initiator": {"type": "parser", "url": "https://a.test/"},
        })
    };
    let html = format!("{}<script src=a.js></script>", "<p>text</p>".repeat(3_000));
    let entries = [
        entry("/", "text/html", html.len() as u32, &html),
        entry("/a.js", "text/javascript", 300_000, ""),
    ];
    let pages = [json!({"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z"})];
    let har = json!({"log": {"pages": pages, "entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

#[test]
fn a_slow_processor_is_found_by_its_dom_content_loaded() {
    let mut recorded = page();
    recorded.recorded.slowdown = Some(6.0);
    let load = reproduce(&recorded).unwrap();
    let mut page = page();
    page.recorded.on_content_load = load.dom_content_loaded;
    fit(&mut page).unwrap();
    let slowdown = page.recorded.slowdown.unwrap();
    assert!((5.0..6.1).contains(&slowdown), "{slowdown}");

    // A paint that came early shows that something else took most of the time.
    page.recorded.first_paint = page_paints(2.0);
    fit(&mut page).unwrap();
    let slowdown = page.recorded.slowdown.unwrap();
    assert!((1.3..2.1).contains(&slowdown), "{slowdown}");
}

/// Returns the first paint of the page on a processor that is slower by a factor.
fn page_paints(slowdown: f64) -> Option<pagerace_core::Duration> {
    let mut page = page();
    page.recorded.slowdown = Some(slowdown);
    reproduce(&page).unwrap().fcp
}
