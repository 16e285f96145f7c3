//! The effects of a failed response on its dependents.

use pagerace_core::Instant;
use pagerace_page::ResourceId;

use super::Browser;
use super::state::Timer;
use crate::graph::Role;

impl Browser {
    /// Does without the response `id`, unless it is complete. The time counts from the moment at
    /// which the request leaves.
    pub(super) fn give_up(&mut self, now: Instant, id: ResourceId) {
        let Some(limit) = self.page.resources[id.index()].timeout else {
            return;
        };
        if self.states[id.index()].ended.is_some() {
            return;
        }
        let left = self.requests.requested_at(id);
        let due = left.unwrap_or(now) + limit;
        if due > now {
            self.schedule(due, Timer::GiveUp(id));
            return;
        }
        self.requests.cancel(id);
        self.response_ended(now, id, true);
    }

    /// Abandons the resources that only the failed response `id` could have led to.
    pub(super) fn abandon_children(&mut self, now: Instant, id: ResourceId) {
        let is_broken = self.states[id.index()].broken && self.graph.in_main_frame(id);
        let mut parents = vec![id];
        while let Some(parent) = parents.pop() {
            let index = parent.index();
            let node = &self.graph.nodes[index];
            let state = &self.states[index];
            let whole = state.abandoned;
            let is_beyond = |offset: u64| whole || offset > state.received;
            let scanned = node.scanned.iter().filter(|s| is_beyond(s.0)).map(|s| s.1);
            let beyond = node.stops.iter();
            let beyond = beyond.filter(|s| !s.blocks && is_beyond(s.offset));
            let mut lost: Vec<ResourceId> =
                scanned.chain(beyond.filter_map(|s| s.resource)).collect();
            lost.extend(&node.on_head);
            // A truncated document is still parsed as far as it arrived.
            if whole || node.role != Role::Html {
                lost.extend(node.on_processed.iter().map(|&(c, _)| c));
                lost.extend(&node.on_layout);
            }
            if whole {
                lost.extend(node.on_end.iter().map(|&(c, _)| c));
            }
            for child in lost {
                let state = &mut self.states[child.index()];
                if state.discovered.is_none() && !state.abandoned {
                    state.abandoned = true;
                    state.broken |= is_broken;
                    parents.push(child);
                    self.release(child);
                    self.unblock_parser(now, child);
                    self.wait_is_over(now, child);
                }
            }
        }
    }
}
