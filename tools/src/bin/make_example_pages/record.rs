//! Records an invented load of an invented site: a simple link, one
//! connection per server, no losses. Times are plausible, not measured.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::site::{Cause, Item, Kind, Site};

/// The rate of the link in bytes per millisecond (20 Mbit/s), which simultaneous
/// responses share.
const BYTES_PER_MS: f64 = 2_500.0;
const SHARERS: f64 = 3.0;

/// Text compresses to about a fifth.
const TEXT_RATIO: f64 = 0.21;

/// Milliseconds between bytes and what they cause: scanner, style, script.
const SCANNER_MS: f64 = 1.5;
const LAYOUT_MS: f64 = 14.0;
const EVALUATE_MS_PER_KB: f64 = 0.12;

/// One exchange, in milliseconds since the navigation.
#[derive(Clone, Copy)]
struct Exchange {
    start: f64,
    blocked: f64,
    connect: Option<f64>,
    wait: f64,
    receive: f64,
}

impl Exchange {
    fn end(&self) -> f64 {
        self.start + self.blocked + self.connect.unwrap_or(0.0) + self.wait + self.receive
    }
}

/// The site's recording.
pub(crate) fn har(site: &Site) -> Value {
    let html = site.html();
    let document_bytes = (html.len() as f64 * TEXT_RATIO) as u64;
    let mut ready: BTreeMap<u32, f64> = BTreeMap::new();
    let document = exchange(
        site,
        0,
        0.0,
        document_bytes,
        site.document_think_ms,
        &mut ready,
    );
    let mut exchanges: Vec<Exchange> = Vec::new();
    for item in &site.items {
        let start = start(site, &html, item, &document, &exchanges);
        exchanges.push(exchange(
            site,
            item.host,
            start,
            item.bytes,
            item.think_ms,
            &mut ready,
        ));
    }
    let mut entries = vec![document_entry(site, &html, document_bytes, &document)];
    entries.extend(
        site.items
            .iter()
            .zip(&exchanges)
            .map(|(i, x)| entry(site, &html, i, x)),
    );
    // Recorders list requests in the order in which they were made.
    entries.sort_by(|a, b| {
        a["startedDateTime"]
            .as_str()
            .cmp(&b["startedDateTime"].as_str())
    });
    let end_of = |test: &dyn Fn(&Item) -> bool| {
        let ends = site
            .items
            .iter()
            .zip(&exchanges)
            .filter(|(i, _)| test(i))
            .map(|(_, x)| x.end());
        ends.fold(document.end(), f64::max)
    };
    let parsed = end_of(&|i| {
        matches!(
            i.kind,
            Kind::Style | Kind::BlockingScript | Kind::DeferredScript
        )
    });
    let loaded = end_of(&|i| {
        !matches!(i.kind, Kind::Data | Kind::Beacon | Kind::Lazy | Kind::Icon)
            && !matches!(i.cause, Cause::Script(_, delay) if delay > 200.0)
    });
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "Pagerace", "version": "example page"},
        "pages": [{
            "id": "page_1", "title": site.title, "startedDateTime": date(0.0),
            "pageTimings": {"onContentLoad": round(parsed + 30.0), "onLoad": round(loaded + 40.0)},
        }],
        "entries": entries,
    }})
}

/// When the browser asks for an item.
fn start(site: &Site, html: &str, item: &Item, document: &Exchange, done: &[Exchange]) -> f64 {
    match item.cause {
        Cause::Head | Cause::Body(_) => {
            let at = html.find(&site.url(item)).expect("the document names it");
            let share = at as f64 / html.len() as f64;
            let lazy = if item.kind == Kind::Lazy { 400.0 } else { 0.0 };
            document.end() - document.receive * (1.0 - share) + SCANNER_MS + lazy
        }
        Cause::Style(sheet) => done[sheet].end() + LAYOUT_MS,
        Cause::Script(script, delay) => {
            let cost = site.items[script].bytes as f64 / 1000.0 * EVALUATE_MS_PER_KB;
            done[script].end().max(document.end()) + cost + delay
        }
    }
}

/// Connects if need be, waits for the connection, asks and receives.
fn exchange(
    site: &Site,
    host: usize,
    start: f64,
    bytes: u64,
    think_ms: f64,
    ready: &mut BTreeMap<u32, f64>,
) -> Exchange {
    let host = &site.hosts[host];
    let receive = bytes as f64 / BYTES_PER_MS * SHARERS;
    let wait = host.rtt_ms + think_ms;
    let Some(&open) = ready.get(&host.connection) else {
        // QUIC: one round trip; TCP and TLS 1.3: two.
        let trips = if host.protocol == "h3" { 1.0 } else { 2.0 };
        let connect = host.rtt_ms * trips;
        ready.insert(host.connection, start + 0.6 + connect);
        return Exchange {
            start,
            blocked: 0.6,
            connect: Some(connect),
            wait,
            receive,
        };
    };
    Exchange {
        start,
        blocked: (open - start).max(0.4),
        connect: None,
        wait,
        receive,
    }
}

