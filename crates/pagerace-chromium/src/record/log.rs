//! The requests of a page load, gathered from events of the DevTools protocol.
//!
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/tot/Network/>.
//! A redirect reuses its request's id, so each hop is a request here. Header
//! fields as they were on the wire come in events of their own (`ExtraInfo`),
//! before or after the others: they are kept by id and given to the hops in
//! order, to those that announce them. Left out: web sockets and
//! web transport, which have no request that could be replayed.

use std::collections::BTreeMap;

use serde_json::Value;

/// One request and its response, as far as they got.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) id: String,
    /// The protocol session that told of its end, until then of its start; bodies are
    /// asked for there.
    pub(super) session: Option<String>,
    pub(super) url: String,
    /// `Network.Request`.
    pub(super) asked: Value,
    /// Its fields on the wire, if told.
    pub(super) sent_fields: Option<Value>,
    /// `Network.Initiator`, unmodified.
    pub(super) initiator: Value,
    /// `Network.ResourceType`, as written there.
    pub(super) kind: String,
    /// `Network.RenderBlockingBehavior`.
    pub(super) render_blocking: Option<String>,
    pub(super) frame: Option<String>,
    /// Seconds of Chromium's monotonic clock.
    pub(super) started: f64,
    /// Seconds since 1970.
    pub(super) wall: f64,
    /// `Network.Response`.
    pub(super) response: Option<Value>,
    /// Its fields on the wire, if told.
    pub(super) received_fields: Option<Value>,
    pub(super) chunks: Vec<Chunk>,
    /// When it was complete or failed, or redirected; monotonic seconds.
    pub(super) ended: Option<f64>,
    /// Bytes on the wire, with the response's fields.
    pub(super) encoded_bytes: Option<u64>,
    /// Chromium's word, such as `net::ERR_NAME_NOT_RESOLVED`.
    pub(super) failed: Option<String>,
    pub(super) from_memory: bool,
    pub(super) redirected: bool,
    /// When the priority changed (monotonic seconds) and what it became.
    pub(super) priority_changes: Vec<(f64, String)>,
    extra_info: bool,
}

/// Decoded bytes of a body that reached the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chunk {
    /// Monotonic seconds.
    pub(super) at: f64,
    pub(super) bytes: u64,
}

/// Reads `Network` events in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Log {
    requests: Vec<Request>,
    /// The last hop of each id.
    latest: BTreeMap<String, usize>,
    sent_by_id: BTreeMap<String, Vec<Value>>,
    received_by_id: BTreeMap<String, Vec<Value>>,
}

impl Log {
    /// Takes one event; those of other domains change nothing.
    pub(super) fn handle(&mut self, session: Option<&str>, method: &str, params: &Value) {
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
                // A worker's or a frame's request is told more by its response.
                if request.kind.is_empty() {
                    text(params, "type").clone_into(&mut request.kind);
                }
            }
            "Network.dataReceived" => {
                if let (Some(at), Some(bytes)) = (at, bytes(params, "dataLength")) {
                    request.chunks.push(Chunk { at, bytes });
                }
            }
            "Network.loadingFinished" => {
                // A frame of another site: its embedder asks, its own process receives.
                request.session = session.map(str::to_owned);
                request.ended = at;
                request.encoded_bytes = bytes(params, "encodedDataLength");
            }
            "Network.loadingFailed" => {
                request.ended = at;
                request.failed = Some(reason(params));
            }
            "Network.requestServedFromCache" => request.from_memory = true,
            "Network.resourceChangedPriority" => {
                let change = (at.unwrap_or(0.0), text(params, "newPriority").to_owned());
                request.priority_changes.push(change);
            }
            _ => {}
        }
    }

    /// Requests that have neither ended nor failed.
    pub(super) fn open(&self) -> usize {
        self.requests.iter().filter(|r| r.ended.is_none()).count()
    }

    /// All requests in the order in which they were made, with their fields.
    pub(super) fn finish(mut self) -> Vec<Request> {
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

/// Why a request failed: the network's word, or who blocked it.
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
