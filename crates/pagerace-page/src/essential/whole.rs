//! Whether a response is of use only if all of it arrives.

use pagerace_core::Destination;

use super::Reason;
use crate::{ImageCoding, Resource};

/// Media types of lists of segments, and of subtitles: text, which a player
/// reads whole or not at all.
const MEDIA_TEXTS: [&str; 5] = [
    "application/dash+xml",
    "application/vnd.apple.mpegurl",
    "application/x-mpegurl",
    "audio/mpegurl",
    "audio/x-mpegurl",
];

/// Whether it must be whole; if not, why.
///
/// Markup, style sheets, scripts, data and fonts must be. So must an image,
/// unless its bytes are known to bring all of the picture early: the first part
/// of a top-down image is a picture with a hole, of a progressive one it is the
/// picture, less sharp. Nothing known of an image counts as must be whole.
pub(super) fn of(resource: &Resource) -> (bool, Option<Reason>) {
    let how = match resource.image.coding {
        ImageCoding::Progressive => Some("a progressive JPEG is first coarse, then sharp"),
        ImageCoding::Interlaced => Some("an interlaced image is first coarse, then sharp"),
        ImageCoding::TopDown | ImageCoding::Unknown => {
            is_media(resource).then_some("sound and film play without what is missing")
        }
    };
    let how = how.map(|how| Reason::InPart {
        how: how.to_owned(),
    });
    (how.is_none(), how)
}

/// Whether it is sound or film itself, not a list of its parts.
pub(super) fn is_media(resource: &Resource) -> bool {
    let mime = resource.mime_type.as_str();
    let is_text = mime.starts_with("text/") || MEDIA_TEXTS.contains(&mime);
    let is_media = mime.starts_with("video/") || mime.starts_with("audio/");
    !is_text && (is_media || (resource.destination == Destination::Media && mime.is_empty()))
}
