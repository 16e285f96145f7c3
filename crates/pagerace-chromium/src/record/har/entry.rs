//! One request and its response as a HAR entry.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pagerace_core::ScriptMode;
use pagerace_har::extension::{ElementKind, EntryFields, Ms};
use serde_json::{Value, json};
use url::Url;

use super::{Body, Page, ids, without_password};
use crate::record::fields::{self, Fields};
use crate::record::log::Request;
use crate::record::place;
use crate::record::timings::{round, timings};
use crate::record::trace::without_fragment;

/// Returns the entry of request `i`. Main-thread time is assigned to the `first` entry of
/// a URL. The number of secrets left out is added to `dropped`.
pub(super) fn entry(page: &Page<'_>, i: usize, first: bool, dropped: &mut usize) -> Value {
    let request = &page.load.requests[i];
    let body = page.load.bodies[i].as_ref();
    let nothing = Value::Null;
    let response = request.response.as_ref().unwrap_or(&nothing);
    let cached = cached(request, response);
    let ended = request.ended.unwrap_or(request.started);
    // A cached response repeats the timing of the response that filled the cache.
    let timing = if cached.is_some() {
        &nothing
    } else {
        &response["timing"]
    };
    let (timings, time) = timings(timing, request.started, ended);
    let mut entry = json!({
        "pageref": "page_1",
        "startedDateTime": page.date(request.started),
        "time": time,
        "request": request_part(page, request, response, dropped),
        "response": response_part(page, request, response, body, dropped),
        "cache": {},
        "timings": timings,
        "_requestId": request.id,
        "_initiator": request.initiator,
        "_resourceType": request.kind.to_ascii_lowercase(),
        "_chunks": request.chunks.iter()
            .map(|c| json!({"ts": page.ms(c.at), "bytes": c.bytes})).collect::<Vec<_>>(),
        "_pagerace": extension(page, i, first),
    });
    if let Some(address) = text(response, "remoteIPAddress") {
        entry["serverIPAddress"] = json!(address.trim_matches(['[', ']']));
    }
    if let Some(id) = response["connectionId"].as_f64().filter(|id| *id > 0.0) {
        entry["connection"] = json!(format!("{id:.0}"));
    }
    if let Some(cache) = cached {
        entry["_fromCache"] = json!(cache);
    }
    if page.largest == Some(request.url.as_str()) {
        entry["_isLCP"] = json!(true);
    }
    let blocking = page.load.trace.blocking.get(&request.id);
    if let Some(word) = blocking.or(request.render_blocking.as_ref()) {
        entry["_renderBlocking"] = json!(word);
    }
    if let Some(details) = response["securityDetails"].as_object() {
        let kept = details.iter().filter(|(key, _)| !key.contains("Timestamp"));
        let kept: serde_json::Map<String, Value> =
            kept.map(|(k, v)| (k.clone(), v.clone())).collect();
        entry["_securityDetails"] = Value::Object(kept);
    }
    priorities(page, request, &mut entry);
    entry
}

fn priorities(page: &Page<'_>, request: &Request, entry: &mut Value) {
    let Some(initial) = text(&request.asked, "initialPriority") else {
        return;
    };
    let changes = &request.priority_changes;
    let last = changes.last().map_or(initial, |(_, p)| p.as_str());
    entry["_initialPriority"] = json!(initial);
    entry["_priority"] = json!(last);
    entry["_priorityChanges"] = changes
        .iter()
        .map(|(at, p)| json!({"ms": page.ms(*at), "priority": p}))
        .collect();
}

fn request_part(
    page: &Page<'_>,
    request: &Request,
    response: &Value,
    dropped: &mut usize,
) -> Value {
    let told = &request.asked;
    let headers = request.sent_fields.as_ref().unwrap_or(&told["headers"]);
    let Fields {
        list,
        cookies,
        dropped: secrets,
    } = fields::fields(headers, page.load.keep_secrets);
    *dropped += secrets;
    let query: Vec<Value> = Url::parse(&request.url)
        .map(|url| {
            let pairs = url.query_pairs();
            pairs
                .map(|(name, value)| json!({"name": name, "value": value}))
                .collect()
        })
        .unwrap_or_default();
    let url = without_password(&request.url);
    let post = text(told, "postData");
    let mut part = json!({
        "method": text(told, "method").unwrap_or("GET"),
        "url": url,
        "httpVersion": version(response),
        "cookies": cookies,
        "headers": list,
        "queryString": query,
        "headersSize": -1,
        "bodySize": post.map_or(0, str::len),
    });
    *dropped += usize::from(url != request.url);
    if told["isLinkPreload"] == true {
        part["_isLinkPreload"] = json!(true);
    }
    if let Some(post) = post {
        let kind = fields::get(headers, "content-type").unwrap_or_default();
        let mut data = json!({"mimeType": kind, "params": [], "text": ""});
        if page.load.keep_secrets {
            data["text"] = json!(post);
        } else {
            data["comment"] = json!("left out: may hold secrets");
            *dropped += 1;
        }
        part["postData"] = data;
    }
    part
}

