//! A file of browsertime: three runs, each with the fields of chrome-har and with paints.

use serde_json::{Value, json};

use crate::entries::{body_bytes, date, list, list_mut, ms, remove, round, start, text, url};

/// How much longer than the first each run takes.
const RUNS: [f64; 3] = [1.0, 1.07, 0.96];
/// Milliseconds in the browser's queue, which chrome-har leaves out of an entry.
const QUEUED_MS: f64 = 0.3;
/// Pieces in which a body arrives.
const CHUNKS: u64 = 20;
/// Where the images are in the example, and where in this file.
const IMAGES: (&str, &str) = (
    "//www.gallery.example/photos/",
    "//photos.gallery.example/photos/",
);

pub(crate) fn har(har: &Value) -> Value {
    let log = &har["log"];
    let (mut pages, mut written) = (Vec::new(), Vec::new());
    for (number, stretch) in RUNS.into_iter().enumerate() {
        let id = format!("page_{}", number + 1);
        let later = 10_000.0 * number as f64;
        let entries = list(&log["entries"]);
        let end = |entry: &Value| (start(entry) + ms(entry, "time")) * stretch;
        let first = entries
            .iter()
            .filter(|entry| text(entry, "_resourceType") == "stylesheet")
            .map(|entry| end(entry) + 30.0)
            .fold(0.0, f64::max)
            .round();
        let hero = entries
            .iter()
            .find(|entry| text(entry, "_resourceType") == "image" && entry["_priority"] == "High");
        let largest = (end(hero.expect("an image in the viewport")) + 25.0)
            .round()
            .max(first);
        let timings = &log["pages"][0]["pageTimings"];
        let timing = |key| round(ms(timings, key) * stretch);
        pages.push(json!({
            "id": id,
            "startedDateTime": date(later, 3, "Z"),
            "title": format!("{} run {}", url(&entries[0]), number + 1),
            "pageTimings": {
                "onContentLoad": timing("onContentLoad"), "onLoad": timing("onLoad"),
                "_firstPaint": first, "_firstContentfulPaint": first,
                "_largestContentfulPaint": largest,
                "_domInteractiveTime": timing("onContentLoad").round(),
            },
            "_url": url(&entries[0]),
            "_meta": {"connectivity": "native"},
            "_visualMetrics": {"SpeedIndex": first + 40.0, "FirstVisualChange": first,
                "LastVisualChange": largest + 200.0},
        }));
        for entry in entries {
            let mut entry = as_chrome_har(entry, stretch, later);
            entry["pageref"] = json!(id);
            written.push(entry);
        }
    }
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "Browsertime", "version": "24.0.0",
            "comment": "https://github.com/sitespeedio/chrome-har"},
        "browser": {"name": "Chrome", "version": "142.0.7444.60"},
        "pages": pages,
        "entries": written,
    }})
}

fn as_chrome_har(entry: &Value, stretch: f64, later: f64) -> Value {
    let mut written = entry.clone();
    let begin = start(entry) * stretch + QUEUED_MS;
    let end = (start(entry) + ms(entry, "time")) * stretch;
    written["startedDateTime"] = date(later + begin, 3, "Z");
    written["time"] = json!(round(end - begin));
    for key in ["blocked", "connect", "ssl", "send", "wait", "receive"] {
        if entry["timings"][key].as_f64().is_some_and(|ms| ms >= 0.0) {
            written["timings"][key] = json!(round(ms(&entry["timings"], key) * stretch));
        }
    }
    let blocked = ms(&written["timings"], "blocked");
    written["timings"]["blocked"] = json!(round((blocked - QUEUED_MS).max(0.0)));
    written["timings"]["_queued"] = json!(QUEUED_MS);
    written["_requestTime"] = json!(round(1_000.0 + (later + begin) / 1000.0));
    let initiator = &entry["_initiator"];
    let frame = &initiator["stack"]["callFrames"][0];
    let place = if frame.is_object() { frame } else { initiator };
    written["_initiator_detail"] = json!(initiator.to_string());
    written["_initiator_type"] = initiator["type"].clone();
    if place["url"].is_string() {
        written["_initiator"] = place["url"].clone();
        written["_initiator_line"] = json!(ms(place, "lineNumber") + 1.0);
    } else {
        remove(&mut written, |key| key == "_initiator");
    }
    let size = entry["response"]["content"]["size"].as_u64().unwrap_or(0);
    let (response, bytes) = (&mut written["response"], body_bytes(entry));
    response["bodySize"] = response["_transferSize"].clone();
    response["fromDiskCache"] = json!(false);
    if size > bytes {
        response["content"]["compression"] = json!(size - bytes);
    }
    remove(&mut response["content"], |key| key == "text");
    let receive = ms(&written["timings"], "receive");
    let chunk = |part: u64| {
        let ts = end - receive * (1.0 - (part + 1) as f64 / CHUNKS as f64);
        json!({"ts": round(ts), "bytes": size * (part + 1) / CHUNKS - size * part / CHUNKS})
    };
    written["_chunks"] = (0..CHUNKS).map(chunk).collect();
    // The server's second name is on the same connection.
    if text(&written, "_resourceType") == "image" {
        let moved = url(entry).replace(IMAGES.0, IMAGES.1);
        written["request"]["url"] = json!(moved);
        for field in list_mut(&mut written["request"]["headers"]) {
            if field["name"] == ":authority" {
                field["value"] = json!("photos.gallery.example");
            }
        }
    }
    written
}
