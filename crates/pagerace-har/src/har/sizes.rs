//! Encoded body bytes of each response.
//!
//! Recorders differ: `_transferSize` (Chrome) includes the response's header fields as
//! compressed on the wire; `bodySize` is sometimes the same number, sometimes -1;
//! `content.size` is decoded. [`bodies`] documents the order of trust.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::Entry;
use super::filter::served_from_cache;
use super::notes::{Kind, Notes};
use super::protocol::Protocol;
use super::redirects::Redirects;

/// Default ratio of wire bytes to text bytes of response fields, for recordings without
/// samples of their own: medians over 5,340 responses of 52 recordings (HTTP/1.1 1.05;
/// HTTP/2 0.6; HTTP/3 0.07, because most fields are in QPACK's dynamic table).
const fn default_ratio(protocol: Option<Protocol>) -> f64 {
    match protocol {
        Some(Protocol::H3) => 0.07,
        Some(Protocol::H2) => 0.6,
        Some(Protocol::H1) | None => 1.05,
    }
}

/// Minimum number of samples for a recording's own ratio to replace the default.
const ENOUGH_SAMPLES: usize = 3;

/// Returns the encoded body bytes of each entry.
///
/// In order of trust: 0 for responses without a body (failures, HEAD, 204, 205, 304
/// for a response that the same load has transferred, and redirects with the sizes of their
/// targets); for responses from a cache, `Content-Length` if there is a content coding, else the
/// decoded size; `Content-Length`, or `_transferSize` less the
/// fields if fewer bytes were transferred; the decoded size of bodies without content
/// coding; `bodySize`, unless it merely repeats the transfer size; `_transferSize` less
/// the fields; `content.size - compression`; `content.size`; 0.
pub(super) fn bodies(
    entries: &[Entry],
    redirects: &Redirects,
    header_bytes: &[u32],
    notes: &mut Notes,
) -> Vec<u64> {
    let ratios = ratios(entries, header_bytes);
    let mut transferred = BTreeSet::new();
    let numbered = entries.iter().zip(header_bytes).enumerate();
    let sizes = numbered.map(|(i, (entry, &text))| {
        if redirects.to[i].is_some_and(|to| has_sizes_of(entry, &entries[to])) {
            notes.add(Kind::CopiedSize);
            return 0;
        }
        // A preload that does not match its use makes the browser validate the response.
        if entry.status == 304 && transferred.contains(&entry.url) {
            return 0;
        }
        if entry.status == 200 && !served_from_cache(entry) {
            transferred.insert(&entry.url);
        }
        let ratio = ratios.get(&entry.protocol).copied();
        let fields = f64::from(text) * ratio.unwrap_or_else(|| default_ratio(entry.protocol));
        body(entry, fields as u64, u64::from(text), notes)
    });
    sizes.collect()
}

fn body(entry: &Entry, fields: u64, field_text: u64, notes: &mut Notes) -> u64 {
    // The browser itself generates the body shown for a failed document.
    if entry.no_response().is_some() {
        return 0;
    }
    if entry.method == "HEAD" || matches!(entry.status, 204 | 205) {
        return 0;
    }
    let length = entry.response_headers.content_length();
    if served_from_cache(entry) {
        let length = length.filter(|length| *length > 0);
        let decoded = entry.content_size.filter(|s| *s > 0);
        if is_coded(entry)
            && let Some(length) = length
        {
            return length;
        }
        notes.add(Kind::Cached);
        return decoded.or(length).unwrap_or(0);
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
    let coded = is_coded(entry);
    let uncoded = !coded && !entry.response_headers.is_empty();
    // Some recorders omit the content coding. A body cannot exceed the transferred bytes.
    if let Some(size) = decoded.filter(|s| uncoded && transferred.is_none_or(|t| *s <= t)) {
        return size;
    }
    let body_size = entry.body_size.filter(|s| *s > 0);
    if let Some(size) = body_size.filter(|s| transferred.is_none_or(|t| *s < t)) {
        if coded && transferred.is_none() && decoded == Some(size) {
            notes.add(Kind::NoBodySize);
        }
        return size;
    }
    if let Some(t) = transferred {
        return t.saturating_sub(fields).max(u64::from(decoded.is_some()));
    }
    if !entry.redirects() && entry.body_size != Some(0) {
        notes.add(Kind::NoBodySize);
    }
    match (decoded, entry.compression) {
        // A coding that saves all bytes is impossible; the recorder took the encoded size.
        (Some(size), Some(saved)) if saved > 0.0 && saved < size as f64 => size - saved as u64,
        (Some(size), _) => size,
        (None, _) => 0,
    }
}

fn is_coded(entry: &Entry) -> bool {
    let coding = entry.response_headers.get("content-encoding");
    coding.is_some_and(|coding| !matches!(coding.trim(), "" | "identity"))
}

/// Minimum size that a redirect and its target do not share by chance, as pixels do.
const COPIED_MIN: u64 = 512;

/// Returns true if the recorder gave a redirect the sizes of its target.
fn has_sizes_of(redirect: &Entry, target: &Entry) -> bool {
    let sizes = |entry: &Entry| (entry.content_size, entry.body_size, entry.transfer_size);
    let (content, body, transfer) = sizes(redirect);
    let known = [content, body, transfer].into_iter().flatten();
    sizes(redirect) == sizes(target) && known.max().is_some_and(|size| size >= COPIED_MIN)
}

/// Returns true if `Content-Length` belongs to this body; chrome-har may give the end of
/// a redirect chain the fields of the redirect. Fields, framing and unlisted fields
/// (cookies) must explain the additional transferred bytes, unless the decoded size
/// equals the length.
fn is_its_own(entry: &Entry, length: u64, transferred: u64, field_text: u64) -> bool {
    let explained = 2 * field_text + 1024 + transferred / 20;
    transferred - length <= explained || entry.content_size == Some(length)
}

/// Returns the recording's own ratio of wire bytes to text bytes of fields, by protocol:
/// the median over responses whose body size is certain.
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

/// Returns the median; the upper one for an even number of samples.
fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

#[cfg(test)]
mod tests;
