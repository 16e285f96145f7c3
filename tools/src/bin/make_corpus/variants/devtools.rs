//! Exports of Chrome DevTools: one of today, with many hosts and all that goes wrong, and
//! one of 2017, without initiators, priorities and resource types.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::entries::{
    Made, as_http_1_1, body_bytes, date, host, list, list_mut, ms, remove, round, start, text, url,
    validate,
};

/// Invented third parties.
const SITES: [&str; 12] = [
    "adnet",
    "clickfield",
    "audience-lab",
    "pixelworks",
    "bidstream",
    "tagline",
    "measure",
    "reachout",
    "viewable",
    "impressor",
    "counter",
    "targetly",
];
const ROLES: [&str; 4] = ["bid", "sync", "px", "cdn"];
/// Milliseconds of the document's redirects, which come before the example page.
const REDIRECTS_MS: f64 = 110.0;

/// Connections to a host of HTTP/1.1.
const PARALLEL: usize = 6;

/// The news page of the example, from a browser with an ad blocker: each request to a third
/// party goes to a host of its own, the images come from three hosts, of which two share a
/// connection and one speaks HTTP/1.1.
pub(crate) fn new(mut har: Value) -> Value {
    let log = &mut har["log"];
    log["creator"] = json!({"name": "WebInspector", "version": "537.36"});
    let (mut third, mut image) = (0, 0);
    let mut moved = BTreeMap::new();
    for entry in list_mut(&mut log["entries"]) {
        let (old, kind) = (
            url(entry).to_owned(),
            text(entry, "_resourceType").to_owned(),
        );
        let name = host(&old).to_owned();
        let begin = start(entry);
        entry["startedDateTime"] = date(begin, 3, "Z");
        if name == "img.courier.example" {
            image += 1;
            if image % 4 == 0 {
                validate(&mut entry["response"], "public, max-age=0");
            }
            let number = image % 3 + 1;
            rename(entry, &format!("img{number}.courier.example"));
            if number == 3 {
                let lane = image / 3;
                connect(entry, 300 + lane % PARALLEL, lane < PARALLEL, "http/1.1");
                entry["serverIPAddress"] = json!("198.51.100.33");
            }
        } else if !name.ends_with("courier.example") && !name.starts_with("fonts") {
            let site = SITES[third % SITES.len()];
            let role = ROLES[third % ROLES.len()];
            if kind != "script" {
                rename(entry, &format!("{role}{third}.{site}.example"));
                let protocol = ["h3", "h2", "http/1.1"][third % 3];
                connect(entry, 200 + third, true, protocol);
                entry["serverIPAddress"] = json!(format!("198.51.100.{}", 100 + third));
            }
            third += 1;
        }
        moved.insert(old, url(entry).to_owned());
        as_devtools(entry);
    }
    // Longer URLs first, because one may begin with another.
    let mut moved: Vec<_> = moved.into_iter().filter(|(old, new)| old != new).collect();
    moved.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
    for entry in list_mut(&mut log["entries"]) {
        for place in ["/_initiator/url", "/response/content/text"] {
            if let Some(Value::String(text)) = entry.pointer_mut(place) {
                for (old, new) in &moved {
                    *text = text.replace(old, new);
                }
            }
        }
        // The last picture is missing on the server.
        if url(entry).ends_with("story-29.jpg") {
            entry["response"]["status"] = json!(404);
            entry["response"]["statusText"] = json!("Not Found");
        }
    }
    add_redirects(log);
    add_failures(log);
    add_other_requests(log);
    let entries = list_mut(&mut log["entries"]);
    entries.sort_by(|a, b| text(a, "startedDateTime").cmp(text(b, "startedDateTime")));
    har
}

/// Moves a request to another host.
fn rename(entry: &mut Value, new: &str) {
    let old = host(url(entry)).to_owned();
    let text = url(entry).replace(&old, new);
    entry["request"]["url"] = json!(text);
    for field in list_mut(&mut entry["request"]["headers"]) {
        if field["name"] == ":authority" {
            field["value"] = json!(new);
        }
    }
}

/// Gives a request another connection; if it is `first`, it makes the connection in a part
/// of the time that it waited.
fn connect(entry: &mut Value, number: usize, first: bool, protocol: &str) {
    entry["connection"] = json!(number.to_string());
    for side in ["request", "response"] {
        entry[side]["httpVersion"] = json!(protocol);
    }
    let timings = &mut entry["timings"];
    for (key, other) in [("connect", "ssl"), ("ssl", "connect")] {
        if timings[key].as_f64().is_some_and(|ms| ms >= 0.0) && !first {
            timings["wait"] = json!(round(ms(timings, "wait") + ms(timings, "connect")));
            timings[key] = json!(-1);
            timings[other] = json!(-1);
        }
    }
    if first && ms(timings, "connect") == 0.0 {
        let taken = round(ms(timings, "wait") * 0.5);
        timings["connect"] = json!(taken);
        timings["ssl"] = json!(if protocol == "h3" {
            taken
        } else {
            round(taken / 2.0)
        });
        timings["wait"] = json!(round(ms(timings, "wait") - taken));
    }
    if protocol == "http/1.1" {
        as_http_1_1(&mut entry["request"]);
        as_http_1_1(&mut entry["response"]);
        entry["response"]["statusText"] = json!("OK");
    }
}

