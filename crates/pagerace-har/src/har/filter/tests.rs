use pagerace_core::Duration;
use pagerace_page::NoResponse;
use serde_json::{Value, json};

use super::*;

fn parse(values: &[Value]) -> Vec<Entry<'_>> {
    values
        .iter()
        .enumerate()
        .map(|(i, v)| Entry::parse(i, v, None))
        .collect()
}

fn entry(url: &str, second: u32) -> Value {
    json!({"startedDateTime": format!("1970-01-01T00:00:{second:02}Z"), "time": 100,
        "serverIPAddress": "192.0.2.1",
        "request": {"url": url}, "response": {"status": 200, "content": {"mimeType": "text/html"}}})
}

fn texts(notes: Notes) -> Vec<String> {
    notes.into_notes().into_iter().map(|n| n.text).collect()
}

#[test]
fn what_causes_no_traffic_is_left_out_and_counted() {
    let mut websocket = entry("https://a.test/ws", 3);
    websocket["response"]["status"] = json!(101);
    let mut failed = entry("https://a.test/x", 4);
    failed["response"]["status"] = json!(0);
    let mut upgrade = entry("http://a.test/", 0);
    upgrade["response"] = json!({"status": 307, "redirectURL": "https://a.test/",
        "headers": [{"name": "Non-Authoritative-Reason", "value": "HSTS"}]});
    let values = [
        upgrade,
        entry("https://a.test/", 1),
        entry("data:image/gif;base64,xyz", 2),
        entry("chrome-extension://abc/x.js", 2),
        entry("wss://a.test/", 2),
        entry("ftp://a.test/", 2),
        entry("not a url", 2),
        entry("https://", 2),
        websocket,
        failed,
    ];
    let mut notes = Notes::default();
    let kept = select(parse(&values), &mut notes).unwrap();
    let numbers: Vec<_> = kept.iter().map(|e| e.number).collect();
    assert_eq!(numbers, [1]);
    let notes = notes.into_notes();
    let counts: Vec<_> = notes.iter().map(|n| n.entries).collect();
    assert_eq!(counts, [2, 1, 1, 1, 2, 1, 1], "{notes:?}");
}

#[test]
fn what_the_network_failed_stays_if_the_recording_says_so() {
    let failed = |url: &str, second, why: Option<&str>| {
        let mut failed = entry(url, second);
        failed["response"] = json!({"status": 0, "_error": why,
            "content": {"mimeType": "text/html", "size": 252_000}, "_transferSize": 0});
        failed["timings"] = json!({"dns": 30});
        failed
    };
    let values = [
        failed("https://b.test/", 0, Some("net::ERR_CONNECTION_REFUSED")),
        entry("https://a.test/", 1),
        failed("https://b.test/1", 2, Some("net::ERR_NAME_NOT_RESOLVED")),
        failed("https://b.test/2", 3, Some("net::ERR_CONNECTION_REFUSED")),
        failed("https://b.test/3", 4, Some("net::ERR_ABORTED")),
        failed("https://b.test/4", 5, Some("net::ERR_BLOCKED_BY_CLIENT")),
        failed("https://b.test/5", 6, None),
    ];
    let kept = select(parse(&values), &mut Notes::default()).unwrap();
    let found: Vec<_> = kept.iter().map(|e| (e.number, e.no_response())).collect();
    // A failed request is not a navigation. The time of a failure excludes the lookup of
    // 30 ms; without an address there is no connection attempt.
    let after = NoResponse::After(Duration::from_millis(70));
    assert_eq!(
        found,
        [
            (1, None),
            (2, Some(NoResponse::NoAddress)),
            (3, Some(after))
        ]
    );
    let refused = select(parse(&values[..1]), &mut Notes::default()).unwrap_err();
    assert_eq!(refused.0, 0);
}

#[test]
fn entries_are_sorted_and_what_precedes_the_navigation_is_dropped() {
    let mut early = entry("https://a.test/ping", 0);
    early["response"]["content"]["mimeType"] = json!("image/gif");
    let values = [
        entry("https://a.test/frame", 5),
        entry("https://a.test/", 1),
        early,
        entry("https://a.test/b", 3),
    ];
    let mut notes = Notes::default();
    let kept = select(parse(&values), &mut notes).unwrap();
    let numbers: Vec<_> = kept.iter().map(|e| e.number).collect();
    assert_eq!(numbers, [1, 3, 0]);
    assert_eq!(texts(notes), ["1 entry before the navigation left out."]);
}

