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
        let elements = page.layout().cloned().expect("recorded").elements;
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
    let layout = page.layout().cloned().expect("recorded");
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

/// Returns `told` and a text of the markup as elements. The document is parsed at 150 ms, data
/// arrive at 200 ms and an image at 230 ms, and the load event comes at 300 ms.
fn with_events(told: &Value) -> Vec<pagerace_page::Element> {
    let mut own = own();
    own["layout"]["elements"] = json!([
        told,
        {"kind": "text", "rect": [0, 100, 100, 60], "offset": 50},
    ]);
    own["paints"] = json!({"fcpMs": 100});
    own["mainThread"] = json!([
        {"ms": 205, "durationMs": 5, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": 790, "durationMs": 20, "kind": "script", "url": "https://a.test/a.js"},
    ]);
    let mut data = entry("data", "", 50, &json!({}));
    data["_resourceType"] = json!("fetch");
    data["time"] = json!(200);
    let mut image = entry("i.png", "image/png", 500, &json!({}));
    image["time"] = json!(230);
    let har = json!({"log": {
        "pages": [{"startedDateTime": "2026-11-22T00:00:00.000Z", "_pagerace": own,
            "pageTimings": {"onContentLoad": 150, "onLoad": 300}}],
        "entries": [entry("", "text/html", 100, &json!({})), data, image],
    }});
    let options = crate::ImportOptions::default();
    let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
    page.layout().cloned().expect("recorded").elements
}

#[test]
fn the_largest_paint_tells_a_fade_from_nothing() {
    let fades = |lcp: u32, motion: Value| {
        let mut own = own();
        own["layout"]["elements"] = json!([
            {"kind": "text", "rect": [0, 0, 100, 31], "offset": 50, "motionsMs": [motion]},
            {"kind": "text", "rect": [0, 100, 10, 10], "offset": 50},
        ]);
        own["paints"] = json!({"fcpMs": 100, "lcpMs": lcp, "lcpSize": 3_100, "lcpKind": "text"});
        let har = json!({"log": {
            "pages": [{"_pagerace": own, "pageTimings": {"onContentLoad": 90, "onLoad": 300}}],
            "entries": [entry("", "text/html", 100, &json!({}))],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        let element = page.layout().expect("recorded").elements[0].clone();
        [element.motion, element.fade]
    };
    let motion = json!([110, 360, 610]);
    let millis = |times: [u64; 2]| times.map(Duration::from_millis);
    let at_end = fades(628, motion.clone());
    assert_eq!(at_end, millis([250, 500]), "after its end");
    let still = millis([250, 0]);
    assert_eq!(fades(120, motion.clone()), still, "a movement");
    assert_eq!(fades(400, motion), still, "an image that came meanwhile");
}

/// Returns the event that a text waits for, and the delay, if the script that put it on the page
/// began at `made`.
fn wait(made: &Value) -> (Wait, Option<f64>) {
    let told = json!({"kind": "text", "rect": [0, 0, 100, 31], "madeMs": made});
    let element = &with_events(&told)[0];
    (element.after, element.delay.map(Duration::as_millis_f64))
}

#[test]
fn motions_begin_with_their_event_and_take_their_time() {
    let moves = |told: Value| {
        let mut element = json!({"kind": "text", "rect": [0, 0, 100, 31]});
        for (key, value) in told.as_object().expect("an object") {
            element[key] = value.clone();
        }
        let e = with_events(&element)[0].clone();
        let millis = |d: Duration| d.as_millis_f64();
        (e.after, e.delay.map(millis), millis(e.motion))
    };
    let data = Wait::Resource { id: ResourceId(1) };
    let after_data = moves(json!({"motionsMs": [[208, 408, 608]]}));
    assert_eq!(after_data, (data, None, 200.0));
    let made = moves(json!({"madeMs": 203, "motionsMs": [[208, 408, 608]]}));
    assert_eq!(made, (data, None, 200.0), "made transparent");
    let revealed = json!({"motionsMs": [[400, 550, 700]], "offset": 60, "scripted": true});
    assert_eq!(moves(revealed), (Wait::Loaded, Some(100.0), 150.0));
    let parsed = (Wait::ContentLoaded, None);
    let before = moves(json!({"motionsMs": [[130, 180, 230]]}));
    assert_eq!(
        before,
        (parsed.0, parsed.1, 30.0),
        "of which 20 ms are over"
    );
    let at_first = moves(json!({"motionsMs": [[120, 270, 420]], "offset": 60}));
    assert_eq!(at_first, (parsed.0, parsed.1, 150.0), "of a style sheet");
    let still = (parsed.0, parsed.1, 0.0);
    let seen = moves(json!({"motionsMs": [[400, 550, 700]], "offset": 60}));
    assert_eq!(seen, still, "seen before");
    let next = moves(json!({"motionsMs": [[4000, 4200, 4400]]}));
    assert_eq!(next, still, "the next picture of a show");
    assert_eq!(
        moves(json!({"motionsMs": [[400, 350, 300]]})),
        still,
        "damaged"
    );
    // Two frames pass between an arrival and what it moves, and an image rather follows its own.
    let text = moves(json!({"motionsMs": [[250, 300, 350]]}));
    assert_eq!(text, (Wait::ContentLoaded, Some(95.0), 50.0));
    let image =
        json!({"kind": "image", "url": "https://a.test/i.png", "motionsMs": [[250, 300, 350]]});
    let own = Wait::Resource { id: ResourceId(2) };
    assert_eq!(moves(image), (own, None, 50.0));
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
        let delay = page.layout().cloned().expect("recorded").elements[0].delay;
        delay.map(Duration::as_millis_f64)
    };
    assert_eq!(delay(220), Some(120.0));
    assert_eq!(
        delay(90),
        Some(140.0),
        "its own frame was too short to be told"
    );
    assert_eq!(delay(120), Some(136.0), "the same, after a frame of 4 ms");
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
        let elements = page.layout().cloned().expect("recorded").elements;
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
