use pagerace_core::{Duration, ScriptMode};
use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};
use pagerace_page::{Evidence, Page, ResourceId, Trigger, Wait};

/// An entry requested `start` ms after the navigation and complete after another `time`
/// ms.
fn entry(path: &str, mime: &str, start: u32, time: u32) -> Value {
    json!({
        "startedDateTime": format!("2026-01-01T00:00:{:02}.{:03}Z", start / 1000, start % 1000),
        "time": time,
        "timings": {"wait": time, "receive": 0},
        "request": {"url": format!("https://a.test{path}")},
        "response": {"status": 200, "content": {"mimeType": mime, "size": 1000},
            "headers": [{"name": "Content-Length", "value": "1000"}]},
    })
}

fn with(mut value: Value, fields: impl Into<Value>) -> Value {
    let (Value::Object(object), Value::Object(fields)) = (&mut value, fields.into()) else {
        panic!("two objects");
    };
    object.extend(fields);
    value
}

fn import(entries: &[Value]) -> Page {
    let har = json!({"log": {"entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

fn by_parser(url: &str, line: u32, column: u32) -> Value {
    json!({"_initiator": {"type": "parser", "url": url, "lineNumber": line, "columnNumber": column}})
}

fn by_stack(urls: &[&str]) -> Value {
    let frames: Vec<Value> = urls.iter().map(|url| json!({"url": url})).collect();
    json!({"_initiator": {"type": "script", "stack": {"callFrames": frames}}})
}

const DOCUMENT: &str = "https://a.test/";

fn document(receive: u32) -> Value {
    let mut document = entry("/", "text/html", 0, 100 + receive);
    document["timings"] = json!({"wait": 100, "receive": receive});
    document
}

#[test]
fn a_column_of_a_document_of_one_line_is_a_position() {
    let page = import(&[
        document(10),
        with(
            entry("/a.css", "text/css", 110, 20),
            by_parser(DOCUMENT, 0, 250),
        ),
    ]);
    let expected = Trigger::Markup {
        parent: ResourceId(0),
        offset: 250,
    };
    assert_eq!(page.resources[1].discovery.trigger, expected);
    assert_eq!(page.resources[1].discovery.evidence, Evidence::Recorded);
}

#[test]
fn lines_are_shares_and_never_beyond_what_had_arrived() {
    // The document arrives from 100 ms to 200 ms.
    let page = import(&[
        document(100),
        with(
            entry("/a.css", "text/css", 120, 20),
            by_parser(DOCUMENT, 2, 0),
        ),
        with(
            entry("/c.png", "image/png", 130, 20),
            by_parser(DOCUMENT, 8, 0),
        ),
        with(
            entry("/b.png", "image/png", 190, 20),
            by_parser(DOCUMENT, 5, 0),
        ),
        with(
            entry("/d.js", "text/javascript", 205, 20),
            by_parser(DOCUMENT, 9, 0),
        ),
    ]);
    let offsets: Vec<u64> = page.resources[1..]
        .iter()
        .map(|r| match r.discovery.trigger {
            Trigger::Markup { offset, .. } => offset,
            other => panic!("{other:?}"),
        })
        .collect();
    // 2/10 of 1000 bytes; 8/10, but only 30 % had arrived at 130 ms; 5/10, but limited to
    // 30 % by the later line that was requested at 130 ms; 9/10.
    assert_eq!(offsets, [200, 300, 300, 900]);
    assert!(
        page.resources[1..]
            .iter()
            .all(|r| r.discovery.evidence == Evidence::RecordedParent)
    );
}

#[test]
fn a_recorded_body_gives_exact_positions_scripts_modes_and_parents() {
    let html = "<head><link rel=stylesheet href=/a.css>\n<script defer src=/d.js></script>\n\
        <script src=/b.js></script></head>\n<body><img src=/i.png></body>";
    let mut document = document(10);
    document["response"]["content"]["text"] = json!(html);
    let page = import(&[
        document,
        with(
            entry("/a.css", "text/css", 110, 20),
            by_parser(DOCUMENT, 0, 6),
        ),
        entry("/d.js", "text/javascript", 110, 20),
        entry("/b.js", "text/javascript", 110, 20),
        entry("/i.png", "image/png", 110, 20),
    ]);
    let at = |tag: &str| {
        let end = html.find(tag).unwrap() + tag.len();
        let encoded = (end as f64 / html.len() as f64 * 1000.0).ceil() as u64;
        Trigger::Markup {
            parent: ResourceId(0),
            offset: encoded,
        }
    };
    let triggers: Vec<Trigger> = page.resources.iter().map(|r| r.discovery.trigger).collect();
    assert_eq!(triggers[1], at("<link rel=stylesheet href=/a.css>"));
    assert_eq!(triggers[2], at("<script defer src=/d.js>"));
    assert_eq!(triggers[4], at("<img src=/i.png>"));
    assert_eq!(page.resources[1].discovery.evidence, Evidence::Recorded);
    assert_eq!(page.resources[4].discovery.evidence, Evidence::Body);
    assert_eq!(page.resources[2].script_mode, ScriptMode::Defer);
    assert_eq!(page.resources[3].script_mode, ScriptMode::Blocking);
    let blocking: Vec<bool> = page.resources.iter().map(|r| r.render_blocking).collect();
    assert_eq!(blocking, [true, true, false, true, false]);
}

#[test]
fn of_a_stack_the_script_that_was_complete_last_decides() {
    let (lib, app) = ("https://a.test/lib.js", "https://a.test/app.js");
    let page = import(&[
        document(10),
        with(
            entry("/lib.js", "text/javascript", 110, 20),
            by_parser(DOCUMENT, 0, 5),
        ),
        with(
            entry("/app.js", "text/javascript", 110, 50),
            by_parser(DOCUMENT, 0, 9),
        ),
        with(
            entry("/x.json", "application/json", 200, 20),
            by_stack(&[lib, app, DOCUMENT]),
        ),
    ]);
    let expected = Trigger::Script {
        parent: ResourceId(2),
        delay: Duration::from_millis(40),
    };
    assert_eq!(page.resources[3].discovery.trigger, expected);
}

#[test]
fn a_delay_leaves_out_what_a_deferred_script_waited_for() {
    let defer = json!({"_initialPriority": "Low"});
    let page = import(&[
        document(300),
        with(
            with(
                entry("/app.js", "text/javascript", 110, 50),
                by_parser(DOCUMENT, 0, 9),
            ),
            defer,
        ),
        with(
            entry("/x.json", "application/json", 420, 20),
            by_stack(&["https://a.test/app.js"]),
        ),
    ]);
    assert_eq!(page.resources[1].script_mode, ScriptMode::Defer);
    // The document was complete after 400 ms.
    let expected = Trigger::Script {
        parent: ResourceId(1),
        delay: Duration::from_millis(20),
    };
    assert_eq!(page.resources[2].discovery.trigger, expected);
}

#[test]
fn an_inline_script_waits_for_the_blocking_sheet_before_it() {
    let page = import(&[
        document(10),
        with(
            entry("/a.css", "text/css", 110, 90),
            by_parser(DOCUMENT, 0, 5),
        ),
        with(
            entry("/x.js", "text/javascript", 230, 20),
            by_stack(&[DOCUMENT]),
        ),
    ]);
    let expected = Trigger::After {
        parent: ResourceId(1),
        delay: Duration::from_millis(30),
    };
    assert_eq!(page.resources[2].discovery.trigger, expected);
    assert_eq!(page.resources[2].script_mode, ScriptMode::Inserted);
}

#[test]
fn an_inline_script_does_not_wait_for_what_is_below_it() {
    let at = |mut value: Value, offset: u32| {
        value["_pagerace"] = json!({"initiatorOffset": offset, "scriptMode": "blocking"});
        value
    };
    let sheet = with(
        entry("/a.css", "text/css", 110, 90),
        by_parser(DOCUMENT, 0, 5),
    );
    let script = with(
        entry("/b.js", "text/javascript", 111, 109),
        by_parser(DOCUMENT, 0, 9),
    );
    let written = with(
        entry("/x.js", "text/javascript", 230, 20),
        by_stack(&[DOCUMENT]),
    );
    // The tasks of `/b.js`, and the entry that an inline script at `offset` requests.
    let trigger = |ran: &[u32], written: Value, offset| {
        let tasks = ran.iter().map(
            |ms| json!({"ms": ms, "durationMs": 2, "kind": "script", "url": "https://a.test/b.js"}),
        );
        let tasks: Vec<Value> = tasks.collect();
        let entries = [
            document(10),
            at(sheet.clone(), 50),
            at(script.clone(), 90),
            at(written, offset),
        ];
        let pages = json!([{"startedDateTime": "2026-01-01T00:00:00.000Z",
            "pageTimings": {"onContentLoad": 300, "onLoad": 310},
            "_pagerace": {"version": 1, "mainThread": tasks}}]);
        let har = json!({"log": {"pages": pages, "entries": entries}}).to_string();
        let page = from_bytes("t.page", har.as_bytes(), &ImportOptions::default());
        page.unwrap().resources[3].discovery
    };
    let above = Trigger::After {
        parent: ResourceId(1),
        delay: Duration::from_millis(30),
    };
    let found = |ran, offset| trigger(ran, written.clone(), offset).trigger;
    assert_eq!(found(&[], 70), above);
    assert_eq!(found(&[240], 70), above);
    let below = |delay| Trigger::Script {
        parent: ResourceId(2),
        delay: Duration::from_millis(delay),
    };
    assert_eq!(found(&[], 120), below(10));
    // The model adds the script's run until 227 ms.
    assert_eq!(found(&[225], 70), below(3), "a function that it calls");
    let late = with(
        entry("/x.js", "text/javascript", 311, 20),
        by_stack(&[DOCUMENT]),
    );
    let wait = trigger(&[225], late, 70).wait;
    assert_eq!(wait, Some(Wait::Loaded), "a listener");
}

#[test]
fn no_run_of_a_failed_script_is_a_cause() {
    let mut failed = with(
        entry("/a.js", "text/javascript", 110, 90),
        by_parser(DOCUMENT, 0, 5),
    );
    failed["response"]["status"] = json!(0);
    failed["_pagerace"] = json!({"failed": "net::ERR_NAME_NOT_RESOLVED", "scriptMode": "blocking"});
    let inline = with(
        entry("/inline.js", "text/javascript", 230, 20),
        by_stack(&[DOCUMENT]),
    );
    let page = import(&[document(10), failed.clone(), inline]);
    // The parser went on after the failure.
    let expected = Trigger::After {
        parent: ResourceId(1),
        delay: Duration::from_millis(30),
    };
    assert_eq!(page.resources[2].discovery.trigger, expected);
    let nobody = entry("/x.js", "text/javascript", 900, 20);
    let page = import(&[document(10), failed, nobody]);
    let parent = page.resources[2].discovery.trigger.parent();
    assert_eq!(parent, Some(ResourceId(0)));
}

#[test]
fn fonts_come_from_the_sheet_that_names_refers_or_precedes_them() {
    let sheet = "https://a.test/a.css";
    let referred = || {
        let mut font = entry("/r.woff2", "font/woff2", 200, 20);
        font["request"]["headers"] = json!([{"name": "Referer", "value": sheet}]);
        font
    };
    let page = import(&[
        document(10),
        with(
            entry("/a.css", "text/css", 110, 20),
            by_parser(DOCUMENT, 0, 5),
        ),
        with(
            entry("/b.css", "text/css", 110, 40),
            by_parser(DOCUMENT, 0, 9),
        ),
        with(
            entry("/n.woff2", "font/woff2", 200, 20),
            by_parser(sheet, 3, 4),
        ),
        referred(),
        entry("/t.woff2", "font/woff2", 200, 20),
    ]);
    let parents: Vec<(u32, Evidence)> = page.resources[3..]
        .iter()
        .map(|r| match r.discovery.trigger {
            Trigger::Style { parent } => (parent.0, r.discovery.evidence),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        (1, Evidence::Recorded),
        (1, Evidence::RecordedParent),
        (2, Evidence::Timing),
    ];
    assert_eq!(parents, expected);
}

#[test]
fn an_initiator_that_comes_later_or_never_falls_back_and_is_noted() {
    let page = import(&[
        document(10),
        with(
            entry("/a.js", "text/javascript", 111, 9),
            by_stack(&["https://a.test/b.js"]),
        ),
        with(
            entry("/b.js", "text/javascript", 112, 9),
            by_stack(&["https://a.test/a.js"]),
        ),
        with(
            entry("/c.js", "text/javascript", 113, 9),
            by_stack(&["https://lost.test/"]),
        ),
    ]);
    assert_eq!(page.resources[1].discovery.evidence, Evidence::Timing);
    let cycle_broken = page.resources[2].discovery.trigger.parent();
    assert_eq!(cycle_broken, Some(ResourceId(1)));
    let note = page
        .notes
        .iter()
        .find(|n| n.text.contains("is not among the requests before"));
    assert_eq!(note.unwrap().entries, 2);
}

#[test]
fn without_times_a_rule_by_destination_applies() {
    let bare = |path: &str, mime: &str| {
        json!({"request": {"url": format!("https://a.test{path}")},
            "response": {"status": 200, "content": {"mimeType": mime, "size": 1000}}})
    };
    let page = import(&[
        bare("/", "text/html"),
        bare("/a.css", "text/css"),
        bare("/a.js", "text/javascript"),
        bare("/f.woff2", "font/woff2"),
        bare("/x.json", "application/json"),
    ]);
    assert!(
        page.resources[1..]
            .iter()
            .all(|r| r.discovery.evidence == Evidence::Rule)
    );
    let triggers: Vec<Trigger> = page.resources[1..]
        .iter()
        .map(|r| r.discovery.trigger)
        .collect();
    let markup = |offset| Trigger::Markup {
        parent: ResourceId(0),
        offset,
    };
    assert_eq!(triggers[..2], [markup(334), markup(667)]);
    assert_eq!(
        triggers[2],
        Trigger::Style {
            parent: ResourceId(1)
        }
    );
    assert_eq!(
        triggers[3],
        Trigger::Script {
            parent: ResourceId(2),
            delay: Duration::ZERO
        }
    );
}

#[test]
fn late_requests_without_initiator_come_after_a_script() {
    let page = import(&[
        document(10),
        entry("/a.js", "text/javascript", 120, 20),
        entry("/late.png", "image/png", 900, 20),
        entry("/favicon.ico", "image/x-icon", 950, 20),
    ]);
    let expected = Trigger::Script {
        parent: ResourceId(1),
        delay: Duration::from_millis(760),
    };
    assert_eq!(page.resources[2].discovery.trigger, expected);
    assert!(matches!(
        page.resources[3].discovery.trigger,
        Trigger::After { .. }
    ));
}

#[test]
fn line_zero_of_a_longer_document_is_no_position() {
    let page = import(&[
        document(10),
        with(
            entry("/a.css", "text/css", 110, 20),
            by_parser(DOCUMENT, 80, 0),
        ),
        with(
            entry("/b.png", "image/png", 130, 20),
            by_parser(DOCUMENT, 0, 0),
        ),
    ]);
    // The second of two resources lies at two thirds, not at the beginning.
    let expected = Trigger::Markup {
        parent: ResourceId(0),
        offset: 667,
    };
    assert_eq!(page.resources[2].discovery.trigger, expected);
}

#[test]
fn an_import_of_a_style_element_is_found_by_the_parser() {
    let mut html = document(10);
    let text = "<head><link rel=preload as=style href=s.css?a>\
                <style>@import url(s.css?b);</style></head><body>";
    html["response"]["content"]["text"] = json!(text);
    let page = import(&[html, entry("/s.css?b", "text/css", 110, 20)]);
    let sheet = &page.resources[1];
    let at = text.find("s.css?b").unwrap() + "s.css?b".len();
    let offset = (at as f64 / text.len() as f64 * 1000.0).ceil() as u64;
    let expected = Trigger::Markup {
        parent: ResourceId(0),
        offset,
    };
    assert_eq!(sheet.discovery.trigger, expected);
    assert!(sheet.render_blocking);
}

#[test]
fn a_video_is_found_where_the_markup_names_it() {
    let mut html = document(10);
    let text = "<body><video><source src=/v.mp4></video>\
                <script src=/late.js></script><p>where the parser was by then";
    html["response"]["content"]["text"] = json!(text);
    let mut video = entry("/v.mp4", "video/mp4", 120, 20);
    video["_initiator"] = by_parser(DOCUMENT, 0, 90);
    video["_pagerace"] = json!({"initiatorOffset": 90});
    let page = import(&[html, video]);
    let at = text.find("</video>").unwrap();
    let expected = Trigger::Markup {
        parent: ResourceId(0),
        offset: (at as f64 / text.len() as f64 * 1000.0).ceil() as u64,
    };
    assert_eq!(page.resources[1].discovery.trigger, expected);
}

#[test]
fn an_image_of_a_style_attribute_is_found_where_the_markup_names_it() {
    let mut html = document(10);
    let text = "<body><div style=\"background: url('http://a.test/wide.jpg')\"></div>\
                <script src=/late.js></script><p>where the parser was by then, at the first layout";
    html["response"]["content"]["text"] = json!(text);
    let mut image = entry("/wide.jpg", "image/jpeg", 120, 20);
    image["_initiator"] = by_parser(DOCUMENT, 0, 100)["_initiator"].clone();
    image["_pagerace"] = json!({"initiatorOffset": 100});
    let page = import(&[html, image]);
    let at = text.find(')').unwrap() + 1;
    let expected = Trigger::Markup {
        parent: ResourceId(0),
        offset: (at as f64 / text.len() as f64 * 1000.0).ceil() as u64,
    };
    assert_eq!(page.resources[1].discovery.trigger, expected);
}

#[test]
fn an_image_that_only_a_script_names_is_the_script_s() {
    let parent = |text: &str| {
        let mut html = document(10);
        html["response"]["content"]["text"] = json!(text);
        let mut script = with(
            entry("/count.js", "text/javascript", 115, 20),
            by_parser(DOCUMENT, 0, 40),
        );
        script["response"]["content"]["text"] = json!("new Image().src = '/pixel.gif?' + id");
        let mut image = entry("/pixel.gif?7", "image/gif", 140, 20);
        image["_initiator"] = by_parser(DOCUMENT, 0, 40)["_initiator"].clone();
        let har = json!({"log": {"pages": [{"_pagerace": {}}], "entries": [html, script, image]}});
        let options = ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).unwrap();
        page.resources[2].discovery.trigger.parent()
    };
    let script = "<body><script src=/count.js></script>";
    assert_eq!(parent(script), Some(ResourceId(1)));
    let both = format!("{script}<img src=/pixel.gif?7>");
    assert_eq!(parent(&both), Some(ResourceId(0)));
}
