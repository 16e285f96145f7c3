//! Waiting requests of a server: first until they are complete, then until their
//! responses are ready. Shared by all HTTP versions.

use std::collections::BTreeMap;

use bytes::Bytes;
use pagerace_core::{Duration, Priority};
use pagerace_delivery::Response;
use pagerace_delivery::reliability::Nature;
use pagerace_http::{Field, fields, h1};

use crate::body::Body;
use crate::range;
use crate::site::{Reply, Request, Site};

/// Limit on unanswered requests of one connection. Further requests are refused.
const MAX_PENDING: usize = 1_000;

/// Requests of one connection.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// Incomplete requests, by stream.
    incoming: BTreeMap<u64, Incoming>,
    /// Responses that are not ready, by stream.
    pending: BTreeMap<u64, Pending>,
}

#[derive(Debug)]
struct Incoming {
    fields: Vec<Field>,
    body_bytes: u64,
    signal: Priority,
}

#[derive(Debug)]
struct Pending {
    reply: Reply,
    signal: Priority,
    head_only: bool,
    is_get: bool,
}

/// Result of completing a request.
pub(crate) enum Taken {
    /// The request was dropped before.
    Gone,
    /// Too many requests are unanswered.
    Refused,
    /// The response is ready after this time.
    Thinking {
        /// Time until the response.
        time: Duration,
        /// Fields of the 103 response to send now, `:status` first; empty for none.
        early: Vec<Field>,
    },
}

/// Response that is ready.
pub(crate) struct Answer {
    /// Facts for the strategy; `length` and `sent` are zero.
    pub(crate) response: Response,
    /// Header fields, `:status` first and `content-length` last.
    pub(crate) fields: Vec<Field>,
    /// Body; empty in a response to HEAD.
    pub(crate) body: Body,
    /// Length that `content-length` states.
    pub(crate) length: u64,
    /// Role of the object in its page.
    pub(crate) nature: Nature,
    /// Think time of the server.
    pub(crate) think_time: Duration,
    /// True for a complete object, which may be sent in datagrams: a non-empty 200
    /// response to a GET without a range.
    pub(crate) is_object: bool,
}

impl Desk {
    /// Handles the header section of a request.
    pub(crate) fn head(&mut self, stream: u64, fields: Vec<Field>, signal: Priority) {
        let request = Incoming {
            fields,
            body_bytes: 0,
            signal,
        };
        self.incoming.insert(stream, request);
    }

    /// Counts `bytes` of a request's content.
    pub(crate) fn content(&mut self, stream: u64, bytes: usize) {
        if let Some(request) = self.incoming.get_mut(&stream) {
            request.body_bytes += bytes as u64;
        }
    }

    /// Completes a request and asks `site` for its response.
    pub(crate) fn complete(&mut self, stream: u64, site: &mut impl Site) -> Taken {
        let Some(request) = self.incoming.remove(&stream) else {
            return Taken::Gone;
        };
        if self.pending.len() >= MAX_PENDING {
            return Taken::Refused;
        }
        let mut answer = ask(site, request);
        let time = answer.reply.think_time;
        let mut early = std::mem::take(&mut answer.reply.early);
        if time.is_zero() {
            // The response itself is no later.
            early.clear();
        } else if !early.is_empty() {
            early.insert(0, Field::from_static(":status", "103"));
        }
        self.pending.insert(stream, answer);
        Taken::Thinking { time, early }
    }

    /// Changes the priority of a request. Returns false if the request is not waiting
    /// here.
    pub(crate) fn reprioritise(&mut self, stream: u64, signal: Priority) -> bool {
        if let Some(request) = self.incoming.get_mut(&stream) {
            request.signal = signal;
        } else if let Some(answer) = self.pending.get_mut(&stream) {
            answer.signal = signal;
        } else {
            return false;
        }
        true
    }

    /// Drops a request that the client no longer waits for.
    pub(crate) fn drop_request(&mut self, stream: u64) {
        self.incoming.remove(&stream);
        self.pending.remove(&stream);
    }

    /// Returns the response at the end of its think time, unless the request was dropped.
    pub(crate) fn answer(&mut self, stream: u64) -> Option<Answer> {
        let Pending {
            reply,
            signal,
            head_only,
            is_get,
        } = self.pending.remove(&stream)?;
        let Reply {
            early: _,
            mut fields,
            body,
            facts,
            nature,
            think_time,
        } = reply;
        let status = fields::get(&fields, ":status").and_then(|v| std::str::from_utf8(v).ok());
        let status: u16 = status.and_then(|s| s.parse().ok()).unwrap_or_default();
        // The site's content is dropped: over HTTP/1.1, a client would parse it as the next
        // response.
        let body = if h1::has_content(status) {
            body
        } else {
            Body::EMPTY
        };
        let length = body.len();
        fields.push(Field::new("content-length", length.to_string()));
        let body = if head_only { Body::EMPTY } else { body };
        let response = Response {
            stream,
            signal,
            facts,
            length: 0,
            sent: 0,
        };
        Some(Answer {
            response,
            fields,
            is_object: is_get && status == 200 && !body.is_empty(),
            body,
            length,
            nature,
            think_time,
        })
    }
}

fn ask(site: &mut impl Site, request: Incoming) -> Pending {
    let Incoming {
        fields,
        body_bytes,
        signal,
    } = request;
    let value = |name| fields::get(&fields, name).cloned().unwrap_or_default();
    let method: Bytes = value(":method");
    let head_only = method.as_ref() == b"HEAD";
    // A range of an object is not an object itself.
    let is_get = method.as_ref() == b"GET" && fields::get(&fields, "range").is_none();
    let request = Request {
        method,
        authority: value(":authority"),
        path: value(":path"),
        body_bytes,
        priority: signal,
        fields,
    };
    let reply = site.reply(&request);
    Pending {
        reply: range::partial(&request, reply),
        signal,
        head_only,
        is_get,
    }
}
