//! Heads as bytes.
//!
//! Fields that belong to a connection are not passed on, nor lines that would
//! break the framing: recordings of HTTP/2 and HTTP/3 hold neither, but nothing
//! may depend on that.

use bytes::Bytes;

use crate::Field;

/// Whether a response of this status may have content at all: RFC 9110,
/// section 6.4.1. (Nor does any response to HEAD.)
pub const fn has_content(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
}

/// Request line and fields; `host` comes first, from `:authority`.
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

/// Status line and fields. `length`: of the content, or that it would have.
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

/// The fields that are written as they are.
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
        !ours && is_name(&f.name) && is_safe(&f.value)
    })
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b))
}

/// Whether a value stays on its line.
pub(super) fn is_safe(value: &[u8]) -> bool {
    !value.iter().any(|b| matches!(b, b'\r' | b'\n' | 0))
}

/// The phrases of the statuses that servers here give; informative only.
const fn reason(status: u16) -> &'static str {
    match status {
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
