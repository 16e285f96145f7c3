//! Small recordings in the formats of other recorders: proxies, test drivers, crawlers.
//! Each is imported sensibly or rejected with a message that states the reason.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use pagerace_core::Destination;
use pagerace_har::{ImportError, ImportOptions, from_bytes};
use pagerace_page::{Page, Trigger};
use serde_json::{Value, json};

fn try_import(bytes: &[u8]) -> Result<Page, ImportError> {
    from_bytes("t.har", bytes, &ImportOptions::default())
}

fn import(log: &Value) -> Page {
    try_import(json!({"log": log}).to_string().as_bytes()).unwrap()
}

fn urls(page: &Page) -> Vec<&str> {
    page.resources.iter().map(|r| r.url.as_str()).collect()
}

/// An entry of a proxy, which records no initiator, priority or resource type.
fn proxied(url: &str, mime: &str, start: &Value) -> Value {
    json!({
        "startedDateTime": start,
        "time": 40,
        "request": {"method": "GET", "url": url, "httpVersion": "HTTP/1.1", "headers": [],
            "cookies": [], "queryString": [], "headersSize": -1, "bodySize": -1},
        "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [],
            "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "content": {"size": 5000, "mimeType": mime}},
        "cache": {},
        "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1,
            "send": 0, "wait": 30, "receive": 10},
    })
}

#[test]
fn proxies_record_tunnels_and_no_pages() {
    // Fiddler and Charles: `CONNECT`, seven digits of a second, a comment.
    let mut tunnel = proxied(
        "https://a.test:443",
        "",
        &json!("2024-05-01T10:00:00.0000000+02:00"),
    );
    tunnel["request"]["method"] = json!("CONNECT");
    let mut document = proxied(
        "https://a.test/",
        "text/html; charset=utf-8",
        &json!("2024-05-01T10:00:00.1234567+02:00"),
    );
    document["comment"] = json!("[#1]");
    document["connection"] = json!("ClientPort:52011;EgressPort:52012");
    let image = proxied(
        "https://a.test/a.png",
        "image/png",
        &json!("2024-05-01T10:00:00.1734567+02:00"),
    );
    let page = import(&json!({"version": "1.2", "comment": "exported",
        "creator": {"name": "Fiddler", "version": "5", "comment": ""},
        "entries": [tunnel, document, image]}));
    assert_eq!(urls(&page), ["https://a.test/", "https://a.test/a.png"]);
    let start = page.resources[1].recorded.unwrap().start;
    assert!((start.as_millis_f64() - 50.0).abs() < 0.01, "{start:?}");
    assert!(page.notes.iter().any(|n| n.text.contains("CONNECT")));
}

#[test]
fn times_come_in_many_spellings() {
    let spellings = [
        [
            json!("2024-05-01 10:00:00.100 UTC"),
            json!("2024-05-01 10:00:00.300 UTC"),
        ],
        [
            json!("2024-05-01T10:00:00,100Z"),
            json!("2024-05-01T10:00:00,300Z"),
        ],
        [
            json!("2024-05-01T10:00:00.1-0700"),
            json!("2024-05-01T17:00:00.3+00:00"),
        ],
        [json!(1_714_557_600_100_u64), json!(1_714_557_600_300_u64)],
    ];
    for [first, second] in spellings {
        let page = import(&json!({"pages": [], "entries": [
            proxied("https://a.test/a.css", "text/css", &second),
            proxied("https://a.test/", "text/html", &first),
        ]}));
        assert_eq!(
            urls(&page),
            ["https://a.test/", "https://a.test/a.css"],
            "{first}"
        );
        let start = page.resources[1].recorded.unwrap().start;
        assert!(
            (start.as_millis_f64() - 200.0).abs() < 0.01,
            "{first}: {start:?}"
        );
    }
}

