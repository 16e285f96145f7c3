//! Assignment of requests to connections.
//!
//! Origins that share connections share one [`Place`]. Over HTTP/2 and HTTP/3, a place
//! has one connection, which takes every request. Over HTTP/1.1, it has up to six
//! (Chromium's `kDefaultMaxSocketsPerGroup`, net/socket, as in Firefox and Safari), and a
//! request waits until one is free.

use pagerace_core::{Duration, Instant, Priority, Protocol};
use pagerace_page::{OriginId, Page, ResourceId};

use crate::protocols::ProtocolMap;
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
    pub(crate) connections: Vec<usize>,
    /// Round trip beyond the access link.
    pub(crate) extra_rtt: Duration,
    /// True if earlier visits of the page, if any, reached the servers.
    pub(crate) visited: bool,
    /// Time at which the name is resolved, once a lookup was made.
    pub(crate) resolved_at: Option<Instant>,
    /// True once a response has announced HTTP/3.
    pub(crate) announced: bool,
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

/// Assignment of origins to places.
#[derive(Debug)]
pub(crate) struct Pool {
    of_origin: Vec<usize>,
    pub(crate) places: Vec<Place>,
}

impl Pool {
    pub(crate) fn new(page: &Page, settings: &LoadSettings, protocols: &ProtocolMap) -> Self {
        let connections = settings.connections;
        let mut places: Vec<Place> = Vec::new();
        let mut of_origin = Vec::new();
        for (origin, extra_rtt) in page.origins.iter().zip(distances(page, settings)) {
            let protocol = protocols.of(origin);
            let group = match connections {
                Connections::PerOrigin => origin.connection_group,
                Connections::Single => 0,
            };
            let name = match (protocol, connections) {
                (Protocol::H3, _) => group.to_string(),
                (Protocol::H2, _) => over_h2(&group.to_string()),
                // HTTP/1.1 connections belong to one origin.
                (Protocol::H1, Connections::PerOrigin) => format!("h1/origin/{}", of_origin.len()),
                (Protocol::H1, Connections::Single) => "h1/0".to_owned(),
            };
            let known = places.iter().position(|place| place.name == name);
            of_origin.push(known.unwrap_or_else(|| {
                places.push(Place::new(protocol, name, extra_rtt));
                places.len() - 1
            }));
            // Origins that share connections have one server.
            let place = &mut places[of_origin[of_origin.len() - 1]];
            place.extra_rtt = place.extra_rtt.min(extra_rtt);
            place.visited |= !origin.unvisited;
        }
        Self { of_origin, places }
    }

    /// Returns the index of an origin's place.
    pub(crate) fn place_of(&self, origin: OriginId) -> usize {
        self.of_origin[origin.index()]
    }

    /// Removes a closed connection, so that the next request opens another.
    pub(crate) fn close(&mut self, connection: usize) {
        for place in &mut self.places {
            place.connections.retain(|open| *open != connection);
        }
    }
}

impl Place {
    fn new(protocol: Protocol, name: String, extra_rtt: Duration) -> Self {
        Self {
            protocol,
            name,
            extra_rtt,
            visited: false,
            connections: Vec::new(),
            resolved_at: None,
            announced: false,
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

    /// Removes and returns the request whose turn it is.
    pub(crate) fn next_waiting(&mut self) -> Option<(Priority, ResourceId)> {
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_goes_first_then_the_oldest() {
        let mut place = Place::new(Protocol::H1, String::new(), Duration::ZERO);
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
