use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Chain, Cpu, Kind, Rendering, Summary, Task, Times, Trace, medians};

const URL: &str = "https://a.test/";

fn span(name: &str, ts: u64, dur: u64, args: &Value) -> Value {
    json!({"name": name, "ph": "X", "pid": 7, "tid": 7, "ts": ts, "dur": dur, "args": args})
}

fn navigation(url: &str, frame: &str, ts: u64) -> Value {
    json!({"name": "navigationStart", "ph": "R", "pid": 7, "tid": 7, "ts": ts, "args": {
        "frame": frame, "data": {"documentLoaderURL": url, "isLoadingMainFrame": true}}})
}

fn summary(events: &[Value]) -> Summary {
    let mut trace = Trace::default();
    trace.add(&navigation("", "F", 500));
    trace.add(&navigation(URL, "F", 1_000));
    trace.add(&navigation("data:image/svg+xml,x", "G", 2_000));
    for event in events {
        trace.add(event);
    }
    trace.finish(URL, "F")
}

#[test]
fn self_time_goes_to_the_innermost_url() {
    let html = json!({"beginData": {"url": URL}});
    let script = |url: &str| json!({"data": {"url": url}});
    let found = summary(&[
        // The events are out of order, as in real traces.
        span(
            "EvaluateScript",
            3_000,
            4_000,
            &script("https://a.test/s.js"),
        ),
        span("RunTask", 2_000, 10_000, &json!({})),
        span("ParseHTML", 2_500, 9_000, &html),
        span("Layout", 4_000, 1_000, &json!({})),
        span("FunctionCall", 5_000, 500, &script("https://b.test/t.js")),
    ]);
    assert_eq!(found.navigation_start, Some(0.001));
    let cpu = |url: &str| found.cpu.get(url).copied().unwrap_or_default();
    assert_eq!(
        cpu(URL),
        Cpu {
            parse: 5.0,
            ..Cpu::default()
        }
    );
    assert_eq!(
        cpu("https://a.test/s.js"),
        Cpu {
            script: 3.5,
            ..Cpu::default()
        }
    );
    assert_eq!(
        cpu("https://b.test/t.js"),
        Cpu {
            script: 0.5,
            ..Cpu::default()
        }
    );
    assert_eq!(found.tasks.len(), 1);
    let task = &found.tasks[0];
    assert_eq!((task.at_ms, task.duration_ms), (1.0, 10.0));
    let starts = [10.5, 11.5].map(|at| format!("{}", found.task_start(at)));
    assert_eq!(starts, ["1", "11.5"], "in the task and after it");
    assert_eq!((task.kind, task.url.as_deref()), (Kind::Parse, Some(URL)));
}

#[test]
fn what_runs_again_after_the_load_event_holds_nothing_up() {
    let script = json!({"data": {"url": "https://a.test/s.js"}});
    let loaded = json!({"name": "loadEventEnd", "ph": "R", "pid": 7, "tid": 7, "ts": 5_000,
        "args": {"frame": "F"}});
    let found = summary(&[
        span("FunctionCall", 3_000, 1_000, &script),
        loaded,
        span("FunctionCall", 6_000, 4_000, &script),
        span("EvaluateScript", 20_000, 2_000, &script),
    ]);
    let script = Cpu {
        script: 1.0 + 2.0,
        ..Cpu::default()
    };
    assert_eq!(found.cpu["https://a.test/s.js"], script);
}

#[test]
fn several_loads_have_a_median() {
    let load = |script: f64| -> BTreeMap<String, Cpu> {
        let cpu = Cpu {
            script,
            ..Cpu::default()
        };
        [("https://a.test/s.js".to_owned(), cpu)].into()
    };
    let loads = [load(50.0), load(90.0), load(40.0), [].into()];
    assert_eq!(medians(&loads.each_ref()), load(50.0));
}

#[test]
fn tasks_last_by_the_clock() {
    let mut busy = span("RunTask", 2_000, 50_000, &json!({}));
    busy["tdur"] = json!(3_000);
    let found = summary(&[busy, span("RunTask", 60_000, 999, &json!({}))]);
    let durations: Vec<f64> = found.tasks.iter().map(|t| t.duration_ms).collect();
    assert_eq!(durations, [50.0], "short tasks are left out");
}

#[test]
fn a_script_does_not_run_while_it_waits_for_a_synchronous_request() {
    let event = |name: &str, ts: u64, id: &str| {
        json!({"name": name, "ph": "I", "pid": 7, "tid": 7, "ts": ts,
            "args": {"data": {"requestId": id}}})
    };
    let script = json!({"data": {"url": "https://a.test/s.js"}});
    let found = summary(&[
        span("RunTask", 2_000, 90_000, &json!({})),
        span("EvaluateScript", 3_000, 80_000, &script),
        event("ResourceSendRequest", 4_000, "at once"),
        event("ResourceSendRequest", 30_000, "at once"),
        event("ResourceFinish", 64_000, "at once"),
        event("ResourceSendRequest", 70_000, "later"),
        // Its listener runs in another task.
        span("RunTask", 95_000, 3_000, &json!({})),
        event("ResourceFinish", 96_000, "later"),
    ]);
    assert_eq!(found.cpu["https://a.test/s.js"].script.to_string(), "20");
    let tasks = found.tasks.iter();
    let tasks = tasks.map(|t| (t.duration_ms, t.end_ms));
    assert_eq!(tasks.collect::<Vec<_>>(), [(30.0, 91.0), (3.0, 97.0)]);
}

