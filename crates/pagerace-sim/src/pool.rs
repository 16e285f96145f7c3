//! Assignment of requests to connections.
//!
//! Origins that share connections share one [`Place`], except that requests without
//! credentials and frames of other sites have places of their own. Over HTTP/2 and HTTP/3, a place
//! has one connection that takes every request; until it is ready, others may compete. Over
//! HTTP/1.1, it has up to six (Chromium's `kDefaultMaxSocketsPerGroup`, net/socket, as in Firefox
//! and Safari), and a request waits until one is free.

use std::collections::BTreeSet;

use pagerace_core::{Destination, Duration, Priority, Protocol};
use pagerace_page::{NoResponse, OriginId, Page, Resource, ResourceId};

use crate::ids::{ById, ConnectionId, LookUpId, PlaceId};
use pagerace_peer::{Connections, LoadSettings, OriginRtt};

/// Maximum number of HTTP/1.1 connections to one host.
pub(crate) const H1_CONNECTIONS: usize = 6;

/// A group of origins that share connections.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) protocol: Protocol,
    /// Name for deriving seeds, independent of the order in which places open
    /// connections.
    pub(crate) name: String,
    /// Open connections, in order of opening.
    pub(crate) connections: Vec<ConnectionId>,
    /// Round trip beyond the access link.
    pub(crate) extra_rtt: Duration,
    /// True if earlier visits of the page, if any, reached the servers.
    pub(crate) visited: bool,
    /// Look-up of its name, which places of the same hosts share.
    pub(crate) look_up: LookUpId,
    /// Origins that the browser knows to speak HTTP/3, because their own responses announced it
    /// (RFC 7838, section 2: an alternative service belongs to one origin).
    pub(crate) announced: BTreeSet<OriginId>,
    /// True once a QUIC connection was lost while TCP is an alternative.
    pub(crate) broken: bool,
    /// Requests that wait for a connection, most urgent first: over HTTP/1.1 for a free one, and
    /// for the first of QUIC and TCP that is ready.
    waiting: Vec<(Priority, ResourceId)>,
}

/// Returns the round trip of each origin of a page beyond the access link. A single connection
/// has one server, at its end.
pub fn distances(page: &Page, settings: &LoadSettings) -> Vec<Duration> {
    let recorded = page.origins.iter().map(|origin| origin.recorded_rtt);
    let mut known: Vec<Duration> = recorded.clone().flatten().collect();
    known.sort_unstable();
    let single = settings.connections == Connections::Single;
    match (settings.origin_rtt, known.as_slice()) {
        (OriginRtt::Recorded, [nearest, ..]) if !single => {
            let median = known[known.len() / 2];
            recorded
                .map(|rtt| rtt.unwrap_or(median).saturating_sub(*nearest))
                .collect()
        }
        _ => vec![Duration::ZERO; page.origins.len()],
    }
}

/// Returns the name of a group of origins over HTTP/2.
pub(crate) fn over_h2(group: &str) -> String {
    format!("h2/{group}")
}

/// Part of the key of a connection besides its servers.
///
/// # Source
/// Fetch standard, "connection pool": network partition key and credentials
/// (<https://fetch.spec.whatwg.org/#concept-connection-pool>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Partition {
    /// True for requests without credentials.
    anonymous: bool,
    /// True for requests of frames of other sites, whose names are looked up apart, too.
    foreign: bool,
}

impl Partition {
    const PLAIN: Self = Self {
        anonymous: false,
        foreign: false,
    };

    /// Returns the name of a place with these servers.
    fn of(self, servers: &str) -> String {
        let frame = if self.foreign { "/frame" } else { "" };
        let anonymous = if self.anonymous { "/anonymous" } else { "" };
        format!("{servers}{frame}{anonymous}")
    }
}

/// Returns the partition of each resource of a page.
fn partitions(page: &Page, frames: bool) -> Vec<Partition> {
    let mut all: Vec<Partition> = Vec::with_capacity(page.resources.len());
    for resource in &page.resources {
        // A parent precedes its children.
        let parent = resource.discovery.trigger.parent();
        let inherited = parent.is_some_and(|parent| all[parent.index()].foreign);
        let is_frame = |r: &Resource| r.destination == Destination::Iframe;
        all.push(Partition {
            anonymous: resource.anonymous,
            foreign: frames && (inherited || is_frame(resource) && resource.third_party),
        });
    }
    all
}

/// Assignment of resources to places.
#[derive(Debug)]
pub(crate) struct Pool {
    of_resource: Vec<PlaceId>,
    pub(crate) places: ById<PlaceId, Place>,
    /// Length of each name to look up, in bytes.
    pub(crate) look_ups: ById<LookUpId, usize>,
}

