//! Parsing of message heads: their field lines, and their words on content and
//! connection.
//!
//! Source: RFC 9112, sections 3, 4, 5, 6 and 9.3.

use bytes::Bytes;

use super::reader::Content;
use super::{Config, Error};
use crate::Field;
use crate::message::{content_length, values};

/// The parsed head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub(super) fields: Vec<Field>,
    pub(super) content: Content,
    /// True if the connection ends with the response.
    pub(super) close: bool,
    /// True if the client waits for 100 (Continue) before it sends content.
    pub(super) expects_continue: bool,
    pub(super) is_head: bool,
}

/// The parsed head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResponseHead {
    pub(super) status: u16,
    pub(super) fields: Vec<Field>,
    pub(super) content: Content,
    /// True if the connection ends with this response.
    pub(super) close: bool,
}

/// Parses the head of a request.
pub(super) fn request(lines: &Bytes, config: &Config) -> Result<RequestHead, Error> {
    check_line_ends(lines)?;
    let mut headers = vec![httparse::EMPTY_HEADER; config.fields_max];
    let mut parsed = httparse::Request::new(&mut headers);
    let read = parsed.parse(lines);
    if matches!(read, Err(httparse::Error::Version)) {
        return Err(Error::with(505, "neither HTTP/1.0 nor HTTP/1.1"));
    }
    complete(read, lines, config)?;
    let (method, target) = (
        parsed.method.unwrap_or_default(),
        parsed.path.unwrap_or_default(),
    );
    let old = parsed.version == Some(0);
    let regular = fields(parsed.headers, lines);
    let (scheme, authority, path) = target_parts(method, target, host(&regular, old)?)?;
    let framing = Framing::of(&regular, old)?;
    let content = match framing.content {
        // A request without a length has no content: RFC 9112, section 6.3, item 7.
        Content::UntilClose => Content::Length(0),
        content => content,
    };
    let expects_continue = !old
        && content != Content::Length(0)
        && values(&regular, "expect").any(|v| v.eq_ignore_ascii_case(b"100-continue"));
    let mut fields = vec![
        Field::new(":method", lines.slice_ref(method.as_bytes())),
        Field::new(":scheme", scheme),
        Field::new(":authority", authority),
        Field::new(":path", path),
    ];
    if method == "CONNECT" {
        // CONNECT has neither scheme nor path: RFC 9113, section 8.5.
        fields.retain(|f| f.name != b":scheme"[..] && f.name != b":path"[..]);
    }
    fields.extend(regular.into_iter().filter(|f| f.name != b"host"[..]));
    Ok(RequestHead {
        fields,
        content,
        close: framing.close,
        expects_continue,
        is_head: method == "HEAD",
    })
}

/// Rejects a head that could not be read to its end.
fn complete(read: httparse::Result<usize>, lines: &Bytes, config: &Config) -> Result<(), Error> {
    match read {
        Ok(httparse::Status::Complete(n)) if n == lines.len() => Ok(()),
        Ok(_) => Err(Error::bad("a head that does not end where it should")),
        Err(httparse::Error::TooManyHeaders) => Err(too_many(config)),
        Err(error) => Err(Error::bad(error.to_string())),
    }
}

/// Parses the head of a response. `to_head` is true if the request was HEAD.
pub(super) fn response(
    lines: &Bytes,
    to_head: bool,
    config: &Config,
) -> Result<ResponseHead, Error> {
    check_line_ends(lines)?;
    let mut headers = vec![httparse::EMPTY_HEADER; config.fields_max];
    let mut parsed = httparse::Response::new(&mut headers);
    complete(parsed.parse(lines), lines, config)?;
    let status = parsed.code.unwrap_or_default();
    // 101 would switch to another protocol, which no request here asks for.
    if !(100..1000).contains(&status) || status == 101 {
        return Err(Error::bad(format!("a response of status {status}")));
    }
    let regular = fields(parsed.headers, lines);
    // Check the framing fields even if the response has no content, whose rule takes
    // precedence: RFC 9112, section 6.3, item 1.
    let framing = Framing::of(&regular, parsed.version == Some(0))?;
    let content = if to_head || !super::has_content(status) {
        Content::Length(0)
    } else {
        framing.content
    };
    let mut fields = vec![Field::new(":status", status.to_string())];
    fields.extend(regular);
    Ok(ResponseHead {
        status,
        fields,
        content,
        close: framing.close || content == Content::UntilClose,
    })
}

/// Parses a trailer section.
pub(super) fn trailers(lines: &Bytes, config: &Config) -> Result<Vec<Field>, Error> {
    check_line_ends(lines)?;
    let mut headers = vec![httparse::EMPTY_HEADER; config.fields_max];
    match httparse::parse_headers(lines, &mut headers) {
        Ok(httparse::Status::Complete((n, headers))) if n == lines.len() => {
            Ok(fields(headers, lines))
        }
        Ok(_) => Err(Error::bad("trailers that do not end where they should")),
        Err(httparse::Error::TooManyHeaders) => Err(too_many(config)),
        Err(error) => Err(Error::bad(error.to_string())),
    }
}

