//! Header lists of a recording, and their size as text.

use serde_json::Value;

use super::entry::Entry;
use super::notes::{Kind, Notes};
use super::value::{list, size, text};

/// Default size of the request fields, for recordings without them: the median of 5,694
/// requests of 52 recordings of 2015 to 2026.
pub(super) const DEFAULT_REQUEST_BYTES: u64 = 936;

/// Default size of the response fields, for recordings without them: the median of 7,057
/// responses of the same recordings.
pub(super) const DEFAULT_RESPONSE_BYTES: u64 = 505;

/// Fields in recorded order; names are lower case.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers(Vec<(String, String)>);

impl Headers {
    /// Parses a HAR's `headers` array. WebPageTest's `_headers`, lines of text, is not
    /// read.
    pub(super) fn parse(message: &Value) -> Self {
        let pairs = list(message, "headers").iter().filter_map(|h| {
            let name = text(h, "name")?.trim().to_ascii_lowercase();
            let value = match h.get("value") {
                Some(Value::Number(number)) => number.to_string(),
                _ => text(h, "value").unwrap_or_default().to_owned(),
            };
            (!name.is_empty()).then_some((name, value))
        });
        Self(pairs.collect())
    }

    /// Returns the fields without pseudo-fields.
    pub(super) fn into_fields(self) -> Vec<(String, String)> {
        let mut fields = self.0;
        fields.retain(|(name, _)| !name.starts_with(':'));
        fields
    }

    /// Returns the first value of a field; `name` in lower case.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// Returns every value of a field, in order; `name` in lower case.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |(n, v): &'a (String, String)| (n == name).then_some(v.as_str());
        self.0.iter().filter_map(named)
    }

    /// Returns true if no field is recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the list has pseudo-fields, as in HTTP/2 and HTTP/3.
    pub(super) fn has_pseudo_fields(&self) -> bool {
        self.0.iter().any(|(n, _)| n.starts_with(':'))
    }

    /// Returns `Content-Length`, if it is a valid number. It may be repeated (RFC 9110, section
    /// 8.6).
    pub(super) fn content_length(&self) -> Option<u64> {
        let fields = self.all("content-length");
        let mut values = fields.flat_map(|field| field.split([',', '\n']).map(str::trim));
        let first = values.next()?;
        if values.any(|value| value != first) {
            return None;
        }
        // `size` bounds the value; it also parses numbers written as text.
        let value = serde_json::json!({ "n": first });
        size(&value, "n")
    }

    /// Returns the bytes of the list as text, without pseudo-fields and without the
    /// fields that HTTP/3 forbids (RFC 9114, section 4.2; `Host` becomes `:authority`).
    fn text_bytes(&self) -> u64 {
        let connection_specific = [
            "connection",
            "host",
            "keep-alive",
            "proxy-connection",
            "transfer-encoding",
            "upgrade",
        ];
        self.0
            .iter()
            .filter(|(n, _)| !n.starts_with(':') && !connection_specific.contains(&n.as_str()))
            .map(|(n, v)| line(n, v))
            .sum()
    }
}

/// Returns the length of `name: value` with its line break.
fn line(name: &str, value: &str) -> u64 {
    (name.len() + value.len() + 4) as u64
}

/// Returns the bytes of the fields of each request and response.
pub(super) fn bytes(entries: &[Entry], notes: &mut Notes) -> Vec<(u32, u32)> {
    let of = |entry: &Entry| {
        let url = entry
            .url
            .as_ref()
            .expect("entries without a URL were left out");
        let (request, request_default) = request_bytes(
            &entry.request_headers,
            entry.request_cookie_bytes,
            entry.request_headers_size,
            &entry.method,
            url,
        );
        let (response, response_default) =
            response_bytes(&entry.response_headers, entry.response_headers_size);
        notes.add_many(Kind::RequestHeaderDefault, request_default.into());
        notes.add_many(Kind::ResponseHeaderDefault, response_default.into());
        (request, response)
    };
    entries.iter().map(of).collect()
}

/// Returns the bytes of a request's fields as text, pseudo-fields included, and whether
/// the default replaced missing fields.
pub(super) fn request_bytes(
    headers: &Headers,
    cookies: u64,
    recorded: Option<u64>,
    method: &str,
    url: &url::Url,
) -> (u32, bool) {
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let pseudo = line(":method", method)
        + line(":scheme", url.scheme())
        + line(":authority", authority)
        + line(":path", target);
    let (fields, default) = if !headers.is_empty() {
        let cookies = if headers.get("cookie").is_some() {
            0
        } else {
            cookies
        };
        (headers.text_bytes() + cookies, false)
    } else if let Some(bytes) = recorded.filter(|b| *b > 0) {
        return (clamp(bytes), false);
    } else {
        (DEFAULT_REQUEST_BYTES.saturating_sub(pseudo), true)
    };
    (clamp(pseudo + fields), default)
}

/// Returns the bytes of a response's fields as text, `:status` included, and whether the
/// default replaced missing fields.
pub(super) fn response_bytes(headers: &Headers, recorded: Option<u64>) -> (u32, bool) {
    if !headers.is_empty() {
        return (clamp(line(":status", "200") + headers.text_bytes()), false);
    }
    match recorded.filter(|b| *b > 0) {
        Some(bytes) => (clamp(bytes), false),
        None => (clamp(DEFAULT_RESPONSE_BYTES), true),
    }
}

/// Returns the bytes of the `Cookie` field that the `cookies` list represents.
pub(super) fn cookie_bytes(request: &Value) -> u64 {
    let pairs: u64 = list(request, "cookies")
        .iter()
        .filter_map(|c| Some(text(c, "name")?.len() + text(c, "value").unwrap_or_default().len()))
        .map(|n| n as u64 + 3)
        .sum();
    if pairs == 0 {
        0
    } else {
        line("cookie", "") + pairs
    }
}

/// Limits a size to 1 MiB; no server or client accepts longer fields.
fn clamp(bytes: u64) -> u32 {
    bytes.min(1 << 20) as u32
}

#[cfg(test)]
mod tests;
