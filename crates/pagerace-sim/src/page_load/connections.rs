//! Opening of connections, including those left by an earlier visit.
//!
//! If the first TCP connection to a server takes long to be established, browsers open another
//! ([`Profile::backup_connection`]), and requests take the first that is ready. So a lost SYN
//! costs less than its retransmission timeout. On paths with long round trips, the other
//! connection is opened without any loss: HTTP/1.1 then has two from the start, and HTTP/2 leaves
//! the second idle.
//!
//! A browser that has not talked to a server does not know that it speaks HTTP/2. Until the first
//! connection is ready, it opens one for each request, at most six, as over HTTP/1.1. The first
//! that is ready takes all requests, and the browser closes the others. Their handshakes share
//! the link: six `ClientHello`s of today take 67 ms of an uplink of 1.5 Mbit/s.
//!
//! [`Profile::backup_connection`]: pagerace_browser::Profile::backup_connection
//!
//! # Source
//! Chromium, `net/socket/transport_client_socket_pool.cc` (`OnBackupJobTimerFired`) and
//! `net/http/http_stream_factory_job.cc` (`ShouldThrottleConnectForSpdy`: only requests to servers
//! that are known to speak HTTP/2 wait for each other). Packets of live loads of Chromium 156 show
//! both.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use pagerace_browser::Cached;
use pagerace_core::{Duration, EventQueue, Instant, Protocol};
use pagerace_page::Resource;
use pagerace_peer::Connections;

use super::{Connection, PageLoad, Timer};
use crate::ScenarioError;
use crate::ends::{Ends, Payload};
use crate::ids::{ById, ConnectionId, LookUpId, PlaceId};
use crate::pool::{H1_CONNECTIONS, over_h2};
use crate::site::PageSite;
use crate::timing::SetUp;
use crate::trace::Side;
use crate::visit::Visit;

/// Idle time of connections left by an earlier visit: longer than any retransmission
/// timeout, shorter than servers' idle timeouts.
const AGE: Duration = Duration::from_secs(10);

/// Time from the last message of a TLS handshake until the first request, in milliseconds.
/// Meanwhile, packets of other connections leave. Source: kernel traces of Chromium 156, 0.33 ms
/// in the median of 32 connections over HTTP/1.1 (0.18 to 1.5).
const FIRST_REQUEST_MS: f64 = 0.33;

