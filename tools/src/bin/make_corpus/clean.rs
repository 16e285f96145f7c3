//! Prepares a file of `pagerace record` for the corpus: removes large and binary bodies,
//! and replaces addresses, dates and ids.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::entries::{host, list_mut, text, url};

/// Maximum number of bytes of a body that stays, by the start of its media type.
const BODIES: [(&str, usize); 4] = [
    ("text/html", 60_000),
    ("text/css", 48_000),
    ("text/javascript", 8_000),
    ("image/", 3_000),
];

pub(crate) fn clean(mut har: Value) -> Value {
    let log = &mut har["log"];
    let begin = seconds_of_day(&log["pages"][0]);
    for page in list_mut(&mut log["pages"]) {
        shift(page, begin);
    }
    let mut addresses: BTreeMap<String, usize> = BTreeMap::new();
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for entry in list_mut(&mut log["entries"]) {
        shift(entry, begin);
        if entry["serverIPAddress"].is_string() {
            let next = addresses.len() + 1;
            let number = *addresses.entry(host(url(entry)).to_owned()).or_insert(next);
            entry["serverIPAddress"] = json!(format!("192.0.2.{number}"));
        }
        if let Some(id) = entry["_requestId"].as_str() {
            let next = ids.len() + 1;
            let number = *ids.entry(id.to_owned()).or_insert(next);
            // Chromium names navigations by 32 digits, other requests by two numbers.
            entry["_requestId"] = if id.contains('.') {
                json!(format!("1000.{number}"))
            } else {
                json!(format!("{number:032X}"))
            };
        }
        drop_body(&mut entry["response"]["content"]);
        for side in ["request", "response"] {
            let dated = |field: &Value| {
                matches!(
                    text(field, "name"),
                    "date" | "last-modified" | "expires" | "etag"
                )
            };
            list_mut(&mut entry[side]["headers"]).retain(|field| !dated(field));
        }
    }
    har
}

fn seconds_of_day(value: &Value) -> f64 {
    let date = text(value, "startedDateTime");
    let time = date
        .split('T')
        .nth(1)
        .expect("a time")
        .trim_end_matches('Z');
    time.split(':')
        .map(|part| part.parse::<f64>().expect("a number"))
        .fold(0.0, |sum, part| sum * 60.0 + part)
}

/// Moves the value's date, so that the page begins at nine o'clock.
fn shift(value: &mut Value, begin: f64) {
    let since = (seconds_of_day(value) - begin).rem_euclid(86_400.0);
    assert!(since < 60.0, "a load takes less than a minute");
    value["startedDateTime"] = json!(format!("2026-01-15T09:00:{since:09.6}Z"));
}

fn drop_body(content: &mut Value) {
    let mime = text(content, "mimeType");
    let limit = BODIES.iter().find(|body| mime.starts_with(body.0));
    if text(content, "text").len() > limit.map_or(0, |body| body.1) {
        let content = content.as_object_mut().expect("an object");
        content.remove("text");
        content.remove("encoding");
    }
}
