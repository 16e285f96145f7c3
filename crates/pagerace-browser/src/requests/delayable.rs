//! Chromium's limits on requests over HTTP/1.1.
//!
//! The network service's `ResourceScheduler`
//! (`services/network/resource_scheduler/resource_scheduler.cc`, `ShouldStartRequest`): a
//! request is delayable if its net priority is below `MEDIUM`
//! (`kDelayablePriorityThreshold`), which is Blink's `High`, and its server does not
//! support priorities, as only servers of HTTP/2 and HTTP/3 do. A delayable request
//! starts while fewer than ten delayable requests are in flight in its document, and
//! fewer than six requests of any kind to its server. Waiting requests leave by priority,
//! then by age; requests to a busy server are skipped.
//!
//! Rules of Chromium that are left out: a server without an earlier connection counts as
//! one without priorities; a request that has waited for 15 s starts anyway
//! (`max_queuing_time`); on networks that Chromium classifies as 3G or slower, the limit
//! is eight, counts other requests too and applies to all protocols
//! (`resource_scheduler_params_manager.cc`).

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::RequestPriority;
use pagerace_page::ResourceId;

/// The maximum number of delayable requests in flight
/// (`kDefaultMaxNumDelayableRequestsPerClient`).
const DELAYABLE_MAX: usize = 10;
/// A delayable request starts only while fewer requests than this are in flight to its
/// server (`kMaxNumDelayableRequestsPerHostPerClient`).
const PER_SERVER_MAX: usize = 6;

/// Returns true if a request of this class can be delayable.
pub(super) fn is_delayable(class: RequestPriority) -> bool {
    class > RequestPriority::High
}

/// The requests in flight of one document, and its waiting delayable requests.
#[derive(Debug, Default)]
pub(super) struct Delayable {
    in_flight: usize,
    /// Requests of any class in flight, by origin.
    to_server: BTreeMap<usize, usize>,
    waiting: BTreeSet<Waiting>,
    asked: u32,
}

/// A waiting delayable request, ordered by class and age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    class: RequestPriority,
    age: u32,
    id: ResourceId,
    origin: usize,
}

impl Delayable {
    /// Returns true if a delayable request to `origin` may start now.
    pub(super) fn may_start(&self, origin: usize) -> bool {
        let to_server = self.to_server.get(&origin).copied().unwrap_or(0);
        self.in_flight < DELAYABLE_MAX && to_server < PER_SERVER_MAX
    }

    /// Adds a request that may not start yet.
    pub(super) fn hold(&mut self, id: ResourceId, class: RequestPriority, origin: usize) {
        let age = self.asked;
        self.asked += 1;
        self.waiting.insert(Waiting {
            class,
            age,
            id,
            origin,
        });
    }

    /// Removes a waiting request; returns false if it is not waiting.
    pub(super) fn take(&mut self, id: ResourceId) -> bool {
        self.remove(id).is_some()
    }

    /// Moves a waiting request to another class. It keeps its age.
    pub(super) fn reclassify(&mut self, id: ResourceId, class: RequestPriority) {
        if let Some(waiting) = self.remove(id) {
            self.waiting.insert(Waiting { class, ..waiting });
        }
    }

    fn remove(&mut self, id: ResourceId) -> Option<Waiting> {
        let waiting = self.waiting.iter().find(|w| w.id == id).copied()?;
        self.waiting.remove(&waiting);
        Some(waiting)
    }

    /// Removes the next request that may start.
    pub(super) fn next(&mut self) -> Option<ResourceId> {
        let next = self.waiting.iter().find(|w| self.may_start(w.origin));
        let next = next.copied()?;
        self.waiting.remove(&next);
        Some(next.id)
    }

    pub(super) fn started(&mut self, origin: usize, delayable: bool) {
        *self.to_server.entry(origin).or_default() += 1;
        self.in_flight += usize::from(delayable);
    }

    pub(super) fn ended(&mut self, origin: usize, delayable: bool) {
        *self.to_server.entry(origin).or_default() -= 1;
        self.in_flight -= usize::from(delayable);
    }

    /// Handles a delayable request in flight that became too urgent to be delayable.
    /// Waiting requests stay until the next response ends, as in Chromium.
    pub(super) fn raised(&mut self) {
        self.in_flight -= 1;
    }
}

#[cfg(test)]
mod tests;