/// Removes what DevTools does not write, and adds what it does.
fn as_devtools(entry: &mut Value) {
    remove(entry, |key| key == "_initialPriority");
    let queue = ms(&entry["timings"], "blocked");
    entry["timings"]["_blocked_queueing"] = json!(round(queue * 0.7));
    entry["_connectionId"] = entry["connection"].clone();
    entry["response"]["_error"] = json!(null);
    entry["response"]["_fetchedViaServiceWorker"] = json!(false);
}

/// The document is reached over Chrome's own upgrade to https and a redirect to another
/// host. Beacons redirect to partners, one of them twice.
fn add_redirects(log: &mut Value) {
    let page = &mut log["pages"][0];
    page["startedDateTime"] = date(-REDIRECTS_MS, 3, "Z");
    for key in ["onContentLoad", "onLoad"] {
        page["pageTimings"][key] = json!(round(ms(&page["pageTimings"], key) + REDIRECTS_MS));
    }
    let upgrade = Made {
        url: "http://courier.example/",
        method: "GET",
        status: 307,
        kind: "document",
        initiator: json!({"type": "other"}),
        start: -REDIRECTS_MS,
        time: 1.0,
        fields: &[
            ("location", "https://courier.example/"),
            ("Non-Authoritative-Reason", "HSTS"),
        ],
    };
    let mut moved = Made {
        url: "https://courier.example/",
        status: 301,
        start: 1.0 - REDIRECTS_MS,
        time: REDIRECTS_MS - 2.0,
        fields: &[
            ("location", "https://www.courier.example/"),
            ("content-length", "0"),
        ],
        initiator: upgrade.initiator.clone(),
        ..upgrade
    }
    .entry();
    moved["response"]["_transferSize"] = json!(212);
    moved["connection"] = json!("99");
    moved["serverIPAddress"] = json!("198.51.100.9");
    moved["timings"] = json!({"blocked": 1, "dns": 12, "connect": 48, "ssl": 24, "send": 0, "wait": 47, "receive": 0});
    let mut added = vec![moved];
    let is_beacon = |entry: &&mut Value| url(entry).contains("/hit?event=");
    let entries = list_mut(&mut log["entries"]);
    for (number, entry) in entries.iter_mut().filter(is_beacon).enumerate().take(3) {
        let targets: Vec<String> = (0..if number == 0 { 2 } else { 1 })
            .map(|hop| format!("https://match{number}{hop}.partners.example/sync?id={number}"))
            .collect();
        let mut at = since_page(entry) + ms(entry, "time");
        redirect(entry, &targets[0]);
        for (hop, target) in targets.iter().enumerate() {
            let mut next = Made {
                url: target,
                method: "GET",
                status: 200,
                kind: "ping",
                initiator: entry["_initiator"].clone(),
                start: at,
                time: 45.0,
                fields: &[("content-type", "image/gif"), ("content-length", "43")],
            }
            .entry();
            next["response"]["_transferSize"] = json!(290);
            next["response"]["content"] = json!({"size": 43, "mimeType": "image/gif"});
            next["connection"] = json!((400 + 10 * number + hop).to_string());
            at += 45.0;
            if let Some(target) = targets.get(hop + 1) {
                redirect(&mut next, target);
            }
            added.push(next);
        }
    }
    entries.extend(added);
    entries.push(upgrade.entry());
}

/// Returns the start of a written entry, since the page of the example.
fn since_page(entry: &Value) -> f64 {
    start(entry) - 10_000.0
}

fn redirect(entry: &mut Value, target: &str) {
    let response = &mut entry["response"];
    response["status"] = json!(302);
    response["redirectURL"] = json!(target);
    list_mut(&mut response["headers"]).push(json!({"name": "location", "value": target}));
}

/// Requests that have no response: the reason, the kind, the URL and the milliseconds.
const FAILURES: [(&str, &str, &str, f64); 5] = [
    (
        "net::ERR_BLOCKED_BY_CLIENT",
        "script",
        "https://cdn.tagline.example/block.js",
        0.6,
    ),
    (
        "net::ERR_NAME_NOT_RESOLVED",
        "image",
        "https://gone.pixelworks.example/a.gif",
        14.0,
    ),
    (
        "net::ERR_CONNECTION_REFUSED",
        "script",
        "https://down.measure.example:8443/m.js",
        31.0,
    ),
    (
        "net::ERR_CONNECTION_TIMED_OUT",
        "fetch",
        "https://slow.measure.example/config",
        3_000.0,
    ),
    (
        "net::ERR_ABORTED",
        "fetch",
        "https://www.courier.example/api/left.json",
        25.0,
    ),
];

