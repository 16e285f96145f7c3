//! Replacements for bodies that a recording lacks. They have the recorded size and no
//! effect, if the media type can express that.

use bytes::Bytes;
use pagerace_peer::Body;

/// Returns a body of `size` bytes of this media type, and true if a browser can parse it.
pub(super) fn filler(mime_type: &str, size: u64) -> (Body, bool) {
    let (open, close) = match mime_type {
        "text/html"
        | "application/xhtml+xml"
        | "image/svg+xml"
        | "text/xml"
        | "application/xml" => ("<!--", "-->"),
        "text/css" | "text/javascript" | "application/javascript" | "application/x-javascript" => {
            ("/*", "*/")
        }
        // White space may follow a value (RFC 8259, section 2).
        "application/json" => ("{}", ""),
        mime if mime.starts_with("text/") || mime.ends_with("+json") => ("", ""),
        _ => return (Body::Filler(size), size == 0),
    };
    let Some(room) = size.checked_sub((open.len() + close.len()) as u64) else {
        // The size does not fit even the delimiters.
        return (Body::Bytes(Bytes::from(vec![b' '; size as usize])), true);
    };
    let mut body = Vec::with_capacity(size as usize);
    body.extend_from_slice(open.as_bytes());
    body.resize(open.len() + room as usize, b' ');
    body.extend_from_slice(close.as_bytes());
    (Body::Bytes(body.into()), true)
}

#[cfg(test)]
mod tests;
