//! Rates: how many domains begin each second, and how often one address is asked.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Gives each step its time, so that no two come closer than a period.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    period: Duration,
    next: Option<Instant>,
    /// Delays that were not made up for.
    pub(crate) lost: Duration,
}

impl Pace {
    /// Creates a pace of `rate` steps each second.
    pub(crate) fn new(rate: f64) -> Self {
        Self {
            period: Duration::from_secs_f64(1.0 / rate),
            next: None,
            lost: Duration::ZERO,
        }
    }

    /// Returns the time of the next step, at or after `now`. A delay is not made up for beyond
    /// a tenth of a second: a burst would break the rate.
    pub(crate) fn next(&mut self, now: Instant) -> Instant {
        const LATE_MAX: Duration = Duration::from_millis(100);
        let earliest = now.checked_sub(LATE_MAX).unwrap_or(now);
        let due = self.next.unwrap_or(now);
        let at = due.max(earliest);
        self.lost += at - due;
        self.next = Some(at + self.period);
        at.max(now)
    }
}

/// Keeps the connections to each address apart.
#[derive(Debug)]
pub(crate) struct Addresses {
    period: Duration,
    /// The time from which each address may be asked again.
    free: BTreeMap<IpAddr, Instant>,
    /// Number of entries at which those of the past are dropped.
    clean_at: usize,
}

impl Addresses {
    /// Creates limits of `rate` connections each second to one address.
    pub(crate) fn new(rate: f64) -> Self {
        Self {
            period: Duration::from_secs_f64(1.0 / rate),
            free: BTreeMap::new(),
            clean_at: 4096,
        }
    }

    /// Returns the time at which the next connection to `address` may begin.
    pub(crate) fn next(&mut self, address: IpAddr, now: Instant) -> Instant {
        if self.free.len() >= self.clean_at {
            self.free.retain(|_, at| *at > now);
            self.clean_at = 4096.max(2 * self.free.len());
        }
        let free = self.free.entry(address).or_insert(now);
        let at = (*free).max(now);
        *free = at + self.period;
        at
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::{Duration, Instant};

    use super::{Addresses, Pace};

    #[expect(clippy::disallowed_methods, reason = "any instant will do")]
    fn start() -> Instant {
        Instant::now()
    }

    #[test]
    fn steps_keep_the_rate() {
        let start = start();
        let mut pace = Pace::new(10.0);
        for i in 0..20 {
            assert_eq!(pace.next(start), start + Duration::from_millis(100 * i));
        }
    }

    #[test]
    fn a_pause_is_not_made_up_for() {
        let start = start();
        let mut pace = Pace::new(1000.0);
        pace.next(start);
        let later = start + Duration::from_mins(1);
        let soon = (0..1000).filter(|_| pace.next(later) == later).count();
        assert!((100..=102).contains(&soon), "{soon} at once");
    }

    #[test]
    fn addresses_have_their_own_rates() {
        let start = start();
        let mut addresses = Addresses::new(2.0);
        let address = |i| IpAddr::V4(Ipv4Addr::from_bits(i));
        assert_eq!(addresses.next(address(1), start), start);
        assert_eq!(addresses.next(address(2), start), start);
        let half = Duration::from_millis(500);
        assert_eq!(addresses.next(address(1), start), start + half);
        assert_eq!(addresses.next(address(1), start), start + 2 * half);
        // Memory does not grow with the number of addresses of the past.
        for i in 0..100_000 {
            let now = start + Duration::from_secs(10 + u64::from(i));
            addresses.next(address(i), now);
        }
        assert!(addresses.free.len() < 10_000);
    }
}
