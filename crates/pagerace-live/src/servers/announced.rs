//! A site whose responses announce HTTP/3.
//!
//! On the web a browser uses HTTP/3 because an `alt-svc` field or a DNS record announced
//! it. Here it is forced by the command line. Chromium assumes that a server supports
//! priorities only if it was announced in the usual way; requests to other servers are
//! held back as with HTTP/1.1 (`HttpServerProperties::SupportsRequestPriority`,
//! `resource_scheduler.cc`).

use pagerace_http::Field;
use pagerace_peer::{Reply, Request, Site};

/// Adds `alt-svc` to every response (RFC 7838, section 3).
#[derive(Clone, Debug)]
pub(super) struct Announced<S> {
    site: S,
    field: Option<Field>,
}

impl<S> Announced<S> {
    /// Announces HTTP/3 on the UDP port `port`, if there is one.
    pub(super) fn new(site: S, port: Option<u16>) -> Self {
        let value = |port| format!("h3=\":{port}\"; ma=86400");
        Self {
            site,
            field: port.map(|port| Field::new("alt-svc", value(port))),
        }
    }
}

impl<S: Site> Site for Announced<S> {
    fn reply(&mut self, request: &Request) -> Reply {
        let mut reply = self.site.reply(request);
        reply.fields.extend(self.field.clone());
        reply
    }
}
