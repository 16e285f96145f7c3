//! A network: a downlink and an uplink.

use std::fmt;
use std::path::Path;

use pagerace_core::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::delay::{DELAY_MAX, Delay, Jitter};
use crate::error::NetworkError;
use crate::grammar;
use crate::link::{LinkConfig, Rate};
use crate::named::NamedNetwork;
use crate::units::{BitRate, rate_text};

/// A path between a browser and its servers.
///
/// Displays as a full description that [`parse`](Self::parse) reads back to the same
/// links; a trace is displayed as its path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Network {
    /// The text that the user wrote: a name or a description.
    pub name: String,
    /// The link from the servers to the browser.
    pub down: LinkConfig,
    /// The link from the browser to the servers.
    pub up: LinkConfig,
}

impl Network {
    /// Parses a name or a description (see [`grammar`]), and reads the trace files that
    /// it names.
    ///
    /// # Errors
    /// [`NetworkError`] names the position of the error and the text that is expected.
    pub fn parse(text: &str) -> Result<Self, NetworkError> {
        Self::parse_with(text, &[], Path::new(""))
    }

    /// Parses as [`Self::parse`] does, and knows the networks of `more` by name, too. Paths of
    /// traces are relative to `folder`.
    ///
    /// # Errors
    /// The errors of [`Self::parse`].
    pub fn parse_with(
        text: &str,
        more: &[NamedNetwork],
        folder: &Path,
    ) -> Result<Self, NetworkError> {
        grammar::parse(text, more, folder)
    }

    /// Creates a network of two links. Queue limits that are multiples of the
    /// bandwidth-delay product are resolved (see [`QueueLimit`](crate::QueueLimit)).
    ///
    /// # Errors
    /// Returns a message that describes the invalid link parameter.
    pub fn new(name: String, down: LinkConfig, up: LinkConfig) -> Result<Self, String> {
        down.check()?;
        up.check()?;
        let (mut down, mut up) = (down.normalised(), up.normalised());
        let rtt = down.delay.max() + up.delay.max();
        for link in [&mut down, &mut up] {
            link.queue = link.queue.resolve(link.rate.nominal(), rtt);
        }
        Ok(Self { name, down, up })
    }

    /// Returns the round-trip propagation delay at the start of the run, without queueing
    /// and jitter.
    pub fn rtt(&self) -> Duration {
        self.down.delay.at(Instant::ZERO) + self.up.delay.at(Instant::ZERO)
    }

    /// Returns a one-line description for people.
    pub fn describe(&self) -> String {
        let (down, up) = (&self.down, &self.up);
        let mut parts = vec![
            format!("{} down", rate_for_people(&down.rate)),
            format!("{} up", rate_for_people(&up.rate)),
            self.delays_for_people(),
        ];
        let both = |d: String, u: String| {
            if d == u {
                d
            } else {
                format!("{d} down, {u} up")
            }
        };
        if down.jitter.is_some() || up.jitter.is_some() {
            parts.push(both(
                jitter_for_people(down.jitter),
                jitter_for_people(up.jitter),
            ));
        }
        parts.push(both(down.loss.to_human(), up.loss.to_human()));
        parts.push(both(down.queue.to_human(), up.queue.to_human()));
        parts.join(", ")
    }

    fn delays_for_people(&self) -> String {
        let (down, up) = (&self.down.delay, &self.up.delay);
        match (down, up) {
            (Delay::Constant(down), Delay::Constant(up)) => {
                format!("{} ms round trip", (*down + *up).as_millis_f64())
            }
            _ if down == up => format!("a round trip of {}", down.map(|ns| 2 * ns).to_human()),
            _ => format!("one way {} down, {} up", down.to_human(), up.to_human()),
        }
    }
}

fn rate_for_people(rate: &Rate) -> String {
    match rate {
        Rate::Constant(rate) => rate.to_human(),
        Rate::TokenBucket { rate, burst } => {
            format!("{} (bucket of {burst} bytes)", rate.to_human())
        }
        Rate::Changing(schedule) => schedule.to_human(|bits| match BitRate::new(bits) {
            Some(rate) => rate.to_human(),
            None => "nothing".to_owned(),
        }),
        Rate::Trace(trace) => format!(
            "{:.2} Mbit/s on average over {:.0} s of {}",
            trace.mean_rate().bits_per_second() as f64 / 1e6,
            trace.period().as_secs_f64(),
            trace.name()
        ),
    }
}

fn jitter_for_people(jitter: Option<Jitter>) -> String {
    jitter.map_or_else(|| "no jitter".to_owned(), Jitter::to_human)
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
        // The grammar accepts no round trip longer than the maximum delay.
        if up.delay == down.delay && self.down.delay.max() + self.up.delay.max() <= DELAY_MAX {
            write!(f, " rtt {}", down.delay.map(|ns| 2 * ns))?;
        } else {
            write!(f, " delay {} delay-up {}", down.delay, up.delay)?;
        }
        match (down.jitter, up.jitter) {
            (None, None) => {}
            (Some(both), Some(up)) if both == up => write!(f, " jitter {both}")?,
            (down, up) => {
                for (word, jitter) in [("jitter", down), ("jitter-up", up)] {
                    match jitter {
                        Some(jitter) => write!(f, " {word} {jitter}")?,
                        None => write!(f, " {word} 0ms")?,
                    }
                }
            }
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
        // The uplink inherits the downlink's bucket unless the description says otherwise.
        match up_bucket {
            _ if up_bucket == bucket => Ok(()),
            Some(bytes) => write!(f, " bucket-up {bytes}b"),
            None => f.write_str(" bucket-up none"),
        }
    }
}

/// Returns the rate and the bucket in the syntax of the grammar.
fn rate_words(rate: &Rate) -> (String, Option<u32>) {
    match rate {
        Rate::Constant(rate) => (rate.to_string(), None),
        Rate::TokenBucket { rate, burst } => (rate.to_string(), Some(*burst)),
        Rate::Changing(schedule) => (schedule.spec(rate_text), None),
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
