//! Where a server's requests wait: until they are complete, then until their
//! answers are ready. Shared by all versions of HTTP.

use std::collections::BTreeMap;

use bytes::Bytes;
use pagerace_core::{Duration, Priority};
use pagerace_delivery::Response;
use pagerace_delivery::reliability::Nature;
use pagerace_http::{Field, fields};

use crate::body::Body;
use crate::range;
use crate::site::{Reply, Request, Site};

/// Requests that may be unanswered on one connection; more are refused.
const MAX_PENDING: usize = 1_000;

/// The requests of one connection.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// Requests that are not complete, by stream.
    incoming: BTreeMap<u64, Incoming>,
    /// Replies that are not ready, by stream.
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

/// What becomes of a request that is complete.
pub(crate) enum Taken {
    /// It was dropped before.
    Gone,
    /// Too many are unanswered.
    Refused,
    /// Its answer is ready after this time.
    Thinking(Duration),
}

/// An answer that is ready.
pub(crate) struct Answer {
    /// `length` and `sent` are zero.
    pub(crate) response: Response,
    /// `:status` first, `content-length` last.
    pub(crate) fields: Vec<Field>,
    /// Empty in answer to HEAD.
    pub(crate) body: Body,
    /// As `content-length` tells it.
    pub(crate) length: u64,
    /// What the page makes of it.
    pub(crate) nature: Nature,
    /// How long the server thought.
    pub(crate) think_time: Duration,
    /// Whether it is a complete object that may come in pieces: a 200 in answer to
    /// GET.
    pub(crate) is_object: bool,
}

impl Desk {
    /// The head of a request has come.
    pub(crate) fn head(&mut self, stream: u64, fields: Vec<Field>, signal: Priority) {
        let request = Incoming {
            fields,
            body_bytes: 0,
            signal,
        };
        self.incoming.insert(stream, request);
    }

    /// So many bytes of its content have come.
    pub(crate) fn content(&mut self, stream: u64, bytes: usize) {
        if let Some(request) = self.incoming.get_mut(&stream) {
            request.body_bytes += bytes as u64;
        }
    }

    /// It is complete: asks `site`.
    pub(crate) fn complete(&mut self, stream: u64, site: &mut impl Site) -> Taken {
        let Some(request) = self.incoming.remove(&stream) else {
            return Taken::Gone;
        };
        if self.pending.len() >= MAX_PENDING {
            return Taken::Refused;
        }
        let answer = ask(site, request);
        let think_time = answer.reply.think_time;
        self.pending.insert(stream, answer);
        Taken::Thinking(think_time)
    }

    /// A new priority. Whether the request is still here.
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

    /// Nobody waits for the answer any more.
    pub(crate) fn drop_request(&mut self, stream: u64) {
        self.incoming.remove(&stream);
        self.pending.remove(&stream);
    }

    /// Its think time is over: the answer, unless the request was dropped.
    pub(crate) fn answer(&mut self, stream: u64) -> Option<Answer> {
        let Pending {
            reply,
            signal,
            head_only,
            is_get,
        } = self.pending.remove(&stream)?;
        let Reply {
            mut fields,
            body,
            facts,
            nature,
            think_time,
        } = reply;
        let ok = fields::get(&fields, ":status").is_some_and(|status| status == &b"200"[..]);
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
            is_object: is_get && ok && !body.is_empty(),
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
    // A part is no object of its own.
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
