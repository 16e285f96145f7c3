//! A site in memory, for tests of the crate and of its public interface.

use std::collections::BTreeMap;

use bytes::Bytes;
use pagerace_core::Duration;
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;
use pagerace_peer::server::UNKNOWN;
use pagerace_peer::{Body, Reply, Request, Site};

/// A site with resources in memory, by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemorySite(BTreeMap<String, Bytes>);

impl MemorySite {
    /// Adds a resource. `path` begins with a slash and has no query.
    pub(crate) fn with(mut self, path: &str, body: impl Into<Bytes>) -> Self {
        self.0.insert(path.to_owned(), body.into());
        self
    }
}

impl Site for MemorySite {
    fn reply(&mut self, request: &Request) -> Reply {
        let path = std::str::from_utf8(&request.path).unwrap();
        let path = path.split('?').next().unwrap();
        let known = matches!(&request.method[..], b"GET" | b"HEAD");
        let (status, body) = match self.0.get(path) {
            _ if !known => ("405", Bytes::from_static(b"only GET and HEAD\n")),
            Some(body) => ("200", body.clone()),
            None => ("404", Bytes::from_static(b"not found\n")),
        };
        Reply {
            think_time: Duration::ZERO,
            early: Vec::new(),
            fields: vec![
                Field::from_static(":status", status),
                Field::from_static("content-type", "application/octet-stream"),
                Field::from_static("server", "pagerace"),
            ],
            body: Body::Bytes(body),
            facts: UNKNOWN,
            nature: Nature::ESSENTIAL,
        }
    }
}
