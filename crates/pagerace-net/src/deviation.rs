//! A network whose links differ a little from their nominal parameters.

use std::sync::Arc;

use pagerace_core::Duration;

use crate::delay::Delay;
use crate::link::{LinkConfig, Rate};
use crate::network::Network;
use crate::queue::{Queue, QueueLimit};
use crate::units::BitRate;

/// The difference of both links from their nominal parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Factor on the rate, and on every rate of a schedule or trace.
    pub rate: f64,
    /// Nanoseconds that are added to the round trip, half in each direction. No delay
    /// falls below zero.
    pub rtt_ns: i64,
    /// Factor on the limit of the queue, in packets or bytes. The limit does not follow
    /// the rate.
    pub queue: f64,
}

impl Network {
    /// Returns this network with its links changed by `deviation`. The name stays.
    #[must_use]
    pub fn deviating(&self, deviation: &Deviation) -> Self {
        let half = deviation.rtt_ns / 2;
        Self {
            name: self.name.clone(),
            down: link(&self.down, deviation, half),
            up: link(&self.up, deviation, deviation.rtt_ns - half),
        }
    }
}

fn link(link: &LinkConfig, deviation: &Deviation, added: i64) -> LinkConfig {
    LinkConfig {
        rate: rate(&link.rate, deviation.rate),
        delay: delay(&link.delay, added),
        queue: queue(link.queue, deviation.queue),
        ..link.clone()
    }
}

fn rate(rate: &Rate, factor: f64) -> Rate {
    let scaled = |bits: u64| (bits as f64 * factor).round() as u64;
    // A rate of zero stays zero, and a positive one stays positive.
    let valid = |bits: u64| scaled(bits).clamp(bits.min(1), BitRate::MAX.bits_per_second());
    let bit_rate = |rate: BitRate| BitRate::clamped(u128::from(scaled(rate.bits_per_second())));
    match rate {
        Rate::Constant(rate) => Rate::Constant(bit_rate(*rate)),
        Rate::TokenBucket { rate, burst } => Rate::TokenBucket {
            rate: bit_rate(*rate),
            burst: *burst,
        },
        Rate::Changing(schedule) => Rate::Changing(schedule.map(valid)),
        Rate::Trace(trace) => Rate::Trace(Arc::new(trace.scaled(factor, valid))),
    }
}

fn delay(delay: &Delay, added: i64) -> Delay {
    match delay {
        Delay::Constant(delay) => {
            Duration::from_nanos(delay.as_nanos().saturating_add_signed(added)).into()
        }
        Delay::Changing(_) => delay.map(|ns| ns.saturating_add_signed(added)),
    }
}

fn queue(mut queue: Queue, factor: f64) -> Queue {
    let scaled = |limit: u64| ((limit as f64 * factor).round() as u64).max(1);
    match queue.limit_mut() {
        QueueLimit::Packets(limit) => {
            *limit = u32::try_from(scaled(u64::from(*limit))).unwrap_or(u32::MAX);
        }
        QueueLimit::Bytes(limit) => *limit = scaled(*limit),
        QueueLimit::Bdp { multiple, bytes } => {
            *multiple *= factor;
            *bytes = scaled(*bytes);
        }
    }
    queue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviating(text: &str, deviation: Deviation) -> String {
        let network = Network::parse(text).expect("a network");
        network.deviating(&deviation).describe()
    }

    const MORE: Deviation = Deviation {
        rate: 1.05,
        rtt_ns: 3_000_000,
        queue: 1.1,
    };

    #[test]
    fn both_links_deviate() {
        assert_eq!(
            deviating("rate 10mbit rtt 100ms queue 100p", MORE),
            "10.5 Mbit/s down, 10.5 Mbit/s up, 103 ms round trip, no loss, a queue of 110 packets"
        );
    }

    #[test]
    fn schedules_and_traces_deviate_in_every_step() {
        let text = "rate 2mbit for 1s then 4mbit rtt 20ms queue 64kb";
        let network = Network::parse(text).expect("a network");
        let changed = network.deviating(&MORE);
        assert_eq!(changed.down.rate.nominal().bits_per_second(), 4_200_000);
        for (lines, mean) in [("1\n2\n3\n4\n", 12_000_000.0), ("0 8\n1 4\n", 6_000_000.0)] {
            let trace = crate::Trace::parse("trace", lines).expect("a trace");
            let changed = rate(&Rate::Trace(Arc::new(trace)), 0.5);
            let found = changed.mean().bits_per_second() as f64;
            assert!((found - mean / 2.0).abs() < 0.01 * mean, "{found}");
        }
    }

    #[test]
    fn no_deviation_changes_nothing() {
        let none = Deviation {
            rate: 1.0,
            rtt_ns: 0,
            queue: 1.0,
        };
        for text in [
            "slow-4g",
            "lossy-wifi",
            "rate 2mbit for 1s then 0mbit for 1s repeat rtt 30ms",
        ] {
            let network = Network::parse(text).expect("a network");
            assert_eq!(network.deviating(&none), network, "{text}");
        }
    }
}
