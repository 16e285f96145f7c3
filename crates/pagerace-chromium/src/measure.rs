//! Measurement of one load: paint times, blocking time, layout shifts, and the timing of
//! each resource.
//!
//! Paint times, shifts and long tasks are the browser's own, from performance observers
//! that are installed before the page loads. Requests come from the DevTools protocol,
//! because Resource Timing hides data of other origins. All times are relative to the
//! start of the navigation; a value that was not observed is `None`. Definitions: see
//! [`Observed`]. Left out: workers, and the contents of cross-site frames except for
//! their requests.

mod metrics;
mod report;
mod requests;
mod watch;

use pagerace_core::{Duration, HolBlocked};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::browser::{Browser, Options, Spawn};
use crate::cdp::Session;
use crate::error::ChromiumError;
use crate::netlog;
use crate::node::{self, SpeedIndex};
use crate::processes::{PageThreads, Scheduled};
use crate::trace;

pub use metrics::cumulative_layout_shift;
use report::Report;
use requests::Requests;
use watch::Watch;

/// The time that the browser may take to deliver a trace with screenshots.
const TRACE_TIMEOUT: Duration = Duration::from_secs(60);

/// The options of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureOptions {
    /// The time without requests in flight, large paints and long tasks after which a
    /// load is over, if the load event has fired. TTI requires at least 5 s.
    pub settle: Duration,
    /// The maximum time of a load since the start of the navigation.
    pub deadline: Duration,
    /// The minimum time of a load since the start of the navigation, if the load event
    /// has fired.
    pub at_least: Duration,
    /// True to observe the requests. This slows the load down, by about 4 % at 50 Mbit/s.
    /// Otherwise requests are observed only from the load event on, to wait for them, and
    /// a request that is pending then and receives nothing is not waited for.
    pub requests: bool,
    /// True to take screenshots and compute the Speed Index. They slow the load down, so
    /// compare its other times only with those of runs with the same setting.
    pub speed_index: bool,
    /// URLs whose requests fail before they leave the browser; `*` matches any text.
    /// Requires [`requests`](Self::requests), because Chromium blocks only requests that
    /// it observes.
    pub blocked: Vec<String>,
    /// True to load in the browsing context of the profile itself; see
    /// [`Browser::only_page`]. Loads take a little longer there, so compare them with others in it.
    pub own_profile: bool,
}

impl Default for MeasureOptions {
    /// Waits for 1 s of quiet within 60 s, with requests and Speed Index.
    fn default() -> Self {
        Self {
            settle: Duration::from_secs(1),
            deadline: Duration::from_secs(60),
            at_least: Duration::ZERO,
            requests: true,
            speed_index: true,
            blocked: Vec::new(),
            own_profile: false,
        }
    }
}

/// The observations of a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The first byte of the document: `finalResponseHeadersStart` of Navigation Timing.
    pub ttfb: Option<Duration>,
    /// The first byte of a 103 response before it: `firstInterimResponseStart`.
    #[serde(default)]
    pub early_hints: Option<Duration>,
    /// First contentful paint.
    pub fcp: Option<Duration>,
    /// Largest contentful paint: the time of the last candidate.
    pub lcp: Option<Duration>,
    /// The Speed Index from speedline over screenshots of the viewport.
    pub speed_index: Option<Duration>,
    /// Time to interactive, <https://web.dev/articles/tti>; only if requests and the
    /// quiet window of 5 s were observed to their end.
    pub tti: Option<Duration>,
    /// Total blocking time, <https://web.dev/articles/tbt>: from FCP to TTI, or to
    /// the end of the observation if there is no TTI.
    pub tbt: Option<Duration>,
    /// The time of the `DOMContentLoaded` event.
    pub dom_content_loaded: Option<Duration>,
    /// The time of the load event.
    pub onload: Option<Duration>,
    /// Cumulative Layout Shift: the largest session window,
    /// <https://web.dev/articles/cls>.
    pub cls: Option<f64>,
    /// The requests in order, if they were observed; each redirect is a request of its own.
    pub resources: Vec<ObservedResource>,
    /// The visible share of the final viewport over time, from 0 to 1; with Speed Index only.
    pub visual_progress: Vec<(Duration, f64)>,
    /// The screenshots with their times since the start of the navigation, as JPEG in Base64; with
    /// Speed Index only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screenshots: Vec<(Duration, String)>,
    /// Failures of the load, such as a missing load event or failed requests.
    pub failures: Vec<String>,
    /// Head-of-line blocking on HTTP/3, known after the browser has ended; see
    /// [`measure_once`].
    pub hol: Option<HolBlocked>,
    /// The end of the observation.
    pub until: Duration,
    /// The reasons why requested metrics are missing.
    pub notes: Vec<String>,
    /// The times of the page's main thread; `None` if the kernel does not tell.
    pub main_thread: Option<Scheduled>,
}

