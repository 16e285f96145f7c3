//! Page loads over a network in which nothing competes.

use std::sync::Arc;

use pagerace_browser::{Action, Browser, BrowserConfig};
use pagerace_core::{Duration, EventQueue, Instant};
use pagerace_page::{NoResponse, Page, ResourceId};

/// Time between a request and its response, apart from the server's think time.
const ROUND_TRIP: Duration = Duration::from_millis(20);

/// Transfer time of ten bytes in nanoseconds: 10 Gbit/s.
const NANOS_PER_TEN_BYTES: u64 = 8;

/// Change to one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// The request fails immediately.
    Refused(ResourceId),
    /// The response begins later by this duration.
    Late(ResourceId, Duration),
}

/// Observations of a load.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) fcp: Option<Duration>,
    pub(super) lcp: Option<Duration>,
    pub(super) speed_index: Option<Duration>,
    /// Image that is the largest element; `None` if that is text.
    pub(super) largest: Option<ResourceId>,
    /// Area of the final picture in pixels.
    pub(super) area: f64,
    /// For each resource in page order, true if it was requested.
    pub(super) asked: Vec<bool>,
}

enum Event {
    Head(ResourceId),
    End(ResourceId),
    Failure(ResourceId),
}

/// Loads the page until no event is left.
pub(super) fn load(page: &Arc<Page>, config: &BrowserConfig, change: Change) -> Seen {
    // Without jitter, the seed has no effect.
    let mut browser = Browser::new(Arc::clone(page), config, 0);
    let mut events = EventQueue::new();
    let mut now = Instant::ZERO;
    browser.start(now);
    loop {
        while let Some(action) = browser.poll_action() {
            if let Action::Fetch { resource, .. } = action {
                answer(page, &mut events, now, resource, change);
            }
        }
        if browser.is_done() {
            break;
        }
        let timer = browser.poll_timeout();
        match (timer, events.next_at()) {
            (None, None) => break,
            (Some(due), next) if next.is_none_or(|at| due <= at) => {
                now = due;
                browser.handle_timeout(now);
            }
            _ => {
                let (at, event) = events.pop().expect("it is due");
                now = at;
                match event {
                    Event::Head(r) => browser.handle_response_start(now, r),
                    Event::End(r) => browser.handle_response_end(now, r),
                    Event::Failure(r) => browser.handle_failure(now, r),
                }
            }
        }
    }
    let metrics = browser.metrics();
    let asked = page
        .resources
        .iter()
        .map(|r| browser.requested_at(r.id).is_some())
        .collect();
    Seen {
        fcp: metrics.fcp,
        lcp: metrics.lcp,
        speed_index: metrics.speed_index,
        largest: browser.lcp_image(),
        area: browser.painted_area(),
        asked,
    }
}

fn answer(
    page: &Page,
    events: &mut EventQueue<Event>,
    now: Instant,
    resource: ResourceId,
    change: Change,
) {
    let late = match change {
        Change::Refused(r) if r == resource => {
            events.schedule(now, Event::Failure(resource));
            return;
        }
        Change::Late(r, late) if r == resource => late,
        _ => Duration::ZERO,
    };
    let of = page.resource(resource);
    if let Some(reason) = of.no_response {
        let tried = match reason {
            NoResponse::NoAddress => ROUND_TRIP,
            NoResponse::After(tried) => tried,
        };
        events.schedule(now + tried, Event::Failure(resource));
        return;
    }
    let head = now + ROUND_TRIP + of.think_time + late;
    let transfer = Duration::from_nanos(of.body_bytes * NANOS_PER_TEN_BYTES / 10);
    events.schedule(head, Event::Head(resource));
    events.schedule(head + transfer, Event::End(resource));
}
