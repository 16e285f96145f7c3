//! What is read of a trace: when the navigation began, and the screenshots.
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>
//! (trace event format). Only the categories that this needs are asked for, as each
//! costs the page time; screenshots cost the compositor about a millisecond each.

use pagerace_core::Duration;
use serde_json::{Value, json};

use crate::cdp::Session;
use crate::error::ChromiumError;

/// Screenshots of every frame that changed something.
pub(crate) const SCREENSHOTS: &str = "disabled-by-default-devtools.screenshot";
/// Has `navigationStart`.
const TIMING: &str = "blink.user_timing";

/// Starts a trace of these two categories. Only a page's own session, not the
/// browser's, gives screenshots.
pub(crate) fn start(session: &mut Session) -> Result<(), ChromiumError> {
    session.call(
        "Tracing.start",
        json!({
            "transferMode": "ReportEvents",
            "traceConfig": {"includedCategories": ["-*", SCREENSHOTS, TIMING]},
        }),
    )?;
    Ok(())
}

/// Ends the trace and takes what it has; events of other kinds that come
/// meanwhile go to `other`.
pub(crate) fn end(
    session: &mut Session,
    timeout: Duration,
    mut other: impl FnMut(crate::cdp::Event),
) -> Result<Vec<Value>, ChromiumError> {
    session.call("Tracing.end", json!({}))?;
    let end = session.now() + timeout;
    let mut events = Vec::new();
    loop {
        let left = end.since(session.now());
        match session.next_event(left)? {
            Some(mut event) if event.method == "Tracing.dataCollected" => {
                if let Value::Array(part) = event.params["value"].take() {
                    events.extend(part);
                }
            }
            Some(event) if event.method == "Tracing.tracingComplete" => return Ok(events),
            Some(event) => other(event),
            None => {
                return Err(ChromiumError::Timeout {
                    what: "the end of its trace".into(),
                    waited: timeout,
                });
            }
        }
    }
}

/// A picture of the viewport.
#[derive(Clone, Debug, PartialEq)]
pub struct Screenshot {
    /// Microseconds, by the clock of the trace.
    pub at: u64,
    /// JPEG, base64.
    pub image: String,
}

/// What a trace of one load holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// When the navigation began, microseconds by the clock of the trace.
    pub navigation_start: Option<u64>,
    /// In order of time, from the start of the navigation on.
    pub screenshots: Vec<Screenshot>,
}

/// Reads the events of a trace; those that are broken are passed over.
///
/// `frame`: the page's main frame, whose last navigation to something other than
/// `about:blank` is the one that counts.
pub fn read(events: &[Value], frame: &str) -> Trace {
    let mut trace = Trace::default();
    for event in events {
        let Some(at) = event["ts"].as_u64() else {
            continue;
        };
        match event["name"].as_str() {
            Some("navigationStart") => {
                let args = &event["args"];
                let url = args["data"]["documentLoaderURL"].as_str().unwrap_or("");
                let ours = args["frame"].as_str() == Some(frame);
                if ours && !url.is_empty() && url != "about:blank" {
                    trace.navigation_start = trace.navigation_start.max(Some(at));
                }
            }
            Some("Screenshot") => {
                if let Some(image) = event["args"]["snapshot"].as_str() {
                    trace.screenshots.push(Screenshot {
                        at,
                        image: image.into(),
                    });
                }
            }
            _ => {}
        }
    }
    let start = trace.navigation_start.unwrap_or(0);
    trace.screenshots.retain(|shot| shot.at >= start);
    trace.screenshots.sort_by_key(|shot| shot.at);
    trace
}

#[cfg(test)]
mod tests;
