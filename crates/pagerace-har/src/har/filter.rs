//! Selection and order of the entries that can be requested, and the choice of the
//! navigation among them. `docs/har-import.md` explains each decision.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::Destination;

use super::entry::Entry;
use super::notes::{Kind, Notes};
use super::{destination, initiator};

/// Duration below that of any network exchange, in milliseconds.
const NO_EXCHANGE_MS: f64 = 2.0;

const BAD_URL: (Kind, &str) = (
    Kind::BadUrl,
    "request.url is missing or not an absolute URL",
);

const NO_RESPONSE: &str = "it failed without a response (status 0)";

/// Returns the reason why an entry cannot be requested, if there is one.
pub(super) fn refusal(entry: &Entry) -> Option<(Kind, &'static str)> {
    if entry.method == "CONNECT" {
        return Some((Kind::Tunnel, "it is a proxy's tunnel"));
    }
    let scheme = scheme(entry);
    match scheme.as_str() {
        "http" | "https" => {}
        "data" | "blob" | "about" | "javascript" => {
            return Some((Kind::Embedded, "its URL causes no traffic"));
        }
        "ws" | "wss" => return Some((Kind::WebSocket, "it is a WebSocket")),
        "chrome" | "devtools" | "edge" | "view-source" | "resource" => {
            return Some((Kind::BrowserInternal, "it is a page of the browser itself"));
        }
        other if other.ends_with("-extension") || other == "safari-web-extension" => {
            return Some((Kind::BrowserInternal, "it belongs to a browser extension"));
        }
        "" => return Some(BAD_URL),
        _ => return Some((Kind::NotHttp, "its scheme is neither http nor https")),
    }
    match entry.host() {
        None | Some("") => return Some(BAD_URL),
        Some(host) if is_host(host) => {}
        Some(_) => return Some((Kind::BadHost, "no server has such a host name")),
    }
    let websocket = entry
        .resource_type
        .is_some_and(|t| t.eq_ignore_ascii_case("websocket"));
    if websocket || entry.status == 101 {
        return Some((Kind::WebSocket, "it is a WebSocket"));
    }
    if is_internal_redirect(entry) {
        return Some((
            Kind::InternalRedirect,
            "it is a redirect inside the browser",
        ));
    }
    let transferred = entry.transfer_size.unwrap_or(0) + entry.body_size.unwrap_or(0);
    if entry.status == 0 && transferred == 0 && entry.no_response().is_none() {
        return Some((Kind::Failed, NO_RESPONSE));
    }
    None
}

/// Returns true if a server can have this name: letters, digits, `-`, `_` and dots, or an
/// IPv6 address. URLs allow more characters (a comma, quotes), but no name server knows
/// such names and no server accepts them as `Host` (RFC 9110, section 7.2).
fn is_host(host: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    host.starts_with('[') || host.chars().all(legal)
}

fn scheme(entry: &Entry) -> String {
    match &entry.url {
        Some(url) => url.scheme().to_owned(),
        None => match entry.url_text.split_once(':') {
            // An invalid http URL is a bad URL, but an invalid data: URL is still data.
            Some((scheme, _)) if !scheme.starts_with("http") && scheme.len() < 24 => {
                scheme.to_ascii_lowercase()
            }
            _ => String::new(),
        },
    }
}

/// Returns true for a redirect inside the browser, such as Chrome's upgrade to https,
/// which never leaves the machine. Chrome marks it with `Non-Authoritative-Reason`;
/// without that field, it is a 307 without a network exchange.
fn is_internal_redirect(entry: &Entry) -> bool {
    if !entry.redirects() {
        return false;
    }
    let no_exchange = entry.address.is_none()
        && entry.transfer_size == Some(0)
        && entry.wait.unwrap_or(0.0) < NO_EXCHANGE_MS;
    entry
        .response_headers
        .get("non-authoritative-reason")
        .is_some()
        || (entry.status == 307 && no_exchange)
}

/// Returns true if the body came from the browser's cache and not from the network.
pub(super) fn served_from_cache(entry: &Entry) -> bool {
    let span = entry.duration().unwrap_or(0.0);
    let no_bytes = entry.transfer_size.or(entry.body_size) == Some(0)
        && entry.body_size.unwrap_or(0) == 0
        && entry.content_size.unwrap_or(0) > 0;
    // Firefox writes no transfer size.
    let no_address = entry.address.is_none() && entry.transfer_size.is_some();
    entry.from_cache || (no_bytes && (no_address || span < NO_EXCHANGE_MS))
}

/// An entry that cannot be requested: its number, its URL and the reason.
pub(super) type Refused<'a> = (usize, &'a str, &'static str);

/// Returns the entries to request, the navigation first and the others by start time, or
/// in the order of the file without times. If none remains or all of them failed, returns
/// the first rejected or failed entry.
pub(super) fn select<'a>(
    entries: Vec<Entry<'a>>,
    notes: &mut Notes,
) -> Result<Vec<Entry<'a>>, Refused<'a>> {
    let mut kept = Vec::new();
    let mut refused = None;
    for entry in entries {
        match refusal(&entry) {
            None => kept.push(entry),
            Some((kind, reason)) => {
                notes.add(kind);
                refused.get_or_insert((entry.number, entry.url_text, reason));
            }
        }
    }
    if kept.iter().all(|e: &Entry| e.no_response().is_some()) {
        let failed = || {
            let first = kept.first().expect("an entry was refused or kept");
            (first.number, first.url_text, NO_RESPONSE)
        };
        return Err(refused.unwrap_or_else(failed));
    }
    sort(&mut kept);
    put_navigation_first(&mut kept, notes);
    join_workers(&mut kept, notes);
    drop_cached_repeats(&mut kept, notes);
    Ok(kept)
}

