use pagerace_core::Duration;
use pagerace_page::{Callback, ResourceId, Wait};
use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};

fn entry(path: &str, kind: &str, time: u32, mode: &str) -> Value {
    json!({
        "startedDateTime": "2026-11-22T00:00:00.000Z",
        "time": time,
        "timings": {"wait": time, "receive": 0},
        "_resourceType": kind,
        "request": {"method": "GET", "url": format!("https://a.test/{path}")},
        "response": {"status": 200, "bodySize": 100, "content": {"size": 100}},
        "_pagerace": {"scriptMode": mode, "cpu": {"scriptMs": 40}},
    })
}

/// Imports a page that is parsed at 100 ms and loaded at 200 ms, with data at 400 ms.
/// Returns its callbacks and the cost of its script.
fn import(tasks: &[(f64, f64, &str, &str)]) -> (Vec<Callback>, Option<Duration>) {
    let task = |(ms, duration, kind, url): &(f64, f64, &str, &str)| {
        json!({"ms": ms, "durationMs": duration, "kind": kind,
            "url": format!("https://a.test/{url}")})
    };
    let tasks: Vec<Value> = tasks.iter().map(task).collect();
    let har = json!({"log": {
        "pages": [{
            "startedDateTime": "2026-11-22T00:00:00.000Z",
            "pageTimings": {"onContentLoad": 100, "onLoad": 200},
            "_pagerace": {"version": 1, "mainThread": tasks,
                "device": {"width": 100, "height": 100},
                "layout": {"viewport": [100, 100], "elements": []}},
        }],
        "entries": [
            entry("", "document", 20, ""),
            entry("a.js", "script", 40, "blocking"),
            entry("data", "fetch", 400, ""),
        ],
    }});
    let page = from_bytes(
        "x.page",
        har.to_string().as_bytes(),
        &ImportOptions::default(),
    );
    let page = page.expect("a page");
    let callbacks = page.layout().cloned().expect("a layout").callbacks;
    (callbacks, page.resources[1].cpu_time)
}

fn callback(after: Wait, delay: u64, cost: u64) -> Callback {
    let [delay, cost] = [delay, cost].map(Duration::from_millis);
    Callback { after, delay, cost }
}

#[test]
fn a_task_in_which_parsing_ends_belongs_to_that_event() {
    let (callbacks, _) = import(&[
        (41.0, 30.0, "script", "a.js"),
        (92.0, 60.0, "script", "a.js"),
    ]);
    assert_eq!(callbacks, [callback(Wait::ContentLoaded, 0, 60)]);
}

/// Milliseconds since 1970 are exact to a quarter of a microsecond only.
#[test]
fn the_first_run_of_a_script_is_no_callback_whenever_it_begins() {
    for micros in 41_000..41_100 {
        let run = (f64::from(micros) / 1e3, 30.0, "script", "a.js");
        let (callbacks, cost) = import(&[run]);
        assert_eq!((callbacks, cost), (vec![], Some(Duration::from_millis(30))));
    }
}

#[test]
fn tasks_belong_to_the_event_that_they_follow() {
    let data = Wait::Resource { id: ResourceId(2) };
    let (callbacks, script) = import(&[
        (5.0, 10.0, "other", ""),
        (21.0, 5.0, "parse", ""),
        (41.0, 30.0, "script", "a.js"),
        (80.0, 5.0, "layout", ""),
        // Handlers of both events; the second waits for the first.
        (101.0, 20.0, "script", "a.js"),
        (121.0, 7.0, "script", "a.js"),
        (201.0, 9.0, "script", "a.js"),
        // A timer, and a handler of data.
        (300.0, 4.0, "script", "a.js"),
        (405.0, 6.0, "script", "a.js"),
        (2500.0, 6.0, "script", "a.js"),
    ]);
    let expected = [
        callback(Wait::ContentLoaded, 0, 20),
        callback(Wait::ContentLoaded, 0, 7),
        callback(Wait::Loaded, 0, 9),
        // 100 ms after the event, 9 of which were busy.
        callback(Wait::Loaded, 91, 4),
        callback(data, 0, 6),
    ];
    assert_eq!(callbacks, expected);
    assert_eq!(
        script,
        Some(Duration::from_millis(30)),
        "its first run only"
    );
}

#[test]
fn a_blocking_script_whose_first_task_is_late_has_run_before() {
    let (callbacks, script) = import(&[(21.0, 5.0, "parse", ""), (100.0, 36.0, "script", "a.js")]);
    assert_eq!(callbacks, [callback(Wait::ContentLoaded, 0, 36)]);
    assert_eq!(
        script,
        Some(Duration::from_millis(4)),
        "what the handler has left"
    );
}
