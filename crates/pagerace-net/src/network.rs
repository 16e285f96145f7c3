//! A network: a downlink and an uplink.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

use crate::error::NetworkError;
use crate::grammar;
use crate::link::{LinkConfig, Rate};
use crate::loss::Loss;
use crate::queue::MTU;
use crate::units::{Probability, delay_text};

/// A path between a browser and its servers.
///
/// Prints as a description in full that [`parse`](Self::parse) reads back to
/// the same links; a trace is printed as its path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Network {
    /// As the user wrote it: a name, or a description.
    pub name: String,
    /// From the servers to the browser.
    pub down: LinkConfig,
    /// From the browser to the servers.
    pub up: LinkConfig,
}

impl Network {
    /// Reads a name or a description, see [`grammar`]. Reads the files of
    /// traces.
    ///
    /// # Errors
    /// [`NetworkError`] says where the text is wrong and what would be right.
    pub fn parse(text: &str) -> Result<Self, NetworkError> {
        grammar::parse(text)
    }

    /// Both links, with queues that are multiples of the product of bandwidth
    /// and delay resolved.
    ///
    /// # Errors
    /// What is wrong with one of the links, in words.
    pub fn new(name: String, down: LinkConfig, up: LinkConfig) -> Result<Self, String> {
        let mut network = Self { name, down, up };
        let rtt = network.rtt();
        for link in [&mut network.down, &mut network.up] {
            link.loss.check()?;
            if link.loss == Loss::Random(Probability::ZERO) {
                link.loss = Loss::None;
            }
            link.queue.check()?;
            link.queue = link.queue.resolve(link.rate.mean(), rtt);
            if let Rate::TokenBucket { burst, .. } = link.rate
                && u64::from(burst) < MTU
            {
                return Err(format!(
                    "a token bucket of {burst} bytes holds no packet of {MTU}"
                ));
            }
        }
        Ok(network)
    }

    /// The round trip of an empty network: propagation only.
    pub fn rtt(&self) -> Duration {
        self.down.delay + self.up.delay
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        let (down, up) = (&self.down, &self.up);
        let mut parts = vec![
            format!("{} down", rate_for_people(&down.rate)),
            format!("{} up", rate_for_people(&up.rate)),
            format!("{} ms round trip", self.rtt().as_millis_f64()),
        ];
        let both = |d: String, u: String| {
            if d == u {
                d
            } else {
                format!("{d} down, {u} up")
            }
        };
        parts.push(both(down.loss.to_human(), up.loss.to_human()));
        parts.push(both(down.queue.to_human(), up.queue.to_human()));
        parts.join(", ")
    }
}

fn rate_for_people(rate: &Rate) -> String {
    match rate {
        Rate::Constant(rate) => rate.to_human(),
        Rate::TokenBucket { rate, burst } => {
            format!("{} (bucket of {burst} bytes)", rate.to_human())
        }
        Rate::Trace(trace) => format!(
            "{:.2} Mbit/s on average over {:.0} s of {}",
            trace.mean_rate().bits_per_second() as f64 / 1e6,
            trace.period().as_secs_f64(),
            trace.name()
        ),
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (down, up) = (&self.down, &self.up);
        let (rate, bucket) = rate_words(&down.rate);
        let (up_rate, up_bucket) = rate_words(&up.rate);
        write!(f, "rate {rate}")?;
        if up_rate != rate {
            write!(f, " up {up_rate}")?;
        }
        if up.delay == down.delay {
            write!(f, " rtt {}", delay_text(self.rtt()))?;
        } else {
            write!(
                f,
                " delay {} delay-up {}",
                delay_text(down.delay),
                delay_text(up.delay)
            )?;
        }
        write!(f, " {}", down.loss)?;
        if up.loss != down.loss {
            write!(f, " {}", up.loss.spec("-up"))?;
        }
        write!(f, " queue {}", down.queue)?;
        if up.queue.to_string() != down.queue.to_string() {
            write!(f, " queue-up {}", up.queue)?;
        }
        if let Some(bytes) = bucket {
            write!(f, " bucket {bytes}b")?;
        }
        // Without a word of its own the uplink has the downlink's bucket.
        match up_bucket {
            _ if up_bucket == bucket => Ok(()),
            Some(bytes) => write!(f, " bucket-up {bytes}b"),
            None => f.write_str(" bucket-up none"),
        }
    }
}

/// The rate and the bucket as the grammar reads them.
fn rate_words(rate: &Rate) -> (String, Option<u32>) {
    match rate {
        Rate::Constant(rate) => (rate.to_string(), None),
        Rate::TokenBucket { rate, burst } => (rate.to_string(), Some(*burst)),
        Rate::Trace(trace) => (format!("trace:{}", grammar::quote(trace.name())), None),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    name: String,
    down: LinkConfig,
    up: LinkConfig,
}

impl TryFrom<Unchecked> for Network {
    type Error = String;
    fn try_from(it: Unchecked) -> Result<Self, String> {
        Self::new(it.name, it.down, it.up)
    }
}

#[cfg(test)]
mod tests;
