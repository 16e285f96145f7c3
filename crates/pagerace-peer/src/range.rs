//! Responses to range requests (RFC 9110, section 14), made from a complete response: one
//! part as 206, several as `multipart/byteranges`. If a server must not or need not
//! respond with parts, the complete response is used.

use pagerace_http::ranges::{self, ByteRange, Wanted};
use pagerace_http::{Field, fields};

use crate::body::Body;
use crate::site::{Reply, Request};

/// Boundary between parts. Any text is suitable that does not occur at the beginning of a
/// line of the content. The boundary is constant so that runs are repeatable.
const BOUNDARY: &str = "pagerace-d1f7a0c35be94286";

/// Returns the parts of `reply` that `request` asks for, or else `reply`. Only a 200 in
/// response to GET changes, and only if `if-range` holds.
pub(crate) fn partial(request: &Request, reply: Reply) -> Reply {
    let Some(field) = fields::get(&request.fields, "range") else {
        return reply;
    };
    let status = fields::get(&reply.fields, ":status");
    let ok = status.is_some_and(|status| status == &b"200"[..]);
    if !ok || request.method.as_ref() != b"GET" || !may_be_part(request, &reply) {
        return reply;
    }
    match ranges::parse(field, reply.body.len()) {
        Some(Wanted::Parts(parts)) => match parts.as_slice() {
            [range] => part(reply, *range),
            // Overlapping parts are more work than the whole content (section 17.15).
            _ if overlap(&parts) => reply,
            parts => several(reply, parts),
        },
        Some(Wanted::Unsatisfiable) => unsatisfiable(reply),
        None => reply,
    }
}

/// Returns true if `if-range` holds or is absent (RFC 9110, section 13.1.5). It holds for
/// an equal strong entity tag or an equal date.
fn may_be_part(request: &Request, reply: &Reply) -> bool {
    let Some(condition) = fields::get(&request.fields, "if-range") else {
        return true;
    };
    let same = |name| fields::get(&reply.fields, name) == Some(condition);
    !condition.starts_with(b"W/") && (same("etag") || same("last-modified"))
}

fn overlap(parts: &[ByteRange]) -> bool {
    let mut sorted = parts.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[1].first <= pair[0].last)
}

fn part(mut reply: Reply, range: ByteRange) -> Reply {
    let content_range = range.content_range(reply.body.len());
    reply.set_status("206");
    reply
        .fields
        .push(Field::new("content-range", content_range));
    reply.body = reply.body.part(range.first, range.size());
    reply
}

fn several(mut reply: Reply, parts: &[ByteRange]) -> Reply {
    let length = reply.body.len();
    reply.set_status("206");
    let ty = fields::get(&reply.fields, "content-type").cloned();
    let ty = ty.as_deref().and_then(|ty| std::str::from_utf8(ty).ok());
    let mut bodies = Vec::with_capacity(2 * parts.len() + 1);
    for (i, range) in parts.iter().enumerate() {
        let head = ranges::part_head(*range, length, BOUNDARY, ty, i == 0);
        bodies.push(Body::Bytes(head.into()));
        bodies.push(reply.body.part(range.first, range.size()));
    }
    bodies.push(Body::Bytes(ranges::parts_end(BOUNDARY).into()));
    reply.fields.retain(|f| f.name.as_ref() != b"content-type");
    let ty = format!("multipart/byteranges; boundary={BOUNDARY}");
    reply.fields.push(Field::new("content-type", ty));
    reply.body = Body::Joined(bodies.into());
    reply
}

fn unsatisfiable(mut reply: Reply) -> Reply {
    let length = reply.body.len();
    reply.set_status("416");
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
