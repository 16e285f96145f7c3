use std::collections::BTreeMap;

use pagerace_har::Device;
use serde_json::{Value, json};

use super::{Body, Load, Scripts, har};
use crate::record::formats::Formats;
use crate::record::log::Log;
use crate::record::trace::{Cpu, Summary};
use crate::record::waits::Waits;

const HTML: &str = "<!doctype html>\r\n<title>Größe 😀</title><script src=s.js></script>\r\n\
    <p id=big>Text</p><script>fetch('/post')</script>";

/// Returns a load of six requests as Chromium reports it.
fn load(keep_secrets: bool) -> Load {
    let mut log = Log::default();
    let mut tell = |method: &str, params: Value| log.handle(Some("S"), method, &params);
    let sent = |id: &str, url: &str, kind: &str, at: f64, initiator: Value| {
        json!({"requestId": id, "timestamp": at, "wallTime": 1_700_000_000.0 + at, "type": kind,
            "frameId": "F", "initiator": initiator, "request": {"url": url, "method": "GET",
            "initialPriority": "High", "headers": {"Cookie": "a=1", "Accept": "*/*"}}})
    };
    let received = |id: &str, mime: &str, length: u64| {
        json!({"requestId": id, "timestamp": 10.3, "hasExtraInfo": false, "response": {
            "status": 200, "statusText": "", "protocol": "h2", "mimeType": mime,
            "connectionId": 17.0, "remoteIPAddress": "[::1]", "encodedDataLength": 100.0,
            "headers": {"content-length": length.to_string(), "set-cookie": "t=2"},
            "timing": {"requestTime": 10.1, "sendStart": 1.0, "sendEnd": 1.5,
                "receiveHeadersEnd": 21.5, "dnsStart": -1, "connectStart": -1, "sslStart": -1}}})
    };
    let end = |id: &str, bytes: u64| json!({"requestId": id, "timestamp": 10.5, "encodedDataLength": bytes});
    let other = json!({"type": "other"});
    tell(
        "Network.requestWillBeSent",
        sent("1", "http://a.test/", "Document", 10.0, other.clone()),
    );
    let mut second = sent("1", "https://a.test/", "Document", 10.1, other.clone());
    second["redirectResponse"] = json!({"status": 301, "headers": {"location": "https://a.test/"},
        "encodedDataLength": 90.0, "protocol": "http/1.1"});
    tell("Network.requestWillBeSent", second);
    tell("Network.responseReceived", received("1", "text/html", 50));
    tell(
        "Network.dataReceived",
        json!({"requestId": "1", "timestamp": 10.4, "dataLength": 60}),
    );
    tell("Network.loadingFinished", end("1", 159));
    // The column counts UTF-16 units: two for the smiley, one for each umlaut.
    let line = "<title>Größe 😀</title><script src=s.js>";
    let parser = json!({"type": "parser", "url": "https://a.test/", "lineNumber": 1,
        "columnNumber": line.encode_utf16().count()});
    let mut script = sent("2", "https://a.test/s.js", "Script", 10.2, parser);
    script["renderBlockingBehavior"] = json!("Blocking");
    script["request"]["isLinkPreload"] = json!(true);
    tell("Network.requestWillBeSent", script);
    tell(
        "Network.responseReceived",
        received("2", "text/javascript", 4),
    );
    tell(
        "Network.resourceChangedPriority",
        json!({"requestId": "2", "timestamp": 10.25, "newPriority": "VeryHigh"}),
    );
    tell("Network.loadingFinished", end("2", 113));
    let stack = json!({"type": "script", "stack": {"callFrames": [
        {"url": "https://a.test/", "lineNumber": 2, "columnNumber": 26}]}});
    let mut post = sent(
        "3",
        "https://user:word@b.test/post?q=1&r=",
        "Fetch",
        10.3,
        stack,
    );
    post["request"]["method"] = json!("POST");
    post["request"]["postData"] = json!("secret");
    post["request"]["headers"]["authorization"] = json!("Bearer x");
    tell("Network.requestWillBeSent", post);
    tell(
        "Network.loadingFailed",
        json!({"requestId": "3", "timestamp": 10.4, "errorText": "net::ERR_CONNECTION_RESET"}),
    );
    tell(
        "Network.requestWillBeSent",
        sent("4", "data:image/png,x", "Image", 10.3, other.clone()),
    );
    tell(
        "Network.requestWillBeSent",
        sent("5", "https://a.test/i.png", "Image", 10.3, other),
    );
    tell("Network.requestServedFromCache", json!({"requestId": "5"}));
    tell("Network.responseReceived", received("5", "image/png", 3));
    tell("Network.loadingFinished", end("5", 0));
    let requests = log.finish();
    let bodies = requests
        .iter()
        .map(|r| match (r.url.as_str(), r.redirected) {
            ("https://a.test/", false) => Some(Body(HTML.as_bytes().to_vec())),
            ("https://a.test/s.js", _) => Some(Body(b"go()".to_vec())),
            ("https://a.test/i.png", _) => Some(Body(vec![0x89, 0x50, 0xff])),
            _ => None,
        });
    let cpu = Cpu {
        script: 1.5,
        ..Cpu::default()
    };
    Load {
        url: "http://a.test/".to_owned(),
        device: Device::desktop(),
        chromium: "156.0".to_owned(),
        processors: Some(2),
        bodies: bodies.collect(),
        first_screen: vec![None; requests.len()],
        formats: vec![Formats::default(); requests.len()],
        requests,
        trace: Summary {
            navigation_start: Some(9.99),
            cpu: BTreeMap::from([("https://a.test/s.js".to_owned(), cpu)]),
            ..Summary::default()
        },
        snapshot: Value::Null,
        histories: std::collections::BTreeMap::new(),
        viewport: (1350.0, 940.0),
        waits: Waits::default(),
        watched: Scripts::default(),
        paints: json!({"url": "https://a.test/", "base": "https://a.test/", "fcpMs": 400.0,
            "lcp": {"ms": 500.0, "url": "https://a.test/i.png", "size": 9},
            "shifts": [[450.0, 0.25]], "dclMs": 300.0, "loadMs": 600.0}),
        keep_secrets,
        at_once: false,
        shares: None,
        unscripted: None,
    }
}

