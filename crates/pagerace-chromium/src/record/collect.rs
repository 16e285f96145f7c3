//! Runs one load in the browser and collects its data.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::thread::available_parallelism;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pagerace_core::{Duration, Instant};
use pagerace_har::Device;
use serde_json::{Value, json};
use url::Url;

use super::RecordOptions;
use super::formats;
use super::har::{self, Body, Load, Scripts};
use super::history;
use super::layout::{self, STYLES};
use super::log::{Log, Request};
use super::overlay::{self, Hold};
use super::paints;
use super::shares;
use super::styles;
use super::trace::{CATEGORIES, Times, Trace, without_fragment};
use super::waits::{self, LULL, Name, Waits};
use crate::contention::Meter;
use crate::device;
use crate::{Browser, ChromiumError, Event, Session};

/// The maximum bytes of bodies that Chromium keeps.
const BODIES_MAX: u64 = 512 * 1024 * 1024;

/// Pictures may let the recording grow by one part in this many.
pub(super) const GROWTH: usize = 10;

/// The timeout for the delivery of the trace.
const TRACE_TIMEOUT: Duration = Duration::from_secs(60);

/// The time within which a page runs two timers if it has nothing else to do.
const IDLE_WITHIN: Duration = Duration::from_millis(200);

/// The length of one wait for events, after which deadlines are checked.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// The network of loads whose times are taken: the round trip and the downlink of `fast-4g`, in
/// milliseconds and bytes per second. Without it, all responses arrive at once, and the page's
/// work meets warm caches and threads that are awake, as over no real network: work before the
/// first frame takes only 0.6 to 0.8 times as long.
const TIMED_LATENCY_MS: f64 = 60.0;
const TIMED_RATE: f64 = 1_125_000.0;

/// A load whose work was timed.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    /// The times on a processor.
    pub(super) times: Times,
    /// The factor by which the work took longer by the clock.
    pub(super) longer: f64,
    /// The same for a typical piece of it, which is too short to be interrupted.
    pub(super) typical: f64,
    /// The share of the processors, from 0 to 1, that other programs used.
    pub(super) others: f64,
}

/// Loads the page over a slower network and returns only its times.
///
/// Also returns the share of the processors that other programs used.
///
/// If the device has a slow processor, the load has a fast one, and the times are multiplied. Times
/// under throttling scatter more.
pub(super) fn times(
    browser: &mut Browser,
    url: &str,
    options: &RecordOptions,
    known: &BTreeSet<Name>,
) -> Result<Timed, ChromiumError> {
    let (_session, recorder, frame) = watched(browser, url, options, Watch::Times(known))?;
    let others = recorder.others.unwrap_or_default();
    let (mut times, longer, typical) = recorder.trace.times(without_fragment(url), &frame);
    // Images are decoded on other threads, which are not slowed.
    times.stretch(browser.device().cpu.max(1.0));
    Ok(Timed {
        times,
        longer,
        typical,
        others,
    })
}

/// Loads the page again, twice if its largest paint is text, and returns the effects of its scripts
/// on its paints. Observing them slows the page, so nothing else of these loads is recorded.
pub(super) fn scripts(
    mut browser: Browser,
    url: &str,
    options: &RecordOptions,
    load: &Load,
) -> Result<Scripts, ChromiumError> {
    let (mut session, ..) = watched(&mut browser, url, options, Watch::Overlay)?;
    let covers = overlay::find(&mut session)?;
    drop(session);
    let makers = if load.has_largest_text() {
        let known = load.known();
        let (mut session, ..) = watched(&mut browser, url, options, Watch::Makers(&known))?;
        paints::makers(&mut session)?
    } else {
        BTreeSet::new()
    };
    browser.close();
    Ok(Scripts { makers, covers })
}