fn response_part(
    page: &Page<'_>,
    request: &Request,
    response: &Value,
    body: Option<&Body>,
    dropped: &mut usize,
) -> Value {
    let wire = request.received_fields.as_ref();
    let headers = wire.map_or(&response["headers"], |w| &w["headers"]);
    let Fields {
        list,
        cookies,
        dropped: secrets,
    } = fields::fields(headers, page.load.keep_secrets);
    *dropped += secrets;
    let header_text = wire.and_then(|w| text(w, "headersText"));
    let failed = request.failed.is_some() && response.is_null();
    let arrived: u64 = request.chunks.iter().map(|c| c.bytes).sum();
    let size = body.map_or(arrived, |b| b.0.len() as u64);
    let mime = fields::get(headers, "content-type").or_else(|| text(response, "mimeType"));
    let mut content = json!({"size": size, "mimeType": mime.unwrap_or("x-unknown")});
    if let Some(body) = body {
        if let Some(text) = body.as_text() {
            content["text"] = json!(text);
        } else {
            content["text"] = json!(STANDARD.encode(&body.0));
            content["encoding"] = json!("base64");
        }
    }
    let sizes = Sizes::of(request, response, headers);
    // The status on the wire is the server's; a worker or a cache may report another.
    let status = wire
        .and_then(|w| w["statusCode"].as_u64())
        .or_else(|| response["status"].as_u64());
    json!({
        "status": if failed { 0 } else { status.unwrap_or(0) },
        "statusText": text(response, "statusText").unwrap_or_default(),
        "httpVersion": version(response),
        "cookies": cookies,
        "headers": list,
        "content": content,
        "redirectURL": fields::get(headers, "location").unwrap_or_default(),
        "headersSize": header_text.map_or(-1, |t| t.len() as i64),
        "bodySize": sizes.body,
        "_transferSize": sizes.transfer,
        "_fetchedViaServiceWorker": response["fromServiceWorker"] == true,
    })
}

/// The sizes of a response in encoded bytes.
struct Sizes {
    /// -1 if not known.
    body: i64,
    transfer: u64,
}

impl Sizes {
    fn of(request: &Request, response: &Value, headers: &Value) -> Self {
        if cached(request, response).is_some() || response["fromServiceWorker"] == true {
            return Self {
                body: 0,
                transfer: 0,
            };
        }
        let of_headers = response["encodedDataLength"].as_f64().unwrap_or(0.0) as u64;
        let Some(transfer) = request.encoded_bytes else {
            // The request failed during the transfer, or never ended.
            return Self {
                body: -1,
                transfer: of_headers,
            };
        };
        let length = fields::get(headers, "content-length").and_then(|l| l.trim().parse().ok());
        // `encodedDataLength` includes the frames of HTTP/2 and HTTP/3, so that
        // Content-Length is preferred.
        let body = match length {
            Some(length) if length <= transfer && !request.redirected => length,
            _ => transfer.saturating_sub(of_headers),
        };
        Self {
            body: body as i64,
            transfer,
        }
    }
}

