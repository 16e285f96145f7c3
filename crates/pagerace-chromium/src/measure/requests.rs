//! The requests of a load, from the events of the Network domain.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/Network/>. Its times are
//! seconds of a monotonic clock. The request of the document relates that clock to the
//! start of the navigation, because Navigation Timing also reports when it was sent.

use std::collections::BTreeMap;

use pagerace_core::Duration;
use serde_json::Value;

use super::ObservedResource;
use crate::cdp::Event;

/// Types of requests that stay open by design, so that their end is not awaited.
const OPEN_BY_DESIGN: [&str; 4] = ["eventsource", "websocket", "ping", "media"];

/// The start of the navigation in seconds of the browser's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NavigationStart(f64);

impl NavigationStart {
    fn since(self, seconds: f64) -> Duration {
        Duration::from_millis_f64((seconds - self.0) * 1e3)
    }
}

/// A request for one URL. A redirect ends a hop and begins the next.
#[derive(Clone, Debug, Default)]
struct Hop {
    url: String,
    method: String,
    kind: String,
    initiator: String,
    priority: String,
    render_blocking: Option<String>,
    /// In seconds, like all times below.
    start: f64,
    response: Option<Response>,
    end: Option<f64>,
    received: u64,
    failed: Option<String>,
    over: bool,
}

#[derive(Clone, Debug, Default)]
struct Response {
    status: Option<u16>,
    protocol: String,
    connection: Option<u64>,
    timing: Option<Timing>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    dns_start: Option<f64>,
    connect_start: Option<f64>,
    connect_end: Option<f64>,
    request_start: Option<f64>,
    response_start: Option<f64>,
}

/// The requests of one load.
#[derive(Debug, Default)]
pub(super) struct Requests {
    hops: Vec<Hop>,
    /// The current hop of each request id.
    current: BTreeMap<String, usize>,
    /// The request id of the document.
    document: String,
}

impl Requests {
    /// Sets the loader id of the navigation, which is also the request id of the document.
    pub(super) fn set_document(&mut self, loader: &str) {
        self.document = loader.into();
    }

    /// Handles an event. Returns true if it belongs to a request.
    pub(super) fn handle(&mut self, event: &Event) -> bool {
        let params = &event.params;
        let Some(id) = params["requestId"].as_str() else {
            return false;
        };
        let at = params["timestamp"].as_f64();
        match event.method.as_str() {
            "Network.requestWillBeSent" => self.sent(id, params, at.unwrap_or(0.0)),
            "Network.responseReceived" => {
                self.update(id, |hop| {
                    hop.response = Some(response(&params["response"]));
                });
            }
            "Network.dataReceived" => {
                let bytes = params["encodedDataLength"].as_u64().unwrap_or(0);
                self.update(id, |hop| hop.received = hop.received.saturating_add(bytes));
            }
            "Network.resourceChangedPriority" => {
                self.update(id, |hop| hop.priority = text(&params["newPriority"]));
            }
            "Network.loadingFinished" => self.update(id, |hop| {
                hop.end = at;
                hop.over = true;
                if let Some(total) = params["encodedDataLength"].as_f64() {
                    hop.received = total as u64;
                }
            }),
            "Network.loadingFailed" => self.update(id, |hop| {
                hop.end = at;
                hop.over = true;
                // A request cancelled by the page is not a failure.
                if params["canceled"].as_bool() != Some(true) {
                    hop.failed = Some(reason(params));
                }
            }),
            _ => return false,
        }
        true
    }

    fn sent(&mut self, id: &str, params: &Value, at: f64) {
        let request = &params["request"];
        let redirect = &params["redirectResponse"];
        if redirect.is_object() {
            self.update(id, |hop| {
                hop.response = Some(response(redirect));
                hop.received = redirect["encodedDataLength"].as_f64().unwrap_or(0.0) as u64;
                hop.end = Some(at);
                hop.over = true;
            });
        }
        let url = text(&request["url"]);
        if !url.starts_with("http:") && !url.starts_with("https:") {
            return;
        }
        self.current.insert(id.into(), self.hops.len());
        self.hops.push(Hop {
            url,
            method: text(&request["method"]),
            kind: text(&params["type"]).to_ascii_lowercase(),
            initiator: text(&params["initiator"]["type"]),
            priority: text(&request["initialPriority"]),
            render_blocking: params["renderBlockingBehavior"].as_str().map(Into::into),
            start: at,
            ..Hop::default()
        });
    }

