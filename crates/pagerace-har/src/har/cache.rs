//! Use of a cached response on a second visit right after the first.
//!
//! Follows RFC 9111, <https://www.rfc-editor.org/rfc/rfc9111>, for a private cache. Where
//! the RFC leaves a choice, the module follows Chromium
//! (`HttpResponseHeaders::GetFreshnessLifetimes` and `HttpCache::Transaction`): permanent
//! redirects stay fresh, statuses other than 200 and 203 have no heuristic freshness, and
//! only a 200 is validated.
//!
//! The age of the response is its `Age` field, because the simulated server answers at
//! the time of the request. Omitted are `stale-while-revalidate` (counts as stale),
//! partial responses (206: not stored), and changes during the first visit of fields that
//! `Vary` names, such as cookies.

use super::entry::Entry;
use super::filter::served_from_cache;
use super::headers::Headers;
use super::http_date;
use pagerace_page::CacheUse;

/// Heuristic lifetime of a response without an explicit one, as a share of the time since
/// its last change (RFC 9111, section 4.2.2).
const HEURISTIC_SHARE: f64 = 0.1;

/// Returns the use of the entry's response on the next visit.
pub(super) fn in_next_visit(entry: &Entry) -> CacheUse {
    let headers = &entry.response_headers;
    let control = Control::read(headers);
    if entry.method != "GET" || control.no_store {
        return CacheUse::None;
    }
    // A recorded 304 represents the whole response, which can be validated.
    let not_modified = entry.status == 304;
    let status = if not_modified { 200 } else { entry.status };
    let whole = status == 200;
    let validator = headers.get("etag").or_else(|| headers.get("last-modified"));
    let stale = if whole && (not_modified || validator.is_some()) {
        CacheUse::Validate
    } else {
        CacheUse::None
    };
    let any_variant = headers
        .all("vary")
        .any(|v| v.split(',').any(|f| f.trim() == "*"));
    if !is_final(status) || control.no_cache || any_variant {
        return stale;
    }
    // The recording's browser used the response without validation.
    if served_from_cache(entry) && !not_modified {
        return CacheUse::Fresh;
    }
    let age = headers.get("age").and_then(seconds).unwrap_or(0.0);
    if lifetime(entry, status, &control) > age {
        CacheUse::Fresh
    } else {
        stale
    }
}

/// Returns true if a response with this status can be stored as a whole.
fn is_final(status: u16) -> bool {
    (200..600).contains(&status) && status != 206 && status != 304
}

/// Returns the freshness lifetime of the response, in seconds since it was generated.
///
/// RFC 9111, section 4.2.1: `max-age`, else `Expires` less `Date`, else a heuristic.
/// Invalid values count as zero.
fn lifetime(entry: &Entry, status: u16, control: &Control) -> f64 {
    let headers = &entry.response_headers;
    if let Some(max_age) = control.max_age {
        return max_age;
    }
    let date = |name| headers.get(name).and_then(http_date::parse);
    // RFC 9110, section 6.6.1: without `Date`, the time of receipt.
    let generated = date("date").or(entry.received);
    if headers.get("expires").is_some() {
        let expires = date("expires").zip(generated);
        return expires.map_or(0.0, |(expires, generated)| expires - generated);
    }
    match status {
        300 | 301 | 308 | 410 => f64::INFINITY,
        200 | 203 => {
            let changed = date("last-modified").zip(generated);
            changed.map_or(0.0, |(changed, generated)| {
                (generated - changed) * HEURISTIC_SHARE
            })
        }
        _ => 0.0,
    }
}

/// The directives of `Cache-Control` that a private cache obeys.
#[derive(Debug, Default, PartialEq)]
struct Control {
    no_store: bool,
    no_cache: bool,
    /// Seconds; the first directive counts (RFC 9111, section 4.2.1).
    max_age: Option<f64>,
}

impl Control {
    fn read(headers: &Headers) -> Self {
        let mut control = Self::default();
        for value in headers.all("cache-control") {
            for directive in directives(value) {
                let (name, argument) = match directive.split_once('=') {
                    Some((name, argument)) => (name.trim(), Some(argument.trim())),
                    None => (directive.trim(), None),
                };
                match name.to_ascii_lowercase().as_str() {
                    "no-store" => control.no_store = true,
                    // A `no-cache` directive with field names concerns only these fields.
                    "no-cache" => control.no_cache |= argument.is_none(),
                    "max-age" => {
                        let age = argument.and_then(seconds).unwrap_or(0.0);
                        control.max_age.get_or_insert(age);
                    }
                    _ => {}
                }
            }
        }
        // `Pragma` is not defined for responses, but browsers such as Chromium obey it.
        if headers.get("cache-control").is_none() {
            let pragma = headers.get("pragma").unwrap_or_default();
            control.no_cache |= pragma.to_ascii_lowercase().contains("no-cache");
        }
        control
    }
}

/// Splits at commas and line breaks outside quotes.
fn directives(value: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    value.split(move |c| {
        quoted ^= c == '"';
        !quoted && (c == ',' || c == '\n')
    })
}

/// Parses whole seconds, with or without quotes.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().trim_matches('"');
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests;
