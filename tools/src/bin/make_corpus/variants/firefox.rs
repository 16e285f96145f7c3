//! An export of Firefox: whole milliseconds, a time zone, ports instead of connections,
//! neither initiators nor priorities. Tracking protection blocked some requests.

use serde_json::{Value, json};

use crate::entries::{body_bytes, date, field, host, list, list_mut, ms, remove, start, url};

pub(crate) fn har(mut har: Value) -> Value {
    let log = &mut har["log"];
    let firefox = json!({"name": "Firefox", "version": "146.0.1"});
    log["creator"] = firefox.clone();
    log["browser"] = firefox;
    let page = &mut log["pages"][0];
    remove(page, |key| key.starts_with('_'));
    page["startedDateTime"] = date(start(page), 3, "+01:00");
    for key in ["onContentLoad", "onLoad"] {
        page["pageTimings"][key] = json!(ms(&page["pageTimings"], key).round());
    }
    let document = host(url(&log["entries"][0])).to_owned();
    for entry in list_mut(&mut log["entries"]) {
        let own = host(url(entry)) == document;
        as_firefox(entry, if own { "HTTP/2" } else { "HTTP/3" });
    }
    har
}

fn as_firefox(entry: &mut Value, protocol: &str) {
    let failed = entry["response"]["status"] == 0;
    entry["startedDateTime"] = date(start(entry), 3, "+01:00");
    let bytes = body_bytes(entry);
    remove(entry, |key| key.starts_with('_'));
    let authority = field(&entry["request"], ":authority").map(str::to_owned);
    let fields = list_mut(&mut entry["request"]["headers"]);
    fields.retain(|field| {
        let name = field["name"].as_str().unwrap_or_default();
        !name.starts_with(':') && !name.starts_with("sec-ch-") && name != "priority"
    });
    fields.insert(
        0,
        json!({"name": "Host", "value": authority.unwrap_or_default()}),
    );
    let response = &mut entry["response"];
    remove(response, |key| key.starts_with('_'));
    response["bodySize"] = json!(if failed { 0 } else { bytes });
    let size = |message: &Value| -> usize {
        let fields = list(&message["headers"]).iter();
        let length = |key: &str, field: &Value| field[key].as_str().map_or(0, str::len);
        fields
            .map(|field| length("name", field) + length("value", field) + 4)
            .sum()
    };
    let response_size = size(response);
    response["headersSize"] = json!(response_size);
    let request_size = size(&entry["request"]);
    entry["request"]["headersSize"] = json!(request_size);
    for side in ["request", "response"] {
        entry[side]["httpVersion"] = json!(if failed { "" } else { protocol });
    }
    // Sums of whole milliseconds, and 0 for a connection that is open already.
    let timings = &mut entry["timings"];
    remove(timings, |key| key.starts_with('_'));
    for key in ["dns", "connect", "ssl", "send", "wait", "receive"] {
        timings[key] = json!(ms(timings, key).round());
    }
    let blocked = timings["blocked"].as_f64().unwrap_or(-1.0).round();
    timings["blocked"] = json!(blocked);
    let sum: f64 = [
        "blocked", "dns", "connect", "ssl", "send", "wait", "receive",
    ]
    .iter()
    .map(|key| ms(timings, key))
    .sum();
    entry["time"] = json!(sum);
    if failed {
        remove(entry, |key| matches!(key, "connection" | "serverIPAddress"));
        entry["response"]["headers"] = json!([]);
        entry["timings"] = json!({});
        entry["time"] = json!(0);
    } else {
        entry["connection"] = json!("443");
        entry["_securityState"] = json!("secure");
    }
}
