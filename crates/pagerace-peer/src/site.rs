//! Sites that servers serve.

use bytes::Bytes;
use pagerace_core::{Duration, Priority};
use pagerace_delivery::Facts;
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;

use crate::body::Body;
use crate::server::UNKNOWN;

/// Complete request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `:method`.
    pub method: Bytes,
    /// `:authority`.
    pub authority: Bytes,
    /// `:path`.
    pub path: Bytes,
    /// All header fields, including pseudo-header fields.
    pub fields: Vec<Field>,
    /// Number of bytes of the body.
    pub body_bytes: u64,
    /// Priority signalled by the `priority` field.
    pub priority: Priority,
}

/// Response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Time until the header section is ready.
    pub think_time: Duration,
    /// Fields of a 103 (Early Hints) response, which leaves before the think time (RFC 8297);
    /// without `:status`, and empty for no such response.
    pub early: Vec<Field>,
    /// Header fields, `:status` first. The server adds `content-length`.
    pub fields: Vec<Field>,
    /// Body; not sent in response to HEAD.
    pub body: Body,
    /// Facts that the strategy may use.
    pub facts: Facts,
    /// Role of the object in its page, which the reliability policy may use.
    pub nature: Nature,
}

impl Reply {
    /// Returns a reply without think time, of which strategies know nothing, and which is
    /// delivered whole.
    pub fn new(fields: Vec<Field>, body: Body) -> Self {
        Self {
            think_time: Duration::ZERO,
            early: Vec::new(),
            fields,
            body,
            facts: UNKNOWN,
            nature: Nature::ESSENTIAL,
        }
    }

    /// Replaces the status.
    pub fn set_status(&mut self, status: &'static str) {
        let mut fields = self.fields.iter_mut();
        if let Some(field) = fields.find(|f| f.name.as_ref() == b":status") {
            field.value = Bytes::from_static(status.as_bytes());
        }
    }
}

/// Source of responses.
pub trait Site {
    /// Returns the response to `request`.
    fn reply(&mut self, request: &Request) -> Reply;
}
