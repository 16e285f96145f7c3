use serde_json::json;

use super::*;

fn event(method: &str, params: Value) -> Event {
    Event {
        method: format!("Network.{method}"),
        params,
        session: "S".into(),
    }
}

/// Returns a load of a document that is redirected once, and of an image that fails.
fn load() -> Requests {
    let timing = json!({"requestTime": 100.0, "dnsStart": -1, "connectStart": -1, "connectEnd": -1, "sendStart": 250.0, "receiveHeadersStart": 375.0, "receiveHeadersEnd": 380.0});
    let first = json!({"status": 301, "protocol": "h2", "encodedDataLength": 120, "timing": {"requestTime": 100.0, "sendStart": 125.0, "connectStart": 1.0, "connectEnd": 100.0}});
    let document = |url: &str| json!({"url": url, "method": "GET", "initialPriority": "VeryHigh"});
    let events = [
        event(
            "requestWillBeSent",
            json!({"requestId": "D", "timestamp": 100.0, "type": "Document", "initiator": {"type": "other"}, "request": document("https://a.test/")}),
        ),
        event(
            "requestWillBeSent",
            json!({"requestId": "D", "timestamp": 100.25, "type": "Document", "initiator": {"type": "other"}, "request": document("https://a.test/x"), "redirectResponse": first}),
        ),
        event(
            "responseReceived",
            json!({"requestId": "D", "timestamp": 100.4, "response": {"status": 200, "protocol": "h2", "connectionId": 7, "timing": timing}}),
        ),
        event(
            "dataReceived",
            json!({"requestId": "D", "timestamp": 100.4, "dataLength": 900, "encodedDataLength": 400}),
        ),
        event(
            "requestWillBeSent",
            json!({"requestId": "I", "timestamp": 100.5, "type": "Image", "initiator": {"type": "parser"}, "renderBlockingBehavior": "NonBlocking", "request": {"url": "https://b.test/i.png", "method": "GET", "initialPriority": "Low"}}),
        ),
        event(
            "resourceChangedPriority",
            json!({"requestId": "I", "timestamp": 100.6, "newPriority": "High"}),
        ),
        event(
            "requestWillBeSent",
            json!({"requestId": "X", "timestamp": 100.5, "request": {"url": "data:text/plain,x"}}),
        ),
        event(
            "loadingFinished",
            json!({"requestId": "D", "timestamp": 100.75, "encodedDataLength": 1000}),
        ),
    ];
    let mut requests = Requests::default();
    requests.set_document("D");
    for one in &events {
        assert!(requests.handle(one));
    }
    requests
}

#[test]
fn a_redirect_is_two_requests() {
    let mut requests = load();
    assert_eq!(requests.open(), 1);
    requests.handle(&event(
        "loadingFailed",
        json!({"requestId": "I", "timestamp": 101.0, "errorText": "net::ERR_CONNECTION_RESET"}),
    ));
    assert_eq!(requests.open(), 0);

    // The request left at 100.25 s, which is 350 ms in Navigation Timing, so that the
    // navigation began at 99.9 s.
    let clock = requests.navigation_start(Some(Duration::from_millis(350)));
    let (seen, failures) = requests.observed(clock);
    let urls: Vec<&str> = seen.iter().map(|r| &r.url[..]).collect();
    assert_eq!(
        urls,
        [
            "https://a.test/",
            "https://a.test/x",
            "https://b.test/i.png"
        ]
    );
    assert_eq!(
        failures,
        ["https://b.test/i.png: net::ERR_CONNECTION_RESET"]
    );
    assert_eq!(seen[0].transfer_size, 120);
    assert_eq!(seen[1].transfer_size, 1000);
    let near = |a: Option<Duration>, b: f64| {
        let a = a.unwrap().as_millis_f64();
        assert!((a - b).abs() < 0.001, "{a} instead of {b}");
    };
    near(seen[0].connect_end, 200.0);
    near(seen[0].response_end, 350.0);
    near(seen[1].response_start, 475.0);
    near(seen[1].response_end, 850.0);
    assert_eq!((seen[1].connect_start, seen[1].connection), (None, Some(7)));
}

#[test]
fn without_timing_the_first_request_is_the_start() {
    let requests = load();
    let (seen, _) = requests.observed(requests.navigation_start(None));
    assert_eq!(seen[0].start, Duration::ZERO);
}

#[test]
fn other_events_are_not_requests() {
    let mut requests = load();
    assert!(!requests.handle(&event(
        "requestServedFromSomewhere",
        json!({"requestId": "D"})
    )));
    assert!(!requests.handle(&event("loadingFinished", json!({}))));
    // The end of an unknown request changes nothing.
    requests.handle(&event(
        "loadingFinished",
        json!({"requestId": "?", "timestamp": 1.0}),
    ));
    assert_eq!(requests.open(), 1);
}
