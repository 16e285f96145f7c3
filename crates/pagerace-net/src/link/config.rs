//! The parameters of a link.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::delay::{Delay, Jitter};
use crate::loss::Loss;
use crate::queue::{MTU, Queue};
use crate::schedule::{End, Schedule};
use crate::trace::Trace;
use crate::units::{BitRate, Probability};

/// The rate of a bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rate {
    /// A constant rate: each packet takes size / rate.
    Constant(BitRate),
    /// A constant long-run rate with a token bucket: up to `burst` bytes of tokens saved
    /// while the link was idle pass at once (`tc-tbf(8)`).
    TokenBucket {
        /// The rate at which tokens arrive.
        rate: BitRate,
        /// The capacity of the bucket in bytes; at least 1,500.
        burst: u32,
    },
    /// Bits per second as a function of time. The rate may be zero for a while.
    Changing(Schedule),
    /// A recorded trace.
    Trace(Arc<Trace>),
}

impl Rate {
    /// Returns the long-run rate: the final rate of a schedule, or the mean of one that repeats.
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) | Self::TokenBucket { rate, .. } => *rate,
            Self::Changing(schedule) => match schedule.end() {
                End::Stays(rate) => BitRate::clamped(u128::from(rate)),
                End::Repeats => {
                    BitRate::clamped(capacity(schedule) / u128::from(schedule.length().as_nanos()))
                }
            },
            Self::Trace(trace) => trace.mean_rate(),
        }
    }

    /// Returns the rate for which a queue is sized: the highest rate of a schedule,
    /// otherwise the mean.
    pub fn nominal(&self) -> BitRate {
        match self {
            Self::Changing(schedule) => BitRate::clamped(u128::from(schedule.max())),
            other => other.mean(),
        }
    }

    /// Rejects rates at which packets would never arrive.
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

/// Returns the sum of nanoseconds times bits per second over all pieces of a schedule.
fn capacity(schedule: &Schedule) -> u128 {
    let pieces = schedule.pieces().iter();
    pieces
        .map(|p| (u128::from(p.from) + u128::from(p.to)) * u128::from(p.lasts.as_nanos()) / 2)
        .sum()
}

/// The parameters of one direction of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// The rate of the bottleneck.
    pub rate: Rate,
    /// The one-way delay from the bottleneck to the receiver.
    pub delay: Delay,
    /// The random variation of the delay of each packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// The queue in front of the bottleneck.
    pub queue: Queue,
    /// The loss model behind the bottleneck.
    pub loss: Loss,
}

impl LinkConfig {
    /// Rejects parameters that no link can have.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.rate.check()?;
        self.delay.check()?;
        self.jitter.map_or(Ok(()), |jitter| jitter.check())?;
        self.queue.check()?;
        self.loss.check()
    }

    /// Returns the canonical form of equivalent configurations.
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
