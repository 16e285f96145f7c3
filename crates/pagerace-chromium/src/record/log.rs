//! The requests of a page load, from events of the DevTools protocol.
//!
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/tot/Network/>. A
//! redirect reuses the id of its request, so each hop is a separate request here. The
//! header fields on the wire arrive in separate events (`ExtraInfo`), before or after the
//! others. They are kept by id and assigned in order to the hops that announce them. Left
//! out: web sockets and web transport, which have no request that could be replayed.

use std::collections::BTreeMap;

use serde_json::Value;

/// A request and its response, as far as they have arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) id: String,
    /// The protocol session that reported the end of the request, and until then its
    /// start. Bodies are requested from this session.
    pub(crate) session: Option<String>,
    pub(crate) url: String,
    /// `Network.Request`.
    pub(crate) asked: Value,
    /// The request fields on the wire, if reported.
    pub(crate) sent_fields: Option<Value>,
    /// `Network.Initiator`, unmodified.
    pub(crate) initiator: Value,
    /// `Network.ResourceType`, unmodified.
    pub(crate) kind: String,
    /// `Network.RenderBlockingBehavior`.
    pub(crate) render_blocking: Option<String>,
    pub(crate) frame: Option<String>,
    /// Seconds of Chromium's monotonic clock.
    pub(crate) started: f64,
    /// Seconds since 1970.
    pub(crate) wall: f64,
    /// `Network.Response`.
    pub(crate) response: Option<Value>,
    /// The response fields on the wire, if reported.
    pub(crate) received_fields: Option<Value>,
    pub(crate) chunks: Vec<Chunk>,
    /// The time at which the request was completed, failed or was redirected; monotonic seconds.
    pub(crate) ended: Option<f64>,
    /// The bytes of the content on the wire that were reported while it arrived.
    pub(crate) received: u64,
    /// The bytes on the wire, including the response's fields; known at the end.
    pub(crate) encoded_bytes: Option<u64>,
    /// Chromium's error code, such as `net::ERR_NAME_NOT_RESOLVED`.
    pub(crate) failed: Option<String>,
    /// True if the page cancelled the request.
    pub(crate) canceled: bool,
    /// The reason why the request was blocked before it was sent.
    pub(crate) blocked: Option<String>,
    pub(crate) from_memory: bool,
    pub(crate) redirected: bool,
    /// The times of priority changes (monotonic seconds) and the new priorities.
    pub(crate) priority_changes: Vec<(f64, String)>,
    extra_info: bool,
}

/// A piece of a body that reached the page; `bytes` are decoded bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chunk {
    /// Monotonic seconds.
    pub(crate) at: f64,
    pub(crate) bytes: u64,
}

/// Collects requests from `Network` events in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Log {
    requests: Vec<Request>,
    /// The last hop of each id.
    latest: BTreeMap<String, usize>,
    sent_by_id: BTreeMap<String, Vec<Value>>,
    received_by_id: BTreeMap<String, Vec<Value>>,
}

impl Log {
    /// Handles one event; events of other domains are ignored.
    pub(crate) fn handle(&mut self, session: Option<&str>, method: &str, params: &Value) {
        let id = text(params, "requestId");
        match method {
            "Network.requestWillBeSent" => self.sent(session, id, params),
            "Network.requestWillBeSentExtraInfo" => {
                let all = self.sent_by_id.entry(id.to_owned()).or_default();
                all.push(params["headers"].clone());
            }
            "Network.responseReceivedExtraInfo" => {
                let all = self.received_by_id.entry(id.to_owned()).or_default();
                all.push(params.clone());
            }
            _ => self.went_on(session, id, method, params),
        }
    }

