//! What a link is made of.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::delay::{Delay, Jitter};
use crate::loss::Loss;
use crate::queue::{MTU, Queue};
use crate::schedule::{End, Schedule};
use crate::trace::Trace;
use crate::units::{BitRate, Probability};

/// How fast a bottleneck is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rate {
    /// Each packet takes size / rate.
    Constant(BitRate),
    /// The same in the long run, but up to `burst` bytes that were saved while
    /// the link was idle pass at once (`tc-tbf(8)`).
    TokenBucket {
        /// The rate at which tokens arrive.
        rate: BitRate,
        /// Bytes of tokens that can be saved; at least 1,500.
        burst: u32,
    },
    /// Bits per second as a function of time. Zero, nothing passes, is allowed
    /// for a while.
    Changing(Schedule),
    /// As recorded.
    Trace(Arc<Trace>),
}

impl Rate {
    /// The rate in the long run: of a schedule the one that stays, or the mean
    /// of what repeats.
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) | Self::TokenBucket { rate, .. } => *rate,
            Self::Changing(schedule) => match schedule.end() {
                End::Stays(rate) => clamped(u128::from(rate)),
                End::Repeats => {
                    clamped(capacity(schedule) / u128::from(schedule.length().as_nanos()))
                }
            },
            Self::Trace(trace) => trace.mean_rate(),
        }
    }

    /// The rate that a queue is sized for: the highest of a schedule, else the
    /// mean.
    pub fn nominal(&self) -> BitRate {
        match self {
            Self::Changing(schedule) => clamped(u128::from(schedule.max())),
            other => other.mean(),
        }
    }

    /// Refuses rates at which nothing would ever arrive.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::TokenBucket { burst, .. } if u64::from(*burst) < MTU => Err(format!(
                "a token bucket of {burst} bytes holds no packet of {MTU}"
            )),
            Self::Changing(schedule) => check_schedule(schedule),
            _ => Ok(()),
        }
    }
}

fn check_schedule(schedule: &Schedule) -> Result<(), String> {
    if schedule.max() > BitRate::MAX.bits_per_second() {
        return Err("a rate is above 1000gbit".to_owned());
    }
    match schedule.end() {
        End::Stays(0) => Err("it stays at zero; nothing more would ever arrive".to_owned()),
        End::Repeats if capacity(schedule) == 0 => {
            Err("no rate in it is above zero; nothing would ever arrive".to_owned())
        }
        _ => Ok(()),
    }
}

/// Nanoseconds times bits per second of all pieces of a schedule.
fn capacity(schedule: &Schedule) -> u128 {
    let pieces = schedule.pieces().iter();
    pieces
        .map(|p| (u128::from(p.from) + u128::from(p.to)) * u128::from(p.lasts.as_nanos()) / 2)
        .sum()
}

fn clamped(bits_per_second: u128) -> BitRate {
    let rate = bits_per_second.clamp(1, u128::from(BitRate::MAX.bits_per_second()));
    BitRate::new(rate as u64).expect("clamped into the range of a rate")
}

/// Everything about one direction of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// How fast the bottleneck is.
    pub rate: Rate,
    /// One way, from the end of the bottleneck to the receiver.
    pub delay: Delay,
    /// What is added to the delay of each packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// What waits for the bottleneck.
    pub queue: Queue,
    /// What is lost behind the bottleneck.
    pub loss: Loss,
}

impl LinkConfig {
    /// Refuses what no link can be.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.rate.check()?;
        self.delay.check()?;
        self.jitter.map_or(Ok(()), |jitter| jitter.check())?;
        self.queue.check()?;
        self.loss.check()
    }

    /// One form for what means the same.
    pub(crate) fn normalised(mut self) -> Self {
        self.jitter = self.jitter.filter(|jitter| !jitter.is_idle());
        if let Some(jitter) = &mut self.jitter
            && jitter.spread.is_zero()
        {
            jitter.distribution = crate::delay::Distribution::default();
        }
        if self.loss == Loss::Random(Probability::ZERO) {
            self.loss = Loss::None;
        }
        self
    }
}
