//! Preflight requests (Fetch standard,
//! <https://fetch.spec.whatwg.org/#cors-preflight-fetch>), which recordings often lack.
//! They are granted, as they were to the recorded page.

use bytes::Bytes;
use pagerace_http::{Field, fields};
use pagerace_peer::{Body, Reply, Request};

/// Returns the response if the request is a preflight request.
pub(super) fn grant(request: &Request) -> Option<Reply> {
    let of = |name| fields::get(&request.fields, name).cloned();
    let method = of("access-control-request-method")?;
    if request.method.as_ref() != b"OPTIONS" {
        return None;
    }
    let origin = of("origin").unwrap_or(Bytes::from_static(b"*"));
    let mut fields = vec![
        Field::from_static(":status", "200"),
        Field::new("access-control-allow-origin", origin),
        Field::new("access-control-allow-methods", method),
        Field::from_static("access-control-allow-credentials", "true"),
        Field::from_static("access-control-max-age", "600"),
    ];
    let headers = of("access-control-request-headers");
    fields.extend(headers.map(|names| Field::new("access-control-allow-headers", names)));
    Some(Reply::new(fields, Body::EMPTY))
}
