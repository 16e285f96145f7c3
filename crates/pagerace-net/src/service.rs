//! The bottleneck, which determines when a packet has been transmitted.
//!
//! Packets are served one after the other. With a first-in, first-out queue, the end of a
//! packet's service is known when the packet arrives.

mod constant;
mod opportunities;
mod ramps;
mod steps;

use std::sync::Arc;

use pagerace_core::Instant;

use self::constant::ConstantRate;
use self::opportunities::OpportunityClock;
use self::ramps::ScheduleClock;
use self::steps::StepClock;
use crate::link::Rate;
use crate::trace::Shape;

/// Units of work in a bit. A rate of R bits per second does R units of work in a
/// nanosecond, so that times and remainders are whole numbers.
const UNITS_PER_BIT: u128 = 1_000_000_000;

/// The state of a bottleneck.
#[derive(Clone, Debug)]
pub struct Service(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Constant(ConstantRate),
    Steps(StepClock),
    Schedule(ScheduleClock),
    Opportunities(OpportunityClock),
}

impl Service {
    /// Creates an idle bottleneck with this rate.
    pub fn new(rate: &Rate) -> Self {
        Self(match rate {
            Rate::Constant(rate) => Kind::Constant(ConstantRate::new(*rate, 0)),
            Rate::TokenBucket { rate, burst } => Kind::Constant(ConstantRate::new(*rate, *burst)),
            Rate::Changing(schedule) => Kind::Schedule(ScheduleClock::new(schedule)),
            Rate::Trace(trace) => match trace.shape() {
                Shape::Steps(steps) => Kind::Steps(StepClock::new(steps)),
                Shape::Opportunities(o) => {
                    Kind::Opportunities(OpportunityClock::new(Arc::clone(o)))
                }
            },
        })
    }

    /// Returns the time at which a packet of `size` bytes that arrived at `now` has
    /// crossed the bottleneck. Calls must be in the order of service, and the returned
    /// times are in that order too. `now` may be earlier than in the previous call if the
    /// bottleneck is busy.
    pub fn finish(&mut self, now: Instant, size: u32) -> Instant {
        match &mut self.0 {
            Kind::Constant(c) => c.finish(now, size),
            Kind::Steps(s) => s.finish(now, size),
            Kind::Schedule(s) => s.finish(now, size),
            Kind::Opportunities(o) => o.finish(now, size),
        }
    }
}

/// Returns the work of transmitting a packet of `size` bytes.
fn work(size: u32) -> u128 {
    u128::from(size) * 8 * UNITS_PER_BIT
}

#[cfg(test)]
mod tests;
