//! Recordings by programs that see messages only: a proxy, and a checker that notes the
//! responses without any time.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::entries::{
    Made, as_http_1_1, body_bytes, date, host, list, ms, remove, start, text, url,
};

/// HAR 1.1 of a proxy: `CONNECT` for each host, HTTP/1.1 only, whole milliseconds, seven
/// digits of a second, no pages, entries in the order in which they ended.
pub(crate) fn har(har: &Value) -> Value {
    let Value::Array(mut entries) = har["log"]["entries"].clone() else {
        panic!("a recording has entries");
    };
    for entry in &mut entries {
        as_proxied(entry);
    }
    entries.sort_by_key(|entry| (start_and_time(entry) * 1000.0) as i64);
    let mut seen = BTreeSet::new();
    let mut written = Vec::new();
    for entry in entries {
        let host = host(url(&entry)).to_owned();
        if seen.insert(host.clone()) {
            let mut tunnel = entry.clone();
            tunnel["request"]["method"] = json!("CONNECT");
            tunnel["request"]["url"] = json!(format!("https://{host}:443"));
            tunnel["response"]["headers"] = json!([]);
            tunnel["response"]["content"] = json!({"size": 0, "mimeType": ""});
            tunnel["response"]["bodySize"] = json!(-1);
            written.push(tunnel);
        }
        written.push(entry);
    }
    let document = har["log"]["entries"][0].clone();
    let target = url(&document).to_owned();
    let mut redirect = Made {
        url: "http://todo.example/",
        method: "GET",
        status: 302,
        kind: "",
        initiator: json!(null),
        start: -60.0,
        time: 55.0,
        fields: &[("location", &target), ("content-length", "0")],
    }
    .entry();
    remove(&mut redirect, |key| {
        key.starts_with('_') || key == "pageref"
    });
    remove(&mut redirect["response"], |key| key.starts_with('_'));
    redirect["startedDateTime"] = date(-60.0, 7, "+02:00");
    written.push(redirect);
    for (number, entry) in written.iter_mut().enumerate() {
        entry["comment"] = json!(format!("[#{}]", number + 1));
    }
    json!({"log": {
        "version": "1.1",
        "comment": "exported",
        "creator": {"name": "Fiddler", "version": "4.6.20", "comment": ""},
        "pages": [],
        "entries": written,
    }})
}

fn start_and_time(entry: &Value) -> f64 {
    let date = text(entry, "startedDateTime");
    let seconds = date
        .get(17..27)
        .and_then(|digits| digits.parse::<f64>().ok());
    seconds.expect("seven digits") * 1000.0 + ms(entry, "time")
}

fn as_proxied(entry: &mut Value) {
    remove(entry, |key| {
        key.starts_with('_') || matches!(key, "pageref" | "connection")
    });
    entry["startedDateTime"] = date(start(entry), 7, "+02:00");
    entry["time"] = json!(ms(entry, "time").round());
    let bytes = body_bytes(entry);
    for side in ["request", "response"] {
        let message = &mut entry[side];
        message["httpVersion"] = json!("HTTP/1.1");
        as_http_1_1(message);
    }
    remove(&mut entry["request"], |key| key.starts_with('_'));
    let response = &mut entry["response"];
    remove(response, |key| key.starts_with('_'));
    response["bodySize"] = json!(bytes);
    response["statusText"] = json!("OK");
    if !text(&response["content"], "mimeType").contains("html") {
        remove(&mut response["content"], |key| {
            matches!(key, "text" | "encoding")
        });
    }
    let timings = &entry["timings"];
    let (wait, receive) = (ms(timings, "wait").round(), ms(timings, "receive").round());
    entry["timings"] = json!({"blocked": -1, "dns": -1, "connect": -1, "ssl": -1,
        "send": 0, "wait": wait, "receive": receive});
}

/// URL, status, fields and size of each response; nothing else, no log around.
pub(crate) fn bare(har: &Value) -> Value {
    let entry = |entry: &Value| {
        let response = &entry["response"];
        json!({
            "request": {"url": url(entry)},
            "response": {
                "status": response["status"], "headers": response["headers"],
                "content": {"size": body_bytes(entry),
                    "mimeType": response["content"]["mimeType"]},
            },
        })
    };
    let entries: Vec<Value> = list(&har["log"]["entries"]).iter().map(entry).collect();
    json!({"log": {"entries": entries}})
}
