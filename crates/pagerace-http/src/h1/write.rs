//! Serialisation of message heads.
//!
//! Connection-specific fields, and lines that would break the framing, are left out.
//! Recordings of HTTP/2 and HTTP/3 hold neither, but safety must not depend on that.

use bytes::Bytes;

use crate::Field;
use crate::message::is_token;

/// Returns true if a response of this status may have content: RFC 9110, section 6.4.1. A
/// response to HEAD never has content, whatever its status.
pub const fn has_content(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
}

/// Serialises request line and fields. The `host` field is made from `:authority` and
/// comes first.
pub(super) fn request(fields: &[Field], body_len: Option<u64>) -> Bytes {
    let value = |name| crate::fields::get(fields, name).map_or(&b""[..], |v| &v[..]);
    let mut out = Vec::with_capacity(crate::fields::text_size(fields) as usize);
    let (method, path) = (value(":method"), value(":path"));
    out.extend_from_slice(method);
    out.push(b' ');
    out.extend_from_slice(if method == b"CONNECT" {
        value(":authority")
    } else {
        path
    });
    out.extend_from_slice(b" HTTP/1.1\r\n");
    line(&mut out, b"host", value(":authority"));
    for field in regular(fields).filter(|f| f.name != b"host"[..]) {
        line(&mut out, &field.name, &field.value);
    }
    if let Some(length) = body_len {
        line(&mut out, b"content-length", length.to_string().as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out.into()
}

/// Serialises status line and fields. `length` is the `content-length` to state, which a
/// response to HEAD states without having the content.
pub(super) fn response(status: u16, fields: &[Field], length: Option<u64>, close: bool) -> Bytes {
    let mut out = Vec::with_capacity(crate::fields::text_size(fields) as usize + 64);
    // The reason phrase may be empty: RFC 9112, section 4.
    out.extend_from_slice(format!("HTTP/1.1 {status} {}\r\n", reason(status)).as_bytes());
    for field in regular(fields) {
        line(&mut out, &field.name, &field.value);
    }
    if let Some(length) = length {
        line(&mut out, b"content-length", length.to_string().as_bytes());
    }
    if close {
        line(&mut out, b"connection", b"close");
    }
    out.extend_from_slice(b"\r\n");
    out.into()
}

fn line(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Returns the fields that are written unchanged.
fn regular(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|f| {
        let ours = matches!(
            &f.name[..],
            b"connection"
                | b"keep-alive"
                | b"proxy-connection"
                | b"transfer-encoding"
                | b"upgrade"
                | b"content-length"
        );
        !ours && is_token(&f.name) && is_safe(&f.value)
    })
}

/// Returns true if `value` has no characters that would end its line.
pub(super) fn is_safe(value: &[u8]) -> bool {
    !value.iter().any(|b| matches!(b, b'\r' | b'\n' | 0))
}

/// Returns the reason phrase of the statuses that servers here use. Reason phrases are
/// informative only.
const fn reason(status: u16) -> &'static str {
    match status {
        103 => "Early Hints",
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}
