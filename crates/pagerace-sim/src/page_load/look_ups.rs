//! Look-ups of names, over the link that all connections share.
//!
//! For each name, Chromium sends two datagrams at once, for the `A` and the `HTTPS` record, and
//! opens connections when both are answered (measured in Chromium 156). The resolver stands
//! behind the access link and answers at once. Lost datagrams are repeated.
//!
//! # Source
//! Chromium, `net/dns`: `kDnsDefaultFallbackPeriod`, `kDnsDefaultMaxFallbackPeriod` and, for a
//! missing `HTTPS` answer, `kUseDnsHttpsSvcbInsecureExtraTimeMax`.

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
use pagerace_peer::NameLookup;

use super::{PageLoad, Timer};
use crate::ScenarioError;
use crate::event_loop::Query;
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
    /// Answers that have arrived: `A` and `HTTPS`.
    answered: [bool; 2],
    /// Connections that wait for the name.
    connections: Vec<usize>,
    /// Requests that fail some time after the look-up.
    failing: Vec<ResourceId>,
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

    /// Lets the request fail once its name is resolved and its attempt is over.
    pub(super) fn fail_when_resolved(&mut self, resource: ResourceId) {
        let place = self.place_of(resource);
        self.failing += 1;
        if self.look_up(place).resolved.is_some() {
            self.schedule_failure(resource);
        } else {
            self.look_up(place).failing.push(resource);
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
    fn look_up(&mut self, place: usize) -> &mut LookUp {
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
        for (kind, answered) in self.look_ups[index].answered.into_iter().enumerate() {
            if !answered {
                let up = QUERY_BYTES + name;
                let down = if kind == 0 { up + ADDRESS_BYTES } else { up };
                let query = Query {
                    name: index,
                    kind,
                    answer_bytes: down as u32,
                };
                self.net.ask(query, up as u32);
            }
        }
        let doubled = Duration::from_nanos(FALLBACK.as_nanos() << attempts.min(8));
        let at = self.net.now + doubled.min(FALLBACK_MAX);
        self.net.schedule(at, Timer::AskAgain(index, attempts + 1));
    }

    /// Repeats the queries of a look-up that are not answered.
    pub(super) fn ask_again(&mut self, index: usize, attempts: u32) {
        if self.look_ups[index].resolved.is_none() {
            self.ask(index, attempts);
        }
    }

    /// Handles the arrival of an answer.
    pub(super) fn answered(&mut self, query: Query) -> Result<(), ScenarioError> {
        let look_up = &mut self.look_ups[query.name];
        look_up.answered[query.kind] = true;
        match look_up.answered {
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
        let tried = self.scenario.page.resource(resource).fails_after;
        let at = self.net.now + tried.unwrap_or_default();
        self.net.schedule(at, Timer::Fails(resource));
    }
}
