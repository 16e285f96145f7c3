//! Lets requests go, or holds them back.
//!
//! Chromium: the renderer's `ResourceLoadScheduler`. Until the parser reaches
//! the body ("tight" mode), a throttleable request below `High` starts only
//! while fewer than two throttleable requests are in flight; `Medium` ones may
//! also start while fewer than two `Medium` ones are. Held requests leave by
//! priority, then by age; the first one that may not start stops those behind
//! it. Afterwards nothing is held: the network service's limit of ten
//! delayable requests does not apply to HTTP/2 and HTTP/3
//! (`delay_requests_on_multiplexed_connections` is off).
//!
//! Firefox, Safari: some requests wait while others are in flight, see the
//! profiles.
//!
//! Only requests of the page's own document are held; frames' go at once.

use std::collections::{BTreeSet, VecDeque};

use pagerace_core::{Instant, Priority, RequestPriority};
use pagerace_page::{Page, ResourceId};

use crate::Action;
use crate::config::Profile;
use crate::graph::Graph;
use crate::paint::Layout;
use crate::profile::chrome as chrome_limits;

/// The browser's own request scheduler.
#[derive(Debug)]
pub(crate) struct Requests {
    profile: Profile,
    entries: Vec<Entry>,
    actions: VecDeque<Action>,
    /// Held requests, the next one first.
    held: BTreeSet<(u8, u32, ResourceId)>,
    asked: u32,
    /// Chromium: the parser has not reached the body.
    tight: bool,
    throttleable_in_flight: usize,
    medium_in_flight: usize,
    leaders_in_flight: usize,
    in_flight: usize,
}

#[derive(Debug)]
struct Entry {
    class: RequestPriority,
    signal: Priority,
    throttleable: bool,
    leads: bool,
    /// Its place among the held ones.
    held: Option<(u8, u32)>,
    medium: bool,
    requested: Option<Instant>,
    ended: bool,
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
                    requested: None,
                    ended: false,
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
        }
    }

    /// The browser wants `id`.
    pub(crate) fn ask(&mut self, now: Instant, id: ResourceId) {
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

    /// Starts held requests as far as the rules let them.
    fn release(&mut self, now: Instant) {
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

    fn grant(&mut self, now: Instant, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        entry.held = None;
        entry.requested = Some(now);
        entry.medium = entry.class == RequestPriority::Medium;
        self.in_flight += 1;
        self.throttleable_in_flight += usize::from(entry.throttleable);
        self.medium_in_flight += usize::from(entry.medium);
        self.leaders_in_flight += usize::from(entry.leads);
        self.actions.push_back(Action::Fetch {
            resource: id,
            priority: entry.signal,
        });
    }

    /// The response of `id` is complete or will never be.
    pub(crate) fn ended(&mut self, now: Instant, id: ResourceId) {
        let entry = &mut self.entries[id.index()];
        if entry.requested.is_none() || entry.ended {
            return;
        }
        entry.ended = true;
        self.in_flight -= 1;
        self.throttleable_in_flight -= usize::from(entry.throttleable);
        self.medium_in_flight -= usize::from(entry.medium);
        self.leaders_in_flight -= usize::from(entry.leads);
        self.release(now);
    }

    /// The parser reached the body: Chromium's limits end.
    pub(crate) fn loosen(&mut self, now: Instant) {
        self.tight = false;
        self.release(now);
    }

    /// Layout found an image in the viewport: changes the signal of a request
    /// in flight, or of one that is still held.
    pub(crate) fn boost(
        &mut self,
        now: Instant,
        id: ResourceId,
        class: RequestPriority,
        signal: Priority,
    ) {
        let entry = &mut self.entries[id.index()];
        if entry.ended || entry.signal == signal {
            return;
        }
        entry.class = class;
        entry.signal = signal;
        if let Some((rank, age)) = entry.held {
            self.held.remove(&(rank, age, id));
            self.hold(id);
            self.release(now);
        } else if entry.requested.is_some() {
            self.actions.push_back(Action::Reprioritise {
                resource: id,
                priority: signal,
            });
        }
    }

    pub(crate) fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    pub(crate) fn requested_at(&self, id: ResourceId) -> Option<Instant> {
        self.entries[id.index()].requested
    }

    /// Whether nothing is held or in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.held.is_empty() && self.in_flight == 0
    }
}
