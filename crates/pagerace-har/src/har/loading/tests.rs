use pagerace_core::{Destination, RequestPriority, ScriptMode};
use serde_json::{Value, json};

use super::infer_priority;
use crate::{ImportOptions, from_bytes};
use pagerace_page::Page;

/// Imports a page whose document names one resource; `fields` are added to its entry.
fn import(path: &str, mime: &str, fields: &Value) -> Page {
    let time = "2026-01-01T00:00:00.000Z";
    let mut entry = json!({
        "startedDateTime": time, "time": 10,
        "_initiator": {"type": "parser", "url": "https://www.a.test/", "lineNumber": 3},
        "request": {"url": path}, "response": {"status": 200, "content": {"mimeType": mime}},
    });
    entry
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    let document = json!({
        "startedDateTime": time, "time": 10, "request": {"url": "https://www.a.test/"},
        "response": {"status": 200, "content": {"mimeType": "text/html"}},
    });
    let har = json!({"log": {"entries": [document, entry]}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

fn script(path: &str, fields: &Value) -> (ScriptMode, bool) {
    let page = import(path, "text/javascript", fields);
    (
        page.resources[1].script_mode,
        page.resources[1].render_blocking,
    )
}

const FIRST: &str = "https://static.a.test/x.js";
const THIRD: &str = "https://b.test/x.js";

#[test]
fn the_recorders_word_decides() {
    let word = |w: &str| script(FIRST, &json!({"_renderBlocking": w, "_priority": "Low"}));
    assert_eq!(word("blocking"), (ScriptMode::Blocking, true));
    assert_eq!(
        word("in_body_parser_blocking"),
        (ScriptMode::Blocking, false)
    );
    assert_eq!(word("inbodyparserblocking"), (ScriptMode::Blocking, false));
    assert_eq!(word("non_blocking"), (ScriptMode::Defer, false));
    let third = script(THIRD, &json!({"_renderBlocking": "nonblocking"}));
    assert_eq!(third, (ScriptMode::Async, false));
}

#[test]
fn then_chromes_priority() {
    let priority = |p: &str| script(FIRST, &json!({"_priority": p}));
    assert_eq!(priority("High"), (ScriptMode::Blocking, true));
    assert_eq!(priority("Medium"), (ScriptMode::Blocking, false));
    assert_eq!(priority("Low"), (ScriptMode::Defer, false));
    assert_eq!(
        script(THIRD, &json!({"_priority": "Low"})),
        (ScriptMode::Async, false)
    );
}

#[test]
fn then_origin() {
    assert_eq!(script(FIRST, &json!({})), (ScriptMode::Blocking, true));
    assert_eq!(script(THIRD, &json!({})), (ScriptMode::Async, false));
}

#[test]
fn style_sheets_for_other_media_do_not_block() {
    let sheet = |fields: &Value| {
        import("https://www.a.test/x.css", "text/css", fields).resources[1].render_blocking
    };
    assert!(sheet(&json!({"_priority": "VeryHigh"})));
    assert!(!sheet(&json!({"_priority": "VeryLow"})));
    assert!(!sheet(
        &json!({"_priority": "VeryHigh", "_renderBlocking": "non_blocking"})
    ));
    assert!(sheet(&json!({})));
}

#[test]
fn a_guess_is_noted() {
    let page = import(FIRST, "text/javascript", &json!({"_priority": "Low"}));
    assert!(
        page.notes
            .iter()
            .any(|n| n.text.starts_with("1 script whose markup"))
    );
    let page = import(
        FIRST,
        "text/javascript",
        &json!({"_renderBlocking": "blocking"}),
    );
    assert!(page.notes.iter().all(|n| !n.text.contains("whose markup")));
}

#[test]
fn inferred_priorities_are_chromes() {
    let infer = |d, mode, blocking| infer_priority(d, mode, blocking, false);
    let blocking = ScriptMode::Blocking;
    assert_eq!(
        infer(Destination::Script, blocking, true),
        RequestPriority::High
    );
    assert_eq!(
        infer(Destination::Script, blocking, false),
        RequestPriority::Medium
    );
    assert_eq!(
        infer(Destination::Script, ScriptMode::Async, false),
        RequestPriority::Low
    );
    assert_eq!(
        infer(Destination::Style, blocking, true),
        RequestPriority::VeryHigh
    );
    assert_eq!(
        infer(Destination::Font, blocking, false),
        RequestPriority::VeryHigh
    );
    let prefetch = infer_priority(Destination::Script, blocking, false, true);
    assert_eq!(prefetch, RequestPriority::VeryLow);
}

/// Imports a page with this markup, which names a resource in an element's first position.
fn import_used(html: &str, path: &str, mime: &str) -> Page {
    let time = "2026-01-01T00:00:00.000Z";
    let entry = json!({
        "startedDateTime": time, "time": 10, "_renderBlocking": "non_blocking",
        "_initiator": {"type": "parser", "url": "https://www.a.test/", "lineNumber": 1},
        "request": {"url": path}, "response": {"status": 200, "content": {"mimeType": mime}},
    });
    let content = json!({"mimeType": "text/html", "text": html, "size": html.len()});
    let document = json!({
        "startedDateTime": time, "time": 10, "request": {"url": "https://www.a.test/"},
        "response": {"status": 200, "bodySize": html.len(), "content": content},
    });
    let har = json!({"log": {"entries": [document, entry]}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

#[test]
fn a_preloaded_resource_blocks_where_it_is_used() {
    let preload = |kind: &str| format!("<head><link rel=preload as={kind} href=/x>");
    let page = |rest: &str, kind: &str, mime: &str| {
        let html = format!("{}{rest}", preload(kind));
        let page = import_used(&html, "https://www.a.test/x", mime);
        let resource = page.resources[1].clone();
        let (_, found) = resource.discovery.trigger.place().expect("it is in markup");
        assert_eq!(found, preload(kind).len() as u64);
        (
            resource.render_blocking,
            resource.script_mode,
            resource.used_at,
        )
    };
    let used = "<title>t</title><link rel=stylesheet href=x>";
    let at = Some((preload("style").len() + used.len()) as u64);
    let (blocks, _, used_at) = page(used, "style", "text/css");
    assert_eq!((blocks, used_at), (true, at));
    let (blocks, ..) = page(&format!("<body>{used}"), "style", "text/css");
    assert!(!blocks, "a sheet in the body");
    // A script switches the sheet on when it has arrived.
    let printed = "<link rel=stylesheet media=print href=x onload=\"media='all'\">";
    let (blocks, _, used_at) = page(printed, "style", "text/css");
    assert_eq!((blocks, used_at), (false, None));
    let used = "<body><p>text</p><script src=x></script>";
    let at = Some((preload("script").len() + used.len() - "</script>".len()) as u64);
    let script = page(used, "script", "text/javascript");
    assert_eq!(script, (false, ScriptMode::Blocking, at));
    let script = page("<script src=x></script>", "script", "text/javascript");
    assert_eq!((script.0, script.1), (true, ScriptMode::Blocking));
}

#[test]
fn the_load_event_does_not_wait_for_dynamic_imports() {
    let at = |ms: u32| format!("2026-01-01T00:00:00.{ms:03}Z");
    let entry = |ms: u32, url: &str, initiator: Value, text: &str| {
        json!({
            "startedDateTime": at(ms), "time": 5, "_resourceType": "script", "_initiator": initiator,
            "request": {"url": url},
            "response": {"status": 200, "content": {"mimeType": "text/javascript", "text": text}},
        })
    };
    let place = |url: &str, line: u32, column: u32| json!({"url": url, "lineNumber": line, "columnNumber": column});
    // An import() has a stack, and the place of an `import` statement is the initiator's own.
    let called = |url: &str, line: u32, column: u32| json!({"type": "script", "stack": {"callFrames": [place(url, line, column)]}});
    let named = |url: &str, column: u32| {
        let mut initiator = place(url, 0, column);
        initiator["type"] = json!("script");
        initiator
    };
    let page = "https://a.test/";
    let html = "<title>\u{1F980}</title>\n<script>/*\u{1F980}*/import('/lazy.js')</script>\
                <script src=/app.js type=module></script>";
    let mut document = entry(0, page, json!({"type": "other"}), html);
    document["_resourceType"] = json!("document");
    document["response"]["content"]["mimeType"] = json!("text/html");
    let parser = json!({"type": "parser", "url": page, "lineNumber": 1, "columnNumber": 0});
    let url = |path: &str| format!("https://a.test/{path}.js");
    let app = "import './static.js'; import ('./later.js'); add('./added.js')";
    let entries = [
        document,
        entry(10, &url("app"), parser, app),
        // The crab is two UTF-16 code units.
        entry(20, &url("lazy"), called(page, 1, 14), "import\"./part.js\""),
        entry(30, &url("static"), named(&url("app"), 7), ""),
        entry(
            40,
            &url("part"),
            named(&url("lazy"), 6),
            "\n\nimport './x.js'; import './deep.js'",
        ),
        entry(50, &url("later"), called(&url("app"), 0, 22), ""),
        entry(60, &url("added"), called(&url("app"), 0, 45), ""),
        entry(70, &url("unknown"), named("about:client", 0), ""),
        entry(80, &url("deep"), called(&url("part"), 2, 24), ""),
        entry(
            90,
            &url("lost"),
            called("https://a.test/lost-caller.js", 0, 0),
            "",
        ),
    ];
    let har = json!({"log": {"entries": entries}}).to_string();
    let page = from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap();
    let waits = page.resources.iter().map(|r| {
        let name = r.url.rsplit('/').next().unwrap_or_default();
        (name.trim_end_matches(".js").to_owned(), r.blocks_load)
    });
    let expected = [
        ("", true),
        ("app", true),
        ("lazy", false),
        ("static", true),
        ("part", false),
        ("later", false),
        ("added", true),
        ("unknown", false),
        ("deep", false),
        ("lost", true),
    ];
    let expected = expected.map(|(name, waits)| (name.to_owned(), waits));
    assert_eq!(waits.collect::<Vec<_>>(), expected);
}

/// Imports a page whose markup names images 0 to 6, and whose sheet names image 7; image `i` has
/// `fields` more.
fn images(fields: &dyn Fn(usize) -> Value, markup: &dyn Fn(usize) -> String) -> Page {
    let time = "2026-01-01T00:00:00.000Z";
    let html: String = (0..7).map(markup).collect();
    let document = json!({
        "startedDateTime": time, "time": 10, "request": {"url": "https://a.test/"},
        "response": {"status": 200, "content": {"mimeType": "text/html", "text": html}},
    });
    let image = |i: usize| {
        let mut entry = json!({
            "startedDateTime": time, "time": 10,
            "request": {"url": format!("https://a.test/{i}.jpg")},
            "response": {"status": 200, "content": {"mimeType": "image/jpeg", "size": 5000}},
        });
        entry
            .as_object_mut()
            .unwrap()
            .extend(fields(i).as_object().unwrap().clone());
        entry
    };
    let entries: Vec<Value> = std::iter::once(document).chain((0..8).map(image)).collect();
    let har = json!({"log": {"entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

fn letters(page: &Page) -> String {
    let letter = |priority| match priority {
        RequestPriority::High => 'H',
        RequestPriority::Medium => 'M',
        RequestPriority::Low => 'L',
        _ => '?',
    };
    let images = page.resources.iter().skip(1);
    images.map(|image| letter(image.priority)).collect()
}

#[test]
fn an_image_that_was_raised_began_lower() {
    let plain = |i: usize| format!("<img src={i}.jpg>");
    let last = |_| json!({"_priority": "High"});
    let page = images(&last, &plain);
    assert_eq!(letters(&page), "MMMMMLLL");
    assert!(page.resources.iter().skip(1).all(|image| image.in_viewport));
    assert_eq!(letters(&images(&|_| json!({}), &plain)), "MMMMMLLL");
    let both = |_| json!({"_initialPriority": "High", "_priority": "High"});
    assert_eq!(letters(&images(&both, &plain)), "HHHHHHHH");
}

#[test]
fn authors_and_preloads_make_images_urgent() {
    let last = |_| json!({"_priority": "High"});
    let urgent = |i: usize| match i {
        1 => "<img fetchpriority=high src=1.jpg>".to_owned(),
        6 => "<link rel=preload as=image href=6.jpg>".to_owned(),
        _ => format!("<img src={i}.jpg>"),
    };
    assert_eq!(letters(&images(&last, &urgent)), "MHMMMLHL");
    assert_eq!(letters(&images(&|_| json!({}), &urgent)), "MHMMMLLL");
    let icon = |i: usize| {
        json!({"_priority": "High", "request":
        {"url": if i == 7 { "https://a.test/favicon.ico".to_owned() } else { format!("https://a.test/{i}.jpg") }}})
    };
    assert_eq!(letters(&images(&icon, &urgent)), "MHMMMLHH");
}