/// Sorts by start. Entries without a start stay behind their predecessor.
fn sort(entries: &mut Vec<Entry>) {
    let mut last = f64::NEG_INFINITY;
    let mut keyed: Vec<(f64, Entry)> = Vec::with_capacity(entries.len());
    for entry in entries.drain(..) {
        last = entry.start.unwrap_or(last);
        keyed.push((last, entry));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    entries.extend(keyed.into_iter().map(|(_, entry)| entry));
}

fn put_navigation_first(entries: &mut Vec<Entry>, notes: &mut Notes) {
    let found = entries
        .iter()
        .enumerate()
        .position(|(i, e)| is_navigation(e, i == 0));
    let Some(index) = found else {
        notes.add(Kind::NoDocument);
        return;
    };
    let navigation = entries.remove(index);
    // Requests that started before the navigation have another cause.
    let before = entries[..index]
        .iter()
        .filter(|e| e.start < navigation.start)
        .count();
    if navigation.start.is_some() {
        notes.add_many(Kind::BeforeNavigation, before);
        entries.drain(..before);
    }
    entries.insert(0, navigation);
}

/// Returns true if the entry looks like a navigation of the main frame. The parser of a document
/// only loads nested ones. `first` marks the first entry of the page.
pub(super) fn is_navigation(entry: &Entry, first: bool) -> bool {
    let word = entry.request_headers.get("sec-fetch-dest");
    let initiator = &entry.initiator;
    let of_other = |place: &initiator::Place| place.url != entry.url_text;
    let nested = word.is_none()
        && initiator.kind == initiator::Kind::Parser
        && initiator.places.iter().any(of_other);
    is_document_like(entry, first) && word.is_none_or(|word| word == "document") && !nested
}

/// Returns true if the entry looks like a navigation of the main frame or a nested one.
fn is_document_like(entry: &Entry, first: bool) -> bool {
    let asks = entry.method == "GET" || entry.method == "POST";
    if !asks || entry.no_response().is_some() {
        return false;
    }
    if let Some(kind) = entry
        .resource_type
        .filter(|t| !t.eq_ignore_ascii_case("other"))
    {
        return kind.eq_ignore_ascii_case("document");
    }
    if let Some(destination) = entry.request_headers.get("sec-fetch-dest") {
        return matches!(destination, "document" | "iframe" | "frame");
    }
    if entry.redirects() {
        let wants_html = entry
            .request_headers
            .get("accept")
            .is_some_and(|a| a.contains("text/html"));
        return first || wants_html;
    }
    if !entry.mime.contains("html") {
        return false;
    }
    // HTML is also the error page of an image, and the response to a script.
    let is_page = destination::of(entry) == Destination::Iframe;
    is_page || first && destination::by_extension(entry).is_none()
}

/// Joins each entry that a service worker passed on with the worker's own entry for the same URL,
/// which begins while the page's is under way.
fn join_workers(entries: &mut Vec<Entry>, notes: &mut Notes) {
    let mut by_url: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, entry) in entries.iter().enumerate().filter(|(_, e)| e.url.is_some()) {
        by_url.entry(entry.url_text.to_owned()).or_default().push(i);
    }
    let mut joined = BTreeSet::new();
    for same in by_url.values() {
        for (at, &i) in same.iter().enumerate() {
            let page = &entries[i];
            let passed_on = page.method == "GET" && page.status != 304 && served_from_cache(page);
            let (true, Some(end)) = (passed_on, page.end) else {
                continue;
            };
            let is_workers = |j: &&usize| {
                let worker = &entries[**j];
                let within = worker.start.is_some_and(|start| start <= end);
                within && !joined.contains(*j) && !served_from_cache(worker)
            };
            if let Some(&j) = same[at + 1..].iter().find(is_workers) {
                joined.insert(j);
                let worker = entries[j].clone();
                entries[i].take_transfer(worker);
                notes.add(Kind::ServiceWorker);
            }
        }
    }
    let mut index = 0..;
    entries.retain(|_| !joined.contains(&index.next().expect("numbers do not end")));
}

/// Drops entries that an earlier request for the same URL answered, either from the cache
/// or because they joined that request in flight (a preload and its use).
fn drop_cached_repeats(entries: &mut Vec<Entry>, notes: &mut Notes) {
    let mut ends: BTreeMap<String, Option<f64>> = BTreeMap::new();
    let before = entries.len();
    entries.retain(|entry| {
        let url = entry
            .url
            .as_ref()
            .map(url::Url::as_str)
            .unwrap_or_default()
            .to_owned();
        let repeat = ends.get(&url).is_some_and(|earlier_end| {
            let in_flight = *earlier_end >= entry.start;
            let joined = in_flight && entry.transfer_size == Some(0);
            entry.method == "GET"
                && entry.status != 304
                && (served_from_cache(entry) || joined && entry.content_size.unwrap_or(0) > 0)
        });
        if !entry.redirects() {
            ends.insert(url, entry.end);
        }
        !repeat
    });
    notes.add_many(Kind::CachedRepeat, before - entries.len());
}

#[cfg(test)]
mod tests;
