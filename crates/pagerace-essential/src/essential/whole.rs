//! Detection of responses that are useful only when complete.

use pagerace_core::Destination;

use super::Reason;
use pagerace_page::{ImageCoding, Resource};

/// Media types of playlists and manifests: text, which a player reads as a whole.
const MEDIA_TEXTS: [&str; 5] = [
    "application/dash+xml",
    "application/vnd.apple.mpegurl",
    "application/x-mpegurl",
    "audio/mpegurl",
    "audio/x-mpegurl",
];

/// Returns whether the response must be complete, and the reason if it need not be.
///
/// Markup, style sheets, scripts, data and fonts must be complete. So must an image,
/// unless its bytes deliver the whole picture early: a part of a top-down image is a
/// picture with a hole, but a part of a progressive image is the picture at reduced
/// quality. An image of unknown coding must be complete.
pub(super) fn of(resource: &Resource) -> (bool, Option<Reason>) {
    let how = match resource.image.coding {
        ImageCoding::Progressive => Some("a progressive JPEG is first coarse, then sharp"),
        ImageCoding::Interlaced => Some("an interlaced image is first coarse, then sharp"),
        ImageCoding::TopDown | ImageCoding::Unknown => {
            is_media(resource).then_some("audio and video play without the missing part")
        }
    };
    let how = how.map(|how| Reason::InPart {
        how: how.to_owned(),
    });
    (how.is_none(), how)
}

/// Returns true if the resource is audio or video itself, not a playlist or subtitles.
pub(super) fn is_media(resource: &Resource) -> bool {
    let mime = resource.mime_type.as_str();
    let is_text = mime.starts_with("text/") || MEDIA_TEXTS.contains(&mime);
    let is_media = mime.starts_with("video/") || mime.starts_with("audio/");
    !is_text && (is_media || (resource.destination == Destination::Media && mime.is_empty()))
}