fn entries(file: &Value) -> &[Value] {
    file["log"]["entries"].as_array().expect("entries")
}

#[test]
fn every_field_that_har_requires_is_there() {
    let file = har(&load(false));
    let need = |object: &Value, keys: &[&str]| {
        for key in keys {
            assert!(!object[*key].is_null(), "{key} in {object}");
        }
    };
    let log = &file["log"];
    need(log, &["version", "creator", "browser", "pages", "entries"]);
    for who in ["creator", "browser"] {
        need(&log[who], &["name", "version"]);
    }
    need(
        &log["pages"][0],
        &["startedDateTime", "id", "title", "pageTimings"],
    );
    for entry in entries(&file) {
        need(
            entry,
            &[
                "pageref",
                "startedDateTime",
                "time",
                "request",
                "response",
                "cache",
                "timings",
            ],
        );
        let request = [
            "method",
            "url",
            "httpVersion",
            "cookies",
            "headers",
            "queryString",
            "headersSize",
            "bodySize",
        ];
        need(&entry["request"], &request);
        let response = [
            "status",
            "statusText",
            "httpVersion",
            "cookies",
            "headers",
            "content",
            "redirectURL",
            "headersSize",
            "bodySize",
        ];
        need(&entry["response"], &response);
        need(&entry["response"]["content"], &["size", "mimeType"]);
        let timings = &entry["timings"];
        for part in ["send", "wait", "receive"] {
            assert!(timings[part].as_f64().expect("a number") >= 0.0);
        }
        let parts = ["blocked", "dns", "connect", "send", "wait", "receive"];
        let sum: f64 = parts
            .iter()
            .filter_map(|p| timings[*p].as_f64())
            .filter(|t| *t >= 0.0)
            .sum();
        assert!((sum - entry["time"].as_f64().expect("a number")).abs() < 0.001);
        for list in [
            &entry["request"]["headers"],
            &entry["response"]["headers"],
            &entry["request"]["queryString"],
        ] {
            for pair in list.as_array().expect("a list") {
                assert!(pair["name"].is_string() && pair["value"].is_string());
            }
        }
        // The names of custom fields begin with an underscore.
        let known = [
            "pageref",
            "startedDateTime",
            "time",
            "request",
            "response",
            "cache",
            "timings",
            "serverIPAddress",
            "connection",
            "comment",
        ];
        for key in entry.as_object().expect("an object").keys() {
            assert!(
                key.starts_with('_') || known.contains(&key.as_str()),
                "{key}"
            );
        }
    }
}

