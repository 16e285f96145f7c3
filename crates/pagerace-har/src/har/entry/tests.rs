use serde_json::json;

use super::*;

#[test]
fn every_field_may_be_missing_or_of_another_type() {
    for v in [
        json!({}),
        json!(7),
        json!({"request": [], "response": "x", "timings": 3}),
    ] {
        let entry = Entry::parse(0, &v, None);
        assert!(entry.url.is_none());
        assert_eq!((entry.status, entry.method.as_str()), (0, "GET"));
    }
}

#[test]
fn webpagetest_times_are_relative_to_the_page() {
    let v = json!({"startedDateTime": "1970-01-01T00:00:01.116Z", "time": 147,
        "_created": 15, "_all_start": 20, "_all_end": 149, "timings": {"receive": 5}});
    let entry = Entry::parse(0, &v, Some(1000.0));
    assert_eq!((entry.start, entry.end), (Some(1015.0), Some(1149.0)));
    assert_eq!(entry.first_byte, Some(1144.0));
}

#[test]
fn the_browsers_queue_lies_before_the_start_in_chrome_har() {
    let v = json!({"startedDateTime": "1970-01-01T00:00:01Z", "timings": {"_queued": 96.5}});
    let entry = Entry::parse(0, &v, None);
    assert_eq!((entry.start, entry.asked), (Some(1000.0), Some(903.5)));
    let v = json!({"startedDateTime": "1970-01-01T00:00:01Z", "timings": {"_blocked_queueing": 9}});
    assert_eq!(Entry::parse(0, &v, None).asked, Some(1000.0));
}

#[test]
fn priorities_keep_the_first_and_notice_a_boost() {
    let v = json!({"_initialPriority": "Low", "_priority": "High"});
    let entry = Entry::parse(0, &v, None);
    assert_eq!(entry.priority, Some(RequestPriority::Low));
    assert_eq!(entry.boosted, Some(RequestPriority::High));
    assert!(entry.priority_history);
    let safari = json!({"_priority": "medium"});
    assert_eq!(Entry::parse(0, &safari, None).priority, None);
    let browsertime = json!({"request": {"_initialPriority": "VeryHigh", "_priority": "VeryHigh"}});
    assert_eq!(
        Entry::parse(0, &browsertime, None).priority,
        Some(RequestPriority::VeryHigh)
    );
}

#[test]
fn base64_bodies_are_decoded_and_images_are_not_kept() {
    let v = json!({"response": {"content": {"mimeType": "text/css; charset=utf-8",
        "encoding": "base64", "text": "YXt9"}}});
    assert_eq!(Entry::parse(0, &v, None).body.as_deref(), Some("a{}"));
    let v = json!({"response": {"content": {"mimeType": "image/svg+xml", "text": "<svg/>"}}});
    assert!(Entry::parse(0, &v, None).body.is_none());
}

#[test]
fn the_port_is_no_connection() {
    assert_eq!(
        Entry::parse(0, &json!({"connection": "443"}), None).connection,
        None
    );
    assert_eq!(
        Entry::parse(0, &json!({"_socket": 165}), None)
            .connection
            .as_deref(),
        Some("165")
    );
}

#[test]
fn unknown_protocols_are_told_by_their_pseudo_fields() {
    let v = json!({"request": {"httpVersion": "unknown", "headers": [{"name": ":path", "value": "/"}]},
        "response": {"httpVersion": "unknown"}});
    assert_eq!(Entry::parse(0, &v, None).protocol, Some(Protocol::H2));
}
