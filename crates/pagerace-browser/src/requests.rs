//! The request schedulers of the browsers.
//!
//! Chromium: the renderer's `ResourceLoadScheduler`. Until the parser reaches the body ("tight"
//! mode), a throttleable request below `High` starts only while fewer than two throttleable
//! requests are in flight; a `Medium` request may also start while fewer than two `Medium` ones
//! are. Held requests leave by priority, then by age; the first one that may not start blocks
//! those behind it. After the tight mode this scheduler holds no requests. The next stage is the
//! scheduler of the network service, with limits for HTTP/1.1 (`delayable`). HTTP/2 and HTTP/3
//! are exempt from them, because `delay_requests_on_multiplexed_connections` is off on 4G
//! networks, which the model assumes.
//!
//! Firefox, Safari: some requests wait while others are in flight, see the profiles.
//! Their behaviour over HTTP/1.1 is not modelled further: for Firefox, the pacing of
//! requests (`network.http.pacing.requests`) and the extra connections for urgent
//! requests are left out; for Safari it is not known.
//!
//! Only requests of the page's own document are held; requests of frames leave at once.
//! The owner of the connections enforces the limit of six connections to a server.

mod delayable;

use std::collections::{BTreeSet, VecDeque};

use pagerace_core::{Instant, Priority, Protocol, RequestPriority};
use pagerace_page::{Page, ResourceId};

use self::delayable::{Delayable, Waiting, is_delayable};
use crate::Action;
use crate::cause::{Cause, Ready};
use crate::config::Profile;
use crate::graph::Graph;
use crate::paint::Layout;
use crate::profile::chrome as chrome_limits;

/// The state of the browser's request scheduler.
#[derive(Debug)]
pub(crate) struct Requests {
    profile: Profile,
    entries: Vec<Entry>,
    actions: VecDeque<Action>,
    /// Held requests, the next one to leave first.
    held: BTreeSet<(u8, u32, ResourceId)>,
    asked: u32,
    /// Chromium: true until the parser reaches the body.
    tight: bool,
    throttleable_in_flight: usize,
    medium_in_flight: usize,
    leaders_in_flight: usize,
    in_flight: usize,
    delayable: Delayable,
}

#[derive(Debug)]
struct Entry {
    class: RequestPriority,
    signal: Priority,
    throttleable: bool,
    leads: bool,
    /// The rank and age of the request while it is held.
    held: Option<(u8, u32)>,
    medium: bool,
    /// True if the browser has asked for the resource: the request is held, waiting or sent.
    asked: bool,
    requested: Option<Ready>,
    ended: bool,
    origin: usize,
    /// True if the network service's limits apply while the class is low.
    limited: bool,
    /// True if the resource belongs to the page's own document.
    main: bool,
    /// True if the request counts among the delayable requests in flight.
    delayable: bool,
}

impl Requests {
    pub(crate) fn new(page: &Page, profile: Profile, graph: &Graph, layout: &Layout) -> Self {
        let in_head = |id: ResourceId| layout.in_head(graph.nodes[id.index()].anchor);
        let entries = page
            .resources
            .iter()
            .zip(profile.first_classes(page, in_head))
            .map(|(resource, class)| {
                let main = graph.in_main_frame(resource.id);
                Entry {
                    class,
                    signal: profile.signal(resource, class),
                    throttleable: main
                        && match profile {
                            Profile::Chrome => chrome_limits::is_throttleable(resource.destination),
                            _ => profile.follows(resource, class, in_head(resource.id)),
                        },
                    leads: main && profile.leads(resource, class),
                    held: None,
                    medium: false,
                    asked: false,
                    requested: None,
                    ended: false,
                    origin: resource.origin.index(),
                    limited: false,
                    main,
                    delayable: false,
                }
            })
            .collect();
        Self {
            profile,
            entries,
            actions: VecDeque::new(),
            held: BTreeSet::new(),
            asked: 0,
            tight: true,
            throttleable_in_flight: 0,
            medium_in_flight: 0,
            leaders_in_flight: 0,
            in_flight: 0,
            delayable: Delayable::default(),
        }
    }

    /// Sets the protocol of each origin.
    pub(crate) fn set_protocols(&mut self, page: &Page, of_origin: &[Protocol]) {
        for (entry, resource) in self.entries.iter_mut().zip(&page.resources) {
            let protocol = of_origin.get(resource.origin.index());
            entry.limited =
                entry.main && self.profile == Profile::Chrome && protocol == Some(&Protocol::H1);
        }
    }

