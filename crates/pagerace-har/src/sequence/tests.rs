use serde_json::json;

use super::*;
use crate::{ImportOptions, from_bytes};

/// A redirect, the document that it leads to, and a third party's image.
pub(super) fn page() -> Page {
    let entry = |url: &str, ms: u64, status: u16, mime: &str, bytes: u64, kind: &str| {
        json!({
            "startedDateTime": format!("2026-01-01T00:00:00.{ms:03}Z"), "time": 20.25,
            "_resourceType": kind,
            "request": {"method": "GET", "url": url, "headers": []},
            "response": {"status": status, "headers": [], "bodySize": bytes,
                "redirectURL": if status == 301 { "https://www.site.test/" } else { "" },
                "content": {"size": bytes, "mimeType": mime}},
            "timings": {"send": 0, "wait": 15, "receive": 5.25},
        })
    };
    let har = json!({"log": {"pages": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "id": "1"}],
        "entries": [
        entry("https://site.test/", 0, 301, "", 0, "document"),
        entry("https://www.site.test/", 30, 200, "text/html", 4000, "document"),
        entry("https://me:secret@cdn.other.test/a.png?user=7#top", 90, 200, "image/png", 9000, "image"),
    ]}});
    from_bytes(
        "site.har",
        har.to_string().as_bytes(),
        &ImportOptions::default(),
    )
    .unwrap()
}

#[test]
fn resources_become_objects() {
    let sequence = TransferSequence::of(&page(), Urls::default());
    let [redirect, document, picture] = sequence.transfers() else {
        panic!("three resources")
    };
    assert_eq!(
        (redirect.size, redirect.file_name.as_str()),
        (0, "object-0000.html")
    );
    assert_eq!(document.category, Category::Html);
    assert_eq!(document.start, Duration::from_millis(30));
    assert_eq!(document.third_party, Some(false));
    assert!(document.must_be_whole);
    assert_eq!(picture.file_name, "object-0002.png");
    assert_eq!(picture.transfer_time, Some(Duration::from_micros(20_250)));
    assert_eq!(picture.third_party, Some(true));
    assert!(!picture.must_be_whole);
    assert_eq!(sequence.bytes(), 13_000);
    assert_eq!(redirect.category, Category::Html);
    assert_eq!(document.size, 4000);
}

#[test]
fn addresses_tell_nobody_who_visited() {
    let page = page();
    let url = |sequence: &TransferSequence| sequence.transfers()[2].url.clone().unwrap();
    assert_eq!(
        url(&TransferSequence::of(&page, Urls::default())),
        "https://cdn.other.test/a.png"
    );
    let whole = TransferSequence::of(&page, Urls::Whole);
    assert!(url(&whole).starts_with("https://cdn.other.test/a.png?user=7"));
    assert!(!whole.to_json().contains("secret"));
}

#[test]
fn long_addresses_are_cut() {
    let mut page = page();
    page.resources[2].url = format!("https://a.test/{}", "x".repeat(5000));
    let sequence = TransferSequence::of(&page, Urls::default());
    let url = sequence.transfers()[2].url.clone().unwrap();
    assert!(url.chars().count() == MAX_URL_CHARS && url.ends_with('…'));
    let again = TransferSequence::from_json("x", sequence.to_json().as_bytes()).unwrap();
    assert_eq!(again, sequence);
}

#[test]
fn without_times_the_order_stays() {
    let mut page = page();
    page.resources[1].recorded = None;
    page.resources[2].recorded.as_mut().unwrap().start = Duration::from_millis(1);
    let sequence = TransferSequence::of(&page, Urls::default());
    let order: Vec<u32> = sequence.transfers().iter().map(|t| t.id).collect();
    assert_eq!(order, [0, 1, 2]);
    assert_eq!(sequence.transfers()[1].transfer_time, None);
    page.resources[0].recorded.as_mut().unwrap().start = Duration::from_millis(2);
    let order: Vec<u32> = TransferSequence::of(&page, Urls::default())
        .transfers()
        .iter()
        .map(|t| t.id)
        .collect();
    assert_eq!(order, [2, 0, 1], "by start, then by number");
}

#[test]
fn json_is_written_with_its_units() {
    let text = TransferSequence::of(&page(), Urls::default()).to_json();
    let expected = r#"  {
    "id": 2,
    "category": "images",
    "extension": "png",
    "size_bytes": 9000,
    "start_ms": 90.0,
    "transfer_ms": 20.25,
    "file_name": "object-0002.png",
    "url": "https://cdn.other.test/a.png",
    "third_party": true,
    "must_be_whole": false
  }
]
"#;
    assert!(text.ends_with(expected), "{text}");
}