#[test]
fn requests_are_told_in_order_with_their_facts() {
    let file = har(&load(false));
    let entries = entries(&file);
    let urls: Vec<&str> = entries
        .iter()
        .filter_map(|e| e["request"]["url"].as_str())
        .collect();
    assert_eq!(
        urls,
        [
            "http://a.test/",
            "https://a.test/",
            "https://a.test/s.js",
            "https://b.test/post?q=1&r=",
            "https://a.test/i.png"
        ]
    );
    let [redirect, document, script, post, image] = entries else {
        panic!("five")
    };
    assert_eq!(redirect["response"]["status"], 301);
    assert_eq!(redirect["response"]["redirectURL"], "https://a.test/");
    assert_eq!(redirect["response"]["bodySize"], 0);
    assert_eq!(document["startedDateTime"], "2023-11-14T22:13:30.100000Z");
    assert_eq!(document["serverIPAddress"], "::1");
    assert_eq!(document["connection"], "17");
    assert_eq!(document["response"]["httpVersion"], "h2");
    assert_eq!(document["response"]["content"]["text"], HTML);
    assert_eq!(
        document["response"]["bodySize"], 50,
        "Content-Length is exact"
    );
    assert_eq!(document["response"]["_transferSize"], 159);
    assert_eq!(document["_chunks"], json!([{"ts": 410.0, "bytes": 60}]));
    assert_eq!(script["_renderBlocking"], "Blocking");
    assert_eq!(script["_initialPriority"], "High");
    assert_eq!(script["_priority"], "VeryHigh");
    assert_eq!(
        script["_priorityChanges"],
        json!([{"ms": 260.0, "priority": "VeryHigh"}])
    );
    assert_eq!(script["request"]["_isLinkPreload"], true);
    assert_eq!(script["_pagerace"]["cpu"]["scriptMs"], 1.5);
    assert_eq!(post["response"]["status"], 0);
    assert_eq!(post["_pagerace"]["failed"], "net::ERR_CONNECTION_RESET");
    assert_eq!(image["_fromCache"], "memory");
    assert_eq!(image["_isLCP"], true);
    assert_eq!(image["response"]["_transferSize"], 0);
    assert_eq!(image["response"]["content"]["encoding"], "base64");
    assert_eq!(image["response"]["content"]["text"], "iVD/");
}

#[test]
fn offsets_are_bytes_behind_elements() {
    let file = har(&load(false));
    let behind = |i: usize| {
        let at = entries(&file)[i]["_pagerace"]["initiatorOffset"]
            .as_u64()
            .expect("an offset");
        &HTML[..usize::try_from(at).expect("small")]
    };
    assert!(behind(2).ends_with("<script src=s.js>"));
    assert_eq!(behind(3), HTML, "behind the script that asked");
    assert!(entries(&file)[4]["_pagerace"]["initiatorOffset"].is_null());
}

#[test]
fn the_page_tells_what_was_seen() {
    let file = har(&load(false));
    let page = &file["log"]["pages"][0];
    assert_eq!(page["startedDateTime"], "2023-11-14T22:13:29.990000Z");
    assert_eq!(
        page["pageTimings"],
        json!({"onContentLoad": 300.0, "onLoad": 600.0})
    );
    let own = &page["_pagerace"];
    assert_eq!(
        own["paints"],
        json!({"fcpMs": 400.0, "lcpMs": 500.0,
        "lcpUrl": "https://a.test/i.png", "lcpSize": 9.0, "lcpKind": "image"})
    );
    assert_eq!(own["cls"], 0.25);
    assert_eq!(own["device"]["name"], "desktop");
    assert_eq!(own["processors"], 2);
    assert_eq!(own["layout"], json!({"viewport": [1350.0, 940.0]}));
}

#[test]
fn secrets_are_kept_only_when_asked_for() {
    let without = har(&load(false));
    let text = without.to_string();
    for secret in ["a=1", "t=2", "Bearer", "\"secret\"", "word@"] {
        assert!(!text.contains(secret), "{secret}");
    }
    // One cookie in each of five requests, two set by responses and one from a cache, an
    // authorisation field, a body and a password.
    assert_eq!(
        without["log"]["pages"][0]["_pagerace"]["secretsDropped"],
        5 + 3 + 3
    );
    let with = har(&load(true));
    let post = &entries(&with)[3]["request"];
    assert_eq!(post["postData"]["text"], "secret");
    assert_eq!(post["cookies"], json!([{"name": "a", "value": "1"}]));
    assert!(with.to_string().contains("Bearer x"));
}

#[test]
fn an_empty_load_is_an_empty_file() {
    let nothing = Load {
        requests: Vec::new(),
        bodies: Vec::new(),
        first_screen: Vec::new(),
        formats: Vec::new(),
        paints: Value::Null,
        watched: Scripts::default(),
        trace: Summary::default(),
        ..load(false)
    };
    let file = har(&nothing);
    assert!(entries(&file).is_empty());
    assert_eq!(file["log"]["pages"][0]["pageTimings"]["onLoad"], -1.0);
}