/// A request and its response. Unknown times are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedResource {
    /// The address.
    pub url: String,
    /// The protocol as an ALPN name: `http/1.1`, `h2`, `h3`.
    pub protocol: String,
    /// The time at which the page made the request.
    pub start: Duration,
    /// The start of the connection set-up; `None` for a reused connection.
    pub connect_start: Option<Duration>,
    /// The end of the connection set-up, TLS included.
    pub connect_end: Option<Duration>,
    /// The time at which the request was sent.
    pub request_start: Option<Duration>,
    /// The arrival of the first byte of the response head.
    pub response_start: Option<Duration>,
    /// The arrival of the last byte.
    pub response_end: Option<Duration>,
    /// The bytes of head and body as transferred, compressed, without TLS.
    pub transfer_size: u64,
    /// The number of the connection; `None` if the request used none.
    pub connection: Option<u64>,
    /// The reason for a failure, such as `net::ERR_CONNECTION_RESET`.
    pub failed: Option<String>,
}

/// Loads `url` and measures until the page is quiet.
///
/// The browser has to be new ([`measure_once`]): a second page would find the first one's cache, and
/// load faster in a warm process.
///
/// # Errors
/// [`ChromiumError::Navigation`] if the document cannot be loaded.
/// [`ChromiumError::Crashed`], [`ChromiumError::Ended`] or [`ChromiumError::Timeout`] if
/// the browser fails. A load that does not end is not an error, but is reported in
/// [`Observed::failures`].
pub fn measure(
    browser: &mut Browser,
    url: &str,
    options: &MeasureOptions,
) -> Result<Observed, ChromiumError> {
    let mut notes = Vec::new();
    // Speedline is opened before the load, so that no installation runs during the load.
    let speedline = options.speed_index.then(node::Speedline::open);
    let speedline = speedline.and_then(|opened| opened.map_err(|e| notes.push(e.to_string())).ok());

    let mut session = if options.own_profile {
        browser.only_page()?
    } else {
        browser.page()?
    };
    prepare(&mut session, options)?;
    if !options.blocked.is_empty() {
        let urls = json!({"urls": options.blocked});
        session.call("Network.setBlockedURLs", urls)?;
    }
    if speedline.is_some() {
        trace::start(&mut session)?;
    }
    browser.wait_until_quiet();
    browser.throttle(&mut session)?;
    let before = PageThreads::read(browser.group());
    let mut watch = Watch::begin(&mut session, url, options)?;
    let report = watch.until_quiet(&mut session)?;
    let main_thread = PageThreads::read(browser.group()).busiest_since(&before);
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
    let requests = options.requests.then_some(&requests);
    let mut observed = put_together(&report, requests, progress);
    observed.screenshots = trace.since_navigation();
    observed.failures.extend(failures);
    observed.notes = notes;
    observed.main_thread = main_thread;
    Ok(observed)
}

/// Starts a browser, measures one load, and ends the browser. If `browser` requests a
/// network log, the log is read and removed.
///
/// # Errors
/// Returns the errors of [`Browser::launch`] and [`measure`](measure()).
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
        // The log is no longer needed and may be large.
        let _ = std::fs::remove_file(&path);
        log
    });
    let mut observed = result?;
    match log {
        Some(Ok(hol)) => observed.hol = Some(hol),
        Some(Err(error)) => observed.notes.push(error.to_string()),
        None => {}
    }
    Ok(observed)
}

/// Enables the observed domains and installs the performance observers.
fn prepare(session: &mut Session, options: &MeasureOptions) -> Result<(), ChromiumError> {
    if options.requests {
        session.call("Network.enable", json!({}))?;
    }
    session.call("Target.setAutoAttach", watch::auto_attach())?;
    session.call(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": report::OBSERVE}),
    )?;
    Ok(())
}

fn put_together(
    report: &Report,
    requests: Option<&Requests>,
    progress: Option<SpeedIndex>,
) -> Observed {
    let fcp = report.fcp;
    let until = report.now;
    let (mut resources, mut failures, mut tti) = (Vec::new(), Vec::new(), None);
    if let Some(requests) = requests {
        let clock = requests.navigation_start(report.request_start);
        (resources, failures) = requests.observed(clock);
        let in_flight = requests.in_flight(clock, until);
        tti = fcp.zip(report.dom_content_loaded).and_then(|(fcp, dcl)| {
            metrics::time_to_interactive(fcp, dcl, &report.long_tasks, &in_flight, until)
        });
    }
    let tbt =
        fcp.map(|fcp| metrics::total_blocking_time(fcp, tti.unwrap_or(until), &report.long_tasks));
    let (speed_index, visual_progress) = match progress {
        Some(found) => (Some(found.speed_index), found.visual_progress),
        None => (None, Vec::new()),
    };
    Observed {
        ttfb: report.response_start,
        early_hints: report.early_hints,
        fcp,
        lcp: report.lcp,
        speed_index,
        tti,
        tbt,
        dom_content_loaded: report.dom_content_loaded,
        onload: report.onload,
        cls: Some(cumulative_layout_shift(&report.shifts)),
        resources,
        visual_progress,
        screenshots: Vec::new(),
        failures,
        hol: None,
        until,
        notes: Vec::new(),
        main_thread: None,
    }
}