impl PageLoad<'_> {
    /// Returns the round trip to the server of a place, without queueing.
    pub(super) fn rtt(&self, place: PlaceId) -> Duration {
        self.scenario.network.rtt() + self.pool.places[place].extra_rtt
    }

    /// Opens a connection.
    pub(super) fn open(&mut self, place: PlaceId, protocol: Protocol) -> ConnectionId {
        let i = self.connections.next_id();
        let open = &mut self.pool.places[place].connections;
        let mut others = open.iter().map(|i| self.connections[*i].protocol);
        let is_first = protocol.is_tcp() && !others.any(Protocol::is_tcp);
        open.push(i);
        if is_first {
            self.schedule_backup(place);
        }
        self.connections.push(Connection {
            place,
            protocol,
            backs_up: None,
            for_request: false,
            early: Vec::new(),
            kinds: BTreeSet::new(),
            set_up: SetUp {
                opened: self.net.now,
                resolved: None,
                connected: None,
            },
            busy: 0,
            idle_since: None,
            streams: BTreeMap::new(),
        });
        self.net.ends.push(None);
        self.connect_when_resolved(i);
        i
    }

    /// Opens another connection over HTTP/2 while requests wait for the place's first one, unless
    /// the browser knows that the servers speak HTTP/2.
    pub(super) fn open_for_request(&mut self, place: PlaceId) {
        let of_place = &self.pool.places[place];
        // A place that discovers HTTP/3 may also have a QUIC connection, for other origins.
        let over_h2 = |i: &ConnectionId| self.connections[*i].protocol == Protocol::H2;
        let open: Vec<ConnectionId> = of_place
            .connections
            .iter()
            .copied()
            .filter(over_h2)
            .collect();
        let waiting = open.iter().map(|i| self.connections[*i].early.len()).sum();
        let is_wanted = (1..H1_CONNECTIONS.min(waiting)).contains(&open.len());
        let returns = self.scenario.visit != Visit::Cold && of_place.visited;
        let single = self.scenario.settings.connections == Connections::Single;
        if !is_wanted || single || returns || self.speaks_h2(of_place.look_up) {
            return;
        }
        let first = open[0];
        let i = self.open(place, Protocol::H2);
        self.connections[i].backs_up = Some(first);
        self.connections[i].for_request = true;
    }

    /// Returns true if a connection to servers of this name has been ready.
    fn speaks_h2(&self, look_up: LookUpId) -> bool {
        let mut all = self.connections.iter();
        all.any(|connection| {
            let same = self.pool.places[connection.place].look_up == look_up;
            same && connection.protocol == Protocol::H2 && connection.set_up.connected.is_some()
        })
    }

    /// Closes the connections over HTTP/2 that compete with connection `i`, which is ready.
    fn close_rivals(&mut self, i: ConnectionId) {
        let place = self.connections[i].place;
        let is_rival = |j: &ConnectionId| {
            let other = &self.connections[*j];
            *j != i
                && other.protocol == Protocol::H2
                && other.set_up.connected.is_none()
                && (other.for_request || self.connections[i].for_request)
        };
        let open = &mut self.pool.places[place].connections;
        for j in open.extract_if(.., |j| is_rival(j)) {
            if let Some(ends) = &mut self.net.ends[j] {
                ends.close();
            }
        }
    }

    fn schedule_backup(&mut self, place: PlaceId) {
        if let Some(patience) = self.scenario.browser.profile.backup_connection {
            let at = self.net.now + patience;
            self.net.schedule(at, Timer::BackUp(place));
        }
    }

    /// Opens another connection if the oldest one over TCP that is not ready is not even
    /// established, and requests wait for it. While the name is looked up, or if there are as
    /// many connections as the browser opens, this is tried again later.
    pub(super) fn back_up(&mut self, place: PlaceId) {
        let open = &self.pool.places[place].connections;
        let mut coming = open.iter().filter(|i| {
            let connection = &self.connections[**i];
            connection.protocol.is_tcp() && connection.set_up.connected.is_none()
        });
        let Some(&i) = coming.next() else {
            return;
        };
        let is_full = open.len() >= H1_CONNECTIONS;
        match &self.net.ends[i] {
            Some(ends) if ends.is_established() => {}
            Some(_) if !is_full => {
                let requests_wait =
                    self.pool.places[place].waiting() > 0 || !self.connections[i].early.is_empty();
                if requests_wait {
                    let other = self.open(place, self.connections[i].protocol);
                    self.connections[other].backs_up = Some(i);
                }
            }
            _ => self.schedule_backup(place),
        }
    }

    /// Lets connection `i`, which is ready, take the requests of older ones over HTTP/2 that
    /// are not.
    fn overtake(&mut self, i: ConnectionId) {
        let open = &self.pool.places[self.connections[i].place].connections;
        let older = open.iter().copied().take_while(|j| *j != i);
        let late = |j: &ConnectionId| {
            let connection = &self.connections[*j];
            connection.protocol == Protocol::H2 && !self.is_usable(*j)
        };
        let late: Vec<ConnectionId> = older.filter(late).collect();
        for j in late {
            for (resource, priority) in std::mem::take(&mut self.connections[j].early) {
                self.give(i, resource, priority);
            }
            let open = &mut self.pool.places[self.connections[i].place].connections;
            open.retain(|other| *other != j);
            open.push(j);
        }
    }

    /// Creates both ends of a connection, once the name is resolved.
    pub(super) fn connect(&mut self, i: ConnectionId) -> Result<(), ScenarioError> {
        let open = &self.pool.places[self.connections[i].place].connections;
        if self.net.ends[i].is_some() || !open.contains(&i) {
            // An earlier visit left the connection open, or the browser needs it no more.
            return Ok(());
        }
        let ends = self.make_ends(i, self.net.now)?;
        self.net.ends[i] = Some(ends);
        self.touch(i);
        self.send_requests(i);
        if self.connections[i].protocol == Protocol::H1 {
            self.dispatch(self.connections[i].place);
        }
        self.give_to_first_ready(i);
        Ok(())
    }

    fn make_ends(&self, i: ConnectionId, now: Instant) -> Result<Ends<PageSite>, ScenarioError> {
        let Connection {
            place, protocol, ..
        } = self.connections[i];
        let place = &self.pool.places[place];
        // The name does not contain the order of opening, which a strategy may change.
        let name = match (place.protocol, protocol) {
            (Protocol::H3, Protocol::H2) => Cow::Owned(over_h2(&place.name)),
            _ => Cow::Borrowed(place.name.as_str()),
        };
        let mut ends =
            self.connector
                .connect(protocol, &name, place.visited, now, self.site.clone())?;
        ends.extra_delay = Duration::from_nanos(place.extra_rtt.as_nanos() / 2);
        Ok(ends)
    }

    /// Returns true if requests may leave with the connection's first flight.
    pub(super) fn early_data(&self, i: ConnectionId) -> bool {
        let connection = &self.connections[i];
        let visited = self.pool.places[connection.place].visited;
        self.connector.early_data(connection.protocol, visited)
    }

    /// Handles the completion of a connection's handshake.
    pub(super) fn handle_handshake_done(&mut self, i: ConnectionId) {
        if self.connections[i].protocol == Protocol::H3 || self.early_data(i) {
            return self.handle_connected(i);
        }
        let cost = Duration::from_millis_f64(FIRST_REQUEST_MS * self.scenario.browser.cpu);
        self.net.schedule(self.net.now + cost, Timer::Usable(i));
    }

    /// Takes a connection into use, unless it was lost since its handshake.
    pub(super) fn handle_usable(&mut self, i: ConnectionId) {
        let place = self.connections[i].place;
        if self.pool.places[place].connections.contains(&i) {
            self.handle_connected(i);
        }
    }

    fn handle_connected(&mut self, i: ConnectionId) {
        let connection = &mut self.connections[i];
        connection.set_up.connected = Some(self.net.now);
        self.freed.push_back(connection.place);
        for r in connection.streams.values() {
            if let Some(p) = &mut self.progress[r.index()] {
                p.sent.get_or_insert(self.net.now);
            }
        }
        if self.connections[i].protocol == Protocol::H2 {
            self.overtake(i);
            self.close_rivals(i);
        }
        self.send_requests(i);
        self.give_to_first_ready(i);
    }

    /// Returns true if requests wait for this connection, and no other can take them. Over
    /// HTTP/1.1, they wait for another connection again.
    pub(super) fn strands_requests(&self, i: ConnectionId) -> bool {
        let open = &self.pool.places[self.connections[i].place].connections;
        let waits_here = self.connections[i].protocol != Protocol::H1;
        waits_here && !self.connections[i].early.is_empty() && open.iter().all(|other| *other == i)
    }

    /// Removes a lost connection. Requests that wait need another.
    pub(super) fn handle_lost(&mut self, i: ConnectionId) {
        self.pool.close(i);
        let Connection {
            place, protocol, ..
        } = self.connections[i];
        if self.discovers(place) && protocol == Protocol::H3 {
            self.handle_quic_lost(place);
        }
        for (resource, priority) in std::mem::take(&mut self.connections[i].early) {
            if protocol == Protocol::H1 {
                self.pool.places[place].wait(priority, resource);
            } else if let Some(&other) = self.pool.places[place].connections.first() {
                self.give(other, resource, priority);
            } else {
                if let Some(p) = &mut self.progress[resource.index()] {
                    p.over = true;
                }
                self.browser.handle_failure(self.net.now, resource);
            }
        }
        self.freed.push_back(place);
    }

    /// In a warm visit, opens the connections that the earlier visit left.
    pub(super) fn open_warm_connections(&mut self) -> Result<(), ScenarioError> {
        if self.scenario.visit != Visit::Warm {
            return Ok(());
        }
        let mut wanted: ById<PlaceId, usize> = vec![0; self.pool.places.len()].into();
        for r in &self.scenario.page.resources {
            let fresh = self.site.cached.get(r.id.index()) == Some(&Cached::Fresh);
            if !fresh && r.no_response.is_none() && !self.is_refused(r.id) {
                wanted[self.pool.place_of(r.id)] += 1;
            }
        }
        for place in wanted.ids() {
            if !self.pool.places[place].visited {
                continue;
            }
            let most = match self.pool.places[place].protocol {
                Protocol::H1 => H1_CONNECTIONS,
                Protocol::H2 | Protocol::H3 => 1,
            };
            for _ in 0..wanted[place].min(most) {
                self.open_warm(place)?;
            }
        }
        Ok(())
    }

    fn open_warm(&mut self, place: PlaceId) -> Result<(), ScenarioError> {
        let i = self.open(place, self.pool.places[place].protocol);
        let of_place = |r: &&Resource| self.pool.place_of(r.id) == place;
        let before = self.scenario.page.resources.iter().filter(of_place);
        self.connections[i].kinds = before.map(|r| r.destination).collect();
        let mut ends = self.make_ends(i, Instant::ZERO)?;
        establish(&mut ends, self.rtt(place));
        ends.set_age(AGE);
        self.net.ends[i] = Some(ends);
        self.connections[i].set_up.connected = Some(Instant::ZERO);
        self.touch(i);
        Ok(())
    }
}

