use serde_json::{Value, json};

use super::{Chunk, Log};

fn sent(id: &str, url: &str, at: f64) -> Value {
    json!({"requestId": id, "timestamp": at, "wallTime": 1000.0 + at, "type": "Script",
        "request": {"url": url, "method": "GET", "headers": {}, "initialPriority": "High"},
        "initiator": {"type": "parser"}, "renderBlockingBehavior": "Blocking"})
}

#[test]
fn a_redirect_is_two_requests_with_their_own_fields() {
    let mut log = Log::default();
    let extra = |headers: Value| json!({"requestId": "1", "headers": headers, "statusCode": 200});
    log.handle(
        None,
        "Network.requestWillBeSent",
        &sent("1", "https://a.test/x", 1.0),
    );
    log.handle(
        None,
        "Network.responseReceivedExtraInfo",
        &extra(json!({"location": "/y"})),
    );
    // The fields of the second hop arrive before the event of the hop itself.
    log.handle(
        None,
        "Network.requestWillBeSentExtraInfo",
        &extra(json!({"n": "1"})),
    );
    log.handle(
        None,
        "Network.requestWillBeSentExtraInfo",
        &extra(json!({"n": "2"})),
    );
    let mut second = sent("1", "https://a.test/y", 1.5);
    second["redirectResponse"] = json!({"status": 301, "encodedDataLength": 88.0});
    second["redirectHasExtraInfo"] = json!(true);
    log.handle(None, "Network.requestWillBeSent", &second);
    log.handle(
        None,
        "Network.responseReceivedExtraInfo",
        &extra(json!({"age": "1"})),
    );
    let response = json!({"requestId": "1", "timestamp": 1.7, "hasExtraInfo": true,
        "response": {"status": 200}});
    log.handle(None, "Network.responseReceived", &response);
    assert_eq!(log.open(), 1);
    let end = json!({"requestId": "1", "timestamp": 2.0, "encodedDataLength": 512.0});
    log.handle(None, "Network.loadingFinished", &end);
    assert_eq!(log.open(), 0);
    let all = log.finish();
    assert_eq!(all.len(), 2);
    assert!(all[0].redirected && !all[1].redirected);
    assert_eq!(all[0].ended, Some(1.5));
    assert_eq!(all[0].encoded_bytes, Some(88));
    assert_eq!(all[1].encoded_bytes, Some(512));
    assert_eq!(all[0].sent_fields, Some(json!({"n": "1"})));
    assert_eq!(all[1].sent_fields, Some(json!({"n": "2"})));
    let fields = |i: usize| all[i].received_fields.as_ref().expect("told")["headers"].clone();
    assert_eq!(fields(0), json!({"location": "/y"}));
    assert_eq!(fields(1), json!({"age": "1"}));
}

#[test]
fn a_hop_without_wire_fields_takes_none_of_another() {
    let mut log = Log::default();
    log.handle(
        None,
        "Network.requestWillBeSent",
        &sent("1", "http://a.test/", 1.0),
    );
    // An internal redirect (HSTS) was never on the wire.
    let mut second = sent("1", "https://a.test/", 1.0);
    second["redirectResponse"] = json!({"status": 307});
    second["redirectHasExtraInfo"] = json!(false);
    log.handle(None, "Network.requestWillBeSent", &second);
    let extra = json!({"requestId": "1", "headers": {"n": "2"}});
    log.handle(None, "Network.requestWillBeSentExtraInfo", &extra);
    let response = json!({"requestId": "1", "hasExtraInfo": true, "response": {"status": 200}});
    log.handle(None, "Network.responseReceived", &response);
    let all = log.finish();
    assert_eq!(all[0].sent_fields, None);
    assert_eq!(all[1].sent_fields, Some(json!({"n": "2"})));
}

#[test]
fn chunks_priorities_and_failures_are_kept() {
    let mut log = Log::default();
    log.handle(
        Some("s"),
        "Network.requestWillBeSent",
        &sent("1", "https://a.test/x", 1.0),
    );
    let data = json!({"requestId": "1", "timestamp": 1.2, "dataLength": 100});
    log.handle(Some("s"), "Network.dataReceived", &data);
    let priority = json!({"requestId": "1", "timestamp": 1.3, "newPriority": "VeryHigh"});
    log.handle(Some("s"), "Network.resourceChangedPriority", &priority);
    let failed = json!({"requestId": "1", "timestamp": 1.4, "errorText": "net::ERR_FAILED",
        "blockedReason": "csp"});
    log.handle(Some("s"), "Network.loadingFailed", &failed);
    // Unknown ids and other domains are ignored.
    log.handle(
        None,
        "Network.dataReceived",
        &json!({"requestId": "9", "timestamp": 2.0}),
    );
    log.handle(None, "Page.loadEventFired", &json!({"timestamp": 2.0}));
    let all = log.finish();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].session.as_deref(), Some("s"));
    assert_eq!(
        all[0].chunks,
        [Chunk {
            at: 1.2,
            bytes: 100
        }]
    );
    assert_eq!(all[0].priority_changes, [(1.3, "VeryHigh".to_owned())]);
    assert_eq!(all[0].failed.as_deref(), Some("net::ERR_FAILED (csp)"));
    assert_eq!(all[0].render_blocking.as_deref(), Some("Blocking"));
}

#[test]
fn the_body_of_a_frame_is_asked_for_where_it_ended() {
    let mut log = Log::default();
    let page = Some("page");
    log.handle(
        page,
        "Network.requestWillBeSent",
        &sent("1", "https://b.test/", 1.0),
    );
    let response = json!({"requestId": "1", "timestamp": 1.5, "response": {"status": 200}});
    log.handle(page, "Network.responseReceived", &response);
    let end = json!({"requestId": "1", "timestamp": 2.0, "encodedDataLength": 512.0});
    log.handle(Some("frame"), "Network.loadingFinished", &end);
    assert_eq!(log.finish()[0].session.as_deref(), Some("frame"));
}