#[test]
fn without_times_the_document_moves_to_the_front_and_nothing_is_lost() {
    let values = [
        json!({"request": {"url": "https://a.test/x.css"}, "response": {"status": 200, "content": {"mimeType": "text/css"}}}),
        json!({"request": {"url": "https://a.test/"}, "response": {"status": 200, "content": {"mimeType": "text/html"}}}),
    ];
    let kept = select(parse(&values), &mut Notes::default()).unwrap();
    let numbers: Vec<_> = kept.iter().map(|e| e.number).collect();
    assert_eq!(numbers, [1, 0]);
}

#[test]
fn a_repeat_from_the_cache_is_dropped_but_a_first_use_is_raced() {
    let cached = |second| {
        let mut e = entry("https://a.test/logo.png", second);
        e["response"] = json!({"status": 200, "_transferSize": 0, "fromDiskCache": true,
            "content": {"size": 500, "mimeType": "image/png"}});
        e
    };
    let values = [entry("https://a.test/", 0), cached(1), cached(2)];
    let mut notes = Notes::default();
    let kept = select(parse(&values), &mut notes).unwrap();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1].number, 1);
    assert!(served_from_cache(&kept[1]));
}

#[test]
fn a_file_with_nothing_to_race_gives_the_first_reason() {
    let values = [entry("data:,x", 0), entry("wss://a.test/", 1)];
    let (number, _, reason) = select(parse(&values), &mut Notes::default()).err().unwrap();
    assert_eq!((number, reason), (0, "its URL causes no traffic"));
}

/// Returns the number of the entry that is taken for the navigation; `None` if there is none.
fn navigation(values: &[Value]) -> Option<usize> {
    let kept = select(parse(values), &mut Notes::default()).unwrap();
    is_navigation(&kept[0], true).then_some(kept[0].number)
}

#[test]
fn frames_error_pages_and_answers_to_scripts_are_no_navigations() {
    let asked = |word: &str, second| {
        let mut asked = entry("https://a.test/x", second);
        asked["_resourceType"] = json!("document");
        asked["request"]["headers"] = json!([{"name": "Sec-Fetch-Dest", "value": word}]);
        asked
    };
    let of_type = |url: &str, mime: &str, second| {
        let mut typed = entry(url, second);
        typed["response"]["content"]["mimeType"] = json!(mime);
        typed
    };
    let json = of_type("https://a.test/api", "application/json", 0);
    let frames = [json.clone(), asked("iframe", 1), asked("frame", 2)];
    assert_eq!(navigation(&frames), None);
    let page = [&frames[..], &[asked("document", 3)]].concat();
    assert_eq!(navigation(&page), Some(3));
    let mut in_markup = entry("https://a.test/frame", 1);
    in_markup["_initiator"] = json!({"type": "parser", "url": "https://a.test/"});
    assert_eq!(navigation(&[json.clone(), in_markup]), None);

    let mut error = entry("https://a.test/logo.png", 1);
    error["response"]["status"] = json!(404);
    assert_eq!(navigation(std::slice::from_ref(&error)), None);
    assert_eq!(navigation(&[json.clone(), error]), None);
    let mut by_script = entry("https://a.test/part", 1);
    by_script["request"]["headers"] = json!([{"name": "Accept", "value": "*/*"}]);
    assert_eq!(navigation(&[json, by_script]), None);
    let mut missing = entry("https://a.test/missing", 0);
    missing["response"]["status"] = json!(404);
    assert_eq!(navigation(&[missing]), Some(0), "a page that is not there");
}

#[test]
fn a_request_that_a_service_worker_passed_on_is_one_transfer() {
    let request = |url: &str, second, response: Value| {
        let mut request = entry(url, second);
        request["response"] = response;
        request
    };
    let page = json!({"status": 200, "_transferSize": 0, "_fetchedViaServiceWorker": true,
        "content": {"size": 9_000, "mimeType": "text/javascript"}});
    let worker = json!({"status": 200, "_transferSize": 2_300, "bodySize": 2_000,
        "content": {"size": 9_000, "mimeType": "text/javascript"}});
    let mut passed_on = request("https://a.test/a.js", 1, page.clone());
    passed_on["time"] = json!(1_500);
    passed_on["_resourceType"] = json!("script");
    passed_on["serverIPAddress"] = json!("");
    let values = [
        entry("https://a.test/", 0),
        passed_on,
        request("https://a.test/a.js", 2, worker.clone()),
        request("https://a.test/a.js", 9, worker),
    ];
    let kept = select(parse(&values), &mut Notes::default()).unwrap();
    let found: Vec<_> = kept.iter().map(|e| (e.number, e.transfer_size)).collect();
    assert_eq!(found, [(0, None), (1, Some(2_300)), (3, Some(2_300))]);
    assert_eq!(kept[1].resource_type, Some("script"));
}
