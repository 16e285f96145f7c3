use pagerace_core::{Destination, Duration};
use serde_json::{Value, json};

use crate::{ImportError, ImportOptions, from_bytes};
use pagerace_page::{Page, ResourceId, Trigger};

fn entry(url: &str, kind: &str, start: u32, time: u32) -> Value {
    json!({
        "startedDateTime": format!("2026-01-01T00:00:00.{start:03}Z"), "time": time,
        "_resourceType": kind, "request": {"url": url},
        "response": {"status": 200, "content": {"mimeType": "text/html"}},
    })
}

fn import(log: &Value) -> Result<Page, ImportError> {
    let har = json!({ "log": log }).to_string();
    from_bytes(
        "shop/site.har.gz",
        har.as_bytes(),
        &ImportOptions::default(),
    )
}

#[test]
fn the_document_is_the_end_of_the_redirects() {
    let mut first = entry("http://a.test/", "document", 0, 10);
    first["response"]["status"] = json!(301);
    first["response"]["redirectURL"] = json!("https://www.a.test/");
    let page =
        import(&json!({"entries": [first, entry("https://www.a.test/", "document", 20, 10)]}))
            .unwrap();
    assert_eq!(
        (page.url.as_str(), page.document),
        ("http://a.test/", ResourceId(1))
    );
    let redirect = Trigger::Redirect {
        parent: ResourceId(0),
    };
    assert_eq!(page.resources[1].discovery.trigger, redirect);
    assert!(
        page.resources
            .iter()
            .all(|r| r.destination == Destination::Document)
    );
    assert!(
        !page.origins[0].third_party,
        "compared with the document at the end"
    );
}

#[test]
fn times_of_the_page_count_from_its_first_request() {
    let event = |page_start: u32| {
        let start = format!("2026-01-01T00:00:00.{page_start:03}Z");
        let log = json!({
            "pages": [{"id": "p", "startedDateTime": start, "pageTimings": {"onContentLoad": 100}}],
            "entries": [entry("https://a.test/", "document", 200, 10)],
        });
        import(&log).unwrap().recorded.on_content_load
    };
    let ms = |ms| Some(Duration::from_millis(ms));
    assert_eq!([200, 250, 150].map(event), [ms(100), ms(150), ms(50)]);
    assert_eq!(event(50), None, "the event was another page's");
}

#[test]
fn a_redirect_that_hides_its_target_leads_to_the_next_document() {
    let mut first = entry("https://a.test/", "document", 0, 10);
    first["response"]["status"] = json!(302);
    let log = json!({"entries": [
        first,
        entry("https://www.a.test/home", "document", 20, 10),
        entry("https://ads.test/frame", "document", 60, 10),
    ]});
    let page = import(&log).unwrap();
    assert_eq!(page.document, ResourceId(1));
    assert_eq!(page.resources[2].destination, Destination::Iframe);
    assert!(
        page.notes
            .iter()
            .any(|n| n.text.contains("without a recorded target"))
    );
}

#[test]
fn hosts_that_no_server_can_have_are_left_out() {
    let odd = ["x,y.test", "a\"b.test", "*.test", "a'b.test"];
    let mut entries = vec![entry("https://a_b.test/", "document", 0, 10)];
    entries.extend(odd.map(|host| entry(&format!("https://{host}/x"), "fetch", 20, 10)));
    entries.push(entry("https://[::1]/", "fetch", 30, 10));
    let page = import(&json!({ "entries": entries })).unwrap();
    let hosts: Vec<&str> = page.origins.iter().map(|o| o.host.as_str()).collect();
    assert_eq!(hosts, ["a_b.test", "[::1]"]);
    assert!(
        page.notes
            .iter()
            .any(|n| n.text.starts_with("4 entries left out because"))
    );
}

#[test]
fn the_load_event_waits_for_what_the_recording_waited_for() {
    let log = json!({
        "pages": [{"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z",
            "pageTimings": {"onLoad": 300, "onContentLoad": -1}}],
        "entries": [
            entry("https://a.test/", "document", 0, 100),
            entry("https://a.test/i.png", "image", 100, 100),
            entry("https://a.test/late.png", "image", 400, 100),
            entry("https://a.test/slow.png", "image", 100, 400),
            entry("https://a.test/x", "fetch", 100, 10),
            entry("https://a.test/favicon.ico", "image", 100, 10),
        ],
    });
    let page = import(&log).unwrap();
    let waits: Vec<bool> = page.resources.iter().map(|r| r.blocks_load).collect();
    // In order of start: document, i.png, slow.png, x, favicon, late.png.
    assert_eq!(waits, [true, true, false, false, false, false]);
    assert_eq!(page.recorded.on_load, Some(Duration::from_millis(300)));
    assert_eq!(page.recorded.on_content_load, None);
    let times = page.resources[5].recorded.unwrap();
    assert_eq!(times.start, Duration::from_millis(400));
}

#[test]
fn costs_of_scripts_are_used_once() {
    let log = json!({
        "pages": [{"id": "p", "_cpu": {"scriptCosts": [{"url": "https://a.test/x.js", "total": 12.5}]}}],
        "entries": [
            entry("https://a.test/", "document", 0, 100),
            entry("https://a.test/x.js", "script", 100, 10),
            entry("https://a.test/x.js", "script", 200, 10),
        ],
    });
    let page = import(&log).unwrap();
    let costs: Vec<_> = page.resources.iter().map(|r| r.cpu_time).collect();
    assert_eq!(costs, [None, Some(Duration::from_micros(12_500)), None]);
}

#[test]
fn the_page_is_named_after_the_file() {
    let log = json!({"creator": {"name": "Tool", "version": "2"}, "browser": {"name": "Firefox"},
        "entries": [entry("https://a.test/", "document", 0, 1)]});
    let page = import(&log).unwrap();
    assert_eq!(
        (page.name.as_str(), page.recorded.creator.as_str()),
        ("site", "Tool 2, Firefox")
    );
}

#[test]
fn nothing_to_race_is_one_clear_reason() {
    let mut failed = entry("https://a.test/", "document", 0, 1);
    failed["response"]["status"] = json!(0);
    let error = import(&json!({ "entries": [failed] }))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "shop/site.har.gz: none of the 1 entries can be raced; entry 0 (https://a.test/), for \
         example: it failed without a response (status 0); record the page again with the network \
         log open from the start"
    );
}
