//! One load, measured from outside: when things were painted, what blocked, what
//! shifted, and how each resource came.
//!
//! Paint times, shifts and long tasks are the browser's own, from performance
//! observers that are in place before the page; resources are those of the
//! DevTools protocol, because Resource Timing hides what other origins sent. All
//! times count from the start of the navigation. What was not observed is `None`.
//! Definitions: see [`Observed`]. Left out: workers, and what happens within
//! frames of other sites but for their requests.

mod metrics;
mod report;
mod requests;
mod watch;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::browser::{Browser, Options, Spawn};
use crate::cdp::Session;
use crate::error::ChromiumError;
use crate::netlog::{self, HolBlocked, NetLog};
use crate::node::{self, SpeedIndex};
use crate::trace;

pub use metrics::cumulative_layout_shift;
use report::Report;
use requests::Requests;
use watch::Watch;

/// A trace with screenshots may take this long to come out of the browser.
const TRACE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long to look, and at what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureOptions {
    /// The load is over when, after the load event, this long no request was in
    /// flight and nothing large was painted and no long task ran. With 5 s or more
    /// there is a TTI.
    pub settle: Duration,
    /// The longest that a load may take, from the navigation on.
    pub deadline: Duration,
    /// Take screenshots and compute the Speed Index. Costs the machine about 2 ms
    /// for each frame that changes, so compare only runs that did the same.
    pub speed_index: bool,
    /// Requests for these URLs fail before they leave the browser; `*` stands for
    /// anything.
    pub blocked: Vec<String>,
}

impl Default for MeasureOptions {
    /// 1 s of quiet, within 60 s, with Speed Index.
    fn default() -> Self {
        Self {
            settle: Duration::from_secs(1),
            deadline: Duration::from_secs(60),
            speed_index: true,
            blocked: Vec::new(),
        }
    }
}

/// What was seen of a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// First byte of the document: `responseStart` of Navigation Timing.
    pub ttfb: Option<Duration>,
    /// First contentful paint.
    pub fcp: Option<Duration>,
    /// Largest contentful paint: the last candidate.
    pub lcp: Option<Duration>,
    /// Speed Index of speedline over the screenshots of the viewport.
    pub speed_index: Option<Duration>,
    /// Time to interactive, <https://web.dev/articles/tti>; only if the quiet
    /// window of 5 s was observed to its end.
    pub tti: Option<Duration>,
    /// Total blocking time, <https://web.dev/articles/tbt>: from FCP to TTI, or to
    /// the end of the observation if there is no TTI.
    pub tbt: Option<Duration>,
    /// `DOMContentLoaded` was fired.
    pub dom_content_loaded: Option<Duration>,
    /// The load event was fired.
    pub onload: Option<Duration>,
    /// Cumulative layout shift: the largest session window,
    /// <https://web.dev/articles/cls>.
    pub cls: Option<f64>,
    /// The image that was the largest contentful paint; none if it was text.
    pub lcp_url: Option<String>,
    /// Area of the largest contentful paint, CSS pixels.
    pub lcp_size: Option<u64>,
    /// Each request, redirects apart, in order.
    pub resources: Vec<ObservedResource>,
    /// Share of the final viewport that was there, from 0 to 1; with Speed Index.
    pub visual_progress: Vec<(Duration, f64)>,
    /// What went wrong: requests that failed, a load event that did not come.
    pub failures: Vec<String>,
    /// Head-of-line blocking on HTTP/3; known when the browser has ended, see
    /// [`measure_once`].
    pub hol: Option<HolBlocked>,
    /// What the network log says of QUIC, likewise.
    pub netlog: Option<NetLog>,
    /// Tasks of the page's main thread over 50 ms: start and length, of the Long
    /// Tasks API, lengths in whole milliseconds.
    pub long_tasks: Vec<(Duration, Duration)>,
    /// How long was observed.
    pub until: Duration,
    /// Why a metric that was asked for is not there.
    pub notes: Vec<String>,
}

/// One request and its response. A time that is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedResource {
    /// Address.
    pub url: String,
    /// Method, such as `GET`.
    pub method: String,
    /// Protocol in the words of ALPN: `http/1.1`, `h2`, `h3`.
    pub protocol: String,
    /// What asked for it: `parser`, `script`, `preload`, `other`, ...
    pub initiator_type: String,
    /// What it is, in DevTools' words in lower case: `document`, `script`, `image`, ...
    pub kind: String,
    /// Status; none if no response came.
    pub status: Option<u16>,
    /// The page asked for it.
    pub start: Duration,
    /// The name is being resolved.
    pub dns_start: Option<Duration>,
    /// The connection is being made; none on a connection that was there.
    pub connect_start: Option<Duration>,
    /// The connection is ready, TLS included.
    pub connect_end: Option<Duration>,
    /// The request leaves.
    pub request_start: Option<Duration>,
    /// The first byte of the response's head.
    pub response_start: Option<Duration>,
    /// The last byte.
    pub response_end: Option<Duration>,
    /// Bytes of head and body as they came, compressed; without TLS.
    pub transfer_size: u64,
    /// DevTools' word: `Blocking`, `InBodyParserBlocking`, `NonBlocking`, ...
    pub render_blocking: Option<String>,
    /// The last priority, in DevTools' words: `VeryHigh` to `VeryLow`.
    pub priority: String,
    /// Number of its connection; none if it needed none.
    pub connection: Option<u64>,
    /// Why it failed, such as `net::ERR_CONNECTION_RESET`.
    pub failed: Option<String>,
}

