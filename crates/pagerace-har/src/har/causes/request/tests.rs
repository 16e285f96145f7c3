use pagerace_core::Duration;
use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};
use pagerace_page::{Page, ResourceId, Trigger, Wait};

/// An entry requested `start` ms after the navigation by the scripts `stack`, and
/// complete after another `time` ms.
fn entry(path: &str, mime: &str, start: u32, time: u32, stack: &[&str]) -> Value {
    let frames: Vec<Value> = stack.iter().map(|url| json!({"url": url})).collect();
    json!({
        "startedDateTime": format!("2026-01-01T00:00:{:02}.{:03}Z", start / 1000, start % 1000),
        "time": time,
        "timings": {"wait": time, "receive": 0},
        "request": {"url": format!("https://a.test{path}")},
        "response": {"status": 200, "content": {"mimeType": mime, "size": 1000}},
        "_initiator": {"type": "script", "stack": {"callFrames": frames}},
    })
}

const APP: &str = "https://a.test/app.js";
const OTHER: &str = "https://a.test/other.js";

/// Imports a document, two scripts that are complete after 300 ms, and `more`; `own` is
/// the additional data of our own recorder.
fn loaded(timings: &Value, own: &Value, more: &[Value]) -> Page {
    let mut entries = vec![
        entry("/", "text/html", 0, 200, &[]),
        entry("/app.js", "text/javascript", 200, 100, &[]),
        entry("/other.js", "text/javascript", 200, 100, &[]),
    ];
    for entry in &mut entries {
        entry["_initiator"] = json!({"type": "other"});
    }
    entries.extend_from_slice(more);
    let page = json!({"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z",
        "pageTimings": timings, "_pagerace": own});
    let har = json!({"log": {"pages": [page], "entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

/// Imports a page with `DOMContentLoaded` after 500 ms and the load event after 2 s.
fn import(more: &[Value]) -> Page {
    let timings = json!({"onContentLoad": 500, "onLoad": 2000});
    loaded(&timings, &Value::Null, more)
}

/// Returns the event that the last resource waits for, and its delay in milliseconds.
fn last(page: &Page) -> (Option<Wait>, u64) {
    let discovery = page.resources.last().unwrap().discovery;
    let Trigger::Script { delay, .. } = discovery.trigger else {
        panic!("{:?}", discovery.trigger);
    };
    (
        discovery.wait,
        delay.as_nanos() / Duration::from_millis(1).as_nanos(),
    )
}

#[test]
fn what_a_script_asks_for_at_once_waits_for_nothing() {
    let page = import(&[entry("/x", "application/json", 350, 50, &[APP])]);
    assert_eq!(last(&page), (None, 50));
}

#[test]
fn a_callback_waits_for_the_data_that_its_script_had_asked_for() {
    let page = import(&[
        entry("/data", "application/json", 310, 900, &[APP]),
        entry("/noise", "application/json", 310, 910, &[OTHER]),
        entry("/x", "application/json", 1230, 50, &[APP]),
    ]);
    let data = Wait::Resource { id: ResourceId(3) };
    assert_eq!(
        last(&page),
        (Some(data), 20),
        "not for what others asked for"
    );
}

#[test]
fn events_call_back_at_once() {
    let page = import(&[
        entry("/data", "application/json", 310, 180, &[APP]),
        entry("/x", "application/json", 510, 50, &[APP]),
    ]);
    assert_eq!(last(&page), (Some(Wait::ContentLoaded), 10));
    let page = import(&[entry("/x.png", "image/png", 2004, 10, &[APP])]);
    assert_eq!(last(&page), (Some(Wait::Loaded), 4));
    assert!(!page.resources[3].blocks_load, "begun after the event");
}

#[test]
fn a_timer_keeps_its_delay() {
    let page = import(&[
        entry("/data", "application/json", 310, 300, &[APP]),
        entry("/x", "application/json", 1300, 50, &[APP]),
    ]);
    assert_eq!(last(&page), (None, 1000));
}

/// Imports a page recorded by our own recorder, in which `/app.js` ran from 300 to 310
/// ms.
fn import_own(more: &[Value]) -> Page {
    let tasks = [
        task(300, 310, Some(APP)),
        task(330, 340, None),
        task(350, 360, None),
    ];
    import_tasks(&tasks, more)
}

/// Imports a page recorded by our own recorder with these tasks.
fn import_tasks(tasks: &[Value], more: &[Value]) -> Page {
    let timings = json!({"onContentLoad": 352, "onLoad": 2000});
    loaded(&timings, &json!({"version": 1, "mainThread": tasks}), more)
}

/// Returns what a request at `start` waits for, if `/app.js` had asked for data that were complete
/// after `time` ms; and the data.
fn after_data(time: u32, start: u32) -> (Option<Wait>, Wait) {
    let data = entry("/data", "application/json", 305, time, &[APP]);
    let x = entry("/x", "application/json", start, 5, &[APP]);
    let wait = last(&import_own(&[data, x])).0;
    (wait, Wait::Resource { id: ResourceId(3) })
}

#[test]
fn recorded_tasks_tell_what_is_a_callback() {
    let at = |start| after_data(15, start).0;
    let (wait, data) = after_data(15, 335);
    assert_eq!(at(308), None, "its own task");
    assert_eq!(wait, Some(data), "the task after the data");
    assert_eq!(at(356), Some(Wait::ContentLoaded), "the event's task");
    assert_eq!(at(900), None, "a timer");
}

/// Both happened before: the data at 340 ms, `DOMContentLoaded` at 352.
#[test]
fn the_data_that_a_script_had_asked_for_rather_than_a_listener_calls_it_later() {
    let (heard, _) = after_data(35, 354);
    assert_eq!(heard, Some(Wait::ContentLoaded), "in the event's task");
    let (wait, data) = after_data(35, 370);
    assert_eq!(wait, Some(data));
    let x = entry("/x", "application/json", 370, 5, &[APP]);
    let other = last(&import_own(&[x])).0;
    assert_eq!(other, Some(Wait::ContentLoaded), "there is no data");
}

#[test]
fn what_a_timer_does_waits_for_the_event_that_set_it() {
    let asked = |set: Option<f64>| {
        let mut timed = entry("/x", "application/json", 2810, 5, &[APP]);
        timed["_pagerace"] = json!({"timerSetMs": set});
        last(&import_own(&[timed]))
    };
    assert_eq!(asked(Some(2004.0)), (Some(Wait::Loaded), 810));
    assert_eq!(
        asked(Some(305.0)),
        (None, 2500),
        "set by the script's own run"
    );
    assert_eq!(asked(None), (None, 2500), "nobody knows when");
}

#[test]
fn what_happens_while_a_short_timer_waits_for_the_thread_did_not_cause_its_request() {
    let asked = |at: u32, set: u32, timeout: Option<f64>| {
        let mut timed = entry("/x", "application/json", at, 5, &[APP]);
        timed["_pagerace"] = json!({"timerSetMs": set, "timeoutMs": timeout});
        last(&import_own(&[timed]))
    };
    // The script ends at 310 ms.
    assert_eq!(asked(354, 310, Some(4.0)), (None, 4));
    assert_eq!(
        asked(354, 310, Some(0.0)),
        (None, 1),
        "other tasks may come first"
    );
    assert_eq!(
        asked(900, 700, Some(4.0)),
        (None, 394),
        "set by something unknown"
    );
    let listener = Some(Wait::ContentLoaded);
    assert_eq!(
        asked(354, 310, None).0,
        listener,
        "nobody knows for how long"
    );
    assert_eq!(asked(354, 310, Some(60.0)).0, listener, "it may poll");
}

#[test]
fn what_comes_while_a_task_runs_did_not_begin_it() {
    let page = import_own(&[
        entry("/first", "application/json", 352, 2, &[APP]),
        entry("/second", "application/json", 358, 5, &[APP]),
    ]);
    assert_eq!(last(&page).0, Some(Wait::ContentLoaded));
}

fn task(from: u32, to: u32, url: Option<&str>) -> Value {
    json!({"ms": from, "durationMs": to - from, "kind": "script", "url": url})
}

#[test]
fn a_busy_main_thread_delays_callbacks() {
    let data = |time| entry("/data", "application/json", 305, time, &[APP]);
    let x = |start| entry("/x", "application/json", start, 5, &[APP]);
    let wait = Some(Wait::Resource { id: ResourceId(3) });
    // The data arrive at 320 ms, and their callback begins at 500.
    let busy = [
        task(300, 310, Some(APP)),
        task(330, 500, None),
        task(500, 510, None),
    ];
    let page = import_tasks(&busy, &[data(15), x(505)]);
    assert_eq!(last(&page), (wait, 15), "without the task before it");
    let idle = [busy[0].clone(), busy[2].clone()];
    let page = import_tasks(&idle, &[data(15), x(505)]);
    assert_eq!(last(&page), (None, 195), "a timer");
    // The data arrive while their script's task still goes on.
    let long = [task(300, 330, Some(APP)), task(340, 350, None)];
    let page = import_tasks(&long, &[data(15), x(345)]);
    assert_eq!(last(&page), (wait, 15));
    let mut synchronous = data(15);
    synchronous["_resourceType"] = json!("xhr");
    synchronous["_priority"] = json!("VeryHigh");
    let page = import_tasks(&long, &[synchronous, x(345)]);
    assert_eq!(last(&page), (None, 15), "its task waited for it");
    // Another task goes on when the script's would have ended.
    let other = [task(290, 330, None), task(340, 350, None)];
    let earlier = entry("/data", "application/json", 280, 15, &[APP]);
    assert_eq!(last(&import_tasks(&other, &[earlier, x(345)])).0, None);
    // The callback sets a timer of 20 ms.
    let mut timed = x(525);
    timed["_pagerace"] = json!({"timerSetMs": 505, "timeoutMs": 60});
    let page = import_tasks(&busy, &[data(15), timed]);
    assert_eq!(last(&page), (wait, 35));
}

#[test]
fn a_busy_main_thread_delays_the_run_of_a_script() {
    let after = |tasks: &[Value]| {
        let x = entry("/x", "application/json", 723, 5, &[APP]);
        last(&import_tasks(tasks, &[x])).1
    };
    let run = task(700, 720, Some(APP));
    assert_eq!(after(&[task(310, 700, None), run.clone()]), 3);
    assert_eq!(after(&[run]), 423, "a callback, long after the script");
}

#[test]
fn a_script_goes_on_after_its_synchronous_request() {
    let sync = |path: &str, start, time| {
        let mut entry = entry(path, "application/json", start, time, &[APP]);
        entry["_resourceType"] = json!("xhr");
        entry["_priority"] = json!("VeryHigh");
        entry
    };
    let first = Wait::Resource { id: ResourceId(3) };
    let next = || entry("/x", "application/json", 340, 5, &[APP]);
    let page = import(&[sync("/data", 310, 20), next()]);
    assert_eq!(last(&page), (Some(first), 10));
    let data = entry("/data", "application/json", 310, 20, &[APP]);
    assert_eq!(last(&import(&[data, next()])), (None, 40), "asynchronous");
    // A task lasts as long as its script waits.
    let task = json!({"ms": 300, "durationMs": 10, "wallMs": 200, "kind": "script", "url": APP});
    let next = entry("/x", "application/json", 490, 5, &[APP]);
    let page = import_tasks(&[task], &[sync("/data", 305, 180), next]);
    assert_eq!(last(&page), (Some(first), 5));
    // Where tasks are recorded, the gap between the requests of one task may be longer.
    let page = import_own(&[sync("/data", 352, 2), sync("/next", 480, 2)]);
    assert_eq!(last(&page), (Some(first), 126));
    let page = import_own(&[
        sync("/data", 305, 5),
        entry("/x", "image/png", 900, 5, &[APP]),
    ]);
    assert_eq!(last(&page).0, None, "a timer, after other tasks");
}

#[test]
fn a_recorded_caller_is_the_cause() {
    let by = |mut entry: Value, caller: &str, ms: f64| {
        entry["_pagerace"] =
            json!({"caller": {"url": format!("https://a.test{caller}"), "ms": ms}});
        entry
    };
    // A loader asks for modules. The times point to the one that arrived last.
    let module = |path: &str, start, time| entry(path, "text/javascript", start, time, &[APP]);
    let modules = [module("/one.js", 305, 20), module("/two.js", 305, 120)];
    let x = || module("/x.js", 440, 5);
    let after = |more: Value| {
        let page = import_own(&[modules.as_slice(), &[more]].concat());
        let found = page.resources.last().unwrap().discovery;
        let Trigger::Script { parent, delay } = found.trigger else {
            panic!("a script's request");
        };
        let cpu_time = page.resources[parent.index()].cpu_time;
        ((parent.0, delay, found.wait), cpu_time)
    };
    let ms = Duration::from_millis_f64;
    assert_eq!(after(x()).0.0, 4, "a guess");
    // The task goes on until the request, so that no event comes in between.
    let called = after(by(x(), "/one.js", 0.5));
    assert_eq!(called, ((3, Duration::ZERO, None), Some(ms(0.5))));
    // Data call a function of the script that asked for them.
    let mut data = entry("/data", "application/json", 310, 15, &[APP]);
    data["_resourceType"] = json!("xhr");
    let page = import_own(&[data, by(x(), "/data", 0.25)]);
    let found = page.resources.last().unwrap().discovery;
    let trigger = Trigger::Script {
        parent: ResourceId(1),
        delay: ms(0.25),
    };
    let wait = Some(Wait::Resource { id: ResourceId(3) });
    assert_eq!((found.trigger, found.wait), (trigger, wait));
}
