use pagerace_har::{ImportOptions, from_bytes};
use serde_json::{Value, json};

use super::super::reproduce;
use super::*;
use pagerace_browser::LoadMetrics;

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

#[test]
fn an_event_that_jumps_past_the_recorded_one_is_not_the_processors() {
    assert_eq!(
        found(|slowdown| if slowdown > 3.0 { 1_900.0 } else { 600.0 }),
        None
    );
}

/// Returns a page with a script at the end of the document, recorded over a network.
fn page() -> Page {
    let entry = |path: &str, mime: &str, bytes: u32, text: &str| -> Value {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z",
            "time": 41,
            "timings": {"wait": 40, "receive": 1},
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

/// Returns the metrics of the page on a processor that is slower by a factor.
fn load(slowdown: f64) -> LoadMetrics {
    let mut page = page();
    page.recorded.slowdown = Some(slowdown);
    reproduce(&page).unwrap()
}

#[test]
fn a_slow_processor_is_found_by_its_dom_content_loaded() {
    let fitted = |first_paint| {
        let mut page = page();
        page.recorded.on_content_load = load(6.0).dom_content_loaded;
        page.recorded.first_paint = first_paint;
        fit(&mut page).unwrap();
        page.recorded.slowdown
    };
    let slowdown = fitted(None).unwrap();
    assert!((5.0..6.1).contains(&slowdown), "{slowdown}");
    assert_eq!(fitted(load(7.0).fcp), Some(slowdown));
    // A paint that came early shows that something else took the time.
    assert!(fitted(load(1.0).fcp).is_none_or(|slowdown| slowdown < 1.1));
}

#[test]
fn a_late_paint_does_not_make_the_processor_faster() {
    let mut page = page();
    page.recorded.on_content_load = load(1.0).dom_content_loaded;
    page.recorded.first_paint = load(0.3).fcp;
    fit(&mut page).unwrap();
    assert_eq!(page.recorded.slowdown, None);
}

#[test]
fn a_known_slowdown_and_a_recording_without_a_network_stay() {
    let mut known = page();
    known.recorded.slowdown = Some(4.0);
    known.recorded.on_content_load = load(8.0).dom_content_loaded;
    fit(&mut known).unwrap();
    assert_eq!(known.recorded.slowdown, Some(4.0));
    let mut synthetic = page();
    for resource in &mut synthetic.resources {
        resource.recorded = None;
    }
    synthetic.recorded.on_content_load = load(8.0).dom_content_loaded;
    fit(&mut synthetic).unwrap();
    assert_eq!(synthetic.recorded.slowdown, None);
}
