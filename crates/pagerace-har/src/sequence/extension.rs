//! File extensions for responses.
//!
//! The media type decides. If it is uninformative (`application/octet-stream`,
//! `text/plain` or missing), the URL decides, and after it the destination of the
//! request.
//!
//! # Source
//! <https://www.iana.org/assignments/media-types/>, and legacy names that servers still
//! use for fonts, icons and scripts.

use pagerace_core::Destination;

use pagerace_page::Resource;

/// Raster images, audio and video of which a received part can be shown.
const PARTS_SHOW: [&str; 20] = [
    "jpg", "png", "gif", "webp", "avif", "jxl", "heic", "ico", "bmp", "tiff", "mp4", "m4s", "webm",
    "ts", "mov", "mp3", "m4a", "aac", "ogg", "wav",
];

/// Further extensions that a URL may indicate.
const OTHERS: [&str; 21] = [
    "html", "xhtml", "css", "js", "json", "xml", "svg", "woff", "woff2", "ttf", "otf", "eot",
    "wasm", "txt", "vtt", "csv", "pdf", "zip", "gz", "m3u8", "mpd",
];

/// Returns the extension for a resource.
pub(super) fn of(resource: &Resource) -> &'static str {
    of_type(&resource.mime_type)
        .or_else(|| of_address(&resource.url))
        .unwrap_or(match resource.destination {
            Destination::Document | Destination::Iframe => "html",
            Destination::Style => "css",
            Destination::Script => "js",
            _ if resource.mime_type == "text/plain" => "txt",
            _ => "bin",
        })
}

/// Returns true if a part of a file with this extension is useless.
pub fn must_be_whole(extension: &str) -> bool {
    !PARTS_SHOW.contains(&extension)
}

/// Returns the extension for a media type; `None` if the type is uninformative.
fn of_type(mime: &str) -> Option<&'static str> {
    Some(match mime {
        "text/html" => "html",
        "application/xhtml+xml" => "xhtml",
        "text/css" => "css",
        "text/xml" | "application/xml" => "xml",
        "image/jpeg" | "image/jpg" | "image/pjpeg" => "jpg",
        "image/png" | "image/x-png" | "image/apng" => "png",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/avif" => "avif",
        "image/jxl" => "jxl",
        "image/heic" | "image/heif" => "heic",
        "image/svg+xml" => "svg",
        "image/x-icon" | "image/vnd.microsoft.icon" => "ico",
        "image/bmp" | "image/x-ms-bmp" => "bmp",
        "image/tiff" => "tiff",
        "application/wasm" => "wasm",
        "text/vtt" => "vtt",
        "text/csv" => "csv",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "application/gzip" | "application/x-gzip" => "gz",
        "video/mp4" => "mp4",
        "video/iso.segment" | "audio/iso.segment" => "m4s",
        "video/webm" | "audio/webm" => "webm",
        "video/mp2t" => "ts",
        "video/quicktime" => "mov",
        "video/ogg" | "audio/ogg" | "application/ogg" => "ogg",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/mp4" | "audio/x-m4a" => "m4a",
        "audio/aac" => "aac",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "application/vnd.apple.mpegurl" | "application/x-mpegurl" => "m3u8",
        "application/dash+xml" => "mpd",
        "application/vnd.ms-fontobject" => "eot",
        _ if mime.contains("javascript") || mime.contains("ecmascript") => "js",
        _ if mime.contains("json") => "json",
        _ if mime.contains("woff2") => "woff2",
        _ if mime.contains("woff") => "woff",
        "font/ttf" | "font/sfnt" | "application/x-font-ttf" | "application/x-font-truetype" => {
            "ttf"
        }
        "font/otf" | "application/x-font-otf" | "application/x-font-opentype" => "otf",
        _ if mime.ends_with("+xml") => "xml",
        _ => return None,
    })
}

/// Returns the known extension at the end of the URL's path.
fn of_address(address: &str) -> Option<&'static str> {
    let url = url::Url::parse(address).ok()?;
    let last = url.path().rsplit('/').next()?;
    let (_, found) = last.rsplit_once('.')?;
    let found = match found.to_ascii_lowercase().as_str() {
        "htm" => "html".to_owned(),
        "jpeg" => "jpg".to_owned(),
        "mjs" => "js".to_owned(),
        other => other.to_owned(),
    };
    known().find(|known| *known == found)
}

/// Returns every extension that a URL may indicate.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    PARTS_SHOW.iter().chain(&OTHERS).copied()
}

#[cfg(test)]
mod tests;