/// Loads `url` in a fresh browsing context and measures until it is quiet.
///
/// For comparable numbers let each run have a browser of its own
/// ([`measure_once`]): a second page in a warm process is faster.
///
/// # Errors
/// [`ChromiumError::Navigation`]: the document cannot be had.
/// [`ChromiumError::Crashed`], [`ChromiumError::Ended`], [`ChromiumError::Timeout`]:
/// the browser fails. A load that does not end is no error but
/// [`Observed::failures`].
pub fn measure(
    browser: &mut Browser,
    url: &str,
    options: &MeasureOptions,
) -> Result<Observed, ChromiumError> {
    let mut notes = Vec::new();
    // Before the load, so that nothing is installed while it runs.
    let speedline = options.speed_index.then(node::Speedline::open);
    let speedline = speedline.and_then(|opened| opened.map_err(|e| notes.push(e.to_string())).ok());

    let mut session = browser.page()?;
    prepare(&mut session)?;
    if !options.blocked.is_empty() {
        let urls = json!({"urls": options.blocked});
        session.call("Network.setBlockedURLs", urls)?;
    }
    if speedline.is_some() {
        trace::start(&mut session)?;
    }
    browser.wait_until_quiet();
    let mut watch = Watch::begin(&mut session, url, options)?;
    let report = watch.until_quiet(&mut session)?;
    let events = match speedline {
        Some(_) => trace::end(&mut session, TRACE_TIMEOUT, |event| watch.late(&event))?,
        None => Vec::new(),
    };
    let trace = trace::read(&events, watch.frame());
    drop(session);

    let progress = speedline.and_then(|program| {
        let index = program.speed_index(&trace);
        index.map_err(|e| notes.push(e.to_string())).ok()
    });
    let (requests, failures) = watch.into_parts();
    let mut observed = put_together(&report, &requests, progress);
    observed.failures.extend(failures);
    observed.notes = notes;
    Ok(observed)
}

/// Starts a browser, measures one load, and ends the browser. If `browser` asks
/// for a network log, it is read and removed.
///
/// # Errors
/// As [`Browser::launch`] and [`measure`](measure()).
pub fn measure_once(
    browser: &Options,
    url: &str,
    options: &MeasureOptions,
    spawn: Spawn<'_>,
) -> Result<Observed, ChromiumError> {
    let mut running = Browser::launch(browser, spawn)?;
    let netlog = running.netlog().map(std::path::Path::to_path_buf);
    let result = measure(&mut running, url, options);
    running.close();
    let log = netlog.map(|path| {
        let log = netlog::read(&path);
        // Left behind, it would only take room.
        let _ = std::fs::remove_file(&path);
        log
    });
    let mut observed = result?;
    match log {
        Some(Ok(log)) => {
            observed.hol = Some(log.hol);
            observed.netlog = Some(log);
        }
        Some(Err(error)) => observed.notes.push(error.to_string()),
        None => {}
    }
    Ok(observed)
}

/// Turns on what is watched.
fn prepare(session: &mut Session) -> Result<(), ChromiumError> {
    session.call("Network.enable", json!({}))?;
    session.call("Target.setAutoAttach", watch::auto_attach())?;
    session.call(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": report::OBSERVE}),
    )?;
    Ok(())
}

fn put_together(report: &Report, requests: &Requests, progress: Option<SpeedIndex>) -> Observed {
    let clock = requests.navigation_start(report.request_start);
    let (resources, failures) = requests.observed(clock);
    let fcp = report.fcp;
    let until = report.now;
    let in_flight = requests.in_flight(clock, until);
    let tti = fcp.zip(report.dom_content_loaded).and_then(|(fcp, dcl)| {
        metrics::time_to_interactive(fcp, dcl, &report.long_tasks, &in_flight, until)
    });
    let tbt =
        fcp.map(|fcp| metrics::total_blocking_time(fcp, tti.unwrap_or(until), &report.long_tasks));
    let lcp = report.lcp.as_ref();
    let (speed_index, visual_progress) = match progress {
        Some(found) => (Some(found.speed_index), found.visual_progress),
        None => (None, Vec::new()),
    };
    Observed {
        ttfb: report.response_start,
        fcp,
        lcp: lcp.map(|lcp| lcp.at),
        speed_index,
        tti,
        tbt,
        dom_content_loaded: report.dom_content_loaded,
        onload: report.onload,
        cls: Some(cumulative_layout_shift(&report.shifts)),
        lcp_url: lcp.and_then(|lcp| lcp.url.clone()),
        lcp_size: lcp.map(|lcp| lcp.size),
        resources,
        visual_progress,
        failures,
        hol: None,
        netlog: None,
        long_tasks: report.long_tasks.clone(),
        until,
        notes: Vec::new(),
    }
}
