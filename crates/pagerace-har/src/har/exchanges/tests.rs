use serde_json::{Value, json};

use crate::{ImportOptions, Recording, recording_from_bytes};
use pagerace_page::ResourceId;

fn entry(url: &str, response: &Value) -> Value {
    json!({
        "request": {"method": "get", "url": url},
        "response": response,
    })
}

fn record(entries: &[Value]) -> Recording {
    let device = json!({"name": "mobile", "width": 360, "height": 800, "scale": 3, "mobile": true,
        "userAgent": "a phone"});
    let har = json!({"log": {
        "pages": [{"id": "p", "_pagerace": {"device": device}}],
        "entries": entries,
    }});
    let har = har.to_string();
    recording_from_bytes("x.page", har.as_bytes(), &ImportOptions::default()).expect("a recording")
}

#[test]
fn bodies_come_decoded() {
    let recording = record(&[
        entry(
            "https://a.test/",
            &json!({"status": 200, "bodySize": 7,
                "headers": [{"name": "Content-Encoding", "value": "gzip"},
                    {"name": ":status", "value": "200"}],
                "content": {"mimeType": "text/html", "size": 5, "text": "<p>hé"}}),
        ),
        entry(
            "https://a.test/a.png",
            &json!({"status": 200, "bodySize": 4,
                "content": {"mimeType": "image/png", "size": 4, "text": "iVBORw==",
                    "encoding": "base64"}}),
        ),
        entry(
            "https://a.test/broken.png",
            &json!({"status": 200,
                "content": {"size": 4, "text": "no base64!", "encoding": "base64"}}),
        ),
        entry(
            "https://a.test/empty",
            &json!({"status": 204, "content": {"size": 0}}),
        ),
        entry(
            "https://a.test/unknown",
            &json!({"status": 200, "content": {"size": 9}}),
        ),
    ]);
    let bodies: Vec<Option<&[u8]>> = recording
        .exchanges
        .iter()
        .map(|e| e.body.as_deref())
        .collect();
    let expected: [Option<&[u8]>; 5] = [
        Some("<p>hé".as_bytes()),
        Some(b"\x89PNG"),
        None,
        Some(b""),
        None,
    ];
    assert_eq!(bodies, expected);
    let first = &recording.exchanges[0];
    assert_eq!(first.method, "GET");
    assert_eq!(
        first.fields,
        [("content-encoding".to_owned(), "gzip".to_owned())]
    );
    assert_eq!(first.encoded_bytes, Some(7));
    assert_eq!(first.resource, Some(ResourceId(0)));
    let device = recording.device.expect("recorded");
    assert_eq!(
        (device.width, device.height, device.mobile),
        (360, 800, true)
    );
    assert!((device.scale - 3.0).abs() < 1e-9);
}

#[test]
fn what_is_not_raced_is_kept_and_what_is_no_exchange_is_not() {
    let mut failed = entry("https://b.test/a.js", &json!({"status": 0, "bodySize": 0}));
    failed["_pagerace"] = json!({"failed": "net::ERR_ABORTED"});
    let recording = record(&[
        entry("data:text/plain,hi", &json!({"status": 200})),
        entry(
            "https://a.test/",
            &json!({"status": 200, "content": {"mimeType": "text/html"}}),
        ),
        failed,
        entry(
            "https://a.test/a.css",
            &json!({"status": 200, "content": {"mimeType": "text/css"}}),
        ),
    ]);
    let told: Vec<_> = recording
        .exchanges
        .iter()
        .map(|e| (e.url.as_str(), e.resource, e.failed.as_deref()))
        .collect();
    let expected = [
        ("https://a.test/", Some(ResourceId(0)), None),
        ("https://b.test/a.js", None, Some("net::ERR_ABORTED")),
        ("https://a.test/a.css", Some(ResourceId(1)), None),
    ];
    assert_eq!(told, expected);
    assert_eq!(recording.page.resources.len(), 2);
}
