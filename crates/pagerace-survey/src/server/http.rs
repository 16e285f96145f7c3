//! Requests and responses of HTTP/1.1, one for each connection. Sizes and times are bounded.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::clock::Clock;

/// Maximum size of a request's head in bytes.
const HEAD_MAX: usize = 16 * 1024;
/// Maximum size of a form in bytes.
const BODY_MAX: usize = 16 * 1024;
/// Maximum number of header fields.
const FIELDS_MAX: usize = 100;
/// Time in which a request has to arrive.
const REQUEST_TIME: Duration = if cfg!(test) {
    Duration::from_millis(500)
} else {
    Duration::from_secs(10)
};
/// Time in which a response has to be taken.
const RESPONSE_TIME: Duration = Duration::from_mins(1);
/// Size of the pieces in which responses are written.
const PIECE: usize = 64 * 1024;

/// The policy for browsers: a page loads what this server has, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path without the query.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) location: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// A page.
    pub(super) fn page(status: u16, html: String) -> Self {
        Self {
            status,
            kind: "text/html; charset=utf-8",
            location: None,
            body: html.into_bytes(),
        }
    }

    /// A file that is the same for all people.
    pub(super) fn file(kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            kind,
            location: None,
            body,
        }
    }

    /// Sends the browser to another page.
    pub(super) fn to(path: String) -> Self {
        Self {
            location: Some(path),
            ..Self::page(303, String::new())
        }
    }
}

/// The reason why there is no request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoRequest {
    /// The client has gone, or is too slow.
    Gone,
    /// The response with this status says what is wrong.
    Bad(u16),
}

/// Reads a request.
pub(super) fn read(stream: &mut TcpStream, clock: &Clock) -> Result<Request, NoRequest> {
    let end = clock.now() + REQUEST_TIME;
    let mut bytes = Vec::new();
    let (head, method, path, length) = loop {
        if let Some(head) = parse(&bytes)? {
            break head;
        }
        if bytes.len() >= HEAD_MAX {
            return Err(NoRequest::Bad(431));
        }
        receive(stream, clock, end, &mut bytes)?;
    };
    while bytes.len() < head + length {
        receive(stream, clock, end, &mut bytes)?;
    }
    Ok(Request {
        method,
        path,
        body: bytes[head..head + length].to_vec(),
    })
}

/// Reads some bytes before `end`.
fn receive(
    stream: &mut TcpStream,
    clock: &Clock,
    end: Duration,
    bytes: &mut Vec<u8>,
) -> Result<(), NoRequest> {
    let left = end.saturating_sub(clock.now());
    if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
        return Err(NoRequest::Gone);
    }
    let mut piece = [0; 4096];
    match stream.read(&mut piece) {
        Ok(0) => Err(NoRequest::Gone),
        Ok(n) => {
            bytes.extend_from_slice(&piece[..n]);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
        Err(_) => Err(NoRequest::Gone),
    }
}

/// Returns the length of the head, the method, the path and the length of the body; `None` if the
/// head is not complete.
fn parse(bytes: &[u8]) -> Result<Option<(usize, String, String, usize)>, NoRequest> {
    let bad = |status| Err(NoRequest::Bad(status));
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut parsed = httparse::Request::new(&mut fields);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return bad(431),
        Err(_) => return bad(400),
    };
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else {
        return bad(400);
    };
    let mut length = None;
    for field in parsed.headers.iter() {
        if field.name.eq_ignore_ascii_case("transfer-encoding") {
            return bad(501);
        }
        if field.name.eq_ignore_ascii_case("content-length") {
            let text = std::str::from_utf8(field.value).unwrap_or_default();
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            // Two lengths would let two readers see two requests.
            if !digits || length.is_some() {
                return bad(400);
            }
            let size = text.parse().unwrap_or(usize::MAX);
            if size > BODY_MAX {
                return bad(413);
            }
            length = Some(size);
        }
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let (method, path) = (method.to_owned(), path.to_owned());
    Ok(Some((head, method, path, length.unwrap_or(0))))
}

/// Writes a response, without its body if only its head is asked for.
pub(super) fn write(stream: &mut TcpStream, clock: &Clock, response: &Response, head_only: bool) {
    let reason = match response.status {
        200 => "OK",
        303 => "See Other",
        404 => "Not Found",
        405 => "Method Not Allowed",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Refused",
    };
    let location = response.location.as_ref();
    let location = location.map(|path| format!("Location: {path}\r\n"));
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {POLICY}\r\nReferrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n{}Connection: close\r\n\r\n",
        response.status,
        response.kind,
        response.body.len(),
        location.unwrap_or_default()
    );
    let body: &[u8] = if head_only { &[] } else { &response.body };
    let end = clock.now() + RESPONSE_TIME;
    let pieces = head.as_bytes().chunks(PIECE).chain(body.chunks(PIECE));
    for piece in pieces {
        let mut rest = piece;
        while !rest.is_empty() {
            let left = end.saturating_sub(clock.now());
            if left.is_zero() || stream.set_write_timeout(Some(left)).is_err() {
                return;
            }
            match stream.write(rest) {
                Ok(n) if n > 0 => rest = &rest[n..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nobody can be told.
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NoRequest, parse};

    #[test]
    fn heads_are_read_or_refused() {
        let whole = b"POST /p/1?x=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
        let read = parse(whole).unwrap().unwrap();
        assert_eq!(
            read,
            (whole.len() - 3, "POST".to_owned(), "/p/1".to_owned(), 3)
        );
        for cut in 0..whole.len() - 3 {
            assert_eq!(parse(&whole[..cut]), Ok(None), "{cut}");
        }
        for (text, status) in [
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nContent-Length: -3\r\n\r\n", 400),
            (
                "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                400,
            ),
            (
                "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                413,
            ),
            ("\x16\x03\x01\x02", 400),
        ] {
            assert_eq!(
                parse(text.as_bytes()),
                Err(NoRequest::Bad(status)),
                "{text}"
            );
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(200));
        assert_eq!(parse(many.as_bytes()), Err(NoRequest::Bad(431)));
    }
}
