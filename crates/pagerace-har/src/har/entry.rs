//! One entry of a HAR, parsed leniently: every field may be missing.
//!
//! HAR 1.2, <http://www.softwareishard.com/blog/har-12-spec/#entries>, and the
//! underscored fields of Chrome DevTools, chrome-har, WebPageTest and Safari.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use pagerace_core::{Duration, RequestPriority};
use serde::Deserialize as _;
use serde_json::Value;
use url::Url;

use super::clock::Date;
use super::headers::{self, Headers};
use super::initiator::Initiator;
use super::protocol::Protocol;
use super::value::{filled, flag, list, millis, number, size, status, text, url};
use crate::extension::EntryFields;
use crate::image;
use pagerace_page::{ImageBytes, NoResponse};

/// A recorded request and its response. Times in milliseconds; those of [`Self::parse`] are since
/// 1970, see [`Self::count_from`].
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// Index in `log.entries`, from 0.
    pub(super) number: usize,
    pub(super) url: Option<Url>,
    /// The URL as written, for messages.
    pub(super) url_text: &'a str,
    pub(super) method: String,
    pub(super) status: u16,
    /// Start of the request.
    pub(super) start: Option<f64>,
    /// Time at which the page made the request. Precedes `start` if the
    /// recorder excludes the browser's queue from the entry.
    pub(super) asked: Option<f64>,
    /// Arrival of the response's first byte.
    pub(super) first_byte: Option<f64>,
    /// Completion of the response.
    pub(super) end: Option<f64>,
    /// The same in seconds since 1970.
    pub(super) received: Option<f64>,
    pub(super) dns: Option<f64>,
    pub(super) connect: Option<f64>,
    pub(super) ssl: Option<f64>,
    pub(super) wait: Option<f64>,
    pub(super) receive: Option<f64>,
    /// Sum of the timings other than connect and ssl: blocked, dns, send, wait, receive.
    pub(super) other_timings: f64,
    pub(super) request_headers: Headers,
    pub(super) response_headers: Headers,
    pub(super) request_cookie_bytes: u64,
    pub(super) request_headers_size: Option<u64>,
    pub(super) request_body_size: u64,
    pub(super) response_headers_size: Option<u64>,
    pub(super) protocol: Option<Protocol>,
    pub(super) address: Option<String>,
    pub(super) connection: Option<String>,
    pub(super) certificate_names: Vec<&'a str>,
    /// Lower case, without parameters.
    pub(super) mime: String,
    pub(super) content_size: Option<u64>,
    pub(super) compression: Option<f64>,
    pub(super) body_size: Option<u64>,
    pub(super) transfer_size: Option<u64>,
    /// Decoded text of documents, style sheets and scripts, if recorded.
    pub(super) body: Option<Cow<'a, str>>,
    /// Coding of an image whose body is recorded.
    pub(super) image: ImageBytes,
    pub(super) redirect: Option<String>,
    pub(super) initiator: Initiator,
    pub(super) request_id: Option<&'a str>,
    /// Priority at the time of the request, if recorded; otherwise the last priority.
    pub(super) priority: Option<RequestPriority>,
    /// The last priority, if it is more urgent than the first.
    pub(super) boosted: Option<RequestPriority>,
    /// The last priority, if recorded.
    pub(super) final_priority: Option<RequestPriority>,
    /// True if both the first and the last priority are recorded.
    pub(super) priority_history: bool,
    /// True if the recorded priority is not one of Chromium's.
    pub(super) foreign_priority: bool,
    pub(super) resource_type: Option<&'a str>,
    /// Reason for a missing response, in Chromium's words.
    pub(super) error: Option<&'a str>,
    pub(super) render_blocking: Option<&'a str>,
    pub(super) largest_paint: bool,
    pub(super) preload: bool,
    pub(super) cpu_ms: Option<f64>,
    pub(super) pushed: bool,
    pub(super) from_cache: bool,
    /// Decoded bytes per arrival: (milliseconds since the page began, bytes).
    pub(super) chunks: Vec<(f64, u64)>,
    /// Fields that our own recorder adds.
    pub(super) own: EntryFields,
}

