//! A site whose answers say that it speaks HTTP/3.
//!
//! On the web a browser speaks HTTP/3 to a server because an `alt-svc` field or
//! a DNS record told it so; here it is told on its command line. Chromium takes
//! only servers of which it was told in the usual way for able to obey
//! priorities, and holds requests back from others as it does over HTTP/1.1
//! (`HttpServerProperties::SupportsRequestPriority`, `resource_scheduler.cc`).

use pagerace_http::Field;
use pagerace_peer::{Reply, Request, Site};

/// Adds `alt-svc` to every answer (RFC 7838, section 3).
#[derive(Clone, Debug)]
pub(super) struct Announced<S> {
    site: S,
    field: Field,
}

impl<S> Announced<S> {
    /// `port`: the UDP port that speaks HTTP/3.
    pub(super) fn new(site: S, port: u16) -> Self {
        let value = format!("h3=\":{port}\"; ma=86400");
        Self {
            site,
            field: Field::new("alt-svc", value),
        }
    }
}

impl<S: Site> Site for Announced<S> {
    fn reply(&mut self, request: &Request) -> Reply {
        let mut reply = self.site.reply(request);
        reply.fields.push(self.field.clone());
        reply
    }
}
