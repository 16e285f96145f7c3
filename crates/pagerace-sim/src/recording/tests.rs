use pagerace_har::{ImportOptions, from_bytes};
use serde_json::{Value, json};

use super::*;

fn entry(path: &str, mime: &str, start: u32, time: u32, bytes: u32) -> Value {
    json!({
        "startedDateTime": format!("2026-01-01T00:00:{:02}.{:03}Z", start / 1000, start % 1000),
        "time": time,
        "timings": {"connect": if start == 0 { 60 } else { -1 }, "ssl": if start == 0 { 30 } else { -1 },
            "wait": 40, "receive": time - 40},
        "request": {"url": format!("https://a.test{path}")},
        "response": {"status": 200, "httpVersion": "h2", "content": {"mimeType": mime, "size": bytes},
            "headers": [{"name": "Content-Length", "value": bytes.to_string()}]},
        "serverIPAddress": "192.0.2.1",
    })
}

/// Returns a page whose text a script reveals. Its recorded first paint is `paint`
/// milliseconds after the navigation.
fn page(paint: u32) -> Page {
    let page = json!({"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z",
        "pageTimings": {"onContentLoad": 500, "onLoad": 900, "_firstContentfulPaint": paint}});
    let entries = [
        entry("/", "text/html", 0, 200, 30_000),
        entry("/app.js", "text/javascript", 210, 240, 100_000),
        entry("/x.jpg", "image/jpeg", 460, 400, 200_000),
    ];
    let har = json!({"log": {"pages": [page], "entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

#[test]
fn a_fitted_page_paints_when_its_recording_did() {
    for paint in [700, 1_200, 3_000] {
        let mut page = page(paint);
        let before = reproduce(&page).unwrap().fcp.unwrap().as_millis_f64();
        assert!(before < f64::from(paint) - 50.0, "{before}");
        fit_paints(&mut page, &Loads::default()).unwrap();
        let fitted = reproduce(&page).unwrap().fcp.unwrap().as_millis_f64();
        assert!(
            (fitted - f64::from(paint)).abs() < 20.0,
            "{fitted} for {paint}"
        );
    }
}

#[test]
fn a_page_that_paints_no_earlier_than_its_recording_is_not_held_back() {
    let mut page = page(210);
    fit_paints(&mut page, &Loads::default()).unwrap();
    assert_eq!(page.fit().unwrap().delay, None);
}

#[test]
fn the_network_is_the_recordings_own() {
    let network = network(&page(700)).describe();
    assert!(network.contains("30 ms round trip"), "{network}");
}

#[test]
fn a_page_is_loaded_once() {
    let (mut loads, page) = (Loads::default(), page(700));
    let outcome = loads.load(&page).unwrap();
    assert!(Rc::ptr_eq(&outcome, &loads.load(&page).unwrap()));
}

#[test]
fn a_load_that_ends_with_the_first_paint_paints_as_a_whole_one() {
    let page = page(700);
    let paint = Loads::default().first_paint(&page).unwrap();
    assert!(paint.is_some());
    assert_eq!(paint, reproduce(&page).unwrap().fcp);
}