/// Observations of a load besides its requests and tasks.
#[derive(Clone, Copy)]
enum Watch<'a> {
    /// The histories of nodes.
    Nodes,
    /// Nothing else, on a fast processor. The load is over when these requests are.
    Times(&'a BTreeSet<Name>),
    /// The scripts that create nodes.
    Makers(&'a BTreeSet<Name>),
    /// An element that covers the page, or scripts that hide it.
    Overlay,
}

/// Loads the page. Returns its session, the collected data, and its main frame.
fn watched<'a>(
    browser: &mut Browser,
    url: &str,
    options: &RecordOptions,
    watch: Watch<'a>,
) -> Result<(Session, Recorder<'a>, String), ChromiumError> {
    let mut session = browser.page()?;
    let mut recorder = Recorder {
        log: Log::default(),
        trace: Trace::default(),
        loaded: false,
        traced: false,
        crashed: false,
        last_activity: session.now(),
        hold: None,
        known: None,
        others: None,
    };
    prepare(&mut session)?;
    match watch {
        Watch::Times(known) => {
            recorder.known = Some(known);
            slow_network(&mut session)?;
        }
        Watch::Nodes => history::watch(&mut session)?,
        Watch::Makers(known) => {
            recorder.known = Some(known);
            paints::watch_makers(&mut session)?;
        }
        Watch::Overlay => recorder.hold = Some(Hold::begin(&mut session)?),
    }
    // Where no time is measured, the start of the browser does not matter.
    if matches!(watch, Watch::Nodes | Watch::Times(_)) {
        browser.wait_until_quiet();
    }
    if !matches!(watch, Watch::Times(_)) {
        browser.throttle(&mut session)?;
    }
    let meter = matches!(watch, Watch::Times(_))
        .then(Meter::start)
        .flatten();
    let answer = session.navigate(url)?;
    let frame = answer["frameId"].as_str().ok_or(ChromiumError::Answer {
        method: "Page.navigate".into(),
        missing: "frameId",
    })?;
    recorder.settle(&mut session, options)?;
    recorder.others = meter.and_then(Meter::others);
    recorder.end_trace(&mut session)?;
    if recorder.crashed {
        return Err(ChromiumError::Crashed { url: url.into() });
    }
    Ok((session, recorder, frame.to_owned()))
}

/// Loads `url` and collects all data of a recording.
pub(super) fn load(
    browser: &mut Browser,
    url: &str,
    options: &RecordOptions,
) -> Result<Load, ChromiumError> {
    let (mut session, recorder, frame) = watched(browser, url, options, Watch::Nodes)?;
    let paints = session.evaluate(paints::SCRIPT)?;
    // A fragment or a script may have scrolled the page.
    session.evaluate("window.scrollTo({top: 0, left: 0, behavior: 'instant'})")?;
    // Enabled before, the domain would observe each node that is inserted.
    session.call("DOMSnapshot.enable", json!({}))?;
    let snapshot = session.call(
        "DOMSnapshot.captureSnapshot",
        json!({"computedStyles": STYLES}),
    )?;
    let metrics = session.call("Page.getLayoutMetrics", json!({}))?;
    let requests = recorder.log.finish();
    let bodies: Vec<Option<Body>> = requests
        .iter()
        .map(|r| body(&mut session, r))
        .collect::<Result<_, _>>()?;
    device::release(browser.device(), &mut session)?;
    let first_screen = styles::of_first_screen(&mut session, &requests, &bodies)?;
    let formats = formats::sizes(&mut session, &requests, &bodies)?;
    let current = paints["url"].as_str().unwrap_or(url);
    let device = Device {
        user_agent: Some(browser.user_agent()),
        ..browser.device().clone()
    };
    let visible = &metrics["cssVisualViewport"];
    let side = |key: &str, other: u32| {
        let side = visible[key].as_f64().filter(|v| *v > 0.0);
        side.unwrap_or(f64::from(other))
    };
    let viewport = (
        side("clientWidth", device.width),
        side("clientHeight", device.height),
    );
    let screen = (f64::from(device.width), f64::from(device.height));
    let (areas, nodes) = shown(&snapshot, &paints, screen);
    let histories = history::of(&mut session, &frame, &nodes)?;
    let trace = recorder.trace.finish(without_fragment(current), &frame);
    let mut load = Load {
        url: url.into(),
        chromium: browser.version().into(),
        processors: available_parallelism().ok().map(NonZero::get),
        viewport,
        device,
        requests,
        bodies,
        first_screen,
        formats,
        trace,
        snapshot,
        histories,
        shares: None,
        paints,
        watched: Scripts::default(),
        waits: Waits::default(),
        keep_secrets: options.keep_secrets,
        at_once: options.at_once,
        unscripted: None,
    };
    let room = har::har(&load).to_string().len() / GROWTH;
    load.shares = shares::measure(&mut session, &areas, &load.trace.images, screen, room)?;
    Ok(load)
}

