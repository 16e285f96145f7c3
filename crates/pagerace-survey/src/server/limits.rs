//! Limits of what one address may ask for.
//!
//! Addresses are kept in memory, as long as they have asked for something lately.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use crate::survey::Limits;

/// Maximum number of connections at a time.
const CONNECTIONS_MAX: usize = 128;
/// Maximum number of connections of one address: a class may sit behind it.
const OF_ADDRESS_MAX: usize = 64;
/// Maximum number of addresses that are kept.
const ADDRESSES_MAX: usize = 10_000;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

/// The requests of addresses so far.
#[derive(Debug)]
pub(super) struct Gate {
    limits: Limits,
    open: usize,
    addresses: BTreeMap<IpAddr, Address>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Address {
    open: usize,
    requests: Allowance,
    people: Allowance,
}

/// The rest of a number that grows back over a period.
#[derive(Clone, Copy, Debug, Default)]
struct Allowance {
    used: f64,
    at: Duration,
}

impl Allowance {
    /// Takes one of `most`, if one is left.
    fn take(&mut self, most: u32, period: Duration, now: Duration) -> bool {
        let passed = now.saturating_sub(self.at).as_secs_f64() / period.as_secs_f64();
        self.used = (self.used - passed * f64::from(most)).max(0.0);
        self.at = now;
        let fits = self.used + 1.0 <= f64::from(most);
        self.used += if fits { 1.0 } else { 0.0 };
        fits
    }

    fn is_idle(&self, period: Duration, now: Duration) -> bool {
        now.saturating_sub(self.at) > period
    }
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            open: 0,
            addresses: BTreeMap::new(),
        }
    }

    /// Opens a connection of an address, if there is room for it.
    pub(super) fn open(&mut self, address: IpAddr, now: Duration) -> bool {
        if self.open >= CONNECTIONS_MAX {
            return false;
        }
        let Some(entry) = self.entry(address, now) else {
            return false;
        };
        if entry.open >= OF_ADDRESS_MAX {
            return false;
        }
        entry.open += 1;
        self.open += 1;
        true
    }

    /// Closes it.
    pub(super) fn close(&mut self, address: IpAddr) {
        if let Some(entry) = self.addresses.get_mut(&network(address)) {
            entry.open -= 1;
            self.open -= 1;
        }
    }

    /// Counts a request of an address. Returns false if there were too many.
    pub(super) fn request(&mut self, address: IpAddr, now: Duration) -> bool {
        let most = self.limits.requests_per_address_and_minute;
        self.entry(address, now)
            .is_some_and(|entry| entry.requests.take(most, MINUTE, now))
    }

    /// Counts a person who begins at an address. Returns false if there were too many.
    pub(super) fn person(&mut self, address: IpAddr, now: Duration) -> bool {
        let most = self.limits.people_per_address_and_hour;
        self.entry(address, now)
            .is_some_and(|entry| entry.people.take(most, HOUR, now))
    }

    /// Returns what is known of an address; `None` if too many others are busy.
    fn entry(&mut self, address: IpAddr, now: Duration) -> Option<&mut Address> {
        let address = network(address);
        if self.addresses.len() >= ADDRESSES_MAX && !self.addresses.contains_key(&address) {
            self.addresses.retain(|_, one| {
                let idle = one.requests.is_idle(MINUTE, now) && one.people.is_idle(HOUR, now);
                one.open > 0 || !idle
            });
            if self.addresses.len() >= ADDRESSES_MAX {
                return None;
            }
        }
        Some(self.addresses.entry(address).or_default())
    }
}

/// Returns the address, or of IPv6 the network of 64 bits, which is one customer's.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn rates_grow_back() {
        let limits = Limits {
            people: 9,
            people_per_address_and_hour: 2,
            requests_per_address_and_minute: 3,
        };
        let mut gate = Gate::new(limits);
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let at = Duration::from_secs(5);
        let requests = [0; 4].map(|_| gate.request(one, at));
        assert_eq!(requests, [true, true, true, false]);
        assert!(gate.request(other, at));
        assert!(!gate.request(one, at + Duration::from_secs(19)));
        assert!(gate.request(one, at + Duration::from_secs(21)));
        let people = [0; 3].map(|_| gate.person(one, at));
        assert_eq!(people, [true, true, false]);
        assert!(gate.person(one, at + HOUR));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let mut gate = Gate::new(Limits {
            people_per_address_and_hour: 1,
            ..Limits::default()
        });
        assert!(gate.person(address("2001:db8::1"), Duration::ZERO));
        assert!(!gate.person(address("2001:db8::2"), Duration::ZERO));
        assert!(gate.person(address("2001:db8:0:1::2"), Duration::ZERO));
        assert!(gate.person(address("192.0.2.1"), Duration::ZERO));
        assert!(!gate.person(address("::ffff:192.0.2.1"), Duration::ZERO));
    }

    #[test]
    fn connections_and_addresses_are_bounded() {
        let mut gate = Gate::new(Limits::default());
        let one = address("192.0.2.1");
        let opened = (0..100).filter(|_| gate.open(one, Duration::ZERO)).count();
        assert_eq!(opened, OF_ADDRESS_MAX);
        gate.close(one);
        assert!(gate.open(one, Duration::ZERO));
        let others = (0..100).map(|n| address(&format!("192.0.3.{n}")));
        let opened = others.filter(|one| gate.open(*one, Duration::ZERO)).count();
        assert_eq!(opened, CONNECTIONS_MAX - OF_ADDRESS_MAX);
        for n in 0..20_000_u32 {
            gate.request(IpAddr::V4(n.into()), Duration::ZERO);
        }
        assert_eq!(gate.addresses.len(), ADDRESSES_MAX);
        let later = 2 * HOUR;
        assert!(gate.request(address("198.51.100.1"), later));
        assert!(gate.addresses.len() < 200, "{}", gate.addresses.len());
    }
}
