//! All exchanges of the chosen page with their bodies, for replay.
//!
//! Bodies are moved out of the JSON one by one, so that the text and the bytes of a
//! recording are not in memory at the same time. Entries without traffic (`data:` and
//! similar) and entries that are not HTTP exchanges are omitted.

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bytes::Bytes;
use serde::Deserialize as _;
use serde_json::Value;

use super::headers::Headers;
use super::value::{self, filled, size, status};
use crate::Exchange;
use crate::extension::EntryFields;
use pagerace_page::{Page, ResourceId};

/// Takes the exchanges of entries `numbers`. `resources` maps the number of an entry to
/// its resource of `page`.
pub(super) fn take(
    entries: &mut [Value],
    numbers: &[usize],
    resources: &BTreeMap<usize, ResourceId>,
    page: &Page,
) -> Vec<Exchange> {
    let mut exchanges = Vec::with_capacity(numbers.len());
    for &number in numbers {
        let resource = resources.get(&number).copied();
        let size = resource.map(|r| page.resource(r).body_bytes);
        if let Some(exchange) = exchange(&mut entries[number], resource, size) {
            exchanges.push(exchange);
        }
    }
    exchanges
}

fn exchange(
    entry: &mut Value,
    resource: Option<ResourceId>,
    encoded: Option<u64>,
) -> Option<Exchange> {
    let url = value::url(filled(&entry["request"], "url")?)?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return None;
    }
    let own = EntryFields::deserialize(&entry["_pagerace"]).unwrap_or_default();
    let response = &entry["response"];
    let fields = Headers::parse(response).into_fields();
    // DevTools' own export names the error as well.
    let failed = own
        .failed
        .or_else(|| filled(response, "_error").map(str::to_owned));
    Some(Exchange {
        method: filled(&entry["request"], "method")
            .unwrap_or("GET")
            .to_ascii_uppercase(),
        status: status(response, "status").unwrap_or(0),
        fields,
        encoded_bytes: encoded.or_else(|| size(response, "bodySize")),
        resource,
        failed,
        webp_bytes: own.webp_bytes,
        avif_bytes: own.avif_bytes,
        first_screen: own.first_screen.filter(|rules| !rules.is_empty()),
        body: entry.pointer_mut("/response/content").and_then(body),
        url,
    })
}

/// Takes the decoded body out of `content`.
fn body(content: &mut Value) -> Option<Bytes> {
    let length = size(content, "size");
    let is_base64 = filled(content, "encoding") == Some("base64");
    let text = match content.get_mut("text").map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    if text.is_empty() {
        // Without text, the size distinguishes an empty body from a missing one.
        return (length == Some(0)).then(Bytes::new);
    }
    if !is_base64 {
        return Some(text.into());
    }
    let bytes = BASE64_STANDARD.decode(text.trim());
    bytes.ok().map(Bytes::from)
}

#[cfg(test)]
mod tests;
