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

use super::{PageLoad, Timer};
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
    pub(super) fn discovers(&self, place: usize) -> bool {
        self.scenario.settings.h3_discovery != H3Discovery::Known
            && self.pool.places[place].protocol == Protocol::H3
    }

    /// Gives a request to a connection that is ready, or lets it wait for the first one.
    pub(super) fn fetch_over_either(
        &mut self,
        place: usize,
        resource: ResourceId,
        priority: Priority,
    ) {
        let quic = self.connection_over(place, Protocol::H3);
        let tcp = self.connection_over(place, Protocol::H2);
        let ready = [quic, tcp].into_iter().flatten();
        let ready = ready.into_iter().find(|i| self.is_usable(*i));
        match ready {
            Some(i) => self.give(i, resource, priority),
            None => self.pool.places[place].wait(priority, resource),
        }
        let first_visit = self.scenario.settings.h3_discovery == H3Discovery::AltSvcFirstVisit;
        if quic.is_none() && (!first_visit || self.pool.places[place].announced) {
            self.open(place, Protocol::H3);
            if tcp.is_none() {
                let at = self.resolved_at(place) + self.head_start(place);
                self.net.schedule(at, Timer::HeadStartEnds(place));
            }
        } else if quic.is_none() && tcp.is_none() {
            self.open(place, Protocol::H2);
        }
    }

    /// Returns the time by which TCP lets QUIC go first.
    fn head_start(&self, place: usize) -> Duration {
        let known = self.scenario.settings.h3_discovery == H3Discovery::AltSvc
            || self.scenario.visit != Visit::Cold;
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

    /// Opens a TCP connection, unless requests have found one that is ready.
    pub(super) fn head_start_ends(&mut self, place: usize) {
        let waiting = self.pool.places[place].waiting() > 0;
        if waiting && self.connection_over(place, Protocol::H2).is_none() {
            self.open(place, Protocol::H2);
        }
    }

    /// Gives the requests that wait for either connection to the first that is ready.
    pub(super) fn first_ready(&mut self, i: usize) {
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

    /// Notes that a response over TCP has announced HTTP/3 (RFC 7838).
    pub(super) fn announced(&mut self, i: usize) {
        let place = self.connections[i].place;
        self.pool.places[place].announced = true;
    }

    fn connection_over(&self, place: usize, protocol: Protocol) -> Option<usize> {
        let mut open = self.pool.places[place].connections.iter().copied();
        open.find(|i| self.connections[*i].protocol == protocol)
    }
}