#[test]
fn other_threads_and_earlier_pages_do_not_count() {
    let script = json!({"data": {"url": "https://a.test/s.js"}});
    let mut elsewhere = span("EvaluateScript", 3_000, 4_000, &script);
    elsewhere["tid"] = json!(8);
    let found = summary(&[elsewhere, span("EvaluateScript", 100, 800, &script)]);
    assert!(found.cpu.is_empty() && found.tasks.is_empty());
}

#[test]
fn decoding_is_found_through_the_pixels() {
    let paint = json!({"data": {"url": "https://a.test/i.png", "srcWidth": 40, "srcHeight": 30}});
    let on_raster = |name: &str, ts: u64, dur: u64| {
        let mut event = span(name, ts, dur, &json!({"LazyPixelRef": 5}));
        event["tid"] = json!(9);
        event
    };
    let drawn = json!({"name": "Draw LazyPixelRef", "ph": "I", "pid": 7, "tid": 7, "ts": 3_100,
        "args": {"LazyPixelRef": 5}});
    let found = summary(&[
        span("PaintImage", 3_000, 200, &paint),
        drawn,
        on_raster("Decode LazyPixelRef", 5_000, 1_500),
        on_raster("Decode LazyPixelRef", 9_000, 500),
    ]);
    assert_eq!(
        found.cpu["https://a.test/i.png"],
        Cpu {
            decode: 2.0,
            ..Cpu::default()
        }
    );
    assert_eq!(found.images["https://a.test/i.png"], (40.0, 30.0));
}

#[test]
fn nonsense_is_no_event() {
    let mut trace = Trace::default();
    for event in [
        json!(null),
        json!({"name": "RunTask"}),
        json!({"name": "RunTask", "pid": 1, "tid": 1, "ts": "x"}),
        json!({"name": "Layout", "ph": "X", "pid": 1, "tid": 1, "ts": 1, "args": 3}),
    ] {
        trace.add(&event);
    }
    let found = trace.finish(URL, "F");
    assert_eq!(found.navigation_start, None);
    assert!(found.cpu.is_empty());
}

#[test]
fn tasks_are_scaled_to_the_median_load() {
    let load = |script: f64| {
        let cpu = Cpu {
            script,
            ..Cpu::default()
        };
        let rendering = Rendering {
            presentation: Some(script / 4.0),
            ..Rendering::default()
        };
        Times {
            cpu: [("https://a.test/a.js".to_owned(), cpu)].into(),
            rendering,
        }
    };
    let task = |duration_ms| Task {
        at_ms: 5.0,
        duration_ms,
        end_ms: 40.0,
        kind: Kind::Script,
        url: None,
    };
    let mut summary = Summary {
        tasks: vec![task(30.0), task(12.0)],
        ..Summary::default()
    };
    // The first load was slower than the median by half.
    summary.take_medians(&load(60.0).cpu, &[load(60.0), load(40.0), load(20.0)]);
    assert_eq!(summary.cpu, load(40.0).cpu);
    assert_eq!(summary.rendering, load(40.0).rendering);
    assert_eq!(summary.tasks, [task(20.0), task(8.0)]);
    summary.take_medians(&load(0.0).cpu, &[load(0.0), load(0.0)]);
    assert_eq!(summary.tasks, [task(20.0), task(8.0)], "nothing to compare");
}

#[test]
fn the_first_layout_that_a_script_forces_counts_for_frames() {
    let script = |url: &str| json!({"data": {"url": url}});
    let layout = |dirty: u32, all: u32| json!({"beginData": {"frame": "F", "dirtyObjects": dirty, "totalObjects": all}});
    let stage = |name: &str, ph: &str, ts: u64| {
        json!({"name": name, "ph": ph, "pid": 7, "tid": 1, "ts": ts, "id2": {"local": "a"},
            "args": {"frame_reporter": {"state": "STATE_PRESENTED_ALL"}}})
    };
    let (first, later) = ("https://a.test/first.js", "https://a.test/later.js");
    let found = summary(&[
        span("RunTask", 2_000, 8_000, &json!({})),
        span("EvaluateScript", 2_500, 6_000, &script(first)),
        span("UpdateLayoutTree", 3_000, 500, &layout(0, 0)),
        span("Layout", 4_000, 2_000, &layout(10, 10)),
        // The layout is done before the frame.
        stage("PipelineReporter", "b", 13_000),
        stage("Commit", "e", 14_000),
        stage(
            "SubmitCompositorFrameToPresentationCompositorFrame",
            "e",
            20_000,
        ),
        json!({"name": "firstContentfulPaint", "ph": "R", "pid": 7, "tid": 7, "ts": 20_000,
            "args": {"frame": "F"}}),
        // A layout after the first contentful paint counts for its script.
        span("RunTask", 30_000, 4_000, &json!({})),
        span("EvaluateScript", 30_500, 3_000, &script(later)),
        span("Layout", 31_000, 1_000, &layout(5, 15)),
    ]);
    let script_ms = |url: &str| found.cpu.get(url).map(|cpu| cpu.script);
    assert_eq!(script_ms(first), Some(3.5));
    assert_eq!(script_ms(later), Some(3.0));
    assert_eq!(found.rendering.first, Some(2.5));
    assert_eq!(found.tasks[0].duration_ms.to_bits(), 5.5_f64.to_bits());
}

