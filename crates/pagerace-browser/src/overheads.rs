//! Overheads of a browser that belong to no task of the page: messages between its processes, the
//! commit of a document, the receipt of a response, the presentation of a frame.
//!
//! Unless they say otherwise, the values were fitted to live loads of Chromium 156, using only the
//! tuning pages of `docs/accuracy.md`, on the machine named there. So was their variation from load
//! to load, which decides the order in which packets of several connections reach a full queue.

use pagerace_core::{Destination, Duration, Rng};
use pagerace_page::{Page, ResourceId};

use crate::BrowserConfig;

/// The time from the head of a document to its parser and its preload scanner.
const COMMIT_MS: f64 = 16.0;
/// The time by which each unit of a recorded slow-down beyond one makes it longer: the part on
/// the main thread, which alone is slowed.
const COMMIT_SLOWED_MS: f64 = 11.0;
/// The time from the discovery of a resource until its request leaves, if no other request is on
/// its way. Redirects and navigations have none.
const DISPATCH_MS: f64 = 2.0;
/// The time by which a request leaves after the one that was discovered before it. Requests pass
/// one after another from the renderer to the network service.
const SPACING_MS: f64 = 1.2;
/// The dispatch time of a document's first request. No request of the document leaves
/// earlier, because Chromium's network service takes this long to prepare for a document. It
/// reads no packets meanwhile: kernel traces show its thread at work from the first look-up of a
/// name until the first request. Look-ups for requests before the first one to the document's own
/// host leave 1 to 4 ms after the service knows the requests, and that one 5 to 20 ms behind them.
const FIRST_DISPATCH_MS: f64 = 14.0;
/// The time by which requests that waited for this leave behind the look-ups of names that waited,
/// too: a look-up leaves when the service handles its request, and a request over an open
/// connection in a task after that. In 9 of 9 loads of three pages over HTTP/2, look-ups of later
/// elements left first, by 0.4 to 7 ms.
const WRITE_MS: f64 = 1.0;
/// The time from the moment at which an open HTTP/1.1 connection can take a request until the
/// network service writes the request. It handles other messages in between, so packets of new
/// connections may leave first. In logs of the emulated link (310 requests of 34 loads of four
/// pages), it was 1.65 ms in the median and 0.9 to 3.1 ms in four of five, from the last packet of
/// the response before.
const REUSE_MS: f64 = 1.65;
/// The time from the last byte of a response in the network service until the thread of its frame
/// has a task for it: for most responses, and for scripts and fonts, which other threads prepare.
/// In traces of live loads, the thread was idle for that long.
const DELIVERY_MS: f64 = 0.3;
const DELIVERY_PREPARED_MS: f64 = 1.3;
/// The time that a frame's thread takes for each response besides its use, for the messages of the
/// network service and for reading the body. In the same traces, its tasks without traced work
/// took that long, divided by the number of responses.
const RECEIVE_MS: f64 = 1.0;
/// The time by which each megabyte that arrives makes the running tasks of the page longer, if the
/// page was recorded on few processors. It is the processor time that a megabyte cost on such a
/// machine, by traces of the kernel's scheduler in live loads at 50 Mbit/s: 50 to 60 ms, half of
/// it for the emulated link and the servers.
const ARRIVAL_MS_PER_MB: f64 = 55.0;
/// The number of processors up to which that applies: that of the machine of the traces.
const FEW_PROCESSORS: u32 = 2;
/// The time from the moment at which the first frame is possible until the main thread has its
/// task, for which it has to ask the compositor's thread. Measured in traces of a small page.
const FRAME_REQUEST_MS: f64 = 0.3;
/// The time from the end of a paint task until the frame is on the screen, if the recording does
/// not tell it.
const PRESENTATION_MS: f64 = 30.0;

/// The sigma of the log-normal variation of a document's times, and of a request's, measured as
/// the spread between live loads of one page over one network.
const DOCUMENT_SIGMA: f64 = 0.25;
const REQUEST_SIGMA: f64 = 0.5;
/// The configured variation from which on the measured one applies in full. The default.
const FULL_JITTER: f64 = 0.1;

