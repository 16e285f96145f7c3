//! Discovery of HTTP/3, and the race of QUIC with TCP, as in Chromium.
//!
//! # Source
//! Chromium 153, `net/http/http_stream_factory_job_controller.cc` and
//! `net/quic/quic_session_pool.cc`: a request takes a QUIC session that exists, else an HTTP/2
//! session that exists, else the first of both that is ready. A request never moves to another
//! session. QUIC also goes on connecting once TCP has won.

use pagerace_core::{Duration, Priority, Protocol};
use pagerace_page::ResourceId;
use pagerace_peer::H3Discovery;

use super::PageLoad;
use crate::ids::{ConnectionId, PlaceId};
use crate::pool::Place;
use crate::visit::Visit;

/// Time by which TCP lets QUIC go first, if no round trip to the server is known.
///
/// # Source
/// `kDefaultDelayMilliSecsForWaitingJob` of Chromium 153.
const HEAD_START: Duration = Duration::from_millis(300);

/// The longest such time: `kMaxDelayTimeForMainJobSecs` of Chromium 153.
const HEAD_START_MAX: Duration = Duration::from_secs(3);

impl PageLoad<'_> {
    /// Returns true if the browser may use both QUIC and TCP for this place.
    pub(super) fn discovers(&self, place: PlaceId) -> bool {
        self.scenario.settings.h3_discovery != H3Discovery::Known
            && self.pool.places[place].protocol == Protocol::H3
    }

    /// Gives a request to a connection that is ready. Otherwise the request waits for the first
    /// of QUIC and TCP, or takes TCP if QUIC does not take part.
    pub(super) fn fetch_over_either(
        &mut self,
        place: PlaceId,
        resource: ResourceId,
        priority: Priority,
    ) {
        let quic = self.connection_over(place, Protocol::H3);
        let tcp = self.connection_over(place, Protocol::H2);
        let first_visit = self.scenario.settings.h3_discovery == H3Discovery::AltSvcFirstVisit;
        let origin = self.scenario.page.resource(resource).origin;
        let Place {
            announced, broken, ..
        } = &self.pool.places[place];
        let tries = !broken && (!first_visit || announced.contains(&origin));
        // An origin that has not announced HTTP/3 takes no part in a QUIC session of others.
        let mut both = [quic.filter(|_| tries), tcp].into_iter().flatten();
        if let Some(i) = both.find(|i| self.is_usable(*i)) {
            self.give(i, resource, priority);
        } else if tries {
            self.pool.places[place].wait(priority, resource);
        } else {
            let i = tcp.unwrap_or_else(|| self.open(place, Protocol::H2));
            self.give(i, resource, priority);
            self.open_for_request(place);
        }
        if tries && quic.is_none() {
            self.open(place, Protocol::H3);
            if tcp.is_none() {
                self.head_start_when_resolved(place);
            }
        }
    }

    /// Leaves a place without QUIC. Chromium does not try it again for some time, and requests
    /// that wait take TCP.
    pub(super) fn handle_quic_lost(&mut self, place: PlaceId) {
        self.pool.places[place].broken = true;
        while let Some((priority, resource)) = self.pool.places[place].next_waiting() {
            let tcp = self.connection_over(place, Protocol::H2);
            let i = tcp.unwrap_or_else(|| self.open(place, Protocol::H2));
            self.give(i, resource, priority);
        }
    }

    /// Returns the time by which TCP lets QUIC go first.
    pub(super) fn head_start(&self, place: PlaceId) -> Duration {
        let known = self.scenario.settings.h3_discovery == H3Discovery::AltSvc
            || (self.scenario.visit != Visit::Cold && self.pool.places[place].visited);
        if known {
            // The browser has stored the round trip of the earlier visit.
            let rtt = self.rtt(place);
            Duration::from_nanos(rtt.as_nanos() * 3 / 2).min(HEAD_START_MAX)
        } else if self.quic_has_worked {
            HEAD_START
        } else {
            Duration::ZERO
        }
    }

    /// Opens a TCP connection if requests still wait.
    pub(super) fn handle_head_start_end(&mut self, place: PlaceId) {
        let waiting = self.pool.places[place].waiting() > 0;
        if waiting && self.connection_over(place, Protocol::H2).is_none() {
            self.open(place, Protocol::H2);
        }
    }

    /// Gives the requests that wait for either connection to the first that is ready.
    pub(super) fn give_to_first_ready(&mut self, i: ConnectionId) {
        let connection = &self.connections[i];
        let place = connection.place;
        if !self.discovers(place) || !self.is_usable(i) {
            return;
        }
        self.quic_has_worked |= connection.protocol == Protocol::H3;
        while let Some((priority, resource)) = self.pool.places[place].next_waiting() {
            self.give(i, resource, priority);
        }
    }

    /// Notes that a response has announced HTTP/3 for its origin (RFC 7838).
    pub(super) fn handle_announcement(&mut self, i: ConnectionId, resource: ResourceId) {
        let place = self.connections[i].place;
        let origin = self.scenario.page.resource(resource).origin;
        self.pool.places[place].announced.insert(origin);
    }

    fn connection_over(&self, place: PlaceId, protocol: Protocol) -> Option<ConnectionId> {
        let mut open = self.pool.places[place].connections.iter().copied();
        open.find(|i| self.connections[*i].protocol == protocol)
    }
}
