//! Look-ups of names, over the link that all connections share.
//!
//! For each name, Chromium sends two datagrams at once, for the `HTTPS` and then the `A` record, and
//! opens connections when both are answered (measured in Chromium 156). The resolver stands
//! behind the access link and answers at once. Lost datagrams are repeated.
//!
//! A name without an address takes several rounds of queries ([`Profile::asks_system`]), the
//! answer is not kept, and at most six requests to its host fail at a time, because each holds a
//! socket of its group. (Anonymous requests, which have sockets of their own, count among the same
//! six here, and the first to come are the first to fail.) Requests that come meanwhile share the look-up (measured in network logs of
//! Chromium 156).
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
use crate::event_loop::Query;
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
    /// Answers of this round that are not outstanding: `A` and `HTTPS`.
    answered: [bool; 2],
    /// Number of rounds of queries before this one.
    round: u32,
    /// Rounds of queries that are left for a name without an address, this one included.
    rounds_left: u32,
    /// Connections that wait for the name.
    connections: Vec<usize>,
    /// Requests that fail at the end of the look-up or some time after it.
    failing: VecDeque<ResourceId>,
    /// Places in which QUIC goes first after the look-up.
    heads: Vec<usize>,
}

impl PageLoad<'_> {
    /// Opens connection `i` once its name is resolved.
    pub(super) fn connect_when_resolved(&mut self, i: usize) {
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
        let index = self.pool.places[place].look_up;
        self.look_ups[index].failing.push_back(resource);
        if reason == NoResponse::NoAddress && self.look_ups[index].rounds_left == 0 {
            self.look_up_in_vain(index, true);
        }
    }

    /// Looks up a name that has no address, for the first time in an attempt or again for
    /// requests that waited for a socket.
    fn look_up_in_vain(&mut self, index: usize, is_first: bool) {
        let asks_system = self.scenario.browser.profile.asks_system;
        let mut protocols = self.pool.places.iter().map(|place| place.protocol);
        let for_quic = is_first && asks_system && protocols.any(|p| p == Protocol::H3);
        let resolvers = 1 + u32::from(asks_system);
        self.look_ups[index].rounds_left = resolvers * (1 + u32::from(for_quic));
        self.ask_in_vain(index);
    }

    /// Begins the next round of queries for a name that has no address.
    fn ask_in_vain(&mut self, index: usize) {
        let asks_system = self.scenario.browser.profile.asks_system;
        let look_up = &mut self.look_ups[index];
        // The browser's own resolver goes first. The system asks for no `HTTPS` record.
        let is_system = asks_system && look_up.rounds_left % 2 == 1;
        look_up.answered = [false, is_system];
        look_up.round += 1;
        self.ask(index, 0);
    }

    /// Ends a round of queries for a name that has no address.
    fn asked_in_vain(&mut self, index: usize) {
        let look_up = &mut self.look_ups[index];
        look_up.rounds_left -= 1;
        if look_up.rounds_left > 0 {
            return self.ask_in_vain(index);
        }
        let held = look_up.failing.len().min(H1_CONNECTIONS);
        let ended: Vec<ResourceId> = look_up.failing.drain(..held).collect();
        let others_wait = !look_up.failing.is_empty();
        for resource in ended {
            self.schedule_failure(resource);
        }
        if others_wait {
            self.look_up_in_vain(index, false);
        }
    }

    /// Lets QUIC go first from the time at which the name is resolved.
    pub(super) fn head_start_when_resolved(&mut self, place: usize) {
        if self.look_up(place).resolved.is_some() {
            let at = self.net.now + self.head_start(place);
            self.net.schedule(at, Timer::HeadStartEnds(place));
        } else {
            self.look_up(place).heads.push(place);
        }
    }

    /// Returns the look-up of a place's name, and starts it if it has not begun.
    pub(super) fn look_up(&mut self, place: usize) -> &mut LookUp {
        let index = self.pool.places[place].look_up;
        if !self.look_ups[index].asked {
            self.look_ups[index].asked = true;
            // The answers of a name cache are not known otherwise.
            let cached = self.scenario.visit == Visit::Warm && self.pool.places[place].visited;
            if cached || self.scenario.settings.name_lookup == NameLookup::None {
                self.look_ups[index].resolved = Some(self.net.now);
            } else {
                self.ask(index, 0);
            }
        }
        &mut self.look_ups[index]
    }

    /// Sends the queries of a look-up that are not answered, after they were sent `attempts`
    /// times.
    fn ask(&mut self, index: usize, attempts: u32) {
        let name = self.pool.look_ups[index];
        let (round, in_vain) = (
            self.look_ups[index].round,
            self.look_ups[index].rounds_left > 0,
        );
        let kinds = self.look_ups[index].answered.into_iter().enumerate();
        // The order decides which answer finds room in a queue that has one place left.
        for (kind, answered) in kinds.rev() {
            if !answered {
                let up = QUERY_BYTES + name;
                let has_address = kind == 0 && !in_vain;
                let down = if has_address { up + ADDRESS_BYTES } else { up };
                let query = Query {
                    name: index,
                    kind,
                    round,
                    answer_bytes: down as u32,
                };
                self.work.push_back(Work::Ask(query, up as u32));
            }
        }
        let doubled = Duration::from_nanos(FALLBACK.as_nanos() << attempts.min(8));
        let at = self.net.now + doubled.min(FALLBACK_MAX);
        self.net
            .schedule(at, Timer::AskAgain(index, round, attempts + 1));
    }

    /// Repeats the queries of a look-up that are not answered.
    pub(super) fn ask_again(&mut self, index: usize, round: u32, attempts: u32) {
        let look_up = &self.look_ups[index];
        let is_over = look_up.resolved.is_some() || look_up.answered == [true, true];
        if look_up.round == round && !is_over {
            self.ask(index, attempts);
        }
    }

    /// Handles the arrival of an answer.
    pub(super) fn answered(&mut self, query: Query) -> Result<(), ScenarioError> {
        let look_up = &mut self.look_ups[query.name];
        if look_up.round != query.round || look_up.answered[query.kind] {
            return Ok(());
        }
        look_up.answered[query.kind] = true;
        match look_up.answered {
            [true, true] if look_up.rounds_left > 0 => {
                self.asked_in_vain(query.name);
                Ok(())
            }
            _ if look_up.rounds_left > 0 => Ok(()),
            [true, true] => self.name_resolved(query.name),
            [true, false] => {
                let at = self.net.now + EXTRA;
                self.net.schedule(at, Timer::AddressSuffices(query.name));
                Ok(())
            }
            [false, _] => Ok(()),
        }
    }

    /// Opens the connections that wait for a name, and begins what else does.
    pub(super) fn name_resolved(&mut self, index: usize) -> Result<(), ScenarioError> {
        let now = self.net.now;
        let look_up = &mut self.look_ups[index];
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