/// The overheads of one load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overheads {
    pub(crate) commit: Duration,
    pub(crate) first_dispatch: Duration,
    pub(crate) write: Duration,
    pub(crate) spacing: Duration,
    pub(crate) frame_request: Duration,
    /// The presentation of the frame with the first contentful paint, and of a later one.
    pub(crate) presentation: Duration,
    pub(crate) later_presentation: Duration,
    /// The task of a frame's thread for a response.
    pub(crate) receive: Duration,
    arrival_ms_per_byte: f64,
    request_sigma: f64,
    cpu: f64,
    seed: u64,
}

impl Overheads {
    /// Creates the overheads of a load, drawn from `seed`.
    pub(crate) fn new(page: &Page, config: &BrowserConfig, seed: u64) -> Self {
        let slowdown = page.recorded.slowdown.unwrap_or(1.0);
        let finite = |value: f64, otherwise: f64| {
            let value = if value.is_finite() { value } else { otherwise };
            value.max(0.0)
        };
        let cpu = finite(config.cpu, 1.0);
        let variation = (finite(config.jitter, 0.0) / FULL_JITTER).min(1.0);
        let document = factor(seed, "overhead/document", variation * DOCUMENT_SIGMA);
        let scaled = |millis: f64| Duration::from_millis_f64(millis * cpu);
        let frames = page.layout().and_then(|l| l.rendering);
        let told = |time: Option<Duration>| time.map(Duration::as_millis_f64);
        let presentation = frames.and_then(|frames| told(frames.presentation));
        let presentation = presentation.unwrap_or(PRESENTATION_MS);
        let later_presentation = frames.and_then(|frames| told(frames.later_presentation));
        let later_presentation = later_presentation.unwrap_or(presentation);
        let processors = page.layout().and_then(|l| l.processors);
        let are_few = processors.is_some_and(|n| n <= FEW_PROCESSORS);
        let arrival_ms_per_mb = if are_few { ARRIVAL_MS_PER_MB } else { 0.0 };
        let commit = COMMIT_MS + COMMIT_SLOWED_MS * (slowdown - 1.0).max(0.0);
        Self {
            commit: scaled(commit * document),
            first_dispatch: scaled(FIRST_DISPATCH_MS * document),
            write: scaled(WRITE_MS),
            spacing: scaled(SPACING_MS * document),
            frame_request: scaled(FRAME_REQUEST_MS),
            presentation: scaled(presentation),
            later_presentation: scaled(later_presentation),
            receive: scaled(RECEIVE_MS * slowdown.max(1.0)),
            arrival_ms_per_byte: arrival_ms_per_mb / 1e6,
            request_sigma: variation * REQUEST_SIGMA,
            cpu,
            seed,
        }
    }

    /// Returns the time from the discovery of a resource until its request leaves, if none is on
    /// its way.
    pub(crate) fn dispatch(&self, id: ResourceId) -> Duration {
        self.drawn(DISPATCH_MS, &format!("overhead/{}", id.0))
    }

    /// Returns the time until a request leaves over an open HTTP/1.1 connection that can take it.
    pub(crate) fn reuse(&self, id: ResourceId) -> Duration {
        self.drawn(REUSE_MS, &format!("overhead/reuse/{}", id.0))
    }

    fn drawn(&self, millis: f64, stream: &str) -> Duration {
        let varied = millis * factor(self.seed, stream, self.request_sigma);
        Duration::from_millis_f64(varied * self.cpu)
    }

    /// Returns the time by which the arrival of this many bytes makes running tasks longer.
    pub(crate) fn arrival(&self, bytes: u64) -> Duration {
        Duration::from_millis_f64(self.arrival_ms_per_byte * bytes as f64)
    }

    /// Returns the time from the last byte of a response until its frame's thread has a task for
    /// it.
    pub(crate) fn delivery(&self, destination: Destination) -> Duration {
        let millis = match destination {
            Destination::Script | Destination::Font => DELIVERY_PREPARED_MS,
            _ => DELIVERY_MS,
        };
        Duration::from_millis_f64(millis * self.cpu)
    }

    /// Returns the time from the last byte of a response until an idle thread has taken it.
    pub(crate) fn taken(&self, destination: Destination) -> Duration {
        self.delivery(destination) + self.receive
    }
}

fn factor(seed: u64, stream: &str, sigma: f64) -> f64 {
    if sigma > 0.0 {
        Rng::new(seed, stream).lognormal(sigma)
    } else {
        1.0
    }
}
