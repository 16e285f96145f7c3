//! Answers to conditional requests (RFC 9110, section 13) from a complete response.
//! [`pagerace_peer`] itself applies ranges.

use pagerace_http::fields;
use pagerace_peer::{Body, Reply, Request};

/// Returns a 412 if `if-match` names other content, a 304 if the client's copy is fresh, else
/// `reply`. Only a 200 in response to GET or HEAD is replaced.
pub(crate) fn conditional(request: &Request, reply: Reply) -> Reply {
    let is = |method: &[u8]| request.method.as_ref() == method;
    let ok = fields::get(&reply.fields, ":status").is_some_and(|status| status == &b"200"[..]);
    if !ok || !(is(b"GET") || is(b"HEAD")) {
        reply
    } else if !is_wanted(request, &reply) {
        without_content(reply, "412")
    } else if is_fresh(request, &reply) {
        without_content(reply, "304")
    } else {
        reply
    }
}

/// Returns false if `if-match` names other content. Its `*` stands for any, and weak tags match
/// none.
fn is_wanted(request: &Request, reply: &Reply) -> bool {
    let Some(tags) = fields::get(&request.fields, "if-match") else {
        return true;
    };
    let current = fields::get(&reply.fields, "etag").filter(|tag| !tag.starts_with(b"W/"));
    tags.split(|b| *b == b',').any(|candidate| {
        let candidate = candidate.trim_ascii();
        candidate == b"*" || current.is_some_and(|tag| tag == candidate)
    })
}

/// Returns true if the client's copy is fresh: by `if-none-match`, whose `*` stands for any
/// copy, else if `if-modified-since` equals `last-modified`.
fn is_fresh(request: &Request, reply: &Reply) -> bool {
    let of_reply = |name| fields::get(&reply.fields, name);
    if let Some(tags) = fields::get(&request.fields, "if-none-match") {
        let weak = |tag: &[u8]| tag.strip_prefix(b"W/").unwrap_or(tag).to_vec();
        let wanted = of_reply("etag").map(|tag| weak(tag));
        return tags.split(|b| *b == b',').any(|candidate| {
            let candidate = candidate.trim_ascii();
            candidate == b"*" || Some(weak(candidate)) == wanted
        });
    }
    let since = fields::get(&request.fields, "if-modified-since");
    since.is_some() && since == of_reply("last-modified")
}

fn without_content(mut reply: Reply, status: &'static str) -> Reply {
    reply.set_status(status);
    // Remove the description of the omitted content (RFC 9110, section 15.4.5).
    reply.fields.retain(|f| {
        !matches!(
            &f.name[..],
            b"content-type" | b"content-encoding" | b"content-language"
        )
    });
    reply.body = Body::EMPTY;
    reply
}

#[cfg(test)]
mod tests;
