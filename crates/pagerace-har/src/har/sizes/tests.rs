use serde_json::{Value, json};

use super::*;

fn sizes(entries: &[Entry], header_bytes: &[u32], notes: &mut Notes) -> Vec<u64> {
    let redirects = Redirects::find(entries, &mut Notes::default());
    bodies(entries, &redirects, header_bytes, notes)
}

fn size_of(response: &Value) -> (u64, Vec<String>) {
    let v = json!({"request": {"url": "https://a.test/"}, "serverIPAddress": "192.0.2.1",
        "time": 50, "response": response});
    let entry = Entry::parse(0, &v, None);
    let mut notes = Notes::default();
    let size = sizes(&[entry], &[1000], &mut notes)[0];
    (
        size,
        notes.into_notes().into_iter().map(|n| n.text).collect(),
    )
}

fn headers(pairs: &[(&str, &str)]) -> Value {
    pairs
        .iter()
        .map(|(n, v)| json!({"name": n, "value": v}))
        .collect()
}

#[test]
fn content_length_is_exact() {
    let r = json!({"status": 200, "_transferSize": 5300, "content": {"size": 20000},
        "headers": headers(&[("Content-Length", "5000"), ("Content-Encoding", "br")])});
    assert_eq!(size_of(&r), (5000, vec![]));
}

#[test]
fn an_aborted_transfer_counts_what_came() {
    let r = json!({"status": 206, "_transferSize": 5300, "httpVersion": "http/1.1",
        "headers": headers(&[("Content-Length", "900000")])});
    let (size, notes) = size_of(&r);
    assert_eq!(size, 5300 - 1050);
    assert_eq!(notes.len(), 1);
}

#[test]
fn fields_are_taken_off_the_transfer_size() {
    let r = json!({"status": 200, "_transferSize": 5300, "bodySize": 5300, "httpVersion": "h2",
        "content": {"size": 20000}, "headers": headers(&[("Content-Encoding", "br")])});
    assert_eq!(size_of(&r), (5300 - 600, vec![]));
    let tiny = json!({"status": 200, "_transferSize": 30, "httpVersion": "h2",
        "content": {"size": 10}, "headers": headers(&[("Content-Encoding", "br")])});
    assert_eq!(
        size_of(&tiny).0,
        1,
        "a body that was decoded had at least one byte"
    );
}

#[test]
fn the_recordings_own_ratio_is_preferred() {
    let values: Vec<Value> = [1100, 2100, 3100]
        .iter()
        .map(|t| {
            json!({"response": {"status": 200, "_transferSize": t, "httpVersion": "h2",
                "headers": headers(&[("Content-Length", &(t - 100).to_string())])}})
        })
        .chain([
            json!({"response": {"status": 200, "_transferSize": 5000, "httpVersion": "h2",
            "content": {"size": 9}, "headers": headers(&[("Content-Encoding", "gzip")])}}),
        ])
        .collect();
    let entries: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(i, v)| Entry::parse(i, v, None))
        .collect();
    let sizes = self::sizes(&entries, &[400; 4], &mut Notes::default());
    assert_eq!(
        sizes,
        [1000, 2000, 3000, 4900],
        "100 of 400 bytes, as the others show"
    );
}

#[test]
fn bodies_without_coding_are_as_long_as_decoded() {
    let r = json!({"status": 200, "bodySize": -1, "content": {"size": 45},
        "headers": headers(&[("Content-Type", "text/javascript")])});
    assert_eq!(size_of(&r), (45, vec![]));
}

#[test]
fn the_saved_bytes_of_compression_count() {
    let r = json!({"status": 200, "bodySize": -1, "content": {"size": 1000, "compression": 700}});
    assert_eq!(size_of(&r).0, 300);
}

#[test]
fn cached_bodies_stand_in_decoded() {
    let r = json!({"status": 200, "_transferSize": 0, "fromDiskCache": true,
        "content": {"size": 1234}});
    let (size, notes) = size_of(&r);
    assert_eq!((size, notes.len()), (1234, 1));
}