/// Returns the extension fields of an entry.
fn extension(page: &Page<'_>, i: usize, first: bool) -> EntryFields {
    let request = &page.load.requests[i];
    let trace = &page.load.trace;
    let (initiator_offset, inline_style) = initiator_offset(page, request).unzip();
    let cpu = trace.cpu.get(&request.url).filter(|_| first);
    let timer = trace.timers.get(&request.id).filter(|t| t.set_ms >= 0.0);
    let by_script = request.initiator["type"] == "script";
    let caller = trace.callers.get(&request.id).filter(|_| by_script);
    let waits = page.load.waits.of_request(i);
    let face = || page.faces.iter().find(|f| f.urls.contains(&request.url));
    let face = (request.kind == "Font").then(face).flatten();
    EntryFields {
        initiator_offset,
        inline_style: inline_style.unwrap_or(false),
        cpu: cpu.map(|cpu| cpu.told()).unwrap_or_default(),
        script_mode: script_mode(page, request),
        font_display: face.and_then(|face| face.display.parse().ok()),
        timer_set_ms: timer.map(|timer| Ms(round(timer.set_ms))),
        timeout_ms: timer.and_then(|timer| Some(Ms(round(timer.timeout_ms?)))),
        caller: caller.cloned(),
        waits_for: waits.map(|waits| ids(page.load, waits)),
        first_screen: page.load.first_screen[i].clone(),
        webp_bytes: page.load.formats[i].webp,
        avif_bytes: page.load.formats[i].avif,
        failed: request.failed.clone(),
    }
}

/// Returns the offset in the decoded document after the element that made the request.
/// Also returns true if the element's `style` attribute made it.
fn initiator_offset(page: &Page<'_>, request: &Request) -> Option<(u64, bool)> {
    let initiator = &request.initiator;
    let frame = &initiator["stack"]["callFrames"][0];
    let (place, by_script) = match text(initiator, "type")? {
        "parser" => (initiator, false),
        "script" => (frame, true),
        _ => return None,
    };
    let url = without_fragment(text(place, "url")?);
    let (line, column) = (
        place["lineNumber"].as_f64()?,
        place["columnNumber"].as_f64()?,
    );
    // Markup written by a script has no position in the document.
    if line < 0.0 || column < 0.0 || (line, column) == (0.0, 0.0) {
        return None;
    }
    let documents = page.load.requests.iter().zip(&page.load.bodies);
    let (_, body) = documents
        .filter(|(r, _)| r.kind == "Document" && !r.redirected)
        .find(|(r, _)| without_fragment(&r.url) == url)?;
    let html = body.as_ref()?.as_text()?;
    let at = place::offset(html, line as u64, column as u64)?;
    if by_script {
        return Some((place::script_end(html, at)? as u64, false));
    }
    if names(html, at, &request.url) {
        return Some((at as u64, false));
    }
    // An element may end at this position, but it does not name the URL. The page was styled
    // while the parser was here, and another element needs the image for its background.
    let backgrounds = page
        .elements
        .iter()
        .filter(|e| e.kind == ElementKind::Background);
    let places = backgrounds
        .filter(|e| e.url.as_ref() == Some(&request.url))
        .filter_map(|e| e.offset);
    let ends = html[..at].ends_with('>').then_some((at as u64, false));
    places.min().map(|at| (at, true)).or(ends)
}

/// Returns true if the tag that ends at `end` contains the last path segment of the URL.
fn names(html: &str, end: usize, url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let name = path.rsplit('/').next().unwrap_or(path);
    let tag = html[..end].rfind('<').map_or("", |start| &html[start..end]);
    !name.is_empty() && tag.ends_with('>') && tag.contains(name)
}

/// Returns the execution mode of a script. Modules run like deferred scripts
/// (<https://html.spec.whatwg.org/multipage/scripting.html#attr-script-type>).
fn script_mode(page: &Page<'_>, request: &Request) -> Option<ScriptMode> {
    if request.kind != "Script" {
        return None;
    }
    let element = page.scripts.iter().find(|s| s.url == request.url)?;
    Some(match text(&request.initiator, "type") {
        Some("script") => ScriptMode::Inserted,
        _ if element.is_async => ScriptMode::Async,
        _ if element.is_module || element.is_deferred => ScriptMode::Defer,
        Some("parser") => ScriptMode::Blocking,
        _ => return None,
    })
}

/// Returns the cache that answered.
fn cached(request: &Request, response: &Value) -> Option<&'static str> {
    match () {
        () if request.from_memory => Some("memory"),
        () if response["fromDiskCache"] == true => Some("disk"),
        () if response["fromPrefetchCache"] == true => Some("prefetch"),
        () => None,
    }
}

fn version(response: &Value) -> &str {
    text(response, "protocol").unwrap_or("unknown")
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key].as_str().filter(|t| !t.is_empty())
}
