//! Chromium's limits on requests over HTTP/1.1.
//!
//! The network service's `ResourceScheduler`
//! (`services/network/resource_scheduler/resource_scheduler.cc`,
//! `ShouldStartRequest`): a request is delayable if its net priority is below
//! `MEDIUM` (`kDelayablePriorityThreshold`), which is Blink's `High`, and its
//! server supports no priorities, as only servers of HTTP/2 and HTTP/3 do.
//! A delayable request starts while fewer than ten delayable ones are in
//! flight in its document, and fewer than six requests of any kind to its
//! server. Waiting ones leave by priority, then by age; those of a busy server
//! are passed over.
//!
//! Leaves out: that a server which nobody has talked to yet counts as one
//! without priorities; that a request which has waited for 15 s starts anyway
//! (`max_queuing_time`); networks that Chromium takes for 3G or slower, where
//! the limit is eight, counts others too and holds for all protocols
//! (`resource_scheduler_params_manager.cc`).

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::RequestPriority;
use pagerace_page::ResourceId;

/// Most delayable requests in flight
/// (`kDefaultMaxNumDelayableRequestsPerClient`).
const DELAYABLE_MAX: usize = 10;
/// Most requests to one server in flight at which a delayable one may start
/// (`kMaxNumDelayableRequestsPerHostPerClient`).
const PER_SERVER_MAX: usize = 6;

/// Whether a request of this class can be delayable.
pub(super) fn is_delayable(class: RequestPriority) -> bool {
    class > RequestPriority::High
}

/// Requests in flight of one document, and the delayable ones that wait.
#[derive(Debug, Default)]
pub(super) struct Delayable {
    in_flight: usize,
    /// By origin; of any class.
    to_server: BTreeMap<usize, usize>,
    waiting: BTreeSet<Waiting>,
    asked: u32,
}

/// A delayable request that waits, the next one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiting {
    pub(super) class: RequestPriority,
    age: u32,
    pub(super) id: ResourceId,
    pub(super) origin: usize,
}

impl Delayable {
    /// Whether a delayable request to `origin` may start now.
    pub(super) fn may_start(&self, origin: usize) -> bool {
        let to_server = self.to_server.get(&origin).copied().unwrap_or(0);
        self.in_flight < DELAYABLE_MAX && to_server < PER_SERVER_MAX
    }

    /// Keeps a request that may not start.
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

    /// Gives back a request that waits; `None` if it does not.
    pub(super) fn take(&mut self, id: ResourceId) -> Option<Waiting> {
        let found = self.waiting.iter().find(|w| w.id == id).copied()?;
        self.waiting.remove(&found);
        Some(found)
    }

    /// Gives back the next request that may start.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        let next = self.waiting.iter().find(|w| self.may_start(w.origin));
        let next = next.copied()?;
        self.waiting.remove(&next);
        Some(next)
    }

    pub(super) fn started(&mut self, origin: usize, delayable: bool) {
        *self.to_server.entry(origin).or_default() += 1;
        self.in_flight += usize::from(delayable);
    }

    pub(super) fn ended(&mut self, origin: usize, delayable: bool) {
        *self.to_server.entry(origin).or_default() -= 1;
        self.in_flight -= usize::from(delayable);
    }

    /// A delayable request in flight became too urgent to be one. What waits
    /// stays until the next response ends, as in Chromium.
    pub(super) fn raised(&mut self) {
        self.in_flight -= 1;
    }
}

#[cfg(test)]
mod tests;