#[test]
fn playwright_has_minus_ones_and_no_types() {
    // `recordHar`: page references with `@`, sizes of -1, bodies in files.
    let entry = |url: &str, mime: &str, ms: u32| {
        let mut v = proxied(url, mime, &json!(format!("2024-05-01T10:00:00.{ms:03}Z")));
        v["pageref"] = json!("page@5f1c");
        v["_frameref"] = json!("frame@1");
        v["_monotonicTime"] = json!(7.5);
        v["_serverPort"] = json!(443);
        v["response"]["_transferSize"] = json!(-1);
        v["response"]["content"] = json!({"size": -1, "mimeType": mime, "_file": "5e2f.html"});
        v["response"]["headers"] = json!([{"name": "content-length", "value": "700"}]);
        v
    };
    let page = import(&json!({
        "pages": [{"startedDateTime": "2024-05-01T10:00:00.000Z", "id": "page@5f1c", "title": "A",
            "pageTimings": {"onContentLoad": 120, "onLoad": -1}}],
        "entries": [entry("https://a.test/", "text/html", 0),
            entry("https://a.test/a.woff2", "x-unknown", 60)],
    }));
    assert_eq!(page.resources[1].destination, Destination::Font);
    assert_eq!(page.resources[1].body_bytes, 700);
    assert!(page.recorded.on_load.is_none());
    assert!(page.recorded.on_content_load.is_some());
}

#[test]
fn odd_hosts_are_hosts() {
    let at = json!("2024-05-01T10:00:00Z");
    let long = format!("https://[2001:db8::1]/{}", "q".repeat(20_000));
    let page = import(&json!({"entries": [
        proxied("https://[2001:db8::1]:8443/", "text/html", &at),
        proxied("https://bücher.example/ä.png", "image/png", &at),
        proxied("http://127.0.0.1:8080/a.js", "text/javascript", &at),
        proxied(&long, "image/png", &at),
        proxied("wss://a.test/socket", "", &at),
    ]}));
    let hosts: Vec<_> = page
        .origins
        .iter()
        .map(|o| (o.host.as_str(), o.port))
        .collect();
    assert_eq!(
        hosts,
        [
            ("[2001:db8::1]", 8443),
            ("xn--bcher-kva.example", 443),
            ("127.0.0.1", 8080),
            ("[2001:db8::1]", 443),
        ]
    );
    assert_eq!(page.resources.len(), 4, "the WebSocket is left out");
}

#[test]
fn a_form_may_be_the_navigation() {
    let mut post = proxied("https://a.test/login", "", &json!("2024-05-01T10:00:00Z"));
    post["request"]["method"] = json!("POST");
    post["response"]["status"] = json!(303);
    post["response"]["redirectURL"] = json!("/home");
    let home = proxied(
        "https://a.test/home",
        "text/html",
        &json!("2024-05-01T10:00:00.050Z"),
    );
    let page = import(&json!({"entries": [post, home]}));
    assert_eq!(page.document.index(), 1);
    let redirect = page.resources[1].discovery.trigger;
    assert!(matches!(redirect, Trigger::Redirect { .. }), "{redirect:?}");
}

#[test]
fn what_a_service_worker_or_a_cache_answered_has_its_whole_size() {
    let at = |ms: u32| json!(format!("2024-05-01T10:00:00.{ms:03}Z"));
    let document = proxied("https://a.test/", "text/html", &at(0));
    let mut worker = proxied("https://a.test/a.js", "text/javascript", &at(50));
    worker["_fetchedVia"] = json!("Service Worker Cache");
    worker["response"]["_transferSize"] = json!(0);
    let mut unchanged = proxied("https://a.test/b.css", "text/css", &at(50));
    unchanged["response"]["status"] = json!(304);
    unchanged["response"]["_transferSize"] = json!(120);
    let page = import(&json!({"entries": [document, worker, unchanged]}));
    let sizes: Vec<_> = page.resources.iter().map(|r| r.body_bytes).collect();
    assert_eq!(sizes, [5000, 5000, 5000]);
}

#[test]
fn encodings_of_the_file() {
    let entry = proxied(
        "https://a.test/",
        "text/html",
        &json!("2024-05-01T10:00:00Z"),
    );
    let har = json!({"log": {"entries": [entry]}}).to_string();
    let marked = [b"\xef\xbb\xbf".as_slice(), har.as_bytes()].concat();
    assert_eq!(try_import(&marked).unwrap().resources.len(), 1);
    let wide: Vec<u8> = std::iter::once(0xfeff)
        .chain(har.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let error = try_import(&wide).unwrap_err().to_string();
    assert!(
        error.contains("t.har") && error.contains("UTF-16"),
        "{error}"
    );
}

#[test]
fn only_tunnels_are_no_page() {
    let mut tunnel = proxied("https://a.test:443", "", &json!("2024-05-01T10:00:00Z"));
    tunnel["request"]["method"] = json!("CONNECT");
    let har = json!({"log": {"entries": [tunnel]}}).to_string();
    let error = try_import(har.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("tunnel"), "{error}");
}