fn add_failures(log: &mut Value) {
    let initiator = by_script("https://static.courier.example/js/app.js");
    for (number, (error, kind, url, time)) in FAILURES.into_iter().enumerate() {
        let mut entry = Made {
            url,
            method: "GET",
            status: 0,
            kind,
            initiator: initiator.clone(),
            start: 400.0 + 20.0 * number as f64,
            time,
            fields: &[],
        }
        .entry();
        entry["response"]["_error"] = json!(error);
        entry["response"]["httpVersion"] = json!("");
        list_mut(&mut log["entries"]).push(entry);
    }
}

fn by_script(url: &str) -> Value {
    let frame = json!({"url": url, "lineNumber": 0, "columnNumber": 8_210});
    // The first stack is of a callback, which another script has registered.
    let parent = json!({"description": "setTimeout", "callFrames": [frame]});
    json!({"type": "script", "stack": {"callFrames": [], "parent": parent}})
}

/// A manifest, a part of a video, a preflight, a WebSocket, an embedded image, a script of an extension, and an image that
/// comes from memory the second time.
fn add_other_requests(log: &mut Value) {
    let auction = |entry: &&Value| url(entry).contains("/auction?slot=0");
    let entries = list_mut(&mut log["entries"]);
    let auction = entries.iter().find(auction).expect("an auction").clone();
    let masthead = |entry: &&Value| url(entry).ends_with("/img/masthead.svg");
    let mut again = entries.iter().find(masthead).expect("an image").clone();
    again["_fromCache"] = json!("memory");
    again["startedDateTime"] = date(900.0, 3, "Z");
    again["time"] = json!(0.4);
    again["timings"] = json!({"blocked": 0.3, "dns": -1, "connect": -1, "ssl": -1, "send": 0,
        "wait": 0.05, "receive": 0.05, "_blocked_queueing": -1});
    again["response"]["_transferSize"] = json!(0);
    remove(&mut again, |key| {
        matches!(key, "connection" | "serverIPAddress")
    });
    let mut preflight = Made {
        url: url(&auction),
        method: "OPTIONS",
        status: 204,
        kind: "preflight",
        initiator: json!({"type": "preflight", "url": url(&auction)}),
        start: since_page(&auction) - 40.0,
        time: 39.0,
        fields: &[("access-control-allow-origin", "https://www.courier.example")],
    }
    .entry();
    for key in ["connection", "serverIPAddress"] {
        preflight[key] = auction[key].clone();
    }
    let mut video = Made {
        url: "https://video.courier.example/clip.mp4",
        method: "GET",
        status: 206,
        kind: "media",
        initiator: json!({"type": "parser", "url": "https://www.courier.example/", "lineNumber": 40}),
        start: 600.0,
        time: 240.0,
        fields: &[("content-type", "video/mp4"), ("content-length", "180000")],
    }
    .entry();
    video["response"]["_transferSize"] = json!(180_300);
    video["response"]["content"] = json!({"size": 180_000, "mimeType": "video/mp4"});
    video["connection"] = json!("500");
    let other = |url, status, kind| Made {
        url,
        method: "GET",
        status,
        kind,
        initiator: by_script("https://static.courier.example/js/app.js"),
        start: 410.0,
        time: 30.0,
        fields: &[],
    };
    entries.extend([
        again,
        preflight,
        video,
        other(
            "https://www.courier.example/site.webmanifest",
            200,
            "manifest",
        )
        .entry(),
        other("wss://live.courier.example/ticker", 101, "websocket").entry(),
        other("data:image/gif;base64,R0lGODlhAQABAAAAACw=", 200, "image").entry(),
        other("chrome-extension://abcdefghijklmnop/page.js", 200, "script").entry(),
    ]);
}

/// The recording as DevTools of 2017 wrote it, with the bodies that it has.
pub(crate) fn old(mut har: Value) -> Value {
    let log = &mut har["log"];
    remove(log, |key| key == "browser");
    log["creator"] = json!({"name": "WebInspector", "version": "537.36"});
    let page = &mut log["pages"][0];
    remove(page, |key| key.starts_with('_'));
    page["startedDateTime"] = date(start(page), 3, "Z");
    for entry in list_mut(&mut log["entries"]) {
        remove(entry, |key| key.starts_with('_'));
        remove(&mut entry["response"], |key| {
            key == "_fetchedViaServiceWorker"
        });
        remove(&mut entry["timings"], |key| key.starts_with('_'));
        entry["startedDateTime"] = date(start(entry), 3, "Z");
        for side in ["request", "response"] {
            entry[side]["httpVersion"] = json!("unknown");
        }
        let bytes = body_bytes(entry);
        let response = &mut entry["response"];
        response["bodySize"] = json!(bytes);
        let has_fields = !list(&response["headers"]).is_empty();
        response["statusText"] = json!(if has_fields { "OK" } else { "" });
    }
    har
}
