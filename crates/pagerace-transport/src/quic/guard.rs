//! Protection of a server from clients that open connections without using them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv6Addr};

use pagerace_core::{Duration, Instant};

use super::host::ConnectionId;

/// Limits on connections from unknown clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Maximum duration of a handshake. Connections that exceed it are dropped.
    pub handshake_timeout: Duration,
    /// Time without packets after which a connection is closed. Over TCP, the time without
    /// completed requests and without bytes of a response accepted by the client.
    pub idle_timeout: Duration,
    /// Over TCP, the rate in bytes per second at which bytes make up for time: one byte more of
    /// a response or of a request's body puts the end of `idle_timeout` off by its reciprocal.
    pub rate_min: u64,
    /// Number of half-open QUIC connections at which clients must prove by a Retry token
    /// that they receive at their address (RFC 9000, section 8.1.2).
    pub unvalidated_max: usize,
    /// Maximum number of concurrent connections from one IPv4 address or one IPv6 /64
    /// network, including half-open ones. Further connections are refused.
    pub per_address_max: usize,
}

impl Guard {
    /// Returns the network that a single client is assumed to own: an IPv4 address or an
    /// IPv6 /64.
    pub fn network(address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            IpAddr::V6(v6) => {
                let prefix = v6.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from_bits(prefix))
            }
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

impl Default for Guard {
    /// 10 s for the handshake, 60 s idle, 500 bytes per second (as `MinRate` in the default
    /// configuration of Apache's `mod_reqtimeout`), 64 half-open connections and 256 per address.
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            rate_min: 500,
            unvalidated_max: 64,
            per_address_max: 256,
        }
    }
}

/// The answer to a client's first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Accept,
    /// Send a Retry packet and keep no state.
    Validate,
    Refuse,
}

/// The guard's state: the accepted connections of one server.
#[derive(Debug)]
pub(super) struct Door {
    guard: Guard,
    half_open: BTreeSet<ConnectionId>,
    /// Handshake deadlines in ascending order, as all handshakes have the same timeout.
    deadlines: VecDeque<(Instant, ConnectionId)>,
    networks: BTreeMap<ConnectionId, IpAddr>,
    per_network: BTreeMap<IpAddr, usize>,
}

impl Door {
    pub(super) fn new(guard: Guard) -> Self {
        Self {
            guard,
            half_open: BTreeSet::new(),
            deadlines: VecDeque::new(),
            networks: BTreeMap::new(),
            per_network: BTreeMap::new(),
        }
    }

    /// Decides on a client's first packet. `validated` is true if it carries a valid token.
    pub(super) fn admit(&self, address: IpAddr, validated: bool) -> Admission {
        let open = self.per_network.get(&Guard::network(address));
        if open.is_some_and(|n| *n >= self.guard.per_address_max) {
            Admission::Refuse
        } else if !validated && self.half_open.len() >= self.guard.unvalidated_max {
            Admission::Validate
        } else {
            Admission::Accept
        }
    }

    /// Records an accepted connection.
    pub(super) fn handle_opened(&mut self, now: Instant, id: ConnectionId, address: IpAddr) {
        let network = Guard::network(address);
        self.half_open.insert(id);
        self.deadlines
            .push_back((now + self.guard.handshake_timeout, id));
        self.networks.insert(id, network);
        *self.per_network.entry(network).or_default() += 1;
    }

    /// Records that a connection's handshake is complete.
    pub(super) fn handle_established(&mut self, id: ConnectionId) {
        self.half_open.remove(&id);
        self.skip_settled();
    }

    /// Records that a connection has ended.
    pub(super) fn handle_closed(&mut self, id: ConnectionId) {
        self.half_open.remove(&id);
        self.skip_settled();
        let Some(network) = self.networks.remove(&id) else {
            return;
        };
        if let Some(open) = self.per_network.get_mut(&network) {
            *open -= 1;
            if *open == 0 {
                self.per_network.remove(&network);
            }
        }
    }

    /// Returns the deadline of the next handshake.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadlines.front().map(|(at, _)| *at)
    }

    /// Removes and returns a connection whose handshake has taken too long.
    pub(super) fn pop_overdue(&mut self, now: Instant) -> Option<ConnectionId> {
        let (_, id) = *self.deadlines.front().filter(|(at, _)| *at <= now)?;
        self.deadlines.pop_front();
        self.half_open.remove(&id);
        self.skip_settled();
        Some(id)
    }

    /// Drops deadlines until the first one belongs to a half-open connection.
    fn skip_settled(&mut self) {
        while let Some((_, id)) = self.deadlines.front()
            && !self.half_open.contains(id)
        {
            self.deadlines.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: Guard = Guard {
        handshake_timeout: Duration::from_secs(5),
        idle_timeout: Duration::from_secs(60),
        rate_min: 500,
        unvalidated_max: 2,
        per_address_max: 3,
    };

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn second(n: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(n)
    }

    #[test]
    fn many_half_open_connections_make_it_ask_for_a_token() {
        let mut door = Door::new(GUARD);
        let one = address("192.0.2.1");
        for id in 0..2 {
            assert_eq!(door.admit(one, false), Admission::Accept);
            door.handle_opened(second(0), ConnectionId(id), one);
        }
        assert_eq!(door.admit(one, false), Admission::Validate);
        assert_eq!(door.admit(one, true), Admission::Accept);
        door.handle_established(ConnectionId(0));
        assert_eq!(door.admit(one, false), Admission::Accept);
    }

    #[test]
    fn a_network_has_its_share_until_its_connections_close() {
        let mut door = Door::new(GUARD);
        for (id, host) in ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:1"]
            .iter()
            .enumerate()
        {
            door.handle_opened(second(0), ConnectionId(id as u64), address(host));
        }
        let same = address("2001:db8::7");
        assert_eq!(door.admit(same, true), Admission::Refuse);
        assert_eq!(
            door.admit(address("2001:db8:0:1::7"), true),
            Admission::Accept
        );
        door.handle_closed(ConnectionId(1));
        assert_eq!(door.admit(same, true), Admission::Accept);
    }

    #[test]
    fn only_unfinished_handshakes_are_overdue() {
        let mut door = Door::new(GUARD);
        for id in 0..3 {
            door.handle_opened(second(id), ConnectionId(id), address("192.0.2.1"));
        }
        door.handle_established(ConnectionId(0));
        assert_eq!(door.deadline(), Some(second(6)));
        assert_eq!(door.pop_overdue(second(5)), None);
        assert_eq!(door.pop_overdue(second(9)), Some(ConnectionId(1)));
        door.handle_closed(ConnectionId(2));
        assert_eq!(door.deadline(), None);
    }
}