/// Returns the visible area of each image of the page, and the nodes of its visible elements.
fn shown(
    snapshot: &Value,
    paints: &Value,
    screen: (f64, f64),
) -> (BTreeMap<String, f64>, Vec<i64>) {
    let Some(base) = paints["base"].as_str().and_then(|b| Url::parse(b).ok()) else {
        return (BTreeMap::new(), Vec::new());
    };
    let context = layout::Context {
        document: &base,
        html: None,
        faces: &[],
        requested: &|_| false,
        images: &BTreeMap::new(),
        histories: &BTreeMap::new(),
        waits: &|_| None,
        viewport: screen,
    };
    let areas = shares::areas(&layout::elements(snapshot, None, &context), screen);
    (areas, layout::visible_nodes(snapshot, &context))
}

fn prepare(session: &mut Session) -> Result<(), ChromiumError> {
    session.call("Page.enable", json!({}))?;
    session.call("Inspector.enable", json!({}))?;
    let id = session.id().to_owned();
    watch(session, &id)?;
    session.call(
        "Tracing.start",
        json!({"transferMode": "ReportEvents", "traceConfig": {"includedCategories": CATEGORIES}}),
    )?;
    Ok(())
}

/// Lets responses of the page arrive as over a mobile network.
fn slow_network(session: &mut Session) -> Result<(), ChromiumError> {
    session.call(
        "Network.emulateNetworkConditions",
        json!({
            "offline": false,
            "latency": TIMED_LATENCY_MS,
            "downloadThroughput": TIMED_RATE,
            "uploadThroughput": -1,
        }),
    )?;
    Ok(())
}

/// Enables the request events of a target, and attaches to the frames and workers below it.
fn watch(session: &mut Session, target: &str) -> Result<(), ChromiumError> {
    let buffers = json!({"maxTotalBufferSize": BODIES_MAX, "maxResourceBufferSize": BODIES_MAX});
    session.send_in(target, "Network.enable", buffers)?;
    let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
    session.send_in(target, "Target.setAutoAttach", attach)?;
    Ok(())
}

struct Recorder<'a> {
    log: Log,
    trace: Trace,
    loaded: bool,
    traced: bool,
    crashed: bool,
    /// The time of the last network event.
    last_activity: Instant,
    /// The images that are held, if overlays are looked for.
    hold: Option<Hold>,
    /// The requests after which the load is over.
    known: Option<&'a BTreeSet<Name>>,
    /// The share of the processors that other programs used, if it is measured.
    others: Option<f64>,
}

