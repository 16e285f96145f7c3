//! The requests of a load, from the events of the Network domain.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/Network/>. Its times are
//! seconds of a monotonic clock. The request of the document relates that clock to the
//! start of the navigation, because Navigation Timing also reports when it was sent.

use pagerace_core::Duration;
use serde_json::Value;

use super::ObservedResource;
use crate::cdp::Event;
use crate::record::log::{Log, Request};

/// Types of requests that stay open by design, so that their end is not awaited.
const OPEN_BY_DESIGN: [&str; 4] = ["EventSource", "WebSocket", "Ping", "Media"];

/// The events that show that a request goes on.
const ACTIVITY: [&str; 6] = [
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.dataReceived",
    "Network.resourceChangedPriority",
    "Network.loadingFinished",
    "Network.loadingFailed",
];

/// The start of the navigation in seconds of the browser's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NavigationStart(f64);

impl NavigationStart {
    fn since(self, seconds: f64) -> Duration {
        Duration::from_millis_f64((seconds - self.0) * 1e3)
    }
}

/// The requests of one load.
#[derive(Debug, Default)]
pub(super) struct Requests {
    log: Log,
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
        let (method, params) = (event.method.as_str(), &event.params);
        let belongs = params["requestId"].is_string() && ACTIVITY.contains(&method);
        if belongs {
            self.log.handle(None, method, params);
        }
        belongs
    }

    /// Returns the requests over HTTP. A redirect ends a request and begins the next.
    fn all(&self) -> impl DoubleEndedIterator<Item = &Request> {
        let over_http = |url: &str| url.starts_with("http:") || url.starts_with("https:");
        let requests = self.log.requests().iter();
        requests.filter(move |request| over_http(&request.url))
    }

    /// Returns the number of open requests whose end is awaited.
    pub(super) fn open(&self) -> usize {
        let awaited = |r: &&Request| r.ended.is_none() && !OPEN_BY_DESIGN.contains(&&r.kind[..]);
        self.all().filter(awaited).count()
    }

    /// Computes the start of the navigation from the document's request; `request_start`
    /// is its start in Navigation Timing.
    pub(super) fn navigation_start(&self, request_start: Option<Duration>) -> NavigationStart {
        let document = self.all().rfind(|request| request.id == self.document);
        let sent = document.and_then(|request| phase(request.response.as_ref()?, "sendStart"));
        NavigationStart(match sent.zip(request_start) {
            Some((seconds, since)) => seconds - since.as_secs_f64(),
            None => self.all().next().map_or(0.0, |request| request.started),
        })
    }

    /// Returns (start, end) of each GET request; an open request ends at `until`.
    pub(super) fn in_flight(
        &self,
        clock: NavigationStart,
        until: Duration,
    ) -> Vec<(Duration, Duration)> {
        self.all()
            .filter(|request| request.asked["method"] == "GET")
            .map(|request| {
                let end = request.ended.map_or(until, |end| clock.since(end));
                (clock.since(request.started), end)
            })
            .collect()
    }

    /// Returns all requests, and a message for each failed one.
    pub(super) fn observed(&self, clock: NavigationStart) -> (Vec<ObservedResource>, Vec<String>) {
        let seen: Vec<_> = self.all().map(|request| observed(request, clock)).collect();
        let failure =
            |one: &ObservedResource| Some(format!("{}: {}", one.url, one.failed.as_ref()?));
        let failures = seen.iter().filter_map(failure).collect();
        (seen, failures)
    }
}

fn observed(request: &Request, clock: NavigationStart) -> ObservedResource {
    let response = request.response.clone().unwrap_or_default();
    let since = |name: &str| phase(&response, name).map(|seconds| clock.since(seconds));
    ObservedResource {
        url: request.url.clone(),
        protocol: response["protocol"].as_str().unwrap_or_default().to_owned(),
        start: clock.since(request.started),
        connect_start: since("connectStart"),
        connect_end: since("connectEnd"),
        request_start: since("sendStart"),
        response_start: since("receiveHeadersStart").or_else(|| since("receiveHeadersEnd")),
        response_end: request.ended.map(|end| clock.since(end)),
        transfer_size: request.encoded_bytes.unwrap_or(request.received),
        // Zero means no connection, for example for a cached response.
        connection: response["connectionId"]
            .as_f64()
            .map(|n| n as u64)
            .filter(|n| *n > 0),
        failed: failure(request),
    }
}

/// Returns the time in seconds of a phase of the request, or `None` if it did not happen.
fn phase(response: &Value, name: &str) -> Option<f64> {
    let timing = &response["timing"];
    // Milliseconds since `requestTime`; -1 for a phase that did not happen.
    let since = timing[name].as_f64().filter(|since| *since >= 0.0)?;
    Some(timing["requestTime"].as_f64()? + since / 1e3)
}

/// Returns Chromium's error code, or the reason for blocking if the request was blocked
/// before it was sent. A request cancelled by the page is not a failure.
fn failure(request: &Request) -> Option<String> {
    let code = request.failed.as_ref().filter(|_| !request.canceled)?;
    Some(match &request.blocked {
        Some(who) => format!("blocked ({who})"),
        None => code.clone(),
    })
}

#[cfg(test)]
mod tests;