impl<'a> Entry<'a> {
    /// Parses entry `number`; `page_start` is the start of the page, in milliseconds
    /// since 1970.
    pub(super) fn parse(number: usize, v: &'a Value, page_start: Option<f64>) -> Self {
        let (request, response) = (&v["request"], &v["response"]);
        let (timings, content) = (&v["timings"], &response["content"]);
        let request_headers = Headers::parse(request);
        let response_headers = Headers::parse(response);
        let url_text = filled(request, "url")
            .or_else(|| filled(v, "_full_url"))
            .unwrap_or("");
        let status = status(response, "status")
            .or_else(|| self::status(v, "_responseCode"))
            .unwrap_or(0);
        let mime = mime_type(content, &response_headers, v);
        let (start, end) = span(v, page_start);
        let protocol = protocol(v, request, response, &request_headers);
        let (first, final_priority) = priorities(v, request);
        let priority = first.or(final_priority);
        Self {
            number,
            url: url(url_text),
            url_text,
            method: filled(request, "method")
                .unwrap_or("GET")
                .to_ascii_uppercase(),
            status,
            start,
            asked: start.map(|s| s - queued(timings)),
            first_byte: start
                .zip(end)
                .map(|(start, end)| (end - millis(timings, "receive").unwrap_or(0.0)).max(start)),
            end,
            received: end.map(|ms| ms / 1e3),
            dns: millis(timings, "dns"),
            connect: millis(timings, "connect"),
            ssl: millis(timings, "ssl"),
            wait: millis(timings, "wait"),
            receive: millis(timings, "receive"),
            other_timings: ["blocked", "dns", "send", "wait", "receive"]
                .iter()
                .filter_map(|key| millis(timings, key))
                .sum(),
            request_cookie_bytes: headers::cookie_bytes(request),
            request_headers_size: size(request, "headersSize"),
            request_body_size: size(request, "bodySize")
                .or_else(|| text(&request["postData"], "text").map(|t| t.len() as u64))
                .unwrap_or(0),
            response_headers_size: size(response, "headersSize"),
            protocol,
            address: filled(v, "serverIPAddress")
                .or_else(|| filled(v, "_ip_addr"))
                .map(|a| a.trim_matches(['[', ']']).to_ascii_lowercase()),
            connection: connection(v),
            certificate_names: list(&v["_securityDetails"], "sanList")
                .iter()
                .filter_map(Value::as_str)
                .collect(),
            content_size: size(content, "size"),
            compression: self::number(content, "compression"),
            body_size: size(response, "bodySize").or_else(|| size(v, "_objectSize")),
            transfer_size: size(response, "_transferSize"),
            body: body(content, &mime),
            image: image(content, &mime),
            redirect: filled(response, "redirectURL")
                .or_else(|| response_headers.get("location"))
                .map(str::to_owned),
            initiator: Initiator::parse(v),
            request_id: filled(v, "_requestId").or_else(|| filled(v, "_request_id")),
            priority,
            boosted: final_priority.filter(|l| first.is_some_and(|f| *l < f)),
            final_priority,
            priority_history: first.is_some() && final_priority.is_some(),
            foreign_priority: priority.is_none() && filled(v, "_priority").is_some(),
            resource_type: filled(v, "_resourceType").or_else(|| filled(v, "_request_type")),
            error: filled(response, "_error"),
            render_blocking: filled(v, "_renderBlocking"),
            largest_paint: flag(v, "_isLCP"),
            preload: flag(request, "_isLinkPreload") || flag(v, "_isLinkPreload"),
            cpu_ms: cpu_ms(v),
            pushed: flag(v, "_was_pushed"),
            from_cache: from_cache(v, response, status),
            chunks: chunks(v),
            own: EntryFields::deserialize(&v["_pagerace"]).unwrap_or_default(),
            request_headers,
            response_headers,
            mime,
        }
    }

    /// Lets the entry's times count from `origin`, in milliseconds since 1970.
    pub(super) fn count_from(&mut self, origin: f64) {
        let times = [
            &mut self.start,
            &mut self.asked,
            &mut self.first_byte,
            &mut self.end,
        ];
        for time in times.into_iter().flatten() {
            *time -= origin;
        }
    }

    /// Forgets when the exchange was.
    pub(super) fn forget_times(&mut self) {
        (self.start, self.asked) = (None, None);
        (self.first_byte, self.end) = (None, None);
    }

