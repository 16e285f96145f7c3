//! Destination of each request.
//!
//! Evidence in order of trust: the recorder's resource type; the request's
//! `Sec-Fetch-Dest`, set by the browser; the media type; the path's extension; the
//! `Accept` field.

use pagerace_core::Destination;

use super::entry::Entry;
use super::filter::is_navigation;
use super::initiator;
use super::notes::{Kind, Notes};
use super::redirects::Redirects;

/// Returns the destination of a request other than the navigation. A document is
/// therefore a nested one.
pub(super) fn of(entry: &Entry) -> Destination {
    if entry.initiator.kind == initiator::Kind::Preflight || entry.method == "OPTIONS" {
        return Destination::Fetch;
    }
    by_type(entry.resource_type.unwrap_or_default())
        .or_else(|| by_fetch_destination(entry))
        .or_else(|| by_mime(entry))
        .or_else(|| by_extension(entry))
        .or_else(|| by_accept(entry))
        .unwrap_or(Destination::Fetch)
}

/// Returns the destination of each entry: that of the end of its redirect chain. The
/// navigation's chain is the document, if the recording has a navigation.
pub(super) fn all(
    entries: &[Entry],
    redirects: &Redirects,
    document: usize,
    notes: &mut Notes,
) -> Vec<Destination> {
    let navigates = is_navigation(&entries[0], true);
    let own = |i: usize| match redirects.end(i) {
        end if end == document && navigates => Destination::Document,
        end => of(&entries[end]),
    };
    let all: Vec<Destination> = (0..entries.len()).map(own).collect();
    let again = |&i: &usize| {
        all[i] == Destination::Iframe
            && redirects.to[i].is_none()
            && (entries[i].request_headers.get("sec-fetch-dest") == Some("document")
                || entries[i].url == entries[document].url)
    };
    notes.add_many(
        Kind::SecondNavigation,
        (0..entries.len()).filter(again).count(),
    );
    all
}

/// Maps DevTools' resource types, as chrome-har and WebPageTest write them.
fn by_type(kind: &str) -> Option<Destination> {
    Some(match kind.to_ascii_lowercase().as_str() {
        "document" => Destination::Iframe,
        "stylesheet" => Destination::Style,
        "script" => Destination::Script,
        "font" => Destination::Font,
        "image" => Destination::Image,
        "media" | "texttrack" => Destination::Media,
        "xhr" | "fetch" | "ping" | "preflight" | "eventsource" | "cspviolationreport"
        | "beacon" => Destination::Fetch,
        "manifest" | "prefetch" | "signedexchange" => Destination::Other,
        _ => return None,
    })
}

/// <https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header>
fn by_fetch_destination(entry: &Entry) -> Option<Destination> {
    Some(match entry.request_headers.get("sec-fetch-dest")? {
        "document" | "iframe" | "frame" | "embed" | "object" => Destination::Iframe,
        "style" | "xslt" => Destination::Style,
        "script" | "worker" | "sharedworker" | "serviceworker" | "audioworklet"
        | "paintworklet" => Destination::Script,
        "font" => Destination::Font,
        "image" => Destination::Image,
        "audio" | "video" | "track" => Destination::Media,
        "manifest" => Destination::Other,
        "empty" if is_prefetch(entry) => Destination::Other,
        "empty" => Destination::Fetch,
        _ => return None,
    })
}

fn by_mime(entry: &Entry) -> Option<Destination> {
    let mime = entry.mime.as_str();
    Some(match mime {
        _ if mime.contains("javascript") || mime.contains("ecmascript") => Destination::Script,
        "text/css" => Destination::Style,
        "application/manifest+json" => Destination::Other,
        _ if mime.starts_with("font/") || mime.contains("font-") || mime.contains("woff") => {
            Destination::Font
        }
        _ if mime.starts_with("image/") => Destination::Image,
        _ if mime.starts_with("video/") || mime.starts_with("audio/") => Destination::Media,
        "text/html" | "application/xhtml+xml" => return by_html(entry),
        _ if mime.contains("json") || mime.contains("xml") || mime == "text/event-stream" => {
            Destination::Fetch
        }
        _ => return None,
    })
}

