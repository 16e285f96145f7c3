//! Hand-made pages, and a network without queues, losses or handshakes.
//!
//! The head of each response arrives one round trip after its request. Bodies follow one
//! after the other over one link of fixed rate, in 1,200-byte pieces.

use std::collections::BTreeMap;
use std::sync::Arc;

use pagerace_browser::{Action, Browser, BrowserConfig, Cached, Profile};
use pagerace_core::{
    Destination, Duration, EventQueue, Instant, Priority, Protocol, RequestPriority, ScriptMode,
};
use pagerace_page::model::{Origin, Page, Paints, RecordedPage, Resource, ResourceId, Trigger};

pub(crate) const fn id(index: u32) -> ResourceId {
    ResourceId(index)
}

pub(crate) fn ms(millis: f64) -> Duration {
    Duration::from_millis_f64(millis)
}

/// Returns a resource with the priority that Chromium assigns to its destination.
pub(crate) fn resource(destination: Destination, bytes: u64, trigger: Trigger) -> Resource {
    let priority = match destination {
        Destination::Document | Destination::Iframe | Destination::Style | Destination::Font => {
            RequestPriority::VeryHigh
        }
        Destination::Script | Destination::Fetch => RequestPriority::High,
        Destination::Image | Destination::Media | Destination::Other => RequestPriority::Low,
    };
    Resource {
        body_bytes: bytes,
        // The decoded size equals the encoded size, so that costs are easy to compute.
        decoded_bytes: Some(bytes),
        priority,
        ..Resource::new(ResourceId(0), String::new(), destination, trigger)
    }
}

pub(crate) fn in_markup(destination: Destination, bytes: u64, offset: u64) -> Resource {
    resource(
        destination,
        bytes,
        Trigger::Markup {
            parent: id(0),
            offset,
        },
    )
}

pub(crate) fn document(bytes: u64) -> Resource {
    resource(Destination::Document, bytes, Trigger::Navigation)
}

pub(crate) fn script(
    mode: ScriptMode,
    priority: RequestPriority,
    bytes: u64,
    offset: u64,
) -> Resource {
    Resource {
        script_mode: mode,
        priority,
        ..in_markup(Destination::Script, bytes, offset)
    }
}

pub(crate) fn page(resources: Vec<Resource>) -> Arc<Page> {
    let resources: Vec<Resource> = resources
        .into_iter()
        .enumerate()
        .map(|(index, r)| Resource {
            id: ResourceId(index as u32),
            url: format!("https://example.test/{index}"),
            ..r
        })
        .collect();
    let document = resources
        .iter()
        .rfind(|r| r.destination == Destination::Document)
        .map(|r| r.id);
    Arc::new(Page {
        name: "made by hand".to_owned(),
        url: "https://example.test/0".to_owned(),
        origins: vec![Origin {
            scheme: "https".to_owned(),
            host: "example.test".to_owned(),
            port: 443,
            address: None,
            connection_group: 0,
            third_party: false,
            recorded_rtt: None,
            unvisited: false,
            protocol: None,
        }],
        document: document.unwrap_or(ResourceId(0)),
        resources,
        joins: Vec::new(),
        hints: Vec::new(),
        recorded: RecordedPage::default(),
        paints: Paints::default(),
        notes: Vec::new(),
    })
}

/// Chrome with the costs and overheads of a desktop.
pub(crate) fn desktop() -> BrowserConfig {
    BrowserConfig {
        cpu: 1.0,
        ..no_cpu(Profile::CHROME)
    }
}

