//! Answers to requests for a part (RFC 9110, section 14) and to conditional ones
//! (section 13), from a complete response.
//!
//! One range of bytes is served as 206. Several ranges, and those of another unit,
//! get the whole, which a server may always do (section 14.2).

use bytes::Bytes;
use pagerace_http::{Field, fields};
use pagerace_peer::{Body, Reply, Request};

/// What a `range` field asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// These bytes, first and last.
    Part(u64, u64),
    /// Bytes that are not there.
    Unsatisfiable,
}

/// `reply`, as far as `request` wants it: nothing if it has it already, a part, or
/// all. Only a 200 in answer to GET (or HEAD) changes.
pub(crate) fn partial(request: &Request, reply: Reply) -> Reply {
    let is = |method: &[u8]| request.method.as_ref() == method;
    if status(&reply) != b"200" || !(is(b"GET") || is(b"HEAD")) {
        return reply;
    }
    if is_fresh(request, &reply) {
        return not_modified(reply);
    }
    let field = fields::get(&request.fields, "range");
    let Some(field) = field.filter(|_| is(b"GET") && may_be_part(request, &reply)) else {
        return reply;
    };
    match parse(field, reply.body.len()) {
        Some(Range::Part(first, last)) => part(reply, first, last),
        Some(Range::Unsatisfiable) => unsatisfiable(reply),
        None => reply,
    }
}

fn status(reply: &Reply) -> &[u8] {
    fields::get(&reply.fields, ":status").map_or(b"", |status| status.as_ref())
}

/// `None`: to be ignored.
fn parse(field: &Bytes, length: u64) -> Option<Range> {
    let text = std::str::from_utf8(field).ok()?;
    let (unit, ranges) = text.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || ranges.contains(',') {
        return None;
    }
    let (first, last) = ranges.trim().split_once('-')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // More digits than fit mean more than there is.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let range = if first.is_empty() {
        // The last so many bytes.
        match number(last)? {
            0 => Range::Unsatisfiable,
            _ if length == 0 => Range::Unsatisfiable,
            suffix => Range::Part(length.saturating_sub(suffix), length - 1),
        }
    } else {
        let first = number(first)?;
        let last = if last.is_empty() {
            u64::MAX
        } else {
            number(last)?
        };
        if last < first {
            return None;
        }
        if first >= length {
            Range::Unsatisfiable
        } else {
            Range::Part(first, last.min(length - 1))
        }
    };
    Some(range)
}

/// Whether `if-range`, if there, still holds (RFC 9110, section 13.1.5): a strong
/// entity tag, or the very same date.
fn may_be_part(request: &Request, reply: &Reply) -> bool {
    let Some(condition) = fields::get(&request.fields, "if-range") else {
        return true;
    };
    let same = |name| fields::get(&reply.fields, name) == Some(condition);
    !condition.starts_with(b"W/") && (same("etag") || same("last-modified"))
}

/// Whether the client has it already: `if-none-match`, else `if-modified-since`
/// with the very date that we gave.
fn is_fresh(request: &Request, reply: &Reply) -> bool {
    let of_reply = |name| fields::get(&reply.fields, name);
    if let Some(tags) = fields::get(&request.fields, "if-none-match") {
        let Some(tag) = of_reply("etag") else {
            return false;
        };
        let weak = |tag: &[u8]| tag.strip_prefix(b"W/").unwrap_or(tag).to_vec();
        let wanted = weak(tag);
        return tags.split(|b| *b == b',').any(|candidate| {
            let candidate = candidate.trim_ascii();
            candidate == b"*" || weak(candidate) == wanted
        });
    }
    let since = fields::get(&request.fields, "if-modified-since");
    since.is_some() && since == of_reply("last-modified")
}

fn set_status(fields: &mut [Field], status: &'static str) {
    if let Some(field) = fields.iter_mut().find(|f| f.name.as_ref() == b":status") {
        field.value = Bytes::from_static(status.as_bytes());
    }
}

fn not_modified(mut reply: Reply) -> Reply {
    set_status(&mut reply.fields, "304");
    // What describes content that is not there (RFC 9110, section 15.4.5).
    reply.fields.retain(|f| {
        !matches!(
            &f.name[..],
            b"content-type" | b"content-encoding" | b"content-language"
        )
    });
    reply.body = Body::EMPTY;
    reply
}

fn part(mut reply: Reply, first: u64, last: u64) -> Reply {
    let length = reply.body.len();
    let size = last - first + 1;
    set_status(&mut reply.fields, "206");
    reply.fields.push(Field::new(
        "content-range",
        format!("bytes {first}-{last}/{length}"),
    ));
    reply.body = match reply.body {
        Body::Filler(_) => Body::Filler(size),
        Body::Bytes(bytes) => Body::Bytes(bytes.slice(first as usize..=last as usize)),
    };
    reply
}

fn unsatisfiable(mut reply: Reply) -> Reply {
    let length = reply.body.len();
    set_status(&mut reply.fields, "416");
    reply
        .fields
        .retain(|f| f.name.as_ref() != b"content-encoding");
    reply
        .fields
        .push(Field::new("content-range", format!("bytes */{length}")));
    reply.body = Body::EMPTY;
    reply
}

#[cfg(test)]
mod tests;
