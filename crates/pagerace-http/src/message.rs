//! Checks that messages are well-formed.
//!
//! HTTP/2 and HTTP/3 have the same rules: RFC 9113, sections 8.1.1, 8.2 and 8.3; RFC
//! 9114, sections 4.1.2, 4.2 and 4.3; RFC 9110, sections 5.1 and 5.5 for the characters.
//! Extended CONNECT is not implemented: `:protocol` is an unknown pseudo-header field and
//! makes a request malformed.

mod progress;

use bytes::Bytes;

use crate::Field;

pub(crate) use progress::{Phase, Progress, Section};

/// Human-readable reason why a message is malformed.
pub(crate) type Malformed = String;

/// The properties of a response that its framing depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    pub(crate) content_length: Option<u64>,
}

/// The pseudo-header fields of a field section, each of which may occur once.
#[derive(Default)]
struct Pseudo<'a> {
    method: Option<&'a Bytes>,
    scheme: Option<&'a Bytes>,
    authority: Option<&'a Bytes>,
    path: Option<&'a Bytes>,
    status: Option<&'a Bytes>,
}

/// Checks the head of a request. Returns the length of its content if the head tells it.
pub(crate) fn check_request(fields: &[Field]) -> Result<Option<u64>, Malformed> {
    let pseudo = check_lines(fields)?;
    if pseudo.status.is_some() {
        return Err(":status in a request".into());
    }
    let method = pseudo.method.ok_or("no :method")?;
    if !is_token(method) {
        return Err(":method is not a token".into());
    }
    if method == &b"CONNECT"[..] {
        if pseudo.scheme.is_some() || pseudo.path.is_some() {
            return Err("CONNECT with :scheme or :path".into());
        }
        pseudo
            .authority
            .filter(|a| !a.is_empty())
            .ok_or("CONNECT without :authority")?;
        return content_length(fields);
    }
    let scheme = pseudo.scheme.ok_or("no :scheme")?;
    let path = pseudo.path.ok_or("no :path")?;
    if scheme == &b"https"[..] || scheme == &b"http"[..] {
        check_authority(pseudo.authority, fields)?;
        let asterisk = method == &b"OPTIONS"[..] && path == &b"*"[..];
        if !path.starts_with(b"/") && !asterisk {
            return Err(":path does not begin with a slash".into());
        }
    }
    content_length(fields)
}

/// Checks the head of a response, interim or final.
pub(crate) fn check_response(fields: &[Field]) -> Result<ResponseHead, Malformed> {
    let pseudo = check_lines(fields)?;
    if pseudo.method.is_some()
        || pseudo.scheme.is_some()
        || pseudo.authority.is_some()
        || pseudo.path.is_some()
    {
        return Err("a request's pseudo-header field in a response".into());
    }
    let status = pseudo.status.ok_or("no :status")?;
    let digits = std::str::from_utf8(status).ok().filter(|s| s.len() == 3);
    let status = digits
        .filter(|s| s.bytes().all(|b| b.is_ascii_digit()))
        .and_then(|s| s.parse().ok())
        .filter(|s| (100..1000).contains(s))
        .ok_or(":status is not three digits")?;
    // HTTP/2 and HTTP/3 do not support 101: RFC 9113, section 8.6; RFC 9114, section 4.5.
    if status == 101 {
        return Err(":status 101".into());
    }
    Ok(ResponseHead {
        status,
        content_length: content_length(fields)?,
    })
}

/// Checks a trailer section.
pub(crate) fn check_trailers(fields: &[Field]) -> Result<(), Malformed> {
    if fields.iter().any(|f| f.name.starts_with(b":")) {
        return Err("a pseudo-header field in trailers".into());
    }
    check_lines(fields).map(drop)
}

