//! Recorded capacity of a link.
//!
//! A trace has one of two formats, distinguished by its first line. Both repeat at their
//! end, and both may be gzipped ([`Trace::read`]):
//!
//! - *mahimahi*: each line is a time in whole milliseconds at which up to 1,500
//!   bytes may cross. Source: `mm-link(1)` of mahimahi; recorded with Winstein
//!   et al., NSDI 2013.
//! - *steps*: each line is a time in seconds and a rate in Mbit/s. The rate holds from
//!   its time until the next line's; the last rate holds as long as the one before it, or
//!   one second if it is the only one. The first time may have any value. Deviation:
//!   Pensieve's simulator reads the same files but holds a rate *until* its time.
//!
//! A serialised trace contains its data, so that a result can be reproduced without the file.

mod embed;
mod read;

use std::sync::Arc;

use pagerace_core::Duration;

use crate::units::BitRate;

/// The bytes that may cross at one line of a mahimahi trace.
pub const OPPORTUNITY_BYTES: u32 = 1_500;

/// A recording of the capacity of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    name: String,
    shape: Shape,
}

/// The data of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Delivery opportunities of 1,500 bytes each.
    Opportunities(Arc<Opportunities>),
    /// Consecutive rates.
    Steps(Steps),
}

/// Times at which packets may cross, in order, repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// The times in ms since the beginning of the trace, and the number of opportunities
    /// at each. Times increase; the last is the period and is not zero.
    runs: Vec<(u32, u32)>,
}

/// Rates that each hold for a while, repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The duration of each step in nanoseconds (not zero) and its rate in bits per
    /// second. At least one rate is not zero.
    steps: Vec<(u64, u64)>,
}

impl Trace {
    /// Returns the path of the file as the user wrote it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the trace with another name.
    pub(crate) fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// Returns the data of the recording.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the time after which the trace repeats.
    pub fn period(&self) -> Duration {
        match &self.shape {
            Shape::Opportunities(o) => o.period(),
            Shape::Steps(s) => s.period(),
        }
    }

    /// Returns the trace at `factor` times its rate. `rate` maps the rates of steps;
    /// opportunities come sooner or later, in whole milliseconds.
    pub(crate) fn scaled(&self, factor: f64, rate: impl Fn(u64) -> u64) -> Self {
        let shape = match &self.shape {
            Shape::Opportunities(o) => Shape::Opportunities(Arc::new(o.scaled(factor))),
            Shape::Steps(s) => {
                let steps = s.steps.iter().map(|&(ns, bits)| (ns, rate(bits)));
                Shape::Steps(Steps {
                    steps: steps.collect(),
                })
            }
        };
        Self {
            name: self.name.clone(),
            shape,
        }
    }

    /// Returns the mean capacity over one period; at least one bit per second.
    pub(crate) fn mean_rate(&self) -> BitRate {
        let bits = match &self.shape {
            Shape::Opportunities(o) => {
                let count: u128 = o.runs.iter().map(|&(_, n)| u128::from(n)).sum();
                count * u128::from(OPPORTUNITY_BYTES) * 8
            }
            Shape::Steps(s) => {
                s.steps
                    .iter()
                    .map(|&(ns, rate)| u128::from(ns) * u128::from(rate))
                    .sum::<u128>()
                    / 1_000_000_000
            }
        };
        BitRate::clamped(bits * 1_000_000_000 / u128::from(self.period().as_nanos()))
    }
}

impl Opportunities {
    /// Creates a trace from runs of (ms, count). The error describes the invalid value.
    fn new(runs: Vec<(u32, u32)>) -> Result<Self, String> {
        if !runs.is_sorted_by(|a, b| a.0 < b.0) || runs.iter().any(|r| r.1 == 0) {
            return Err("its times do not increase".to_owned());
        }
        match runs.last() {
            None => Err("it is empty; it needs one time in ms for each line".to_owned()),
            Some((0, _)) => Err("it ends at 0 ms; it must last for some time".to_owned()),
            Some(_) => Ok(Self { runs }),
        }
    }

    /// Returns the times in ms and the number of opportunities at each; times increase.
    pub fn runs(&self) -> &[(u32, u32)] {
        &self.runs
    }

    fn scaled(&self, factor: f64) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::with_capacity(self.runs.len());
        for &(ms, count) in &self.runs {
            let ms = (f64::from(ms) / factor).round() as u32;
            match runs.last_mut() {
                Some(last) if last.0 == ms => last.1 += count,
                _ => runs.push((ms, count)),
            }
        }
        // The period is not zero.
        if let Some(last) = runs.last_mut() {
            last.0 = last.0.max(1);
        }
        Self { runs }
    }

    /// Returns the time after which the trace repeats, which is the last line's time, as
    /// in mahimahi.
    pub fn period(&self) -> Duration {
        let last = self.runs.last().expect("never empty");
        Duration::from_millis(u64::from(last.0))
    }
}

impl Steps {
    /// Creates a trace from (nanoseconds, bits per second). The error describes the
    /// invalid value.
    fn new(steps: Vec<(u64, u64)>) -> Result<Self, String> {
        let total: u128 = steps.iter().map(|s| u128::from(s.0)).sum();
        if steps.iter().any(|s| s.0 == 0) || total > 1_000_000_000_000_000_000 {
            return Err("its times do not increase, or span more than 30 years".to_owned());
        }
        if steps.iter().any(|s| s.1 > BitRate::MAX.bits_per_second()) {
            return Err("a rate is above 1000000 Mbit/s".to_owned());
        }
        if steps.iter().all(|s| s.1 == 0) {
            return Err("no rate in it is above zero; nothing would ever arrive".to_owned());
        }
        Ok(Self { steps })
    }

    /// Returns the duration of each step in nanoseconds and its rate in bits per second.
    pub fn steps(&self) -> &[(u64, u64)] {
        &self.steps
    }

    /// Returns the time after which the trace repeats.
    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.steps.iter().map(|s| s.0).sum())
    }
}

#[cfg(test)]
mod tests;