impl Pool {
    /// Creates the pool of a load of `page`, whose resources have these protocols. If `frames` is
    /// set, frames of other sites have connections of their own.
    pub(crate) fn new(
        page: &Page,
        settings: &LoadSettings,
        protocols: &[Protocol],
        frames: bool,
    ) -> Self {
        let connections = settings.connections;
        let distances = distances(page, settings);
        let partitions = match connections {
            Connections::PerOrigin => partitions(page, frames),
            Connections::Single => vec![Partition::PLAIN; page.resources.len()],
        };
        let mut places: ById<PlaceId, Place> = ById::default();
        let mut names: ById<LookUpId, String> = ById::default();
        let mut look_ups: ById<LookUpId, usize> = ById::default();
        let mut of_resource = Vec::with_capacity(page.resources.len());
        // A name is looked up once, whatever versions of HTTP its requests have.
        let mut looked_up: Vec<((OriginId, bool), LookUpId)> = Vec::new();
        let resources = page.resources.iter().zip(partitions).zip(protocols);
        for ((resource, partition), &protocol) in resources {
            let origin = page.origin(resource.origin);
            let extra_rtt = distances[resource.origin.index()];
            let group = match connections {
                Connections::PerOrigin => origin.connection_group,
                Connections::Single => 0,
            };
            let servers = match (protocol, connections) {
                _ if resource.no_response == Some(NoResponse::NoAddress) => {
                    format!("no-address/{}", origin.host)
                }
                (Protocol::H3, _) => group.to_string(),
                (Protocol::H2, _) => over_h2(&group.to_string()),
                // HTTP/1.1 connections belong to one origin.
                (Protocol::H1, Connections::PerOrigin) => {
                    format!("h1/origin/{}", resource.origin.0)
                }
                (Protocol::H1, Connections::Single) => "h1/0".to_owned(),
            };
            let name = partition.of(&servers);
            let asker = (resource.origin, partition.foreign);
            let has_address = resource.no_response != Some(NoResponse::NoAddress);
            let known = places.ids().find(|place| places[*place].name == name);
            let place = known.unwrap_or_else(|| {
                let credentialed = Partition {
                    anonymous: false,
                    ..partition
                };
                let host = credentialed.of(&servers);
                let mut asked = looked_up.iter().filter(|_| has_address);
                let own = asked.find(|(other, _)| *other == asker);
                let own = own.map(|(_, look_up)| *look_up);
                let look_up = own.or_else(|| names.ids().find(|id| names[*id] == host));
                let look_up = look_up.unwrap_or_else(|| {
                    let look_up = names.next_id();
                    names.push(host);
                    look_ups.push(origin.host.len());
                    look_up
                });
                let place = places.next_id();
                places.push(Place::new(protocol, name, extra_rtt, look_up));
                place
            });
            of_resource.push(place);
            if has_address && looked_up.iter().all(|(other, _)| *other != asker) {
                looked_up.push((asker, places[place].look_up));
            }
            // Origins that share connections have one server.
            let place = &mut places[place];
            place.extra_rtt = place.extra_rtt.min(extra_rtt);
            place.visited |= !origin.unvisited;
        }
        Self {
            of_resource,
            places,
            look_ups,
        }
    }

    /// Notes the origins that announced HTTP/3 to an earlier visit; browsers remember `alt-svc`.
    pub(crate) fn remember_announcements(&mut self, page: &Page) {
        for (resource, place) in page.resources.iter().zip(&self.of_resource) {
            if !page.origin(resource.origin).unvisited {
                self.places[*place].announced.insert(resource.origin);
            }
        }
    }

    pub(crate) fn place_of(&self, resource: ResourceId) -> PlaceId {
        self.of_resource[resource.index()]
    }

    /// Removes a closed connection, so that the next request opens another.
    pub(crate) fn close(&mut self, connection: ConnectionId) {
        for place in self.places.iter_mut() {
            place.connections.retain(|open| *open != connection);
        }
    }
}

impl Place {
    fn new(protocol: Protocol, name: String, extra_rtt: Duration, look_up: LookUpId) -> Self {
        Self {
            protocol,
            name,
            extra_rtt,
            visited: false,
            connections: Vec::new(),
            look_up,
            announced: BTreeSet::new(),
            broken: false,
            waiting: Vec::new(),
        }
    }

    /// Returns the number of requests that wait for a connection.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Queues a request behind those of at least the same urgency, as Chromium's socket
    /// pools do.
    pub(crate) fn wait(&mut self, priority: Priority, resource: ResourceId) {
        let behind = |(other, _): &(Priority, _)| other.urgency <= priority.urgency;
        let at = self.waiting.partition_point(behind);
        self.waiting.insert(at, (priority, resource));
    }

    /// Changes the priority of a waiting request. Returns false if the request does not
    /// wait.
    pub(crate) fn reprioritise(&mut self, priority: Priority, resource: ResourceId) -> bool {
        let Some(at) = self.waiting.iter().position(|(_, r)| *r == resource) else {
            return false;
        };
        self.waiting.remove(at);
        self.wait(priority, resource);
        true
    }

    /// Removes a waiting request.
    pub(crate) fn drop_waiting(&mut self, resource: ResourceId) {
        self.waiting.retain(|(_, waiting)| *waiting != resource);
    }

    /// Removes and returns the request whose turn it is.
    pub(crate) fn next_waiting(&mut self) -> Option<(Priority, ResourceId)> {
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn the_most_urgent_goes_first_then_the_oldest() {
        let mut place = Place::new(Protocol::H1, String::new(), Duration::ZERO, Id::new(0));
        let with = |urgency| Priority::new(urgency, false);
        place.wait(with(3), ResourceId(1));
        place.wait(with(0), ResourceId(2));
        place.wait(with(3), ResourceId(3));
        place.wait(with(0), ResourceId(4));
        assert!(place.reprioritise(with(1), ResourceId(3)));
        assert!(!place.reprioritise(with(1), ResourceId(9)));
        let order: Vec<u32> = std::iter::from_fn(|| place.next_waiting())
            .map(|(_, r)| r.0)
            .collect();
        assert_eq!(order, [2, 4, 3, 1]);
    }
}