    /// Takes over what `other`, which is another entry of the same transfer, tells of the network.
    pub(super) fn take_transfer(&mut self, other: Self) {
        *self = Self {
            status: other.status,
            dns: other.dns,
            connect: other.connect,
            ssl: other.ssl,
            wait: other.wait,
            receive: other.receive,
            other_timings: other.other_timings,
            response_headers: other.response_headers,
            response_headers_size: other.response_headers_size,
            protocol: other.protocol,
            address: other.address,
            connection: other.connection,
            certificate_names: other.certificate_names,
            content_size: other.content_size,
            compression: other.compression,
            body_size: other.body_size,
            transfer_size: other.transfer_size,
            from_cache: other.from_cache,
            ..self.clone()
        };
    }

    /// Returns true if the response redirects and names its target.
    pub(super) fn redirects(&self) -> bool {
        self.has_redirect_status() && self.redirect.is_some()
    }

    /// Returns why the network gave no response. `None` if the request did not fail in the
    /// network, or nothing explains the missing response.
    pub(super) fn no_response(&self) -> Option<NoResponse> {
        if self.status != 0 {
            return None;
        }
        let reason = self.own.failed.as_deref().or(self.error);
        let reason = match reason.map(|reason| reason.strip_prefix("net::ERR_")) {
            Some(reason) => reason?,
            // A document without any response field is the browser's own error page.
            None if self.response_headers.is_empty()
                && self
                    .resource_type
                    .is_some_and(|t| t.eq_ignore_ascii_case("document")) =>
            {
                ""
            }
            None => return None,
        };
        // The page or the browser aborted the request, or an intermediary blocked it.
        let given_up = ["ABORTED", "BLOCKED_BY", "FAILED"];
        if given_up.iter().any(|word| reason.starts_with(word)) {
            return None;
        }
        if reason.starts_with("NAME_") {
            return Some(NoResponse::NoAddress);
        }
        // A browser without a network asks no one.
        if reason.starts_with("INTERNET_DISCONNECTED") {
            return Some(NoResponse::After(Duration::ZERO));
        }
        let tried = self.duration().unwrap_or(0.0) - self.dns.unwrap_or(0.0);
        Some(NoResponse::After(Duration::from_millis_f64(tried.max(0.0))))
    }

    /// Returns the time from the start to the end, in milliseconds.
    pub(super) fn duration(&self) -> Option<f64> {
        Some(self.end? - self.start?)
    }

    pub(super) fn host(&self) -> Option<&str> {
        self.url.as_ref()?.host_str()
    }