fn too_many(config: &Config) -> Error {
    let reason = format!("more than {} field lines", config.fields_max);
    Error::with(431, reason)
}

/// Checks that all lines end in CRLF, and that CR and LF occur nowhere else. Deviates:
/// RFC 9112, section 2.2 lets a recipient accept a bare LF.
fn check_line_ends(lines: &[u8]) -> Result<(), Error> {
    let alone = |at: usize| match lines[at] {
        b'\n' => at == 0 || lines[at - 1] != b'\r',
        b'\r' => lines.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    if (0..lines.len()).any(alone) {
        return Err(Error::bad("a head with CR or LF alone"));
    }
    Ok(())
}

/// Converts header lines to field lines, which are slices of `lines` where possible.
fn fields(headers: &[httparse::Header<'_>], lines: &Bytes) -> Vec<Field> {
    let field = |header: &httparse::Header<'_>| Field {
        name: if header.name.bytes().any(|b| b.is_ascii_uppercase()) {
            header.name.to_ascii_lowercase().into()
        } else {
            lines.slice_ref(header.name.as_bytes())
        },
        value: lines.slice_ref(header.value.trim_ascii()),
    };
    headers.iter().map(field).collect()
}

/// Returns the value of the single `host` field that a request must have: RFC 9112,
/// section 3.2. It is empty if the field is missing in HTTP/1.0.
fn host(fields: &[Field], old: bool) -> Result<Bytes, Error> {
    let mut hosts = fields.iter().filter(|f| f.name == b"host"[..]);
    match (hosts.next(), hosts.next()) {
        (Some(_), Some(_)) => Err(Error::bad("more than one host field")),
        (Some(host), None) if is_authority(&host.value) => Ok(host.value.clone()),
        (Some(_), None) => Err(Error::bad("the host field holds no host")),
        (None, _) if old => Ok(Bytes::new()),
        (None, _) => Err(Error::bad("no host field")),
    }
}

/// Returns true if `text` may be host and port: it has no path, user or list.
fn is_authority(text: &[u8]) -> bool {
    text.iter()
        .all(|b| b.is_ascii_graphic() && !b"/\\?#@,\"<>".contains(b))
}

/// Returns scheme, authority and path for the four forms of a request target: RFC 9112,
/// section 3.2.
fn target_parts(method: &str, target: &str, host: Bytes) -> Result<(Bytes, Bytes, Bytes), Error> {
    let https = Bytes::from_static(b"https");
    let owned = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    if method == "CONNECT" {
        if !is_authority(target.as_bytes()) || target.is_empty() {
            return Err(Error::bad("CONNECT to something that is not an authority"));
        }
        return Ok((https, owned(target), Bytes::new()));
    }
    if target.starts_with('/') || (target == "*" && method == "OPTIONS") {
        return Ok((https, host, owned(target)));
    }
    // Absolute form. Its authority overrides the host field (section 3.2.2).
    let (scheme, rest) = target
        .split_once("://")
        .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
        .ok_or_else(|| Error::bad("a target that is neither a path nor a URL"))?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if authority.is_empty() || !is_authority(authority.as_bytes()) {
        return Err(Error::bad("a target without an authority"));
    }
    let path = match path {
        "" => "/".to_owned(),
        query if query.starts_with('?') => format!("/{query}"),
        path => path.to_owned(),
    };
    Ok((owned(scheme), owned(authority), path.into()))
}

/// The content length of a message, and whether the connection ends with it.
struct Framing {
    content: Content,
    close: bool,
}

impl Framing {
    fn of(fields: &[Field], old: bool) -> Result<Self, Error> {
        let named = |token: &str| {
            values(fields, "connection").any(|v| v.eq_ignore_ascii_case(token.as_bytes()))
        };
        let close = named("close") || (old && !named("keep-alive"));
        let coded = fields.iter().any(|f| f.name == b"transfer-encoding"[..]);
        let length = content_length(fields).map_err(Error::bad)?;
        let content = match (coded, length) {
            // Two lengths allow request smuggling: RFC 9112, sections 6.1 and 6.3, item
            // 3.
            (true, Some(_)) => {
                return Err(Error::bad("both transfer-encoding and content-length"));
            }
            (true, None) if old => return Err(Error::bad("transfer-encoding in HTTP/1.0")),
            (true, None) => {
                let mut codings = values(fields, "transfer-encoding");
                let chunked = codings
                    .next()
                    .is_some_and(|c| c.eq_ignore_ascii_case(b"chunked"));
                if !chunked || codings.next().is_some() {
                    return Err(Error::with(501, "a transfer coding other than chunked"));
                }
                Content::Chunked
            }
            (false, Some(length)) => Content::Length(length),
            (false, None) => Content::UntilClose,
        };
        Ok(Self { content, close })
    }
}