#[test]
fn a_chain_of_timers_counts_from_its_first_one_and_adds_up_their_timeouts() {
    let event = |name: &str, ts: u64, data: Value| json!({"name": name, "ph": "I", "pid": 7, "tid": 7, "ts": ts, "args": {"data": data}});
    let sent = |ts, id: &str| event("ResourceSendRequest", ts, json!({"requestId": id}));
    let timer = |id: i64| json!({"timerId": id, "frame": "F", "timeout": 4 * id});
    let fire = |ts, dur, id| span("TimerFire", ts, dur, &json!({"data": timer(id)}));
    let idle = json!({"id": 1, "frame": "F", "timeout": 900});
    let found = summary(&[
        event("TimerInstall", 3_000, timer(1)),
        sent(3_500, "at once"),
        fire(9_000, 1_000, 1),
        event("TimerInstall", 9_500, timer(2)),
        sent(9_600, "one"),
        fire(20_000, 1_000, 2),
        sent(20_500, "two"),
        // Another frame has numbers of its own.
        event("TimerInstall", 20_600, json!({"timerId": 3, "frame": "G"})),
        fire(30_000, 1_000, 3),
        sent(30_500, "unknown"),
        event("RequestIdleCallback", 31_500, idle.clone()),
        span("FireIdleCallback", 40_000, 500, &json!({"data": idle})),
        sent(40_100, "idle"),
        event(
            "TimerInstall",
            41_000,
            json!({"timerId": 7, "frame": "F", "timeout": 4, "singleShot": false}),
        ),
        fire(45_000, 100, 7),
        fire(49_000, 100, 7),
        sent(49_050, "interval"),
    ]);
    let expected = [
        ("idle", 30.5, None),
        ("interval", 40.0, None),
        ("one", 2.0, Some(4.0)),
        ("two", 2.0, Some(12.0)),
    ];
    let expected =
        expected.map(|(id, set_ms, timeout_ms)| (id.to_owned(), Chain { set_ms, timeout_ms }));
    assert_eq!(found.timers, expected.into());
}

#[test]
fn a_request_follows_the_script_that_ran_before_it_in_its_task() {
    let send = |id: &str, ts: u64| {
        json!({"name": "ResourceSendRequest", "ph": "I", "pid": 7, "tid": 7, "ts": ts,
            "args": {"data": {"requestId": id}}})
    };
    let script = |name: &str| json!({"data": {"url": format!("https://a.test/{name}")}});
    let event = |kind: &str| json!({"data": {"type": kind}});
    let task = |ts: u64| span("RunTask", ts, 900, &json!({}));
    let found = summary(&[
        // A loader hears in the load event of a module what the module needs.
        task(2_000),
        span("EvaluateScript", 2_100, 200, &script("module.js")),
        span("EventDispatch", 2_350, 400, &event("load")),
        send("module", 2_500),
        // Data call in a task of their own, and a script runs inside their call.
        task(3_000),
        span("XHRLoad", 3_100, 500, &script("data.json")),
        send("data", 3_300),
        span("EvaluateScript", 3_350, 50, &script("made.js")),
        send("made", 3_450),
        send("after data", 3_700),
        // A timer and an event of the document have causes of their own.
        task(4_000),
        span("TimerFire", 4_100, 300, &json!({})),
        send("timer", 4_200),
        task(5_000),
        span("EvaluateScript", 5_100, 100, &script("last.js")),
        span("EventDispatch", 5_300, 300, &event("DOMContentLoaded")),
        send("event", 5_400),
        // A request outside of tasks, and one of a task without a script.
        send("between", 5_950),
        task(6_000),
        send("alone", 6_100),
    ]);
    let caller = |id: &str| {
        let caller = found.callers.get(id)?;
        Some((
            caller.url.trim_start_matches("https://a.test/"),
            caller.ms.0,
        ))
    };
    assert_eq!(caller("module"), Some(("module.js", 0.2)));
    assert_eq!(caller("data"), Some(("data.json", 0.2)));
    assert_eq!(caller("made"), Some(("made.js", 0.05)));
    assert_eq!(caller("after data"), Some(("made.js", 0.3)));
    for unknown in ["timer", "event", "between", "alone"] {
        assert_eq!(caller(unknown), None, "{unknown}");
    }
}