    /// Adds a request for `id`.
    pub(crate) fn ask(&mut self, now: Ready, id: ResourceId) {
        self.entries[id.index()].asked = true;
        if self.entries[id.index()].throttleable {
            self.hold(id);
            self.release(now);
        } else {
            self.grant(now, id);
        }
    }

    fn hold(&mut self, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        let age = entry.held.map_or(self.asked, |(_, age)| age);
        self.asked += u32::from(entry.held.is_none());
        let rank = match self.profile {
            Profile::Chrome => entry.class as u8,
            Profile::Firefox | Profile::Safari => entry.signal.urgency,
        };
        entry.held = Some((rank, age));
        self.held.insert((rank, age, id));
    }

    /// Starts held requests as far as the limits allow.
    fn release(&mut self, now: Ready) {
        while let Some(&(rank, age, id)) = self.held.first() {
            if !self.may_start(id) {
                return;
            }
            self.held.remove(&(rank, age, id));
            self.grant(now, id);
        }
    }

    fn may_start(&self, id: ResourceId) -> bool {
        match self.profile {
            Profile::Chrome => {
                let class = self.entries[id.index()].class;
                !self.tight
                    || class <= RequestPriority::High
                    || self.throttleable_in_flight < chrome_limits::TIGHT_LIMIT
                    || (class == RequestPriority::Medium
                        && self.medium_in_flight < chrome_limits::TIGHT_MEDIUM_LIMIT)
            }
            Profile::Firefox | Profile::Safari => self.leaders_in_flight == 0,
        }
    }

    fn grant(&mut self, now: Ready, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        entry.held = None;
        entry.medium = entry.class == RequestPriority::Medium;
        self.in_flight += 1;
        self.throttleable_in_flight += usize::from(entry.throttleable);
        self.medium_in_flight += usize::from(entry.medium);
        self.leaders_in_flight += usize::from(entry.leads);
        let (class, origin) = (entry.class, entry.origin);
        if entry.limited && is_delayable(class) && !self.delayable.may_start(origin) {
            self.delayable.hold(id, class, origin);
        } else {
            self.send(now, id);
        }
    }

    /// Sends a request that has passed all schedulers.
    fn send(&mut self, now: Ready, id: ResourceId) {
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

    fn send_delayed(&mut self, now: Ready) {
        while let Some(Waiting { id, .. }) = self.delayable.next() {
            self.send(now, id);
        }
    }

    /// Reports that the response of `id` is complete or will never be.
    pub(crate) fn ended(&mut self, now: Ready, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        if entry.requested.is_none() || entry.ended {
            return;
        }
        entry.ended = true;
        if entry.main {
            self.delayable.ended(entry.origin, entry.delayable);
        }
        self.in_flight -= 1;
        self.throttleable_in_flight -= usize::from(entry.throttleable);
        self.medium_in_flight -= usize::from(entry.medium);
        self.leaders_in_flight -= usize::from(entry.leads);
        self.send_delayed(now);
        self.release(now);
    }

    /// Ends Chromium's tight mode when the parser reaches the body.
    pub(crate) fn loosen(&mut self, now: Ready) {
        self.tight = false;
        self.release(now);
    }

    /// Changes the class and the signal of a request that is held or in flight. Does
    /// nothing if the resource was not asked for, or if its request has ended, has this
    /// signal already, or has a higher class.
    pub(crate) fn raise(
        &mut self,
        now: Ready,
        id: ResourceId,
        class: RequestPriority,
        signal: Priority,
    ) {
        let entry = &mut self.entries[id.index()];
        if !entry.asked || entry.ended || entry.signal == signal || class > entry.class {
            return;
        }
        entry.class = class;
        entry.signal = signal;
        if let Some((rank, age)) = entry.held {
            self.held.remove(&(rank, age, id));
            self.hold(id);
            self.release(now);
        } else if entry.requested.is_some() {
            if entry.delayable && !is_delayable(class) {
                entry.delayable = false;
                self.delayable.raised();
            }
            self.actions.push_back(Action::Reprioritise {
                resource: id,
                priority: signal,
            });
        } else if let Some(Waiting { origin, .. }) = self.delayable.take(id) {
            if is_delayable(class) {
                self.delayable.hold(id, class, origin);
            } else {
                self.send(now, id);
            }
            self.send_delayed(now);
        }
    }

    pub(crate) fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    pub(crate) fn requested_at(&self, id: ResourceId) -> Option<Instant> {
        self.entries[id.index()].requested.map(|ready| ready.at)
    }

    /// Returns the cause of the request for `id`.
    pub(crate) fn cause(&self, id: ResourceId) -> Option<Cause> {
        self.entries[id.index()].requested?.cause
    }

    /// Returns true if no request is held or in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.held.is_empty() && self.in_flight == 0
    }
}