/// HTML may be a frame or the response to a script. Errors for any destination are HTML,
/// too.
fn by_html(entry: &Entry) -> Option<Destination> {
    let by_script = entry.request_headers.get("x-requested-with").is_some()
        || entry
            .request_headers
            .get("accept")
            .is_some_and(|a| !a.contains("text/html"));
    if by_script || entry.status >= 400 {
        return by_extension(entry)
            .or_else(|| by_accept(entry))
            .or(Some(Destination::Fetch));
    }
    Some(Destination::Iframe)
}

/// Returns the destination that the extension of the path tells.
pub(super) fn by_extension(entry: &Entry) -> Option<Destination> {
    let path = entry.url.as_ref()?.path();
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "css" => Destination::Style,
        "js" | "mjs" => Destination::Script,
        "woff" | "woff2" | "ttf" | "otf" | "eot" => Destination::Font,
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "svg" | "ico" | "bmp" => {
            Destination::Image
        }
        "mp4" | "webm" | "mp3" | "ogg" | "m4a" | "m3u8" | "ts" | "vtt" => Destination::Media,
        "json" => Destination::Fetch,
        "webmanifest" => Destination::Other,
        _ => return None,
    })
}

fn by_accept(entry: &Entry) -> Option<Destination> {
    let accept = entry.request_headers.get("accept")?;
    // A navigation also accepts images, but names HTML first.
    if accept.starts_with("text/html") {
        Some(Destination::Iframe)
    } else if accept.starts_with("text/css") {
        Some(Destination::Style)
    } else if accept.starts_with("image/") {
        Some(Destination::Image)
    } else {
        None
    }
}

/// Returns true if the request is a prefetch for a later navigation.
pub(super) fn is_prefetch(entry: &Entry) -> bool {
    ["purpose", "sec-purpose", "x-moz", "x-purpose"]
        .iter()
        .any(|name| {
            entry
                .request_headers
                .get(name)
                .is_some_and(|v| v.contains("prefetch"))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn destination(mut v: Value) -> Destination {
        let url = v["url"].as_str().unwrap_or("https://a.test/x").to_owned();
        v["request"] = json!({"url": url, "headers": v["headers"]});
        v["response"] = json!({"status": v["status"], "content": {"mimeType": v["mime"]}});
        of(&Entry::parse(0, &v, None))
    }

    #[test]
    fn the_resource_type_wins() {
        let v = json!({"_resourceType": "xhr", "mime": "image/png"});
        assert_eq!(destination(v), Destination::Fetch);
        let v = json!({"_request_type": "Stylesheet", "mime": "text/plain"});
        assert_eq!(destination(v), Destination::Style);
        let v = json!({"_resourceType": "other", "mime": "text/javascript"});
        assert_eq!(
            destination(v),
            Destination::Script,
            "old Chrome calls preloads \"other\""
        );
    }

    #[test]
    fn then_the_browsers_own_word() {
        let headers = json!([{"name": "Sec-Fetch-Dest", "value": "empty"}]);
        let v = json!({"headers": headers, "mime": "text/javascript"});
        assert_eq!(destination(v), Destination::Fetch);
    }

    #[test]
    fn then_media_type_extension_and_accept() {
        assert_eq!(
            destination(json!({"mime": "application/font-woff2"})),
            Destination::Font
        );
        assert_eq!(
            destination(json!({"mime": "text/html", "status": 200})),
            Destination::Iframe
        );
        let missing = json!({"mime": "text/html", "status": 404, "url": "https://a.test/x.png"});
        assert_eq!(
            destination(missing),
            Destination::Image,
            "an error page for an image"
        );
        assert_eq!(
            destination(json!({"url": "https://a.test/x.CSS?v=1"})),
            Destination::Style
        );
        let headers = json!([{"name": "Accept", "value": "image/webp,*/*"}]);
        assert_eq!(destination(json!({"headers": headers})), Destination::Image);
        assert_eq!(destination(json!({})), Destination::Fetch);
    }
}