/// Completes the handshake of both ends and lets them become idle, within [`AGE`] of
/// their own time, over a path that has a delay and nothing else.
fn establish<S: pagerace_peer::Site>(ends: &mut Ends<S>, rtt: Duration) {
    let mut buf = Vec::new();
    let half = Duration::from_nanos(rtt.as_nanos() / 2);
    let mut path: EventQueue<(Side, Payload)> = EventQueue::new();
    let mut now = Instant::ZERO;
    loop {
        for (from, to) in [(Side::Client, Side::Server), (Side::Server, Side::Client)] {
            while let Some((_, payload)) = ends.transmit(now, from, &mut buf) {
                path.schedule(now + half, (to, payload));
            }
        }
        let timeouts = [Side::Client, Side::Server].map(|side| ends.poll_timeout(side));
        let next = timeouts.into_iter().flatten().chain(path.next_at()).min();
        let Some(next) = next.filter(|at| *at <= Instant::ZERO + AGE) else {
            break;
        };
        now = next;
        while let Some((_, (to, payload))) = path.pop_due(now) {
            ends.handle(now, to, payload);
        }
        for (side, at) in [Side::Client, Side::Server].into_iter().zip(timeouts) {
            if at.is_some_and(|at| at <= now) {
                ends.handle_timeout(now, side);
            }
        }
    }
    while ends.poll_event().is_some() {}
    ends.take_frames();
    ends.drain_packets(|_, _| {});
}
