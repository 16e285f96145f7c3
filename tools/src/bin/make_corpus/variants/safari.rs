//! An export of Safari's Web Inspector: three priorities, the kind of fetch, no initiators,
//! no HTTP versions.

use serde_json::{Value, json};

use crate::entries::{body_bytes, date, list_mut, remove, start, text};

pub(crate) fn har(mut har: Value) -> Value {
    let log = &mut har["log"];
    log["creator"] = json!({"name": "WebKit Web Inspector", "version": "1.0"});
    let page = &mut log["pages"][0];
    page["id"] = json!("page_0");
    page["startedDateTime"] = date(start(page), 3, "Z");
    for (number, entry) in list_mut(&mut log["entries"]).iter_mut().enumerate() {
        entry["startedDateTime"] = date(start(entry), 3, "Z");
        entry["pageref"] = json!("page_0");
        entry["_priority"] = json!(match text(entry, "_priority") {
            "VeryHigh" | "High" => "high",
            "Medium" => "medium",
            _ => "low",
        });
        // The icon is still in memory.
        let memory = text(entry, "_resourceType") == "other";
        entry["_fetchType"] = json!(if memory {
            "Memory Cache"
        } else {
            "Network Load"
        });
        entry["_serverPort"] = json!(443);
        remove(entry, |key| {
            matches!(key, "_initiator" | "_initialPriority" | "_resourceType")
        });
        let (bytes, size) = (body_bytes(entry), &entry["response"]["content"]["size"]);
        let saved = size.as_f64().unwrap_or(0.0) - bytes as f64;
        for side in ["request", "response"] {
            entry[side]["httpVersion"] = json!("");
        }
        let response = &mut entry["response"];
        response["content"]["compression"] = json!(saved);
        response["headersSize"] = json!(120);
        response["bodySize"] = json!(if memory { 0 } else { bytes });
        response["statusText"] = json!("OK");
        if memory {
            response["_transferSize"] = json!(0);
        }
        entry["connection"] = json!((number % 2).to_string());
    }
    har
}
