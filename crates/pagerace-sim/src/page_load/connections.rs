//! Opening of connections, including those left by an earlier visit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pagerace_browser::Cached;
use pagerace_core::{Duration, EventQueue, Instant, Protocol};

use super::{Connection, PageLoad};
use crate::ScenarioError;
use crate::ends::{Ends, Payload};
use crate::pool::{H1_CONNECTIONS, over_h2};
use crate::site::PageSite;
use crate::timing::SetUp;
use crate::trace::Side;
use crate::visit::Visit;

/// Idle time of connections left by an earlier visit: longer than any retransmission
/// timeout, shorter than servers' idle timeouts.
const AGE: Duration = Duration::from_secs(10);

impl PageLoad<'_> {
    /// Returns the round trip to the server of a place, without queueing.
    pub(super) fn rtt(&self, place: usize) -> Duration {
        self.scenario.network.rtt() + self.pool.places[place].extra_rtt
    }

    /// Opens a connection and returns its index.
    pub(super) fn open(&mut self, place: usize, protocol: Protocol) -> usize {
        let i = self.connections.len();
        self.pool.places[place].connections.push(i);
        self.connections.push(Connection {
            place,
            protocol,
            early: Vec::new(),
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

    /// Creates both ends of a connection, once the name is resolved.
    pub(super) fn connect(&mut self, i: usize) -> Result<(), ScenarioError> {
        if self.net.ends[i].is_some() {
            // An earlier visit left the connection open.
            return Ok(());
        }
        let ends = self.make_ends(i, self.net.now)?;
        self.net.ends[i] = Some(ends);
        self.touched.push_back(i);
        self.send_requests(i);
        if self.connections[i].protocol == Protocol::H1 {
            self.dispatch(self.connections[i].place);
        }
        self.first_ready(i);
        Ok(())
    }

    fn make_ends(&self, i: usize, now: Instant) -> Result<Ends<PageSite>, ScenarioError> {
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
    pub(super) fn early_data(&self, i: usize) -> bool {
        let connection = &self.connections[i];
        let visited = self.pool.places[connection.place].visited;
        self.connector.early_data(connection.protocol, visited)
    }

    /// Handles the completion of a connection's handshake.
    pub(super) fn connected(&mut self, i: usize) {
        let connection = &mut self.connections[i];
        connection.set_up.connected = Some(self.net.now);
        self.freed.push_back(connection.place);
        for r in connection.streams.values() {
            if let Some(p) = &mut self.progress[r.index()] {
                p.sent.get_or_insert(self.net.now);
            }
        }
        self.first_ready(i);
    }

    /// Removes a lost connection. Requests that wait need another.
    pub(super) fn lost(&mut self, i: usize) {
        self.pool.close(i);
        let Connection {
            place, protocol, ..
        } = self.connections[i];
        if self.discovers(place) && protocol == Protocol::H3 {
            self.lost_quic(place);
        }
        self.freed.push_back(place);
    }

    /// In a warm visit, opens the connections that the earlier visit left.
    pub(super) fn open_warm_connections(&mut self) -> Result<(), ScenarioError> {
        if self.scenario.visit != Visit::Warm {
            return Ok(());
        }
        let mut wanted = vec![0_usize; self.pool.places.len()];
        for r in &self.scenario.page.resources {
            let fresh = self.site.cached.get(r.id.index()) == Some(&Cached::Fresh);
            if !fresh && r.no_response.is_none() && !self.is_refused(r.id) {
                wanted[self.pool.place_of(r.id)] += 1;
            }
        }
        for (place, requests) in wanted.into_iter().enumerate() {
            if !self.pool.places[place].visited {
                continue;
            }
            let most = match self.pool.places[place].protocol {
                Protocol::H1 => H1_CONNECTIONS,
                Protocol::H2 | Protocol::H3 => 1,
            };
            for _ in 0..requests.min(most) {
                self.open_warm(place)?;
            }
        }
        Ok(())
    }

    fn open_warm(&mut self, place: usize) -> Result<(), ScenarioError> {
        let i = self.open(place, self.pool.places[place].protocol);
        let mut ends = self.make_ends(i, Instant::ZERO)?;
        establish(&mut ends, self.rtt(place));
        ends.set_age(AGE);
        self.net.ends[i] = Some(ends);
        self.connections[i].set_up.connected = Some(Instant::ZERO);
        self.touched.push_back(i);
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
