//! The worlds in which the runs of a race take place.
//!
//! Run *k* of all contenders draws the same small change of the conditions: a live load
//! never meets exactly the nominal rate, queue, processor and servers, and which packet a
//! full queue drops decides up to a second. The range over such runs tells how far a single
//! live load may lie from another.
//!
//! The draws come from a quasi-random sequence (Martin Roberts 2018, "The unreasonable
//! effectiveness of quasirandom sequences"), which is even for every number of runs. They
//! depend on the run's number and the seed alone.

use std::fmt;
use std::str::FromStr;

use pagerace_core::Rng;
use pagerace_net::Network;
use pagerace_sim::World;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::unit::{percent, signed_percent};

/// The worlds of a race's runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worlds {
    /// All runs take place in the nominal world.
    Nominal,
    /// Each run takes place in another world within these widths.
    Plausible(Widths),
}

/// How far the worlds of runs lie from the nominal one. The defaults predict single live
/// loads best; the documentation of `pagerace calibrate` has the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Widths {
    /// Rates of both links: at most this share below and above the nominal one.
    pub rate: f64,
    /// Round trip: at most this many milliseconds below and above, and never more than
    /// 15 %.
    pub rtt_ms: f64,
    /// Limits of both queues: at most this share below and above.
    pub queue: f64,
    /// Processor: standard deviation of the logarithm of the factor.
    pub cpu: f64,
    /// Think times of servers: standard deviation of the logarithm of the factor.
    pub think: f64,
    /// Think times of servers: at most this many milliseconds below and above, beside the factor.
    pub think_ms: f64,
    /// Largest UDP payload of QUIC: at most this share below and above.
    pub quic_payload: f64,
}

/// The largest change of a round trip, as a share of it. Larger changes were never compared
/// with live loads.
const RTT_SHARE_MAX: f64 = 0.15;

/// The root of x^7 = x + 1, which generates the most even sequence of six dimensions.
const ROOT: f64 = 1.112_775_684_278_706;
/// The same in one dimension: the golden ratio.
const GOLDEN: f64 = 1.618_033_988_749_895;

/// The dimensions of the sequence, in order.
const DIMENSIONS: [&str; 6] = ["rate", "rtt", "queue", "cpu", "think", "quic-payload"];

impl Worlds {
    /// Worlds of the default widths.
    pub const PLAUSIBLE: Self = Self::Plausible(Widths::DEFAULT);

    /// Returns the world of run `run` (from zero) on `network`.
    pub fn world(&self, seed: u64, run: usize, network: &Network) -> World {
        let Self::Plausible(widths) = self else {
            return World::NOMINAL;
        };
        let place = |name: &str, step: f64| {
            let offset = Rng::new(seed, &format!("world/{name}")).unit();
            (offset + (run + 1) as f64 * step).fract()
        };
        let mut step = 1.0;
        let [rate, rtt, queue, cpu, think, payload] = DIMENSIONS.map(|name| {
            step /= ROOT;
            place(name, step)
        });
        let even = |u: f64, width: f64| width * (2.0 * u - 1.0);
        let scattered = |u: f64, sigma: f64| libm::exp(sigma * normal_quantile(u));
        let rtt_max = RTT_SHARE_MAX * network.rtt().as_millis_f64();
        World {
            rate: 1.0 + even(rate, widths.rate),
            rtt_ms: even(rtt, widths.rtt_ms.min(rtt_max)),
            queue: 1.0 + even(queue, widths.queue),
            cpu: scattered(cpu, widths.cpu),
            think: scattered(think, widths.think),
            think_ms: even(think, widths.think_ms),
            quic_payload: 1.0 + even(payload, widths.quic_payload),
            largest: Some(place("largest", 1.0 / GOLDEN)),
        }
    }
}

impl Widths {
    /// The default widths.
    pub(crate) const DEFAULT: Self = Self {
        rate: 0.05,
        rtt_ms: 3.0,
        queue: 0.1,
        cpu: 0.2,
        think: 0.2,
        think_ms: 2.0,
        quic_payload: 0.025,
    };

