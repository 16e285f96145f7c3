//! Requests of the browser on connections.

use bytes::Bytes;
use pagerace_browser::Action;
use pagerace_core::{Instant, Priority, Protocol};
use pagerace_page::ResourceId;

use super::{PageLoad, Timer};
use crate::ids::{ConnectionId, PlaceId};
use crate::pool::H1_CONNECTIONS;
use crate::site::{Sent, request_fields};
use crate::timing::Progress;

impl PageLoad<'_> {
    pub(super) fn place_of(&self, resource: ResourceId) -> PlaceId {
        self.pool.place_of(resource)
    }

    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Fetch { resource, priority } => self.fetch(resource, priority),
            Action::LookUp { resource } => self.look_up_early(resource),
            Action::Connect { resource } => self.connect_early(resource),
            Action::Reprioritise { resource, priority } => self.reprioritise(resource, priority),
            Action::Cancel { resource } => self.cancel(resource),
        }
    }

    /// Ends a request. Over HTTP/1.1, a response that is on its way still takes its connection.
    fn cancel(&mut self, resource: ResourceId) {
        let place = self.place_of(resource);
        self.pool.places[place].drop_waiting(resource);
        let Some(progress) = &mut self.progress[resource.index()] else {
            return;
        };
        let Some(i) = progress.given else {
            progress.over = true;
            return;
        };
        let early = self.connections[i].early.len();
        self.connections[i].early.retain(|e| e.0 != resource);
        if self.connections[i].early.len() < early {
            progress.over = true;
        } else if self.connections[i].protocol != Protocol::H1
            && let Some(ends) = &mut self.net.ends[i]
        {
            progress.over = true;
            ends.cancel(u64::from(resource.0));
            self.handle_request_over(i);
            self.touch(i);
        }
    }

    /// Looks up the name of a request that follows.
    fn look_up_early(&mut self, resource: ResourceId) {
        let fails = self.scenario.page.resource(resource).no_response.is_some();
        if !fails && !self.is_refused(resource) {
            self.look_up(self.place_of(resource));
        }
    }

    /// Connects to the server of a request that may follow. Left out: connections by QUIC and TCP
    /// side by side; only the name is looked up then.
    fn connect_early(&mut self, resource: ResourceId) {
        let place = self.place_of(resource);
        if self.discovers(place) {
            self.look_up_early(resource);
            return;
        }
        let fails = self.scenario.page.resource(resource).no_response.is_some();
        let open = &self.pool.places[place];
        if open.connections.is_empty() && !fails && !self.is_refused(resource) {
            self.open(place, open.protocol);
        }
    }

    fn reprioritise(&mut self, resource: ResourceId, priority: Priority) {
        let place = self.place_of(resource);
        if self.pool.places[place].protocol == Protocol::H1 {
            // Over HTTP/1.1, only requests that wait for a connection have a priority.
            self.pool.places[place].reprioritise(priority, resource);
            return;
        }
        let waits =
            self.discovers(place) && self.pool.places[place].reprioritise(priority, resource);
        let given = self.progress[resource.index()].and_then(|p| p.given);
        let open = |i: &ConnectionId| self.pool.places[place].connections.contains(i);
        let Some(i) = given.filter(open).filter(|_| !waits) else {
            return;
        };
        let mut early = self.connections[i].early.iter_mut();
        if let Some(e) = early.find(|e| e.0 == resource) {
            e.1 = priority;
        } else if let Some(ends) = &mut self.net.ends[i] {
            ends.reprioritise(u64::from(resource.0), priority);
            self.touch(i);
        }
    }

    fn fetch(&mut self, resource: ResourceId, priority: Priority) {
        if self.is_refused(resource) {
            self.refuse(resource);
            return;
        }
        let place = self.place_of(resource);
        if let Some(reason) = self.scenario.page.resource(resource).no_response {
            self.fail_when_resolved(resource, reason);
            return;
        }
        let protocol = self.pool.places[place].protocol;
        let now = self.net.now;
        self.progress[resource.index()] = Some(Progress {
            discovered: self.browser.discovered_at(resource).unwrap_or(now),
            requested: now,
            ..Progress::default()
        });
        if protocol == Protocol::H1 {
            self.pool.places[place].wait(priority, resource);
            self.dispatch(place);
            return;
        }
        if self.discovers(place) {
            self.fetch_over_either(place, resource, priority);
            return;
        }
        let i = match self.pool.places[place].connections.first() {
            Some(&i) => i,
            None => self.open(place, protocol),
        };
        self.give(i, resource, priority);
        if protocol == Protocol::H2 {
            self.open_for_request(place);
        }
    }

    /// Gives a request to a connection.
    pub(super) fn give(&mut self, i: ConnectionId, resource: ResourceId, priority: Priority) {
        if let Some(p) = &mut self.progress[resource.index()] {
            p.given = Some(i);
        }
        self.connections[i].early.push((resource, priority));
        self.send_requests(i);
    }

    /// Ends a request that gets no response.
    pub(super) fn handle_request_failed(&mut self, resource: ResourceId) {
        self.failing -= 1;
        self.browser.handle_failure(self.net.now, resource);
    }

    /// Gives waiting requests to free connections, and opens more connections for the
    /// rest. As in Chromium, the first connection that is ready takes the request whose
    /// turn it is.
    pub(super) fn dispatch(&mut self, place: PlaceId) {
        while let Some(i) = self.free_connection(place) {
            let Some((priority, resource)) = self.pool.places[place].next_waiting() else {
                return;
            };
            self.give_idle(i, resource, priority);
        }
        loop {
            let open = &self.pool.places[place];
            let connecting = |i: &&ConnectionId| {
                let c = &self.connections[**i];
                c.busy == 0 && !self.is_usable(**i)
            };
            let coming = open.connections.iter().filter(connecting).count();
            if coming >= open.waiting() || open.connections.len() >= H1_CONNECTIONS {
                return;
            }
            self.open(place, Protocol::H1);
        }
    }

    /// Gives a request to an idle HTTP/1.1 connection. Over one that was not ready until now, it
    /// leaves at once; over others, after
    /// [`Browser::reuse_time`](pagerace_browser::Browser::reuse_time).
    fn give_idle(&mut self, i: ConnectionId, resource: ResourceId, priority: Priority) {
        let now = self.net.now;
        let time = self.browser.reuse_time(resource);
        match self.connections[i].set_up.connected {
            Some(connected) if connected < now && !time.is_zero() => {
                if let Some(p) = &mut self.progress[resource.index()] {
                    p.given = Some(i);
                }
                self.connections[i].early.push((resource, priority));
                self.net.schedule(now + time, Timer::Leaves(i));
            }
            _ => self.give(i, resource, priority),
        }
    }

    /// Returns an idle connection: the one used last, or the oldest if none was used, as
    /// Chromium's `ClientSocketPool` chooses.
    fn free_connection(&self, place: PlaceId) -> Option<ConnectionId> {
        let open = &self.pool.places[place].connections;
        let free = |i: &ConnectionId| {
            let c = &self.connections[*i];
            c.busy == 0 && c.early.is_empty() && self.is_usable(*i)
        };
        let rank = |i: &ConnectionId| {
            let c = &self.connections[*i];
            (c.idle_since.unwrap_or(Instant::ZERO), std::cmp::Reverse(*i))
        };
        open.iter().copied().filter(free).max_by_key(rank)
    }

    /// Returns true if a request can leave on the connection now, or with its handshake.
    pub(super) fn is_usable(&self, i: ConnectionId) -> bool {
        let c = &self.connections[i];
        self.net.ends[i].is_some() && (c.set_up.connected.is_some() || self.early_data(i))
    }

    /// Gives a connection the requests that wait for its ends, once both exist. Over HTTP/2,
    /// requests wait until the connection is ready, because another may be ready sooner.
    pub(super) fn send_requests(&mut self, i: ConnectionId) {
        let now = self.net.now;
        if self.connections[i].protocol == Protocol::H2 && !self.is_usable(i) {
            return;
        }
        let Some(ends) = &mut self.net.ends[i] else {
            return;
        };
        let connection = &mut self.connections[i];
        for (resource, priority) in connection.early.drain(..) {
            let kind = self.scenario.page.resource(resource).destination;
            let is_first = connection.kinds.is_empty();
            let sent = match (connection.protocol, connection.kinds.insert(kind)) {
                (Protocol::H2, false) => Sent::Kind,
                (Protocol::H2, true) if !is_first => Sent::Common,
                _ => Sent::None,
            };
            let fields = request_fields(&self.scenario.page, resource, sent);
            let body = match self.scenario.page.resource(resource).request_body_bytes {
                0 => None,
                n => Some(Bytes::from(vec![0; n as usize])),
            };
            connection.busy += 1;
            ends.request(now, u64::from(resource.0), fields, Some(priority), body);
        }
        self.touch(i);
    }

    /// Handles the end of a request of connection `i`, successful or not.
    pub(crate) fn handle_request_over(&mut self, i: ConnectionId) {
        let now = self.net.now;
        let connection = &mut self.connections[i];
        connection.busy = connection.busy.saturating_sub(1);
        connection.idle_since = Some(now);
        self.freed.push_back(connection.place);
    }
}
