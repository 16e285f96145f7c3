//! Look-ups of names, over the link that all connections share.
//!
//! For each name, Chromium sends two datagrams at once, for the `HTTPS` and then the `A` record,
//! and opens connections when both are answered (measured in Chromium 156). The resolver stands
//! behind the access link and answers at once. Lost datagrams are repeated.
//!
//! A name without an address takes several rounds of queries ([`Profile::asks_system`]), the
//! answer is not kept, and at most six requests to its host fail at a time, because each holds a
//! socket of its group. (Anonymous requests, which have sockets of their own, count among the same
//! six here, and the first to come are the first to fail.) Requests that come meanwhile share the
//! look-up (measured in network logs of Chromium 156).
//!
//! [`Profile::asks_system`]: pagerace_browser::Profile::asks_system
//!
//! # Source
//! Chromium, `net/dns`: `kDnsDefaultFallbackPeriod`, `kDnsDefaultMaxFallbackPeriod` and, for a
//! missing `HTTPS` answer, `kUseDnsHttpsSvcbInsecureExtraTimeMax`.

use std::collections::VecDeque;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_page::{NoResponse, ResourceId};
use pagerace_peer::NameLookup;

use super::{PageLoad, Timer, Work};
use crate::ScenarioError;
use crate::event_loop::{Query, QueryKind};
use crate::ids::{ConnectionId, LookUpId, PlaceId};
use crate::pool::H1_CONNECTIONS;
use crate::visit::Visit;

/// Time after which a datagram is repeated; it doubles with each repetition.
const FALLBACK: Duration = Duration::from_secs(1);
const FALLBACK_MAX: Duration = Duration::from_secs(5);
/// Maximum time for which an address waits for the answer to the `HTTPS` query.
const EXTRA: Duration = Duration::from_millis(50);

/// Bytes of the IPv4 and UDP headers, of a DNS header, and of a question besides its name.
const QUERY_BYTES: usize = 28 + 12 + 6;
/// Bytes of an `A` record with a compressed name.
const ADDRESS_BYTES: usize = 16;

/// State of one look-up.
#[derive(Clone, Debug, Default)]
pub(super) struct LookUp {
    resolved: Option<Instant>,
    asked: bool,
    /// Answers of this round that are not outstanding, by [`QueryKind`].
    answered: [bool; 2],
    /// Number of rounds of queries before this one.
    round: u32,
    /// Rounds of queries that are left for a name without an address, this one included.
    rounds_left: u32,
    /// Connections that wait for the name.
    connections: Vec<ConnectionId>,
    /// Requests that fail at the end of the look-up or some time after it.
    failing: VecDeque<ResourceId>,
    /// Places in which QUIC goes first after the look-up.
    heads: Vec<PlaceId>,
}