    /// Checks that the widths leave positive rates and queues.
    ///
    /// # Errors
    /// Returns the width, the value found and the values expected.
    pub fn check(&self) -> Result<(), String> {
        let all = [
            ("rate", self.rate, 0.5),
            ("rtt", self.rtt_ms, 1_000.0),
            ("queue", self.queue, 0.9),
            ("cpu", self.cpu, 2.0),
            ("think", self.think, 2.0),
            ("think offset", self.think_ms, 1_000.0),
            ("quic payload", self.quic_payload, 0.2),
        ];
        match all
            .iter()
            .find(|(_, value, most)| !(0.0..=*most).contains(value))
        {
            Some((name, value, most)) => Err(format!(
                "worlds: the width {name} is {value}, expected 0 to {most}"
            )),
            None => Ok(()),
        }
    }
}

impl Default for Widths {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Worlds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nominal => f.write_str("nominal"),
            Self::Plausible(widths) if *widths == Widths::DEFAULT => f.write_str("plausible"),
            Self::Plausible(w) => write!(
                f,
                "rate {}% rtt {}ms queue {}% cpu {} think {} think-offset {}ms quic-payload {}%",
                w.rate * 100.0,
                w.rtt_ms,
                w.queue * 100.0,
                w.cpu,
                w.think,
                w.think_ms,
                w.quic_payload * 100.0
            ),
        }
    }
}

/// A text that describes no worlds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "found `{0}`, expected nominal, plausible, or widths that differ from the plausible ones, such as \
     \"rate 10% rtt 5ms queue 20% cpu 0.3 think 0.3 think-offset 4ms quic-payload 5%\""
)]
pub struct UnknownWorlds(String);

impl FromStr for Worlds {
    type Err = UnknownWorlds;

    fn from_str(text: &str) -> Result<Self, UnknownWorlds> {
        match text.trim() {
            "nominal" => return Ok(Self::Nominal),
            "plausible" => return Ok(Self::PLAUSIBLE),
            _ => {}
        }
        let bad = || UnknownWorlds(text.to_owned());
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut widths = Widths::DEFAULT;
        for pair in words.chunks(2) {
            let [name, value] = *pair else {
                return Err(bad());
            };
            let (place, unit, scale) = match name {
                "rate" => (&mut widths.rate, "%", 0.01),
                "rtt" => (&mut widths.rtt_ms, "ms", 1.0),
                "queue" => (&mut widths.queue, "%", 0.01),
                "cpu" => (&mut widths.cpu, "", 1.0),
                "think" => (&mut widths.think, "", 1.0),
                "think-offset" => (&mut widths.think_ms, "ms", 1.0),
                "quic-payload" => (&mut widths.quic_payload, "%", 0.01),
                _ => return Err(bad()),
            };
            let number = value.strip_suffix(unit).and_then(|v| v.parse::<f64>().ok());
            *place = number.ok_or_else(bad)? * scale;
        }
        Ok(Self::Plausible(widths))
    }
}

/// Describes a world by its differences from the nominal one: "rate -3.1 %, round trip +1.2 ms,
/// queue +4.0 %, processor 12 % slower, think times -5.0 % +0.3 ms, QUIC packets +1.0 %"; `None`
/// for the nominal one.
pub fn in_words(world: &World) -> Option<String> {
    if *world == World::NOMINAL {
        return None;
    }
    let share = |factor: f64| signed_percent(factor - 1.0);
    let processor = match world.cpu {
        cpu if cpu >= 1.0 => format!("{} slower", percent(cpu - 1.0)),
        cpu => format!("{} faster", percent(1.0 - cpu)),
    };
    Some(format!(
        "rate {}, round trip {:+.1} ms, queue {}, processor {processor}, think times {} {:+.1} ms, \
         QUIC packets {}",
        share(world.rate),
        world.rtt_ms,
        share(world.queue),
        share(world.think),
        world.think_ms,
        share(world.quic_payload),
    ))
}

/// Returns the number below which a standard normal variable lies with probability `p`.
/// Halves the interval between -8 and 8 until its ends meet.
fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if 0.5 * libm::erfc(-middle / std::f64::consts::SQRT_2) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests;
