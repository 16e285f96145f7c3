//! The sizes of images in other formats.
//!
//! Chromium encodes them: WebP as a canvas does, and AVIF as an intra frame of AV1. The quality is that
//! of the recorded file, by a metric. Files of few bytes gain nothing and are left out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::har::Body;
use super::log::Request;
use super::styles;
use crate::{ChromiumError, Session};

/// Smaller files are left out.
const LEAST_BYTES: usize = 10_000;
/// Maximum number of images that are encoded.
const IMAGES_MAX: usize = 12;

/// The sizes of an image in other formats, in bytes; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Formats {
    pub(super) webp: Option<u64>,
    pub(super) avif: Option<u64>,
}

/// Returns for each request the sizes of its image.
pub(super) fn sizes(
    session: &mut Session,
    requests: &[Request],
    bodies: &[Option<Body>],
) -> Result<Vec<Formats>, ChromiumError> {
    let mut found = vec![Formats::default(); requests.len()];
    let images = requests.iter().zip(bodies).enumerate();
    let images = images.filter_map(|(number, (request, body))| {
        let bytes = body.as_ref()?.0.as_slice();
        let is_known = request.kind == "Image" && is_still(bytes);
        (is_known && bytes.len() >= LEAST_BYTES).then_some((number, bytes))
    });
    let mut images: Vec<(usize, &[u8])> = images.collect();
    images.sort_by_key(|(number, bytes)| (std::cmp::Reverse(bytes.len()), *number));
    images.truncate(IMAGES_MAX);
    if images.is_empty() {
        return Ok(found);
    }
    let texts = images.iter().map(|(_, bytes)| STANDARD.encode(bytes));
    let texts: Vec<String> = texts.collect();
    let shares = styles::ask(session, include_str!("formats.js"), &json!(texts))?;
    for ((number, bytes), shares) in images.into_iter().zip(shares) {
        let size = |share: &Value| {
            let share = share.as_f64().filter(|share| *share > 0.0)?;
            Some((bytes.len() as f64 * share).round() as u64)
        };
        found[number] = Formats {
            webp: size(&shares["webp"]),
            avif: size(&shares["avif"]),
        };
    }
    Ok(found)
}

/// Returns true for a JPEG, PNG or lossy WebP file of one picture.
fn is_still(bytes: &[u8]) -> bool {
    // The chunk of animations stands before the first picture.
    let moves = || bytes.windows(4).take(4_096).any(|name| name == b"acTL");
    bytes.starts_with(&[0xff, 0xd8])
        || (bytes.starts_with(b"\x89PNG") && !moves())
        || (bytes.starts_with(b"RIFF") && bytes.get(8..16) == Some(b"WEBPVP8 "))
}
