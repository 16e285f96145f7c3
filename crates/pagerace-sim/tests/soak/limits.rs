//! Limits that the links of a network set, computed here a second time.

use pagerace_core::{Duration, Instant};
use pagerace_net::schedule::{End, Piece, Schedule};
use pagerace_net::trace::{OPPORTUNITY_BYTES, Shape};
use pagerace_net::{Delay, Distribution, Jitter, LinkConfig, Network, Rate};
use pagerace_sim::ledger::{Fate, WirePacket};

/// Work of a link: bits per second times nanoseconds.
const BIT: u128 = 1_000_000_000;

/// Limits of both directions, which no run can beat.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) down: Direction,
    pub(crate) up: Direction,
}

/// Limits of one link.
#[derive(Clone, Debug)]
pub(crate) struct Direction(LinkConfig);

impl Limits {
    pub(crate) fn of(network: &Network) -> Self {
        Self {
            down: Direction(network.down.clone()),
            up: Direction(network.up.clone()),
        }
    }

    /// Returns the shortest delays of both directions together.
    pub(crate) fn round_trip(&self) -> Duration {
        self.down.shortest() + self.up.shortest()
    }
}

impl Direction {
    /// Returns the work that the link can do from the start until `at`.
    fn capacity(&self, at: Instant) -> u128 {
        let ns = at.as_nanos();
        match &self.0.rate {
            Rate::Constant(rate) | Rate::TokenBucket { rate, .. } => {
                u128::from(rate.bits_per_second()) * u128::from(ns)
            }
            Rate::Changing(schedule) => scheduled(schedule, ns),
            Rate::Trace(trace) => {
                let length = trace.period().as_nanos();
                let (times, rest) = (u128::from(ns / length), ns % length);
                let within = |until: u64| match trace.shape() {
                    Shape::Opportunities(o) => {
                        let due = o.runs().iter();
                        let due = due.take_while(|(ms, _)| u64::from(*ms) * 1_000_000 <= until);
                        let count: u128 = due.map(|(_, count)| u128::from(*count)).sum();
                        count * u128::from(OPPORTUNITY_BYTES) * 8 * BIT
                    }
                    Shape::Steps(steps) => {
                        let pieces = steps
                            .steps()
                            .iter()
                            .map(|&(lasts, rate)| (lasts, rate, rate));
                        area(pieces, until)
                    }
                };
                times * within(length) + within(rest)
            }
        }
    }

    /// Returns the work that may be done at once in addition: a bucket, the rest of an
    /// opportunity, and two nanoseconds of the greatest rate for rounding.
    fn slack(&self) -> u128 {
        let bits = |bytes: u32| u128::from(bytes) * 8 * BIT;
        let (at_once, rate) = match &self.0.rate {
            Rate::Constant(rate) => (0, rate.bits_per_second()),
            Rate::TokenBucket { rate, burst } => (bits(*burst), rate.bits_per_second()),
            Rate::Changing(schedule) => (0, schedule.max()),
            Rate::Trace(trace) => match trace.shape() {
                Shape::Opportunities(_) => (bits(OPPORTUNITY_BYTES), 0),
                Shape::Steps(s) => (0, s.steps().iter().map(|s| s.1).max().unwrap_or_default()),
            },
        };
        at_once + 2 * u128::from(rate)
    }

    /// Returns the bytes that can cross from the start until `at`.
    pub(crate) fn bytes_until(&self, at: Instant) -> u64 {
        ((self.capacity(at) + self.slack()) / 8 / BIT) as u64
    }

    /// Returns the shortest delay of a packet that crosses at `at`.
    fn least_delay(&self, at: Instant) -> Duration {
        self.less_jitter(self.0.delay.at(at))
    }

    /// Returns the shortest delay at any time.
    fn shortest(&self) -> Duration {
        let least = match &self.0.delay {
            Delay::Constant(delay) => *delay,
            Delay::Changing(schedule) => {
                let pieces = schedule.pieces().iter().map(|p| p.from.min(p.to));
                let stays = match schedule.end() {
                    End::Stays(value) => Some(value),
                    End::Repeats => None,
                };
                Duration::from_nanos(pieces.chain(stays).min().unwrap_or_default())
            }
        };
        self.less_jitter(least)
    }

    fn less_jitter(&self, delay: Duration) -> Duration {
        match self.0.jitter {
            None => delay,
            Some(Jitter {
                distribution: Distribution::Uniform,
                spread,
                ..
            }) => delay.saturating_sub(spread),
            Some(_) => Duration::ZERO,
        }
    }

    /// Holds the packets of a link against its rate and its delay.
    ///
    /// # Errors
    /// Returns the law that was broken and the values that break it.
    pub(crate) fn check(&self, packets: &[WirePacket]) -> Result<(), String> {
        let slack = self.slack();
        let bits = |p: &WirePacket| u128::from(p.size) * 8 * BIT;
        let mut crossed: Vec<(Instant, &WirePacket)> = Vec::new();
        for p in packets {
            let Some(at) = p.crossed_at else { continue };
            crossed.push((at, p));
            if at < p.sent_at {
                return Err(format!(
                    "a packet crossed the link before it was sent: {p:?}"
                ));
            }
            let possible = self.capacity(at) - self.capacity(p.sent_at) + slack;
            if bits(p) > possible {
                return Err(format!(
                    "a packet crossed the link faster than its rate: {p:?}"
                ));
            }
            if let Fate::Arrived(arrived) = p.fate
                && arrived < at + self.least_delay(at)
            {
                return Err(format!("a packet arrived before its delay was over: {p:?}"));
            }
        }
        crossed.sort_by_key(|(at, _)| *at);
        // The bits of any packets in a row fit into the time from the crossing before them.
        // Opportunities at the same instant count as a whole, because a packet may use a part.
        let at_once = matches!(
            &self.0.rate,
            Rate::Trace(trace) if matches!(trace.shape(), Shape::Opportunities(_))
        );
        let (mut sent, mut least) = (0_i128, 0_i128);
        for (at, p) in crossed {
            if at_once {
                let before = Instant::from_nanos(at.as_nanos().saturating_sub(1));
                least = least.min(sent - self.capacity(before) as i128);
            }
            sent += bits(p) as i128;
            let excess = sent - self.capacity(at) as i128;
            if excess - least > slack as i128 {
                return Err(format!(
                    "{} bits too many crossed the link until {at:?}",
                    (excess - least - slack as i128) / BIT as i128
                ));
            }
            if !at_once {
                least = least.min(excess);
            }
        }
        Ok(())
    }
}

/// Returns the work of a schedule within its first `ns`.
fn scheduled(schedule: &Schedule, ns: u64) -> u128 {
    let pieces = |p: &Piece| (p.lasts.as_nanos(), p.from, p.to);
    let within = |until: u64| area(schedule.pieces().iter().map(pieces), until);
    let length = schedule.length().as_nanos();
    match schedule.end() {
        End::Repeats => u128::from(ns / length) * within(length) + within(ns % length),
        End::Stays(rate) => within(ns) + u128::from(rate) * u128::from(ns.saturating_sub(length)),
    }
}

/// Returns the area under pieces of a length, from one value to another, until `until`.
fn area(pieces: impl Iterator<Item = (u64, u64, u64)>, until: u64) -> u128 {
    let (mut sum, mut left) = (0, i128::from(until));
    for (lasts, from, to) in pieces {
        let lasts = i128::from(lasts);
        let (x, from, to) = (left.min(lasts), i128::from(from), i128::from(to));
        sum += from * x + (to - from) * x * x / (2 * lasts);
        left -= x;
    }
    sum as u128
}