/// Returns a configuration in which the CPU takes no time and never varies.
pub(crate) fn no_cpu(profile: &'static Profile) -> BrowserConfig {
    BrowserConfig {
        profile,
        cpu: 0.0,
        jitter: 0.0,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) rtt: Duration,
    /// Bytes per second; zero means no limit.
    pub(crate) rate: u64,
    /// Resources without a response: the failure is known after a round trip.
    pub(crate) fails: Vec<ResourceId>,
    /// Resources whose response is truncated after half of the body.
    pub(crate) breaks: Vec<ResourceId>,
    /// Resources whose response ends with missing data and is unusable.
    pub(crate) spoilt: Vec<ResourceId>,
    /// The cache state of each resource in page order.
    pub(crate) cached: Vec<Cached>,
    /// The protocol of each origin.
    pub(crate) protocols: Vec<Protocol>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            rtt: Duration::from_millis(100),
            rate: 0,
            fails: Vec::new(),
            spoilt: Vec::new(),
            breaks: Vec::new(),
            cached: Vec::new(),
            protocols: Vec::new(),
        }
    }
}

pub(crate) struct Loaded {
    pub(crate) browser: Browser,
    pub(crate) actions: Vec<(Instant, Action)>,
    /// The body bytes of each resource that had arrived at each time: (time, bytes).
    pub(crate) arrivals: BTreeMap<ResourceId, Vec<(Instant, u64)>>,
    /// The time at which each response began and ended (or failed).
    pub(crate) heads: BTreeMap<ResourceId, Instant>,
    pub(crate) ends: BTreeMap<ResourceId, Instant>,
    pub(crate) done: bool,
    pub(crate) ended: Instant,
}

impl Loaded {
    /// Returns the milliseconds from the start to the request for a resource.
    pub(crate) fn asked(&self, index: u32) -> Option<f64> {
        self.browser
            .requested_at(id(index))
            .map(Instant::as_millis_f64)
    }

    pub(crate) fn found(&self, index: u32) -> Option<f64> {
        self.browser
            .discovered_at(id(index))
            .map(Instant::as_millis_f64)
    }

    pub(crate) fn signal(&self, index: u32) -> Option<Priority> {
        self.actions.iter().find_map(|(_, action)| match action {
            Action::Fetch { resource, priority } if *resource == id(index) => Some(*priority),
            _ => None,
        })
    }

    /// Returns the milliseconds from the start to the look-up of a resource's name, if it
    /// comes before the request.
    pub(crate) fn looked_up(&self, index: u32) -> Option<f64> {
        self.actions.iter().find_map(|(at, action)| match action {
            Action::LookUp { resource } if *resource == id(index) => Some(at.as_millis_f64()),
            _ => None,
        })
    }

    pub(crate) fn new_signal(&self, index: u32) -> Option<(f64, Priority)> {
        self.actions.iter().find_map(|(at, action)| match action {
            Action::Reprioritise { resource, priority } if *resource == id(index) => {
                Some((at.as_millis_f64(), *priority))
            }
            _ => None,
        })
    }

    pub(crate) fn fetch_order(&self) -> Vec<u32> {
        self.actions
            .iter()
            .filter_map(|(_, action)| match action {
                Action::Fetch { resource, .. } => Some(resource.0),
                Action::LookUp { .. }
                | Action::Connect { .. }
                | Action::Cancel { .. }
                | Action::Reprioritise { .. } => None,
            })
            .collect()
    }
}

enum Event {
    Head(ResourceId),
    Body(ResourceId, u64),
    End(ResourceId),
    NotModified(ResourceId),
    Failure(ResourceId),
}

/// Loads the page to its end.
pub(crate) fn load(
    page: &Arc<Page>,
    config: &BrowserConfig,
    network: &Network,
    seed: u64,
) -> Loaded {
    load_in(Browser::new(Arc::clone(page), config, seed), page, network)
}