fn entry(site: &Site, html: &str, item: &Item, x: &Exchange) -> Value {
    let (kind, mime, first, last) = describe(item.kind);
    let mut value = common(site, item.host, &site.url(item), mime, item.bytes, x);
    let decoded = match item.kind {
        Kind::Style | Kind::Data | Kind::Frame => item.bytes as f64 / TEXT_RATIO,
        _ if kind == "script" => item.bytes as f64 / 0.32,
        _ => item.bytes as f64,
    };
    value["response"]["content"]["size"] = json!(decoded as u64);
    value["_resourceType"] = json!(kind);
    value["_initialPriority"] = json!(first);
    value["_priority"] = json!(last);
    value["_initiator"] = match item.cause {
        Cause::Head | Cause::Body(_) => {
            let at = html.find(&site.url(item)).expect("the document names it");
            let line = html[..at].matches('\n').count();
            json!({"type": "parser", "url": site.document_url(), "lineNumber": line})
        }
        Cause::Style(sheet) => json!({"type": "parser", "url": site.url(&site.items[sheet])}),
        Cause::Script(script, _) => json!({"type": "script", "stack": {"callFrames": [
            {"url": site.url(&site.items[script]), "lineNumber": 0, "columnNumber": 1200}]}}),
    };
    value
}

/// Resource type, media type, priority at the request and after layout, as
/// Chrome has them.
fn describe(kind: Kind) -> (&'static str, &'static str, &'static str, &'static str) {
    match kind {
        Kind::Style => ("stylesheet", "text/css", "VeryHigh", "VeryHigh"),
        Kind::BlockingScript => ("script", "text/javascript", "High", "High"),
        Kind::DeferredScript | Kind::AsyncScript | Kind::InsertedScript => {
            ("script", "text/javascript", "Low", "Low")
        }
        Kind::Font => ("font", "font/woff2", "VeryHigh", "VeryHigh"),
        Kind::Hero => ("image", "image/jpeg", "Low", "High"),
        Kind::Image | Kind::Lazy | Kind::Background => ("image", "image/jpeg", "Low", "Low"),
        Kind::Data => ("fetch", "application/json", "High", "High"),
        Kind::Beacon => ("ping", "image/gif", "VeryLow", "VeryLow"),
        Kind::Frame => ("document", "text/html", "VeryHigh", "VeryHigh"),
        Kind::Icon => ("other", "image/x-icon", "High", "High"),
    }
}

fn document_entry(site: &Site, html: &str, bytes: u64, x: &Exchange) -> Value {
    let mut value = common(site, 0, &site.document_url(), "text/html", bytes, x);
    value["response"]["content"]["size"] = json!(html.len());
    value["response"]["content"]["text"] = json!(html);
    value["_resourceType"] = json!("document");
    value["_initialPriority"] = json!("VeryHigh");
    value["_priority"] = json!("VeryHigh");
    value["_initiator"] = json!({"type": "other"});
    value
}

fn common(site: &Site, host: usize, url: &str, mime: &str, bytes: u64, x: &Exchange) -> Value {
    let host = &site.hosts[host];
    let path = &url["https://".len() + host.name.len()..];
    let text = mime.starts_with("text/") || mime.ends_with("json");
    let mut response = vec![
        json!({"name": "content-type", "value": mime}),
        json!({"name": "content-length", "value": bytes.to_string()}),
        json!({"name": "cache-control", "value": "public, max-age=31536000"}),
        json!({"name": "date", "value": "Thu, 15 Jan 2026 09:00:00 GMT"}),
    ];
    if text {
        response.push(json!({"name": "content-encoding", "value": "br"}));
    }
    // QUIC's handshake includes TLS; over TCP, TLS is the second half.
    let ssl = x
        .connect
        .map(|c| if host.protocol == "h3" { c } else { c / 2.0 });
    json!({
        "pageref": "page_1",
        "startedDateTime": date(x.start),
        "time": round(x.end() - x.start),
        "request": {
            "method": "GET", "url": url, "httpVersion": host.protocol, "queryString": [],
            "cookies": [], "headersSize": -1, "bodySize": 0,
            "headers": [
                {"name": ":method", "value": "GET"}, {"name": ":scheme", "value": "https"},
                {"name": ":authority", "value": host.name}, {"name": ":path", "value": path},
                {"name": "accept", "value": "*/*"},
                {"name": "accept-encoding", "value": "gzip, deflate, br, zstd"},
                {"name": "accept-language", "value": "en-US,en;q=0.9"},
                {"name": "referer", "value": site.document_url()},
                {"name": "user-agent", "value": "Mozilla/5.0 (X11; Linux x86_64) Example/1.0"},
            ],
        },
        "response": {
            "status": 200, "statusText": "", "httpVersion": host.protocol, "cookies": [],
            "headers": response, "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "_transferSize": bytes + 120,
            "content": {"mimeType": mime},
        },
        "cache": {},
        "timings": {
            "blocked": round(x.blocked), "dns": -1,
            "connect": x.connect.map_or(-1.0, round), "ssl": ssl.map_or(-1.0, round),
            "send": 0, "wait": round(x.wait), "receive": round(x.receive),
        },
        "serverIPAddress": host.address,
        "connection": (100 + host.connection).to_string(),
    })
}

/// Milliseconds with three digits.
fn round(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

/// The recording began on the hour; no load lasts a minute.
fn date(ms: f64) -> String {
    format!("2026-01-15T09:00:{:06.3}Z", ms / 1000.0)
}
