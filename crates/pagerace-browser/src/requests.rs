//! The request schedulers of the browsers.
//!
//! A request that may wait is held until the [`Profile`] lets it start. Held requests leave by
//! urgency, then by age; the first one that may not start blocks those behind it. The next stage
//! is the scheduler of Chromium's network service, with limits for HTTP/1.1 (`delayable`). HTTP/2
//! and HTTP/3 are exempt from them, because `delay_requests_on_multiplexed_connections` is off on
//! 4G networks, which the model assumes.
//!
//! Only requests of the page's own document are held; requests of frames leave at once.
//! The owner of the connections enforces the limit of six connections to a server.

mod delayable;

use std::collections::{BTreeSet, VecDeque};

use pagerace_core::{Instant, Priority, Protocol, RequestPriority};
use pagerace_page::{NoResponse, Page, Resource, ResourceId};

use self::delayable::{Delayable, is_delayable};
use crate::graph::Graph;
use crate::paint::Layout;
use crate::{Action, Profile};

/// The class to which images in the viewport and awaited scripts are raised.
pub(crate) const RAISED: RequestPriority = RequestPriority::High;

/// The requests in flight, and the progress of the document.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// True if the parser has reached the body.
    pub(crate) body_reached: bool,
    /// The number of requests that the browser could have held.
    pub(crate) waitable: usize,
    /// The number of requests that left in class `Medium`.
    pub(crate) medium: usize,
    /// The number of leaders.
    pub(crate) leaders: usize,
    all: usize,
}

/// The state of the browser's request scheduler.
#[derive(Debug)]
pub(crate) struct Requests {
    profile: &'static Profile,
    entries: Vec<Entry>,
    actions: VecDeque<Action>,
    /// Held requests, the next one to leave first.
    held: BTreeSet<(u8, u32, ResourceId)>,
    asked: u32,
    in_flight: InFlight,
    delayable: Delayable,
}

#[derive(Debug)]
struct Entry {
    class: RequestPriority,
    signal: Priority,
    may_wait: bool,
    leads: bool,
    /// The rank and age of the request while it is held.
    held: Option<(u8, u32)>,
    medium: bool,
    /// True if the request has reached the scheduler: it is held or has been sent.
    asked: bool,
    requested: Option<Instant>,
    /// True if the network service has the whole response.
    received: bool,
    ended: bool,
    /// The class and signal of a request that the parser has found, once the scanner finds it too.
    scanned: Option<(RequestPriority, Priority)>,
    origin: usize,
    /// True if the network service's limits apply while the class is low.
    limited: bool,
    /// True if the resource belongs to the page's own document.
    main: bool,
    /// True if the request counts among the delayable requests in flight.
    delayable: bool,
}

impl Requests {
    pub(crate) fn new(
        page: &Page,
        profile: &'static Profile,
        graph: &Graph,
        layout: &Layout,
    ) -> Self {
        let in_head = graph.nodes.iter().map(|node| layout.in_head(node.anchor));
        let in_head: Vec<bool> = in_head.collect();
        let classes = (profile.first_classes)(page, &in_head);
        let entry = |((resource, class), in_head): ((&Resource, RequestPriority), bool)| {
            let main = graph.in_main_frame(resource.id);
            Entry {
                class,
                signal: (profile.signal)(resource, class),
                may_wait: main && (profile.may_wait)(resource, class, in_head),
                leads: main && (profile.leads)(resource, class),
                held: None,
                medium: false,
                asked: false,
                requested: None,
                received: false,
                ended: false,
                scanned: None,
                origin: resource.origin.index(),
                limited: false,
                main,
                delayable: false,
            }
        };
        let resources = page.resources.iter().zip(classes).zip(in_head);
        Self {
            profile,
            entries: resources.map(entry).collect(),
            actions: VecDeque::new(),
            held: BTreeSet::new(),
            asked: 0,
            in_flight: InFlight::default(),
            delayable: Delayable::default(),
        }
    }

    /// Prepares the request for what a 103 response preloads. The renderer does not hold back what
    /// it does not request.
    pub(crate) fn preload_early(&mut self, resource: &Resource) {
        let class = resource.preload_class();
        let signal = (self.profile.signal)(resource, class);
        let entry = &mut self.entries[resource.id.index()];
        (entry.class, entry.signal, entry.may_wait) = (class, signal, false);
    }

    /// Sets the protocol of each resource. A host without an address never tells that it supports
    /// priorities.
    pub(crate) fn set_protocols(&mut self, page: &Page, of_resource: &[Protocol]) {
        for (entry, resource) in self.entries.iter_mut().zip(&page.resources) {
            let http1 = of_resource.get(resource.id.index()) == Some(&Protocol::H1);
            let lacks_priorities = http1 || resource.no_response == Some(NoResponse::NoAddress);
            entry.limited = entry.main && self.profile.limits_http1 && lacks_priorities;
        }
    }

    /// Adds a request for `id`.
    pub(crate) fn ask(&mut self, now: Instant, id: ResourceId) {
        self.entries[id.index()].asked = true;
        if self.entries[id.index()].may_wait {
            self.hold(id);
            self.release(now);
        } else {
            self.grant(now, id);
        }
    }

    /// Announces a request that the network service knows and sends later, so that its name is
    /// looked up. A request that waits for others is not known to it.
    pub(crate) fn announce(&mut self, id: ResourceId) {
        let entry = &self.entries[id.index()];
        if !entry.may_wait || (self.profile.may_start)(&self.in_flight, entry.class) {
            self.actions.push_back(Action::LookUp { resource: id });
        }
    }

    /// Prepares a connection for `id`, or looks up its name alone.
    pub(crate) fn prepare(&mut self, id: ResourceId, connects: bool) {
        self.actions.push_back(if connects {
            Action::Connect { resource: id }
        } else {
            Action::LookUp { resource: id }
        });
    }

