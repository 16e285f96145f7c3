//! When elements appear that scripts make or reveal.

use super::*;

#[test]
fn what_scripts_make_is_dated_by_the_paints() {
    let delays = |offset: Option<u64>| {
        let mut own = own();
        own["layout"]["elements"] = json!([
            {"kind": "text", "rect": [0, 0, 100, 10]},
            {"kind": "text", "rect": [0, 20, 100, 30]},
            {"kind": "text", "rect": [0, 60, 5, 5]},
        ]);
        if let Some(offset) = offset {
            own["layout"]["elements"][2]["offset"] = json!(offset);
        }
        own["paints"] = json!({"fcpMs": 50, "lcpMs": 80, "lcpSize": 3_100, "lcpKind": "text"});
        own["mainThread"] = json!([
            {"ms": 10, "durationMs": 4, "kind": "layout"},
            {"ms": 42, "durationMs": 3, "kind": "layout"},
            {"ms": 60, "durationMs": 9, "kind": "script"},
            {"ms": 70, "durationMs": 1, "kind": "paint"},
        ]);
        let har = json!({"log": {
            "pages": [{"_pagerace": own, "pageTimings": {"onContentLoad": 40}}],
            "entries": [entry("", "text/html", 100, &json!({}))],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        let elements = page.layout.expect("recorded").elements;
        elements
            .iter()
            .map(|e| e.delay.map(Duration::as_millis_f64))
            .collect::<Vec<_>>()
    };
    // The time up to the frame that showed the element, less the time that the model adds
    // itself.
    assert_eq!(delays(None), [Some(2.0), Some(18.0), Some(2.0)]);
    assert_eq!(
        delays(Some(20)),
        [None, Some(18.0), None],
        "some was there before"
    );
}

/// Returns the cause and the delay of the largest text of a page. Script `a.js` runs from
/// 110 to 130 ms and requests a resource of type `asked`, which arrives after 200 ms.
/// `DOMContentLoaded` comes after `loaded`.
fn largest_text(makers: &[&str], asked: &str, loaded: u32) -> (Wait, Option<f64>) {
    let mut own = own();
    own["layout"]["elements"] = json!([
        {"kind": "text", "rect": [0, 0, 100, 31]},
        {"kind": "text", "rect": [0, 100, 100, 60]},
    ]);
    // The largest text is the second one, although the first one is nearer in size.
    own["paints"] = json!({"fcpMs": 50, "lcpMs": 240, "lcpSize": 3_100, "lcpKind": "text",
        "lcpRect": [0, 95, 120, 70],
        "lcpMakers": makers.iter().map(|p| format!("https://a.test/{p}")).collect::<Vec<_>>()});
    own["mainThread"] = json!([
        {"ms": 100, "durationMs": 5, "kind": "layout"},
        {"ms": 110, "durationMs": 20, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": 205, "durationMs": 5, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": 220, "durationMs": 8, "kind": "layout"},
    ]);
    let mut data = entry("data", "", 50, &json!({}));
    data["_resourceType"] = json!(asked);
    data["startedDateTime"] = json!("2026-11-22T00:00:00.120Z");
    data["time"] = json!(80);
    data["_initiator"] = json!({"type": "script",
        "stack": {"callFrames": [{"url": "https://a.test/a.js"}]}});
    let har = json!({"log": {
        "pages": [{"startedDateTime": "2026-11-22T00:00:00.000Z", "_pagerace": own,
            "pageTimings": {"onContentLoad": loaded}}],
        "entries": [
            entry("", "text/html", 100, &json!({})),
            entry("a.js", "text/javascript", 50, &json!({"initiatorOffset": 60})),
            entry("b.js", "text/javascript", 50, &json!({"initiatorOffset": 70})),
            data,
        ],
    }});
    let options = crate::ImportOptions::default();
    let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
    let layout = page.layout.expect("recorded");
    let text = layout.largest.and_then(|l| l.text).expect("text");
    assert_eq!(text, 1);
    let element = &layout.elements[text];
    (element.after, element.delay.map(Duration::as_millis_f64))
}

#[test]
fn the_largest_text_waits_for_the_data_that_its_makers_asked_for() {
    let data = Wait::Resource { id: ResourceId(3) };
    assert_eq!(largest_text(&["a.js"], "fetch", 150), (data, Some(15.0)));
    let parsed = (Wait::ContentLoaded, Some(65.0));
    assert_eq!(largest_text(&["b.js"], "fetch", 150), parsed, "of another");
    assert_eq!(largest_text(&[], "fetch", 150), parsed, "who knows whose");
}

/// Returns the event that a text waits for, and the delay, if the script that put it on the page began at
/// `made`. The document is parsed at 150 ms, data arrive at 200 ms, and the load event comes at 300 ms.
fn wait(made: &Value) -> (Wait, Option<f64>) {
    let mut own = own();
    own["layout"]["elements"] = json!([
        {"kind": "text", "rect": [0, 0, 100, 31], "madeMs": made},
        {"kind": "text", "rect": [0, 100, 100, 60], "offset": 50},
    ]);
    own["mainThread"] = json!([
        {"ms": 205, "durationMs": 5, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": 790, "durationMs": 20, "kind": "script", "url": "https://a.test/a.js"},
    ]);
    let mut data = entry("data", "", 50, &json!({}));
    data["_resourceType"] = json!("fetch");
    data["time"] = json!(200);
    let har = json!({"log": {
        "pages": [{"startedDateTime": "2026-11-22T00:00:00.000Z", "_pagerace": own,
            "pageTimings": {"onContentLoad": 150, "onLoad": 300}}],
        "entries": [entry("", "text/html", 100, &json!({})), data],
    }});
    let options = crate::ImportOptions::default();
    let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
    let element = &page.layout.expect("recorded").elements[0];
    (element.after, element.delay.map(Duration::as_millis_f64))
}

#[test]
fn what_a_script_makes_waits_for_the_event_that_called_the_script() {
    let data = Wait::Resource { id: ResourceId(1) };
    assert_eq!(
        wait(&json!(208)),
        (data, None),
        "in the task after the data"
    );
    assert_eq!(wait(&json!(790)), (Wait::Loaded, Some(490.0)), "of a timer");
    let parsed = (Wait::ContentLoaded, None);
    assert_eq!(wait(&json!(140)), parsed, "while the document is parsed");
    assert_eq!(wait(&json!(null)), parsed, "not recorded");
}

#[test]
fn a_frame_before_the_cause_shows_nothing_of_it() {
    let delay = |frame: u32| {
        let mut own = own();
        own["layout"]["elements"] = json!([{"kind": "text", "rect": [0, 0, 100, 31]}]);
        own["paints"] = json!({"lcpMs": 240, "lcpSize": 3_100, "lcpKind": "text"});
        own["mainThread"] = json!([{"ms": frame, "durationMs": 4, "kind": "layout"}]);
        let har = json!({"log": {
            "pages": [{"_pagerace": own, "pageTimings": {"onContentLoad": 100}}],
            "entries": [entry("", "text/html", 100, &json!({}))],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        let delay = page.layout.expect("recorded").elements[0].delay;
        delay.map(Duration::as_millis_f64)
    };
    assert_eq!(delay(220), Some(120.0));
    assert_eq!(
        delay(90),
        Some(140.0),
        "its own frame was too short to be told"
    );
}

#[test]
fn without_data_it_waits_for_its_makers_unless_the_document_was_parsed_before() {
    let script = Wait::Resource { id: ResourceId(1) };
    assert_eq!(largest_text(&["a.js"], "image", 300), (script, Some(85.0)));
    let parsed = (Wait::ContentLoaded, Some(65.0));
    assert_eq!(largest_text(&["a.js"], "image", 150), parsed);
}

#[test]
fn what_a_script_revealed_is_dated_as_if_it_had_made_it() {
    let elements = |scripted: [bool; 2], loaded: u32| {
        let own = json!({
            "layout": {"viewport": [400, 300], "elements": [
                {"kind": "text", "rect": [0, 0, 100, 10], "offset": 60, "scripted": scripted[0]},
                {"kind": "text", "rect": [0, 20, 100, 31], "offset": 80, "scripted": scripted[1]},
            ]},
            "paints": {"fcpMs": 50, "lcpMs": 60, "lcpSize": 3_100, "lcpKind": "text"},
        });
        let har = json!({"log": {
            "pages": [{"_pagerace": own, "pageTimings": {"onContentLoad": loaded}}],
            "entries": [entry("", "text/html", 100, &json!({}))],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        let elements = page.layout.expect("recorded").elements;
        let told =
            |e: &pagerace_page::Element| (e.offset.is_some(), e.delay.map(Duration::as_millis_f64));
        [told(&elements[0]), told(&elements[1])]
    };
    let plain = (true, None);
    assert_eq!(elements([false, false], 40), [plain, plain]);
    let both = [(false, Some(10.0)), (false, Some(20.0))];
    assert_eq!(elements([true, true], 40), both, "as the paints say");
    assert_eq!(elements([true, true], 70), [plain, plain], "seen before");
    assert_eq!(
        elements([false, true], 70),
        [plain, plain],
        "the largest, seen before"
    );
    assert_eq!(
        elements([true, false], 70),
        [(false, None), plain],
        "who knows when"
    );
}