    fn update(&mut self, id: &str, change: impl FnOnce(&mut Hop)) {
        if let Some(hop) = self.current.get(id).and_then(|k| self.hops.get_mut(*k)) {
            change(hop);
        }
    }

    /// Returns the number of open requests whose end is awaited.
    pub(super) fn open(&self) -> usize {
        let awaited = |hop: &&Hop| !hop.over && !OPEN_BY_DESIGN.contains(&hop.kind.as_str());
        self.hops.iter().filter(awaited).count()
    }

    /// Computes the start of the navigation from the document's request; `request_start`
    /// is its start in Navigation Timing.
    pub(super) fn navigation_start(&self, request_start: Option<Duration>) -> NavigationStart {
        let document = self.current.get(&self.document).map(|k| &self.hops[*k]);
        let timing = document.and_then(|hop| hop.response.as_ref()?.timing);
        let known = timing
            .and_then(|timing| timing.request_start)
            .zip(request_start);
        NavigationStart(match known {
            Some((seconds, since)) => seconds - since.as_secs_f64(),
            None => self.hops.first().map_or(0.0, |hop| hop.start),
        })
    }

    /// Returns (start, end) of each GET request; an open request ends at `until`.
    pub(super) fn in_flight(
        &self,
        clock: NavigationStart,
        until: Duration,
    ) -> Vec<(Duration, Duration)> {
        self.hops
            .iter()
            .filter(|hop| hop.method == "GET")
            .map(|hop| {
                let end = hop.end.map_or(until, |end| clock.since(end));
                (clock.since(hop.start), end)
            })
            .collect()
    }

    /// Returns all requests, and a message for each failed one.
    pub(super) fn observed(&self, clock: NavigationStart) -> (Vec<ObservedResource>, Vec<String>) {
        let failure = |hop: &Hop| Some(format!("{}: {}", hop.url, hop.failed.as_ref()?));
        (
            self.hops.iter().map(|hop| hop.observed(clock)).collect(),
            self.hops.iter().filter_map(failure).collect(),
        )
    }
}

impl Hop {
    fn observed(&self, clock: NavigationStart) -> ObservedResource {
        let response = self.response.clone().unwrap_or_default();
        let timing = response.timing.unwrap_or_default();
        let since = |seconds: Option<f64>| seconds.map(|s| clock.since(s));
        ObservedResource {
            url: self.url.clone(),
            method: self.method.clone(),
            protocol: response.protocol,
            initiator_type: self.initiator.clone(),
            kind: self.kind.clone(),
            status: response.status,
            start: clock.since(self.start),
            dns_start: since(timing.dns_start),
            connect_start: since(timing.connect_start),
            connect_end: since(timing.connect_end),
            request_start: since(timing.request_start),
            response_start: since(timing.response_start),
            response_end: since(self.end),
            transfer_size: self.received,
            render_blocking: self.render_blocking.clone(),
            priority: self.priority.clone(),
            connection: response.connection,
            failed: self.failed.clone(),
        }
    }
}

fn response(value: &Value) -> Response {
    let timing = &value["timing"];
    let base = timing["requestTime"].as_f64();
    // Milliseconds since `requestTime`; -1 for a phase that did not happen.
    let at = |name: &str| {
        let since = timing[name].as_f64().filter(|since| *since >= 0.0)?;
        Some(base? + since / 1e3)
    };
    Response {
        status: value["status"].as_u64().and_then(|s| u16::try_from(s).ok()),
        protocol: text(&value["protocol"]),
        // Zero means no connection, for example for a cached response.
        connection: value["connectionId"]
            .as_f64()
            .map(|n| n as u64)
            .filter(|n| *n > 0),
        timing: timing.is_object().then(|| Timing {
            dns_start: at("dnsStart"),
            connect_start: at("connectStart"),
            connect_end: at("connectEnd"),
            request_start: at("sendStart"),
            response_start: at("receiveHeadersStart").or(at("receiveHeadersEnd")),
        }),
    }
}

/// Returns Chromium's error code, or the reason for blocking if the request was blocked
/// before it was sent.
fn reason(params: &Value) -> String {
    match params["blockedReason"].as_str() {
        Some(who) => format!("blocked ({who})"),
        None => text(&params["errorText"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