#[test]
fn no_body_where_http_allows_none() {
    let r = json!({"status": 204, "headers": headers(&[("Content-Length", "77")])});
    assert_eq!(size_of(&r), (0, vec![]));
}

#[test]
fn nothing_known_is_nothing_with_a_note() {
    let (size, notes) = size_of(&json!({"status": 200}));
    assert_eq!(size, 0);
    assert_eq!(notes.len(), 1);
}

#[test]
fn a_length_of_another_response_is_not_believed() {
    let r = json!({"status": 200, "_transferSize": 31_977, "bodySize": 31_977, "httpVersion": "h2",
        "content": {"size": 120_318}, "headers": headers(&[("content-length", "169")])});
    assert_eq!(size_of(&r), (31_977 - 600, vec![]));
}

#[test]
fn a_response_that_the_same_load_transferred_is_not_sent_again_when_it_is_validated() {
    let get = |url: &str, status: u16| {
        json!({"request": {"url": url}, "serverIPAddress": "192.0.2.1", "time": 50,
            "response": {"status": status, "content": {"size": 70_000}, "bodySize": 70_000}})
    };
    let (font, sheet) = ("https://a.test/font.woff2", "https://a.test/sheet.css");
    // The last one is a revisit: a first visit transfers it.
    let values = [get(font, 200), get(font, 304), get(sheet, 304)];
    let numbered = values.iter().enumerate();
    let entries: Vec<Entry> = numbered.map(|(i, v)| Entry::parse(i, v, None)).collect();
    let sizes = self::sizes(&entries, &[100; 3], &mut Notes::default());
    assert_eq!(sizes, [70_000, 0, 70_000]);
}

#[test]
fn a_cached_body_with_a_coding_has_its_content_length() {
    let r = json!({"status": 200, "_transferSize": 0, "fromDiskCache": true,
        "content": {"size": 9000},
        "headers": headers(&[("Content-Encoding", "br"), ("Content-Length", "2000")])});
    assert_eq!(size_of(&r), (2000, vec![]));
    let not_modified = json!({"status": 304, "bodySize": 0, "content": {"size": 9000},
        "headers": headers(&[("content-encoding", "gzip"), ("content-length", "2000")])});
    assert_eq!(size_of(&not_modified), (2000, vec![]));
}

#[test]
fn lengths_may_be_repeated_or_numbers() {
    let size = |length: Value| {
        let r = json!({"status": 200, "bodySize": -1, "content": {"size": 20_000},
            "headers": [{"name": "content-encoding", "value": "gzip"},
                {"name": "Content-Length", "value": length}]});
        size_of(&r).0
    };
    let lengths = [json!(5000), json!("5000, 5000"), json!("5000\n5000")];
    assert_eq!(lengths.map(size), [5000; 3]);
    assert_eq!(size(json!("5000, 6000")), 20_000, "no length is certain");
}

#[test]
fn impossible_or_decoded_sizes_are_noted() {
    let coded = headers(&[("Content-Encoding", "gzip")]);
    let saved = json!({"status": 200, "bodySize": -1, "headers": coded,
        "content": {"size": 20_000, "compression": 60_000}});
    let decoded = json!({"status": 200, "bodySize": 20_000, "headers": coded,
        "content": {"size": 20_000}});
    for response in [saved, decoded] {
        let (size, notes) = size_of(&response);
        assert_eq!((size, notes.len()), (20_000, 1), "{notes:?}");
    }
}

#[test]
fn a_redirect_with_the_sizes_of_its_target_has_no_body() {
    let size = |status: u16| {
        json!({"request": {"url": format!("https://a.test/{status}")}, "time": 50,
            "response": {"status": status, "redirectURL": "/200", "bodySize": 70_000,
                "content": {"size": 70_000}}})
    };
    let values = [size(302), size(200)];
    let numbered = values.iter().enumerate();
    let entries: Vec<Entry> = numbered.map(|(i, v)| Entry::parse(i, v, None)).collect();
    let found = sizes(&entries, &[100; 2], &mut Notes::default());
    assert_eq!(found, [0, 70_000]);
}
