use pagerace_core::Duration;
use pagerace_page::{Evidence, Page, ResourceId, Trigger, Wait};
use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};

/// An entry with the id of its path, requested at `start` ms and complete after another `time` ms.
fn entry(path: &str, kind: &str, start: u32, time: u32, own: &Value) -> Value {
    json!({
        "startedDateTime": format!("2026-01-01T00:00:00.{start:03}Z"),
        "time": time,
        "timings": {"wait": time, "receive": 0},
        "request": {"url": format!("https://a.test/{path}")},
        "response": {"status": 200, "content": {"mimeType": "", "size": 1000}},
        "_resourceType": kind,
        "_requestId": path,
        "_initiator": {"type": "parser", "url": "https://a.test/"},
        "_pagerace": own,
    })
}

/// Imports a page whose script requests two pieces of data, and an image that waits for `waits`.
/// `element` is its only element.
fn import(waits: &[&str], element: &Value) -> Page {
    let script =
        json!({"type": "script", "stack": {"callFrames": [{"url": "https://a.test/app.js"}]}});
    let mut data = ["one", "two"].map(|id| entry(id, "fetch", 200, 100, &json!({})));
    for one in &mut data {
        one["_initiator"] = script.clone();
    }
    data[1]["time"] = json!(250);
    let [one, two] = data;
    let own = json!({"held": ["one", "two"],
        "paints": {"fcpMs": 480},
        "mainThread": [
            {"ms": 110, "durationMs": 20, "kind": "script", "url": "https://a.test/app.js"},
            {"ms": 455, "durationMs": 10, "kind": "script", "url": "https://a.test/app.js",
                "waitsFor": waits},
        ],
        "layout": {"viewport": [800, 600], "elements": [element],
            "hiddenBy": {"request": "one", "limitMs": 4_000}}});
    let page = json!({"startedDateTime": "2026-01-01T00:00:00.000Z",
        "pageTimings": {"onContentLoad": 150, "onLoad": 160}, "_pagerace": own});
    let har = json!({"log": {"pages": [page], "entries": [
        entry("", "document", 0, 100, &json!({})),
        entry("app.js", "script", 20, 80, &json!({"initiatorOffset": 90})),
        one,
        two,
        entry("i.png", "image", 460, 100, &json!({"waitsFor": waits})),
    ]}});
    from_bytes(
        "t.har",
        har.to_string().as_bytes(),
        &ImportOptions::default(),
    )
    .unwrap()
}

const ONE: Wait = Wait::Resource { id: ResourceId(2) };

#[test]
fn what_waits_for_data_follows_them() {
    let text = json!({"kind": "text", "rect": [0, 0, 100, 50], "madeMs": 455, "waitsFor": ["one"]});
    let page = import(&["one"], &text);
    let image = page.resources[4].discovery;
    let Trigger::Script { parent, delay } = image.trigger else {
        panic!("{:?}", image.trigger);
    };
    // The data arrive after 300 ms, and the task of the request begins 155 ms later.
    assert_eq!((parent, image.wait), (ResourceId(2), None));
    assert_eq!(delay.as_millis_f64().round() as u32, 160);
    assert_eq!(image.evidence, Evidence::Recorded);
    let layout = page.layout().expect("recorded");
    assert_eq!(layout.elements[0].after, ONE);
    assert_eq!(
        layout.elements[0].delay.map(Duration::as_millis_f64),
        Some(155.0)
    );
    assert_eq!(
        layout.callbacks[0].after, ONE,
        "the task that made the text"
    );
}

#[test]
fn what_waits_for_all_data_follows_the_last() {
    let text = json!({"kind": "text", "rect": [0, 0, 100, 50], "madeMs": 455,
        "waitsFor": ["two", "one", "gone"]});
    let page = import(&["one", "two"], &text);
    let both = Wait::Join { join: 0 };
    assert_eq!(page.joins, [[ResourceId(2), ResourceId(3)]]);
    let image = page.resources[4].discovery;
    assert_eq!(image.trigger.parent(), Some(ResourceId(3)));
    assert_eq!(image.wait, Some(ONE), "its parent is the other one");
    let text = &page.layout().expect("recorded").elements[0];
    // The later data arrive after 450 ms.
    assert_eq!(
        (text.after, text.delay.map(Duration::as_millis_f64)),
        (both, Some(5.0))
    );
}

#[test]
fn what_waits_for_no_data_follows_something_else() {
    let text = json!({"kind": "text", "rect": [0, 0, 100, 50], "madeMs": 455, "waitsFor": []});
    let page = import(&[], &text);
    let text = &page.layout().expect("recorded").elements[0];
    // The second response came right before, but the text came without it, too.
    assert_eq!(text.after, Wait::Loaded);
    let by = page.resources[4].discovery.trigger.parent();
    assert!(by.is_some_and(|by| by.index() < 2), "{by:?}");
}

#[test]
fn a_script_that_shows_a_hidden_page_has_a_limit() {
    let text = json!({"kind": "text", "rect": [0, 0, 100, 50], "offset": 20});
    let page = import(&[], &text);
    let hidden = page.layout().expect("recorded").hidden.expect("hidden");
    let limit = Some(Duration::from_millis(4_000));
    assert_eq!((hidden.after, hidden.limit), (ONE, limit));
}

#[test]
fn a_blocking_script_is_no_cause_of_what_styles_request() {
    // While a script in the head was held back, the parser reached no element.
    let mut script = entry("app.js", "script", 20, 80, &json!({"initiatorOffset": 90}));
    let mut sheet = entry(
        "s.css",
        "stylesheet",
        20,
        50,
        &json!({"initiatorOffset": 120}),
    );
    let mut image = entry("i.png", "image", 130, 100, &json!({"waitsFor": ["app.js"]}));
    for blocking in [&mut script, &mut sheet] {
        blocking["_renderBlocking"] = json!("blocking");
    }
    image["_initiator"]["url"] = json!("https://a.test/s.css");
    let trigger = |script: &Value| {
        let page = json!({"startedDateTime": "2026-01-01T00:00:00.000Z",
            "pageTimings": {"onContentLoad": 150, "onLoad": 260},
            "_pagerace": {"held": ["app.js"], "paints": {"fcpMs": 240}}});
        let har = json!({"log": {"pages": [page], "entries": [
            entry("", "document", 0, 100, &json!({})), script, sheet, image,
        ]}});
        let page = from_bytes(
            "t.har",
            har.to_string().as_bytes(),
            &ImportOptions::default(),
        );
        page.unwrap().resources[3].discovery.trigger
    };
    assert_eq!(
        trigger(&script),
        Trigger::Style {
            parent: ResourceId(2)
        }
    );
    // One that blocks nothing may make the element, or change its class.
    script["_renderBlocking"] = json!("non_blocking");
    assert!(matches!(
        trigger(&script),
        Trigger::Script {
            parent: ResourceId(1),
            ..
        }
    ));
}