    /// Returns true for redirect statuses.
    pub(super) fn has_redirect_status(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

fn mime_type(content: &Value, headers: &Headers, entry: &Value) -> String {
    let recorded = filled(content, "mimeType")
        .filter(|m| *m != "x-unknown")
        .or_else(|| headers.get("content-type"))
        .or_else(|| filled(entry, "_contentType"))
        .unwrap_or_default();
    recorded
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Returns start and end. WebPageTest's `startedDateTime` excludes the lookup and the
/// handshake that its `time` includes. Its own fields include both and also tell when the
/// browser created the request, relative to the page's start.
fn span(entry: &Value, page_start: Option<f64>) -> (Option<f64>, Option<f64>) {
    if let (Some(page), Some(first), Some(last)) = (
        page_start,
        millis(entry, "_all_start"),
        millis(entry, "_all_end"),
    ) {
        let created = millis(entry, "_created").filter(|c| *c > 0.0 && *c <= first);
        return (
            Some(page + created.unwrap_or(first)),
            Some(page + last.max(first)),
        );
    }
    let start = Date::deserialize(&entry["startedDateTime"]).ok();
    let start = start.map(|date| date.0);
    (
        start,
        start.map(|s| s + millis(entry, "time").unwrap_or(0.0)),
    )
}

/// Returns the milliseconds in the browser's queue before `startedDateTime`, because
/// chrome-har dates an entry from the end of the queue. The queueing (for one of six
/// HTTP/1.1 connections, or by Chrome's own scheduler) results from the recording's
/// network. DevTools' `_blocked_queueing` comes after `startedDateTime` and is not read.
fn queued(timings: &Value) -> f64 {
    millis(timings, "_queued").unwrap_or(0.0)
}

fn protocol(
    entry: &Value,
    request: &Value,
    response: &Value,
    request_headers: &Headers,
) -> Option<Protocol> {
    [
        text(response, "httpVersion"),
        text(entry, "_protocol"),
        text(request, "httpVersion"),
    ]
    .into_iter()
    .flatten()
    .find_map(Protocol::parse)
    // Chrome of 2017 wrote "unknown" for HTTP/2.
    .or_else(|| request_headers.has_pseudo_fields().then_some(Protocol::H2))
}

/// Returns the connection's id. Firefox writes the port into `connection`, which
/// identifies nothing.
fn connection(entry: &Value) -> Option<String> {
    let id = match entry.get("connection").or_else(|| entry.get("_socket"))? {
        Value::String(s) => s.trim().to_owned(),
        Value::Number(n) => n.to_string(),
        _ => return None,
    };
    (!matches!(id.as_str(), "" | "0" | "80" | "443")).then_some(id)
}

fn body<'a>(content: &'a Value, mime: &str) -> Option<Cow<'a, str>> {
    let readable = ["html", "css", "javascript", "ecmascript"]
        .iter()
        .any(|m| mime.contains(m));
    let text = text(content, "text").filter(|t| readable && !t.is_empty())?;
    if self::text(content, "encoding") != Some("base64") {
        return Some(Cow::Borrowed(text));
    }
    let bytes = BASE64_STANDARD.decode(text.trim()).ok()?;
    Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

fn image(content: &Value, mime: &str) -> ImageBytes {
    let is_image = mime.starts_with("image/");
    let is_base64 = text(content, "encoding") == Some("base64");
    let Some(text) = text(content, "text").filter(|_| is_image && is_base64) else {
        return ImageBytes::default();
    };
    // Four characters encode three bytes; a cut text may end with fewer.
    let text = text.trim().as_bytes();
    let decoded = BASE64_STANDARD.decode(&text[..text.len() / 4 * 4]);
    decoded.map_or_else(|_| ImageBytes::default(), |bytes| image::read(&bytes))
}

/// Returns the priority at the time of the request, and the last one. Safari's three words do
/// not map to Chromium's five and are ignored.
fn priorities(
    entry: &Value,
    request: &Value,
) -> (Option<RequestPriority>, Option<RequestPriority>) {
    let read = |keys: &[&str]| {
        let recorded = keys
            .iter()
            .find_map(|k| filled(entry, k).or_else(|| filled(request, k)));
        recorded.and_then(parse_priority)
    };
    let first = read(&["_initialPriority", "_initial_priority"]);
    (first, read(&["_priority"]))
}

fn parse_priority(text: &str) -> Option<RequestPriority> {
    Some(match text {
        "VeryHigh" | "Highest" => RequestPriority::VeryHigh,
        "High" => RequestPriority::High,
        "Medium" => RequestPriority::Medium,
        "Low" => RequestPriority::Low,
        "VeryLow" | "Lowest" | "Idle" => RequestPriority::VeryLow,
        _ => return None,
    })
}

/// Returns the main-thread time of WebPageTest: `_cpuTime`, or the sum of its parts.
fn cpu_ms(entry: &Value) -> Option<f64> {
    millis(entry, "_cpuTime").or_else(|| {
        let parts = entry.get("_cpuTimes")?.as_object()?;
        let sum: f64 = parts
            .values()
            .filter_map(Value::as_f64)
            .filter(|n| *n >= 0.0)
            .sum();
        Some(sum.min(3_600_000.0))
    })
}

fn from_cache(entry: &Value, response: &Value, status: u16) -> bool {
    status == 304
        || flag(response, "fromDiskCache")
        || flag(response, "fromPrefetchCache")
        || flag(response, "fromServiceWorker")
        || filled(entry, "_fromCache").is_some()
        || filled(entry, "_servedFromCache").is_some_and(|s| s != "false")
        || filled(entry, "_fetchedVia").is_some_and(|s| s.to_ascii_lowercase().contains("cache"))
        || filled(entry, "_fetchType").is_some_and(|s| s.contains("Cache") || s == "Service Worker")
}

fn chunks(entry: &Value) -> Vec<(f64, u64)> {
    let mut chunks: Vec<(f64, u64)> = list(entry, "_chunks")
        .iter()
        .filter_map(|c| Some((millis(c, "ts")?, size(c, "bytes")?)))
        .collect();
    chunks.sort_by(|a, b| a.0.total_cmp(&b.0));
    chunks
}

#[cfg(test)]
mod tests;
