//! The travel time of a packet behind the bottleneck.
//!
//! The one-way delay is the delay at the instant when the packet leaves the bottleneck. Jitter
//! is added to it for each packet independently. Unless reordering is enabled, a packet that
//! would overtake its predecessor arrives together with it, as behind a radio link that delivers
//! in sequence. The same holds for packets that the loss process drops.
//!
//! Source of the jitter models: `tc-netem(8)`, `delay TIME JITTER`, uniform within ±JITTER, and
//! `distribution normal`. Deviations: netem always reorders; its normal distribution is a table
//! truncated at four standard deviations, whereas this one is truncated only where the delay
//! would be negative. Left out: netem's correlation of successive draws, its other tables, and
//! its `reorder` for a share of packets that skip the delay.

use std::fmt;

use pagerace_core::{Duration, Instant, Rng};
use serde::{Deserialize, Serialize};

use crate::schedule::Schedule;
use crate::units::delay_text;

/// The longest delay that a description may contain.
pub(crate) const DELAY_MAX: Duration = Duration::from_secs(3_600);

/// A one-way delay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Delay {
    /// A delay that is the same for the whole run.
    Constant(Duration),
    /// Nanoseconds as a function of time.
    Changing(Schedule),
}

impl Delay {
    /// Returns the delay of a packet that leaves the bottleneck at `time`.
    pub fn at(&self, time: Instant) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::Changing(schedule) => Duration::from_nanos(schedule.at(time)),
        }
    }

    /// Returns the longest delay of the run.
    pub fn max(&self) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::Changing(schedule) => Duration::from_nanos(schedule.max()),
        }
    }

    /// Returns the delay with `f` applied to every value in nanoseconds.
    pub(crate) fn map(&self, f: impl Fn(u64) -> u64) -> Self {
        match self {
            Self::Constant(delay) => Self::Constant(Duration::from_nanos(f(delay.as_nanos()))),
            Self::Changing(schedule) => Self::Changing(schedule.map(f)),
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        check("a delay", self.max())
    }

    /// Returns a description for people: `50 ms`.
    pub(crate) fn to_human(&self) -> String {
        let ms = |ns| format!("{} ms", Duration::from_nanos(ns).as_millis_f64());
        match self {
            Self::Constant(delay) => ms(delay.as_nanos()),
            Self::Changing(schedule) => schedule.to_human(ms),
        }
    }
}

impl From<Duration> for Delay {
    fn from(delay: Duration) -> Self {
        Self::Constant(delay)
    }
}

impl fmt::Display for Delay {
    /// Writes the delay in the syntax of the grammar: `50ms`, `10ms for 5s then 100ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |ns| delay_text(Duration::from_nanos(ns));
        match self {
            Self::Constant(delay) => f.write_str(&delay_text(*delay)),
            Self::Changing(schedule) => f.write_str(&schedule.spec(text)),
        }
    }
}

fn check(name: &str, time: Duration) -> Result<(), String> {
    if time <= DELAY_MAX {
        return Ok(());
    }
    let time = delay_text(time);
    Err(format!("{name} of {time} is not in 0 to 3600s"))
}

/// The random variation added to the delay of each packet, positive or negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// Half the width of the uniform distribution, or the standard deviation of the
    /// normal distribution.
    pub spread: Duration,
    /// The distribution of the variation.
    #[serde(default)]
    pub distribution: Distribution,
    /// True if packets may overtake each other. This also allows reordering by a falling delay.
    #[serde(default)]
    pub reorder: bool,
}

/// The distribution of the jitter; its mean is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// All values within ±spread are equally likely.
    #[default]
    Uniform,
    /// The normal distribution.
    Normal,
}

impl Jitter {
    /// Returns true if the jitter has no effect.
    pub(crate) fn is_idle(&self) -> bool {
        self.spread.is_zero() && !self.reorder
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        check("a jitter", self.spread)
    }

    /// Returns a description for people: `jitter of up to 10 ms either way`.
    pub(crate) fn to_human(self) -> String {
        let ms = self.spread.as_millis_f64();
        let order = if self.reorder { ", reordering" } else { "" };
        match self.distribution {
            Distribution::Uniform => format!("jitter of up to {ms} ms either way{order}"),
            Distribution::Normal => {
                format!("jitter with a standard deviation of {ms} ms{order}")
            }
        }
    }
}

impl fmt::Display for Jitter {
    /// Writes the jitter in the syntax of the grammar: `10ms normal reorder`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&delay_text(self.spread))?;
        if self.distribution == Distribution::Normal {
            f.write_str(" normal")?;
        }
        if self.reorder {
            f.write_str(" reorder")?;
        }
        Ok(())
    }
}

/// The state of the delay stage. It computes the arrival of each packet, in the order in
/// which packets leave the bottleneck.
#[derive(Clone, Debug)]
pub(crate) struct DelayProcess {
    delay: Delay,
    jitter: Option<Jitter>,
    rng: Rng,
    /// The latest arrival so far.
    last: Instant,
}

impl DelayProcess {
    /// Creates the delay stage with its own random numbers.
    pub(crate) fn new(delay: Delay, jitter: Option<Jitter>, rng: Rng) -> Self {
        Self {
            delay,
            jitter,
            rng,
            last: Instant::ZERO,
        }
    }

    /// Returns true if packets may overtake each other.
    pub(crate) fn reorders(&self) -> bool {
        self.jitter.is_some_and(|jitter| jitter.reorder)
    }

    /// Returns the arrival time of a packet that left the bottleneck at `crossed_at`.
    #[inline]
    pub(crate) fn arrival(&mut self, crossed_at: Instant) -> Instant {
        let delay = self.delay.at(crossed_at);
        let mut at = crossed_at + delay;
        if let Some(jitter) = self.jitter {
            let offset = draw(jitter, &mut self.rng);
            let delay = delay.as_nanos().saturating_add_signed(offset);
            at = crossed_at + Duration::from_nanos(delay);
            if jitter.reorder {
                return at;
            }
        }
        self.last = self.last.max(at);
        self.last
    }
}

/// Draws the nanoseconds to add from the distribution.
fn draw(jitter: Jitter, rng: &mut Rng) -> i64 {
    let spread = jitter.spread.as_nanos();
    match jitter.distribution {
        // The spread is at most an hour, so the cast fits.
        Distribution::Uniform => rng.below(2 * spread + 1) as i64 - spread as i64,
        Distribution::Normal => (rng.normal() * spread as f64).round() as i64,
    }
}

#[cfg(test)]
mod tests;