    fn sent(&mut self, session: Option<&str>, id: &str, params: &Value) {
        let at = params["timestamp"].as_f64().unwrap_or(0.0);
        if let (Some(&before), Some(response)) =
            (self.latest.get(id), params.get("redirectResponse"))
        {
            let before = &mut self.requests[before];
            before.encoded_bytes = bytes(response, "encodedDataLength");
            before.response = Some(response.clone());
            before.redirected = true;
            before.extra_info = params["redirectHasExtraInfo"].as_bool().unwrap_or(false);
            before.ended = Some(at);
        }
        let request = &params["request"];
        let blocking = params
            .get("renderBlockingBehavior")
            .or_else(|| request.get("renderBlockingBehavior"));
        self.latest.insert(id.to_owned(), self.requests.len());
        self.requests.push(Request {
            id: id.to_owned(),
            session: session.map(str::to_owned),
            url: text(request, "url").to_owned(),
            asked: request.clone(),
            initiator: params["initiator"].clone(),
            kind: text(params, "type").to_owned(),
            render_blocking: blocking.and_then(Value::as_str).map(str::to_owned),
            frame: params["frameId"].as_str().map(str::to_owned),
            started: at,
            wall: params["wallTime"].as_f64().unwrap_or(0.0),
            ..Request::default()
        });
    }

    fn went_on(&mut self, session: Option<&str>, id: &str, method: &str, params: &Value) {
        let Some(&index) = self.latest.get(id) else {
            return;
        };
        let request = &mut self.requests[index];
        let at = params["timestamp"].as_f64();
        match method {
            "Network.responseReceived" => {
                request.response = Some(params["response"].clone());
                request.extra_info = params["hasExtraInfo"].as_bool().unwrap_or(false);
                // The type of a request by a worker or frame may be known only from its
                // response.
                if request.kind.is_empty() {
                    text(params, "type").clone_into(&mut request.kind);
                }
            }
            "Network.dataReceived" => {
                let on_wire = bytes(params, "encodedDataLength").unwrap_or(0);
                request.received = request.received.saturating_add(on_wire);
                if let (Some(at), Some(bytes)) = (at, bytes(params, "dataLength")) {
                    request.chunks.push(Chunk { at, bytes });
                }
            }
            "Network.loadingFinished" => {
                // For a cross-site frame, the embedder sends the request and the frame's
                // process receives the response.
                request.session = session.map(str::to_owned);
                request.ended = at;
                request.encoded_bytes = bytes(params, "encodedDataLength");
            }
            "Network.loadingFailed" => {
                request.ended = at;
                request.failed = Some(reason(params));
                request.canceled = params["canceled"].as_bool() == Some(true);
                request.blocked = params["blockedReason"].as_str().map(str::to_owned);
            }
            "Network.requestServedFromCache" => request.from_memory = true,
            "Network.resourceChangedPriority" => {
                let change = (at.unwrap_or(0.0), text(params, "newPriority").to_owned());
                request.priority_changes.push(change);
            }
            _ => {}
        }
    }

    /// Returns all requests in order, without the fields on the wire.
    pub(crate) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Returns the number of requests that have neither ended nor failed.
    pub(crate) fn open(&self) -> usize {
        self.requests.iter().filter(|r| r.ended.is_none()).count()
    }

    /// Returns all requests in order, with their fields.
    pub(crate) fn finish(mut self) -> Vec<Request> {
        let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
        let mut ids: Vec<(usize, usize)> = Vec::new();
        for (i, request) in self.requests.iter().enumerate() {
            // A request without a response may still have sent its fields.
            if request.extra_info || request.response.is_none() {
                let next = taken.entry(&request.id).or_default();
                ids.push((i, *next));
                *next += 1;
            }
        }
        for (i, k) in ids {
            let request = &mut self.requests[i];
            let nth = |all: &BTreeMap<String, Vec<Value>>| {
                all.get(&request.id).and_then(|all| all.get(k)).cloned()
            };
            let (sent, received) = (nth(&self.sent_by_id), nth(&self.received_by_id));
            request.sent_fields = sent;
            request.received_fields = received;
        }
        self.requests
    }
}

/// Returns the reason why a request failed: Chromium's error code, with the reason for
/// blocking if it was blocked.
fn reason(params: &Value) -> String {
    let told = text(params, "errorText");
    let told = if told.is_empty() {
        "net::ERR_FAILED"
    } else {
        told
    };
    match params["blockedReason"].as_str() {
        Some(blocked) if !blocked.is_empty() => format!("{told} ({blocked})"),
        _ => told.to_owned(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Chromium writes whole numbers of bytes as floats.
fn bytes(value: &Value, key: &str) -> Option<u64> {
    let number = value[key].as_f64()?;
    (number >= 0.0).then_some(number as u64)
}

#[cfg(test)]
mod tests;
