//! Encoded body bytes of each response.
//!
//! What is recorded differs: `_transferSize` (Chrome) includes the response's
//! header fields as compressed on the wire; `bodySize` is sometimes the same
//! number, sometimes -1; `content.size` is decoded. The order of trust is in
//! [`bodies`].

use std::collections::BTreeMap;

use super::entry::Entry;
use super::filter::served_from_cache;
use super::notes::{Kind, Notes};
use super::protocol::Protocol;

/// Wire bytes of response fields per byte of their text, where a recording
/// gives no sample of its own: medians over 5,340 responses of 52 recordings
/// (HTTP/1.1 1.05; HTTP/2 0.6; HTTP/3 0.07, because most fields are in QPACK's
/// dynamic table).
const fn default_ratio(protocol: Option<Protocol>) -> f64 {
    match protocol {
        Some(Protocol::H3) => 0.07,
        Some(Protocol::H2) => 0.6,
        Some(Protocol::H1) | None => 1.05,
    }
}

/// Samples that make a recording's own ratio better than the default.
const ENOUGH_SAMPLES: usize = 3;

/// The encoded body bytes of each entry.
///
/// In order of trust: none for what has no body (HEAD, 204, redirects without
/// a length); the decoded size for what came from a cache; `Content-Length`,
/// unless fewer bytes were transferred (then those); the decoded size of
/// bodies without content coding; `bodySize`, if it is not just the transfer
/// size; `_transferSize` less the fields; `content.size - compression`;
/// `content.size`; 0.
pub(super) fn bodies(entries: &[Entry], header_bytes: &[u32], notes: &mut Notes) -> Vec<u64> {
    let ratios = ratios(entries, header_bytes);
    let sizes = entries.iter().zip(header_bytes).map(|(entry, &text)| {
        let ratio = ratios.get(&entry.protocol).copied();
        let fields = f64::from(text) * ratio.unwrap_or_else(|| default_ratio(entry.protocol));
        body(entry, fields as u64, u64::from(text), notes)
    });
    sizes.collect()
}

fn body(entry: &Entry, fields: u64, field_text: u64, notes: &mut Notes) -> u64 {
    // What a browser shows of a failed frame, it makes itself.
    if entry.failed_after().is_some() {
        return 0;
    }
    if entry.method == "HEAD" || matches!(entry.status, 204 | 205) {
        return 0;
    }
    let length = entry.response_headers.content_length();
    if served_from_cache(entry) {
        notes.add(Kind::Cached);
        return entry
            .content_size
            .filter(|s| *s > 0)
            .or(length)
            .unwrap_or(0);
    }
    let transferred = entry.transfer_size.filter(|t| *t > 0);
    match (length, transferred) {
        (Some(length), Some(t)) if length > t => {
            notes.add(Kind::Aborted);
            return t.saturating_sub(fields);
        }
        (Some(length), Some(t)) if !is_its_own(entry, length, t, field_text) => {}
        (Some(length), _) => return length,
        (None, _) => {}
    }
    let decoded = entry.content_size.filter(|s| *s > 0);
    let coded = entry
        .response_headers
        .get("content-encoding")
        .is_some_and(|c| c != "identity");
    let uncoded = !coded && !entry.response_headers.is_empty();
    // Some recorders leave the coding out of the list: more was not sent than
    // was transferred.
    if let Some(size) = decoded.filter(|s| uncoded && transferred.is_none_or(|t| *s <= t)) {
        return size;
    }
    let body_size = entry.body_size.filter(|s| *s > 0);
    if let Some(size) = body_size.filter(|s| transferred.is_none_or(|t| *s < t)) {
        return size;
    }
    if let Some(t) = transferred {
        return t.saturating_sub(fields).max(u64::from(decoded.is_some()));
    }
    if !entry.redirects() && entry.body_size != Some(0) {
        notes.add(Kind::NoBodySize);
    }
    match (decoded, entry.compression) {
        (Some(size), Some(saved)) if saved > 0.0 => size.saturating_sub(saved as u64),
        (Some(size), _) => size,
        (None, _) => 0,
    }
}

/// Whether `Content-Length` belongs to this body: chrome-har may give the end
/// of a redirect chain the fields of the redirect. What was transferred beyond
/// it must be explained by fields, framing, and fields that the list leaves out
/// (cookies), unless the decoded size is the same.
fn is_its_own(entry: &Entry, length: u64, transferred: u64, field_text: u64) -> bool {
    let explained = 2 * field_text + 1024 + transferred / 20;
    transferred - length <= explained || entry.content_size == Some(length)
}

/// The recording's own wire bytes per byte of field text, by protocol: the
/// median over responses whose body size is beyond doubt.
fn ratios(entries: &[Entry], header_bytes: &[u32]) -> BTreeMap<Option<Protocol>, f64> {
    let mut samples: BTreeMap<Option<Protocol>, Vec<f64>> = BTreeMap::new();
    for (entry, &text) in entries.iter().zip(header_bytes) {
        let (Some(length), Some(transferred)) =
            (entry.response_headers.content_length(), entry.transfer_size)
        else {
            continue;
        };
        let usable = transferred > length
            && length > 0
            && is_its_own(entry, length, transferred, u64::from(text));
        if usable && !served_from_cache(entry) {
            let ratio = (transferred - length) as f64 / f64::from(text.max(1));
            samples
                .entry(entry.protocol)
                .or_default()
                .push(ratio.min(2.0));
        }
    }
    samples.retain(|_, s| s.len() >= ENOUGH_SAMPLES);
    samples.into_iter().map(|(p, s)| (p, median(s))).collect()
}

/// The middle one (of two middle ones the upper).
fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

#[cfg(test)]
mod tests;
