//! Reed-Solomon parity over the chunks of an object, with the `reed-solomon-simd` crate.
//! Any set of as many chunks as the content has restores the content.

use std::collections::BTreeMap;

use bytes::Bytes;
use pagerace_http::object::Announcement;

use crate::body::Body;

/// Returns the number of parity chunks that is a `share` of `chunks`, rounded up. Returns
/// 0 if the code does not support so many.
pub(crate) fn count(chunks: u64, share: f64) -> u32 {
    if share <= 0.0 {
        return 0;
    }
    // Subtracting avoids another chunk due to rounding error: 0.1 of 10 is 1.
    let parity = (chunks as f64 * share - 1e-9).ceil().max(1.0) as usize;
    let fits = usize::try_from(chunks)
        .is_ok_and(|chunks| reed_solomon_simd::ReedSolomonEncoder::supports(chunks, parity));
    if fits { parity as u32 } else { 0 }
}

/// Returns the parity chunks of `body`.
pub(crate) fn encode(announcement: &Announcement, body: &Body) -> Vec<Bytes> {
    if announcement.parity == 0 {
        return Vec::new();
    }
    let chunks = announcement.chunks();
    let shards = (0..chunks).map(|n| {
        let offset = n * u64::from(announcement.chunk);
        let part = body.part(offset, announcement.size(n) as u64);
        shard(announcement, &whole(&part))
    });
    let shards = reed_solomon_simd::encode(chunks as usize, announcement.parity as usize, shards);
    let shards = shards.expect("the sizes were tried");
    shards.into_iter().map(Bytes::from).collect()
}

/// Restores the content chunks that are missing from `chunks`, which holds content and
/// parity by number. Returns `None` if there are too few chunks, or they are not a valid
/// code.
pub(crate) fn restore(
    announcement: &Announcement,
    chunks: &BTreeMap<u64, Bytes>,
) -> Option<Vec<(u64, Bytes)>> {
    let count = announcement.chunks();
    if announcement.parity == 0 || (chunks.len() as u64) < count {
        return None;
    }
    let content = chunks.range(..count);
    let parity = chunks.range(count..);
    let restored = reed_solomon_simd::decode(
        usize::try_from(count).ok()?,
        announcement.parity as usize,
        content.map(|(n, bytes)| (*n as usize, shard(announcement, bytes))),
        parity.map(|(n, bytes)| ((*n - count) as usize, bytes.clone())),
    )
    .ok()?;
    let missing = (0..count).filter(|n| !chunks.contains_key(n));
    let of = |n: u64| {
        let shard = restored.get(&(n as usize))?;
        Some((n, Bytes::copy_from_slice(&shard[..announcement.size(n)])))
    };
    missing.map(of).collect()
}

/// Returns a chunk padded to the common size.
fn shard(announcement: &Announcement, chunk: &Bytes) -> Vec<u8> {
    let mut shard = chunk.to_vec();
    shard.resize(announcement.chunk as usize, 0);
    shard
}

/// Returns all bytes of a small body.
fn whole(body: &Body) -> Bytes {
    let first = body.slice(0, usize::MAX);
    if first.len() as u64 == body.len() {
        return first;
    }
    let mut bytes = first.to_vec();
    while (bytes.len() as u64) < body.len() {
        bytes.extend_from_slice(&body.slice(bytes.len() as u64, usize::MAX));
    }
    bytes.into()
}
