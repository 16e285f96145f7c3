use pagerace_har::{ImportOptions, from_bytes};
use serde_json::{Value, json};

use super::super::own_load;
use super::*;
use crate::run;

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

#[test]
fn the_largest_slowdown_that_does_not_contradict_the_recording_is_found() {
    let limited = |from: f64| limit(|slowdown| Ok(slowdown > from), 6.0).unwrap();
    assert_eq!(limited(6.0), Some(6.0));
    let most = limited(3.0).unwrap();
    assert!((2.8..=3.0).contains(&most), "{most}");
    assert_eq!(limited(1.0), None);
}

/// Returns a page with a script at the end of the document, which loads an image.
fn page() -> Page {
    let entry = |path: &str, mime: &str, bytes: u32, text: &str, initiator: Value| -> Value {
        json!({
            // Times that are all equal tell nothing.
            "startedDateTime": format!("2026-01-01T00:00:00.00{}Z", path.len()),
            "time": 41,
            "timings": {"wait": 40, "receive": 1},
            "request": {"url": format!("https://a.test{path}")},
            "response": {"status": 200, "httpVersion": "h2",
                "content": {"mimeType": mime, "size": bytes, "text": text}},
            "_initiator": initiator,
        })
    };
    let html = format!("{}<script src=a.js></script>", "<p>text</p>".repeat(3_000));
    let parser = json!({"type": "parser", "url": "https://a.test/"});
    let script = json!({"type": "script", "url": "https://a.test/a.js"});
    let entries = [
        entry("/", "text/html", html.len() as u32, &html, parser.clone()),
        entry("/a.js", "text/javascript", 300_000, "", parser),
        entry("/b.png", "image/png", 30_000, "", script),
    ];
    let pages = [json!({"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z"})];
    let har = json!({"log": {"pages": pages, "entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

/// Returns a load of the page on a processor that is slower by a factor.
fn load(slowdown: f64) -> Outcome {
    let mut page = page();
    page.recorded.slowdown = Some(slowdown);
    run(&own_load(&page), 1, false).unwrap()
}

/// Returns the page with the times of its requests in a load, and the event's of another.
fn recorded(requests: &Outcome, event: &Outcome) -> Page {
    let mut page = page();
    for (resource, timing) in page.resources.iter_mut().zip(&requests.resources) {
        let timing = timing.as_ref().unwrap();
        let times = resource.recorded.as_mut().unwrap();
        times.start = timing.discovered.since_start();
        times.end = timing.response_end().since_start();
        times.exchange.as_mut().unwrap().receive = timing.receive;
    }
    page.recorded.on_content_load = event.load.dom_content_loaded;
    page
}

/// Returns the slow-down that is fitted to a page.
fn fitted(mut page: Page) -> Option<f64> {
    fit(&mut page, &mut Loads::default()).unwrap();
    page.recorded.slowdown
}

#[test]
fn a_slow_processor_is_found_by_its_dom_content_loaded() {
    let (fast, slow) = (load(1.0), load(6.0));
    let page = recorded(&slow, &slow);
    let slowdown = fitted(page.clone()).unwrap();
    assert!((5.0..6.1).contains(&slowdown), "{slowdown}");
    let painted = |first_paint| {
        let mut page = page.clone();
        page.recorded.first_paint = first_paint;
        fitted(page)
    };
    assert_eq!(painted(load(7.0).load.fcp), Some(slowdown));
    // A paint that came early shows that something else took the time.
    assert!(painted(fast.load.fcp).is_none_or(|slowdown| slowdown < 1.1));
}

#[test]
fn a_load_event_or_requests_on_time_show_that_the_processor_is_fast() {
    let (fast, slow) = (load(1.0), load(6.0));
    let mut page = recorded(&slow, &slow);
    page.recorded.on_load = slow.load.onload;
    assert!(fitted(page.clone()).is_some_and(|slowdown| slowdown > 5.0));
    page.recorded.on_load = fast.load.onload;
    // 30 ms may be the network's.
    let latest = fast.load.onload.unwrap() + Duration::from_millis(30);
    let found = fitted(page);
    assert!(
        found.is_none_or(|slowdown| load(slowdown).load.onload.unwrap() <= latest),
        "{found:?}"
    );
    let asked = |load: &Outcome| load.resources[2].as_ref().unwrap().discovered;
    let latest = asked(&fast) + Duration::from_millis(30);
    let found = fitted(recorded(&fast, &slow));
    assert!(
        found.is_none_or(|slowdown| asked(&load(slowdown)) <= latest),
        "{found:?}"
    );
}

#[test]
fn time_before_the_first_byte_is_not_the_processors() {
    let plain = load(1.0);
    let mut page = recorded(&plain, &plain);
    let lookup = Duration::from_millis(400);
    for times in page
        .resources
        .iter_mut()
        .filter_map(|r| r.recorded.as_mut())
    {
        times.start += lookup;
        times.end += lookup;
    }
    page.recorded.on_content_load = page.recorded.on_content_load.map(|at| at + lookup);
    assert_eq!(fitted(page), None);
}

#[test]
fn a_late_paint_does_not_make_the_processor_faster() {
    let plain = load(1.0);
    let mut page = recorded(&plain, &plain);
    page.recorded.first_paint = load(0.3).load.fcp;
    assert_eq!(fitted(page), None);
}

#[test]
fn a_known_slowdown_and_a_recording_without_a_network_stay() {
    let slow = load(8.0);
    let mut known = recorded(&slow, &slow);
    known.recorded.slowdown = Some(4.0);
    assert_eq!(fitted(known), Some(4.0));
    let mut synthetic = recorded(&slow, &slow);
    for resource in &mut synthetic.resources {
        resource.recorded = None;
    }
    assert_eq!(fitted(synthetic), None);
}
