//! The start of the navigation and the screenshots in a trace.
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>
//! (trace event format). Only the necessary categories are traced, because each one slows
//! the page; a screenshot costs the compositor about a millisecond.

use pagerace_core::Duration;
use serde_json::{Value, json};

use crate::cdp::Session;
use crate::error::ChromiumError;

/// The category of screenshots, one of each frame with a visible change.
pub(crate) const SCREENSHOTS: &str = "disabled-by-default-devtools.screenshot";
/// The maximum number of screenshots of a trace: half a minute at 60 frames a second. Chromium
/// limits their area together to that of 450 screenshots of 500 pixels, its default
/// (`DevToolsTraceableScreenshot`).
const SCREENSHOTS_MAX: usize = 1_800;
/// The longest side of a screenshot, in pixels.
pub(crate) const SCREENSHOT_SIZE: u32 = 250;
/// The limit of versions that know no other.
const SCREENSHOTS_FIXED: usize = 450;
/// The category of `navigationStart`.
const TIMING: &str = "blink.user_timing";

/// Starts a trace of these two categories. Only the session of a page provides
/// screenshots, not the session of the browser.
pub(crate) fn start(session: &mut Session) -> Result<(), ChromiumError> {
    session.call(
        "Tracing.start",
        json!({
            "transferMode": "ReportEvents",
            "traceConfig": {"includedCategories": ["-*", SCREENSHOTS, TIMING]},
            "screenshotMaxCount": SCREENSHOTS_MAX,
            "screenshotMaxSize": SCREENSHOT_SIZE,
        }),
    )?;
    Ok(())
}

/// Ends the trace and returns its events. Other events that arrive meanwhile are passed
/// to `other`.
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

/// A screenshot of the viewport.
#[derive(Clone, Debug, PartialEq)]
pub struct Screenshot {
    /// The time in microseconds on the clock of the trace.
    pub at: u64,
    /// The JPEG image in Base64.
    pub image: String,
}

/// The data from a trace of one load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The start of the navigation in microseconds on the clock of the trace.
    pub navigation_start: Option<u64>,
    /// The screenshots since the start of the navigation, in order of time.
    pub screenshots: Vec<Screenshot>,
    /// True if Chromium took as many screenshots as it may, so that later ones are missing.
    pub full: bool,
}

impl Trace {
    /// Returns the screenshots with their times since the start of the navigation; none if the trace
    /// has no start.
    pub fn since_navigation(self) -> Vec<(Duration, String)> {
        let Some(start) = self.navigation_start else {
            return Vec::new();
        };
        let shots = self.screenshots.into_iter();
        let shots = shots.map(|shot| (Duration::from_micros(shot.at - start), shot.image));
        shots.collect()
    }
}

/// Reads the events of a trace and skips malformed ones.
///
/// `frame` is the page's main frame, whose last navigation to an address other than
/// `about:blank` counts.
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
    let taken = trace.screenshots.len();
    trace.full = taken == SCREENSHOTS_FIXED || taken >= SCREENSHOTS_MAX;
    let start = trace.navigation_start.unwrap_or(0);
    trace.screenshots.retain(|shot| shot.at >= start);
    trace.screenshots.sort_by_key(|shot| shot.at);
    trace
}

#[cfg(test)]
mod tests;
