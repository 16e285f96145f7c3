//! What a server serves.

use bytes::Bytes;
use pagerace_core::{Duration, Priority};
use pagerace_delivery::Facts;
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;

use crate::body::Body;

/// A complete request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `:method`.
    pub method: Bytes,
    /// `:authority`.
    pub authority: Bytes,
    /// `:path`.
    pub path: Bytes,
    /// All fields, pseudo-header fields included.
    pub fields: Vec<Field>,
    /// Bytes of its body.
    pub body_bytes: u64,
    /// What it signalled with its `priority` field.
    pub priority: Priority,
}

/// How to answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Time until the head is ready.
    pub think_time: Duration,
    /// Response fields, `:status` first; `content-length` is added.
    pub fields: Vec<Field>,
    /// The body; not sent in answer to HEAD.
    pub body: Body,
    /// What the scheduler may know.
    pub facts: Facts,
    /// What the reliability policy may know.
    pub nature: Nature,
}

/// Answers requests.
pub trait Site {
    /// The answer to `request`.
    fn reply(&mut self, request: &Request) -> Reply;
}