    /// Gives up a request that has left.
    pub(crate) fn cancel(&mut self, id: ResourceId) {
        self.actions.push_back(Action::Cancel { resource: id });
    }

    fn hold(&mut self, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        let age = entry.held.map_or(self.asked, |(_, age)| age);
        self.asked += u32::from(entry.held.is_none());
        let rank = entry.signal.urgency;
        entry.held = Some((rank, age));
        self.held.insert((rank, age, id));
    }

    /// Starts held requests as far as the limits allow.
    fn release(&mut self, now: Instant) {
        while let Some(&(rank, age, id)) = self.held.first() {
            if !(self.profile.may_start)(&self.in_flight, self.entries[id.index()].class) {
                return;
            }
            self.held.remove(&(rank, age, id));
            self.grant(now, id);
        }
    }

    fn grant(&mut self, now: Instant, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        entry.held = None;
        entry.medium = entry.class == RequestPriority::Medium;
        self.in_flight.all += 1;
        self.in_flight.waitable += usize::from(entry.may_wait);
        self.in_flight.medium += usize::from(entry.medium);
        self.in_flight.leaders += usize::from(entry.leads);
        let (class, origin) = (entry.class, entry.origin);
        if entry.limited && is_delayable(class) && !self.delayable.may_start(origin) {
            self.delayable.hold(id, class, origin);
        } else {
            self.send(now, id);
        }
    }

    /// Sends a request that has passed all schedulers.
    fn send(&mut self, now: Instant, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        entry.requested = Some(now);
        if entry.main {
            entry.delayable = entry.limited && is_delayable(entry.class);
            self.delayable.started(entry.origin, entry.delayable);
        }
        self.actions.push_back(Action::Fetch {
            resource: id,
            priority: entry.signal,
        });
    }

    fn send_delayed(&mut self, now: Instant) {
        while let Some(id) = self.delayable.next() {
            self.send(now, id);
        }
    }

    /// Reports that the network service has the whole response of `id`, or will never have it. Its
    /// own limits count the request no longer.
    pub(crate) fn received(&mut self, now: Instant, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        if entry.requested.is_none() || std::mem::replace(&mut entry.received, true) {
            return;
        }
        if entry.main {
            self.delayable.ended(entry.origin, entry.delayable);
        }
        // Firefox and Safari were seen to release requests when their leaders had arrived.
        self.in_flight.leaders -= usize::from(entry.leads);
        self.send_delayed(now);
        self.release(now);
    }

    /// Reports that the page has the whole response of `id`, or will never have it.
    pub(crate) fn ended(&mut self, now: Instant, id: ResourceId) {
        self.received(now, id);
        let entry = &mut self.entries[id.index()];
        if entry.requested.is_none() || entry.ended {
            return;
        }
        entry.ended = true;
        self.in_flight.all -= 1;
        self.in_flight.waitable -= usize::from(entry.may_wait);
        self.in_flight.medium -= usize::from(entry.medium);
        self.release(now);
    }

    /// Reports that the parser has reached the body.
    pub(crate) fn body_reached(&mut self, now: Instant) {
        self.in_flight.body_reached = true;
        self.release(now);
    }

    /// Gives a request the class that it has because the parser finds its element before the
    /// preload scanner.
    pub(crate) fn found_by_parser(&mut self, resource: &Resource) {
        let entry = &mut self.entries[resource.id.index()];
        let class = (self.profile.unscanned)(resource, entry.class);
        if class != entry.class {
            entry.scanned = Some((entry.class, entry.signal));
            entry.class = class;
            entry.signal = (self.profile.signal)(resource, class);
        }
    }

    /// Raises a request whose element the preload scanner finds after the parser.
    pub(crate) fn found_by_scanner(&mut self, now: Instant, id: ResourceId) {
        if let Some((class, signal)) = self.entries[id.index()].scanned.take() {
            self.raise_to(now, id, class, signal);
        }
    }

    /// Raises a request that is held or in flight to [`RAISED`], with this signal.
    pub(crate) fn raise(&mut self, now: Instant, id: ResourceId, signal: Priority) {
        let entry = &self.entries[id.index()];
        if entry.asked && entry.signal != signal {
            self.raise_to(now, id, RAISED, signal);
        }
    }

    /// Raises a request. Does nothing if its response is here, or if it has a higher class.
    fn raise_to(&mut self, now: Instant, id: ResourceId, class: RequestPriority, signal: Priority) {
        let entry = &mut self.entries[id.index()];
        if entry.received || entry.class < class {
            return;
        }
        entry.class = class;
        entry.signal = signal;
        if let Some((rank, age)) = entry.held {
            self.held.remove(&(rank, age, id));
            self.hold(id);
            self.release(now);
        } else if entry.requested.is_some() {
            if !is_delayable(class) && std::mem::take(&mut entry.delayable) {
                self.delayable.raised();
            }
            self.actions.push_back(Action::Reprioritise {
                resource: id,
                priority: signal,
            });
        } else if is_delayable(class) {
            self.delayable.reclassify(id, class);
        } else if self.delayable.take(id) {
            self.send(now, id);
            self.send_delayed(now);
        }
    }

    pub(crate) fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Returns true if the request for `id` has reached the schedulers and has not ended.
    pub(crate) fn is_pending(&self, id: ResourceId) -> bool {
        let entry = &self.entries[id.index()];
        entry.asked && !entry.ended
    }

    pub(crate) fn requested_at(&self, id: ResourceId) -> Option<Instant> {
        self.entries[id.index()].requested
    }

    /// Returns true if no request is held or in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.held.is_empty() && self.in_flight.all == 0
    }
}