impl PageLoad<'_> {
    /// Opens connection `i` once its name is resolved.
    pub(super) fn connect_when_resolved(&mut self, i: ConnectionId) {
        let place = self.connections[i].place;
        if self.look_up(place).resolved.is_some() {
            self.connections[i].set_up.resolved = Some(self.net.now);
            self.net.schedule(self.net.now, Timer::Resolved(i));
        } else {
            self.look_up(place).connections.push(i);
        }
    }

    /// Lets the request fail once its name is looked up and its attempt is over.
    pub(super) fn fail_when_resolved(&mut self, resource: ResourceId, reason: NoResponse) {
        let place = self.place_of(resource);
        self.failing += 1;
        let is_known = match reason {
            NoResponse::NoAddress => self.scenario.settings.name_lookup == NameLookup::None,
            NoResponse::After(_) => self.look_up(place).resolved.is_some(),
        };
        if is_known {
            return self.schedule_failure(resource);
        }
        let id = self.pool.places[place].look_up;
        self.look_ups[id].failing.push_back(resource);
        if reason == NoResponse::NoAddress && self.look_ups[id].rounds_left == 0 {
            self.look_up_in_vain(id, true);
        }
    }

    /// Looks up a name that has no address, for the first time in an attempt or again for
    /// requests that waited for a socket.
    fn look_up_in_vain(&mut self, id: LookUpId, is_first: bool) {
        let asks_system = self.scenario.browser.profile.asks_system;
        let mut protocols = self.pool.places.iter().map(|place| place.protocol);
        let for_quic = is_first && asks_system && protocols.any(|p| p == Protocol::H3);
        let resolvers = 1 + u32::from(asks_system);
        self.look_ups[id].rounds_left = resolvers * (1 + u32::from(for_quic));
        self.ask_in_vain(id);
    }

    /// Begins the next round of queries for a name that has no address.
    fn ask_in_vain(&mut self, id: LookUpId) {
        let asks_system = self.scenario.browser.profile.asks_system;
        let look_up = &mut self.look_ups[id];
        // The browser's own resolver goes first. The system asks for no `HTTPS` record.
        let is_system = asks_system && look_up.rounds_left % 2 == 1;
        look_up.answered = [false, is_system];
        look_up.round += 1;
        self.ask(id, 0);
    }

    /// Ends a round of queries for a name that has no address.
    fn handle_vain_round(&mut self, id: LookUpId) {
        let look_up = &mut self.look_ups[id];
        look_up.rounds_left -= 1;
        if look_up.rounds_left > 0 {
            return self.ask_in_vain(id);
        }
        let held = look_up.failing.len().min(H1_CONNECTIONS);
        let ended: Vec<ResourceId> = look_up.failing.drain(..held).collect();
        let others_wait = !look_up.failing.is_empty();
        for resource in ended {
            self.schedule_failure(resource);
        }
        if others_wait {
            self.look_up_in_vain(id, false);
        }
    }

    /// Lets QUIC go first from the time at which the name is resolved.
    pub(super) fn head_start_when_resolved(&mut self, place: PlaceId) {
        if self.look_up(place).resolved.is_some() {
            let at = self.net.now + self.head_start(place);
            self.net.schedule(at, Timer::HeadStartEnds(place));
        } else {
            self.look_up(place).heads.push(place);
        }
    }

    /// Returns the look-up of a place's name, and starts it if it has not begun.
    pub(super) fn look_up(&mut self, place: PlaceId) -> &mut LookUp {
        let id = self.pool.places[place].look_up;
        if !self.look_ups[id].asked {
            self.look_ups[id].asked = true;
            // The answers of a name cache are not known otherwise.
            let cached = self.scenario.visit == Visit::Warm && self.pool.places[place].visited;
            if cached || self.scenario.settings.name_lookup == NameLookup::None {
                self.look_ups[id].resolved = Some(self.net.now);
            } else {
                self.ask(id, 0);
            }
        }
        &mut self.look_ups[id]
    }

    /// Sends the queries of a look-up that are not answered, after they were sent `attempts`
    /// times.
    fn ask(&mut self, id: LookUpId, attempts: u32) {
        let name = self.pool.look_ups[id];
        let (round, in_vain) = (self.look_ups[id].round, self.look_ups[id].rounds_left > 0);
        let answered = self.look_ups[id].answered;
        // The order decides which answer finds room in a queue that has one place left.
        for kind in [QueryKind::Https, QueryKind::Address] {
            if !answered[kind as usize] {
                let up = QUERY_BYTES + name;
                let has_address = kind == QueryKind::Address && !in_vain;
                let down = if has_address { up + ADDRESS_BYTES } else { up };
                let query = Query {
                    look_up: id,
                    kind,
                    round,
                    answer_bytes: down as u32,
                };
                self.work.push_back(Work::Ask {
                    query,
                    size: up as u32,
                });
            }
        }
        let doubled = Duration::from_nanos(FALLBACK.as_nanos() << attempts.min(8));
        let at = self.net.now + doubled.min(FALLBACK_MAX);
        let timer = Timer::AskAgain {
            look_up: id,
            round,
            attempts: attempts + 1,
        };
        self.net.schedule(at, timer);
    }

    /// Repeats the queries of a look-up that are not answered.
    pub(super) fn ask_again(&mut self, id: LookUpId, round: u32, attempts: u32) {
        let look_up = &self.look_ups[id];
        let is_over = look_up.resolved.is_some() || look_up.answered == [true, true];
        if look_up.round == round && !is_over {
            self.ask(id, attempts);
        }
    }

    /// Handles the arrival of an answer.
    pub(super) fn handle_answer(&mut self, query: Query) -> Result<(), ScenarioError> {
        let look_up = &mut self.look_ups[query.look_up];
        if look_up.round != query.round || look_up.answered[query.kind as usize] {
            return Ok(());
        }
        look_up.answered[query.kind as usize] = true;
        match look_up.answered {
            [true, true] if look_up.rounds_left > 0 => {
                self.handle_vain_round(query.look_up);
                Ok(())
            }
            _ if look_up.rounds_left > 0 => Ok(()),
            [true, true] => self.handle_resolved(query.look_up),
            [true, false] => {
                let at = self.net.now + EXTRA;
                self.net.schedule(at, Timer::AddressSuffices(query.look_up));
                Ok(())
            }
            [false, _] => Ok(()),
        }
    }

    /// Opens the connections that wait for a name, and begins what else does.
    pub(super) fn handle_resolved(&mut self, id: LookUpId) -> Result<(), ScenarioError> {
        let now = self.net.now;
        let look_up = &mut self.look_ups[id];
        if look_up.resolved.is_some() {
            return Ok(());
        }
        look_up.resolved = Some(now);
        let connections = std::mem::take(&mut look_up.connections);
        let failing = std::mem::take(&mut look_up.failing);
        let heads = std::mem::take(&mut look_up.heads);
        for i in connections {
            self.connections[i].set_up.resolved = Some(now);
            self.connect(i)?;
        }
        for resource in failing {
            self.schedule_failure(resource);
        }
        for place in heads {
            self.head_start_when_resolved(place);
        }
        Ok(())
    }

    fn schedule_failure(&mut self, resource: ResourceId) {
        let tried = match self.scenario.page.resource(resource).no_response {
            Some(NoResponse::After(tried)) => tried,
            Some(NoResponse::NoAddress) | None => Duration::ZERO,
        };
        let at = self.net.now + tried;
        self.net.schedule(at, Timer::Fails(resource));
    }
}