/// Loads the page to its end in this browser.
pub(crate) fn load_in(mut browser: Browser, page: &Page, network: &Network) -> Loaded {
    let mut events = EventQueue::new();
    let mut actions = Vec::new();
    let mut arrivals: BTreeMap<ResourceId, Vec<(Instant, u64)>> = BTreeMap::new();
    let (mut heads, mut ends) = (BTreeMap::new(), BTreeMap::new());
    let mut link_free = Instant::ZERO;
    let mut now = Instant::ZERO;
    browser.set_cached(network.cached.clone());
    let of_resource = page.resources.iter().map(|resource| {
        let known = network.protocols.get(resource.origin.index());
        known.copied().unwrap_or(Protocol::H3)
    });
    browser.set_protocols(&of_resource.collect::<Vec<_>>());
    browser.start(now);
    for _ in 0..2_000_000 {
        while let Some(action) = browser.poll_action() {
            actions.push((now, action));
            let Action::Fetch { resource, .. } = action else {
                continue;
            };
            let head = now + network.rtt;
            if network.fails.contains(&resource) {
                events.schedule(head, Event::Failure(resource));
                continue;
            }
            events.schedule(head, Event::Head(resource));
            if network.cached.get(resource.index()) == Some(&Cached::Validate) {
                events.schedule(head, Event::NotModified(resource));
                continue;
            }
            let size = page.resources[resource.index()].body_bytes;
            let breaks = network.breaks.contains(&resource);
            let size = if breaks { size / 2 } else { size };
            let mut at = link_free.max(head);
            let mut sent = 0;
            while sent < size {
                let piece = if network.rate == 0 {
                    size
                } else {
                    (size - sent).min(1200)
                };
                sent += piece;
                if network.rate > 0 {
                    at += ms(piece as f64 * 1e3 / network.rate as f64);
                }
                events.schedule(at, Event::Body(resource, sent));
            }
            link_free = at;
            events.schedule(
                at,
                if breaks {
                    Event::Failure(resource)
                } else {
                    Event::End(resource)
                },
            );
        }
        if browser.is_done() {
            return Loaded {
                browser,
                actions,
                arrivals,
                heads,
                ends,
                done: true,
                ended: now,
            };
        }
        let timer = browser.poll_timeout();
        match (timer, events.next_at()) {
            (None, None) => break,
            (Some(due), next) if next.is_none_or(|at| due <= at) => {
                now = due;
                browser.handle_timeout(now);
            }
            _ => {
                let Some((at, event)) = events.pop() else {
                    break;
                };
                now = at;
                match &event {
                    Event::Head(r) => heads.insert(*r, now),
                    Event::End(r) | Event::NotModified(r) | Event::Failure(r) => {
                        ends.insert(*r, now)
                    }
                    Event::Body(..) => None,
                };
                match event {
                    Event::Head(r) => browser.handle_response_start(now, r),
                    Event::Body(r, received) => {
                        arrivals.entry(r).or_default().push((now, received));
                        browser.handle_body(now, r, received);
                    }
                    Event::End(r) if network.spoilt.contains(&r) => browser.handle_broken(now, r),
                    Event::End(r) => {
                        let size = page.resources[r.index()].body_bytes;
                        arrivals.entry(r).or_default().push((now, size));
                        browser.handle_response_end(now, r);
                    }
                    Event::NotModified(r) => browser.handle_not_modified(now, r),
                    Event::Failure(r) => browser.handle_failure(now, r),
                }
            }
        }
    }
    Loaded {
        browser,
        actions,
        arrivals,
        heads,
        ends,
        done: false,
        ended: now,
    }
}

pub(crate) const KIB: u64 = 1024;

/// Returns a style sheet in the head.
pub(crate) fn blocking_sheet(bytes: u64, offset: u64) -> Resource {
    Resource {
        render_blocking: true,
        ..in_markup(Destination::Style, bytes, offset)
    }
}

/// Returns a parser-blocking script in the head.
pub(crate) fn head_script(bytes: u64, offset: u64) -> Resource {
    Resource {
        render_blocking: true,
        ..script(ScriptMode::Blocking, RequestPriority::High, bytes, offset)
    }
}

/// Returns an image in the viewport, which layout raises.
pub(crate) fn visible_image(bytes: u64, offset: u64) -> Resource {
    Resource {
        in_viewport: true,
        ..in_markup(Destination::Image, bytes, offset)
    }
}