impl Recorder<'_> {
    /// Waits for the load event, and then until the network is quiet.
    fn settle(
        &mut self,
        session: &mut Session,
        options: &RecordOptions,
    ) -> Result<(), ChromiumError> {
        let begin = session.now();
        while !self.crashed {
            if let Some(event) = session.next_event(TICK)? {
                self.handle(session, &event)?;
            }
            if let Some(hold) = &mut self.hold {
                hold.release(session)?;
            }
            let now = session.now();
            let quiet = now.since(self.last_activity) >= options.settle;
            // Requests that never end (event streams, long polls) must not delay the
            // recording for ever.
            let patient = now.since(self.last_activity) >= options.settle.mul_f64(3.0);
            if self.loaded && quiet && (self.log.open() == 0 || patient) {
                break;
            }
            if self.loaded && self.has_all() && now.since(self.last_activity) >= LULL {
                break;
            }
            if self.hold.as_ref().is_some_and(Hold::has_seen_nothing) {
                break;
            }
            if now.since(begin) >= options.deadline {
                break;
            }
        }
        Ok(())
    }

    /// Returns true if all known requests are over, and no others are under way.
    fn has_all(&self) -> bool {
        let names = || waits::names(self.log.requests()).into_iter().collect();
        let has = |known: &&BTreeSet<Name>| known.is_subset(&names());
        self.log.open() == 0 && self.known.is_some_and(|known| has(&known))
    }

    fn end_trace(&mut self, session: &mut Session) -> Result<(), ChromiumError> {
        session.call("Tracing.end", json!({}))?;
        let begin = session.now();
        while !self.traced {
            if let Some(event) = session.next_event(TICK)? {
                self.handle(session, &event)?;
            }
            if session.now().since(begin) >= TRACE_TIMEOUT {
                return Err(ChromiumError::Timeout {
                    what: "the trace".into(),
                    waited: TRACE_TIMEOUT,
                });
            }
        }
        Ok(())
    }

    fn handle(&mut self, session: &mut Session, event: &Event) -> Result<(), ChromiumError> {
        let params = &event.params;
        if let Some(hold) = self.hold.as_mut().filter(|_| event.session == session.id()) {
            hold.handle(session.now(), event);
        }
        match event.method.as_str() {
            "Tracing.dataCollected" => {
                for event in params["value"].as_array().into_iter().flatten() {
                    self.trace.add(event);
                }
            }
            "Tracing.tracingComplete" => self.traced = true,
            "Page.loadEventFired" if event.session == session.id() => {
                self.loaded = true;
                self.last_activity = session.now();
            }
            "Inspector.targetCrashed" if event.session == session.id() => self.crashed = true,
            "Target.attachedToTarget" => {
                if let Some(below) = params["sessionId"].as_str() {
                    watch(session, below)?;
                    session.send_in(below, "Runtime.runIfWaitingForDebugger", json!({}))?;
                }
            }
            method if method.starts_with("Network.") => {
                self.log.handle(Some(&event.session), method, params);
                self.last_activity = session.now();
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns true if the page's scripts have nothing to do at once: tasks that are queued now run before
/// the second timer. Idle callbacks may come a second late on a page that draws no frames.
pub(super) fn is_page_idle(session: &mut Session) -> Result<bool, ChromiumError> {
    let begin = session.now();
    session.evaluate("new Promise((done) => setTimeout(() => setTimeout(done)))")?;
    Ok(session.now().since(begin) < IDLE_WITHIN)
}

/// Returns the decoded body of a response, or `None` if Chromium has none.
fn body(session: &mut Session, request: &Request) -> Result<Option<Body>, ChromiumError> {
    let complete = request.ended.is_some() && request.failed.is_none() && !request.redirected;
    if !complete || request.response.is_none() || request.kind == "Preflight" {
        return Ok(None);
    }
    let target = request
        .session
        .as_deref()
        .unwrap_or(session.id())
        .to_owned();
    let asked = json!({"requestId": request.id});
    match session.call_in(&target, "Network.getResponseBody", asked) {
        Ok(answer) => Ok(decode(&answer)),
        // The body was not kept, or its frame no longer exists.
        Err(ChromiumError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn decode(answer: &Value) -> Option<Body> {
    let text = answer["body"].as_str()?;
    let bytes = if answer["base64Encoded"] == true {
        STANDARD.decode(text).ok()?
    } else {
        text.as_bytes().to_vec()
    };
    Some(Body(bytes))
}
