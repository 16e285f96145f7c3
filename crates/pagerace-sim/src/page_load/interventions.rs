//! Requests that are refused, and requests that are never answered.

use pagerace_core::{Destination, Protocol};
use pagerace_page::ResourceId;
use pagerace_page::intervention::Failure;

use super::PageLoad;
use crate::ids::ConnectionId;

impl PageLoad<'_> {
    fn block(&self, r: ResourceId) -> Option<Failure> {
        self.site.effects.get(r.index())?.block
    }

    /// Returns true if the request is refused before it leaves the browser.
    pub(super) fn is_refused(&self, r: ResourceId) -> bool {
        self.block(r) == Some(Failure::Refused)
    }

    /// Returns true if the request, once made, is never answered.
    pub(crate) fn hangs(&self, r: ResourceId) -> bool {
        self.block(r) == Some(Failure::Hang)
    }

    /// Fails a request at once, without a name lookup or a connection.
    pub(super) fn refuse(&mut self, r: ResourceId) {
        let resource = self.scenario.page.resource(r);
        if resource.destination == Destination::Document {
            let reason = || format!("{} is the document, and is blocked", resource.url);
            self.failure.get_or_insert_with(reason);
        }
        self.browser.handle_failure(self.net.now, r);
    }

    /// Returns the requests that were made and will never be answered.
    pub(super) fn unanswered(&self) -> Vec<ResourceId> {
        let all = (0..self.progress.len()).map(|i| ResourceId(i as u32));
        all.filter(|r| self.progress[r.index()].is_some() && self.hangs(*r))
            .collect()
    }

    /// Returns true if connection `i` has a request that will never be answered.
    pub(super) fn holds_unanswered(&self, i: ConnectionId) -> bool {
        let mut carried = self.connections[i].streams.values();
        carried.any(|r| self.hangs(*r))
    }

    /// Returns true if everything that the load waits for will never come: answers, and
    /// HTTP/1.1 requests that wait for the connections of such answers.
    pub(super) fn is_stalled(&self) -> bool {
        if self.site.effects.is_empty() || self.failing > 0 || self.browser.poll_timeout().is_some()
        {
            return false;
        }
        let hopeless = |i: usize| {
            let r = ResourceId(i as u32);
            match &self.progress[i] {
                None => true,
                Some(p) => p.over || self.hangs(r) || (p.stream.is_none() && self.is_shut_out(r)),
            }
        };
        (0..self.progress.len()).all(hopeless) && !self.unanswered().is_empty()
    }

    /// Returns true if every connection that could take the request waits for an answer
    /// that never comes. HTTP/1.1 only.
    pub(crate) fn is_shut_out(&self, r: ResourceId) -> bool {
        let place = &self.pool.places[self.place_of(r)];
        let mut open = place.connections.iter();
        place.protocol == Protocol::H1
            && !place.connections.is_empty()
            && open.all(|&i| self.holds_unanswered(i))
    }
}