/// Checks the rules for single field lines, which hold for every kind of message.
fn check_lines(fields: &[Field]) -> Result<Pseudo<'_>, Malformed> {
    let mut pseudo = Pseudo::default();
    let mut regular = false;
    for field in fields {
        if !is_value(&field.value) {
            return Err(format!(
                "the value of {} has forbidden characters",
                show(&field.name)
            ));
        }
        if field.name.starts_with(b":") {
            if regular {
                return Err(format!("{} after regular fields", show(&field.name)));
            }
            let slot = match &field.name[..] {
                b":method" => &mut pseudo.method,
                b":scheme" => &mut pseudo.scheme,
                b":authority" => &mut pseudo.authority,
                b":path" => &mut pseudo.path,
                b":status" => &mut pseudo.status,
                _ => return Err(format!("unknown pseudo-header field {}", show(&field.name))),
            };
            if slot.replace(&field.value).is_some() {
                return Err(format!("{} occurs twice", show(&field.name)));
            }
            continue;
        }
        regular = true;
        if !is_lower_case_token(&field.name) {
            return Err(format!(
                "{} is not a field name in lower case",
                show(&field.name)
            ));
        }
        // Connection-specific fields: RFC 9113, section 8.2.2; RFC 9114, section 4.2.
        let forbidden = match &field.name[..] {
            b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding"
            | b"upgrade" => true,
            b"te" => field.value != b"trailers"[..],
            _ => false,
        };
        if forbidden {
            return Err(format!("{} is specific to a connection", show(&field.name)));
        }
    }
    Ok(pseudo)
}

/// Checks that `:authority` or `host` names the authority, and that they agree if both
/// are present: RFC 9113, section 8.3.1; RFC 9114, section 4.3.1.
fn check_authority(authority: Option<&Bytes>, fields: &[Field]) -> Result<(), Malformed> {
    let host = crate::fields::get(fields, "host");
    match (authority, host) {
        (None, None) => Err("neither :authority nor host".into()),
        (Some(empty), _) | (_, Some(empty)) if empty.is_empty() => Err("an empty authority".into()),
        (Some(a), Some(h)) if a != h => Err(":authority and host differ".into()),
        _ => Ok(()),
    }
}

/// Returns the elements of the comma-separated lists in all fields named `name`.
pub(crate) fn values<'a>(fields: &'a [Field], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let lines = fields.iter().filter(move |f| f.name == name.as_bytes());
    lines.flat_map(|f| f.value.split(|b| *b == b',').map(<[u8]>::trim_ascii))
}

/// Returns the length in the `content-length` lines, which must agree: RFC 9110, section
/// 8.6.
pub(crate) fn content_length(fields: &[Field]) -> Result<Option<u64>, Malformed> {
    let mut length = None;
    for value in values(fields, "content-length") {
        let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(value)
            .ok()
            .filter(|_| digits)
            .and_then(|text| text.parse::<u64>().ok())
            .ok_or("content-length is not a number")?;
        if length.is_some_and(|before| before != number) {
            return Err("content-length contradicts itself".into());
        }
        length = Some(number);
    }
    Ok(length)
}

/// Returns true if `text` is a token: RFC 9110, section 5.6.2.
pub(crate) fn is_token(text: &[u8]) -> bool {
    !text.is_empty()
        && text
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b))
}

fn is_lower_case_token(text: &[u8]) -> bool {
    is_token(text) && !text.iter().any(u8::is_ascii_uppercase)
}

/// Returns true if `value` holds only visible characters, bytes above 127, spaces and
/// tabs, and neither begins nor ends with a space or tab.
fn is_value(value: &[u8]) -> bool {
    let is_space = |b: Option<&u8>| matches!(b, Some(b' ' | b'\t'));
    // Without an early end, the compiler checks many bytes at once.
    let allowed = |b: &u8| matches!(b, b'\t' | 0x20..=0x7e | 0x80..);
    value.iter().fold(true, |all, b| all & allowed(b))
        && !is_space(value.first())
        && !is_space(value.last())
}

fn show(name: &[u8]) -> String {
    format!("\"{}\"", name.escape_ascii())
}
