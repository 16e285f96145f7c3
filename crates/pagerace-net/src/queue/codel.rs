//! Controlled delay (`CoDel`), RFC 8289.
//!
//! The sojourn time of a packet is known when it leaves the queue. Once every packet of a
//! whole interval has waited longer than the target, `CoDel` drops a packet. While the
//! queue stays above the target, the gap to the next drop is the interval over the square
//! root of the number of drops. If the queue grows again soon after a burst of drops,
//! dropping resumes at the rate of that burst.
//!
//! Deviations: times are whole nanoseconds, and the square root is rounded down. Left
//! out: marking instead of dropping.

use std::fmt;

use pagerace_core::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::fifo::{Fifo, Queued};
use super::limit::{MTU, QueueLimit};
use crate::units::delay_text;

/// The default acceptable sojourn time.
/// <https://www.rfc-editor.org/rfc/rfc8289#section-5.3>
const TARGET: Duration = Duration::from_millis(5);

/// The default interval, of the order of a round trip.
/// <https://www.rfc-editor.org/rfc/rfc8289#section-5.3>
const INTERVAL: Duration = Duration::from_millis(100);

/// The default limit of `tc-codel(8)`.
const LIMIT: QueueLimit = QueueLimit::Packets(1_000);

/// The number of intervals for which the drop rate of an earlier burst is remembered.
/// <https://www.rfc-editor.org/rfc/rfc8289#section-5.5>
const REMEMBERED_INTERVALS: u64 = 16;

/// Parameters of `CoDel`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodelConfig {
    /// The acceptable sojourn time; 5 ms by default.
    pub target: Duration,
    /// The time for which the target may be exceeded before a drop; 100 ms by default.
    pub interval: Duration,
    /// The limit beyond which packets are refused; 1,000 packets by default.
    pub limit: QueueLimit,
}

impl Default for CodelConfig {
    fn default() -> Self {
        Self {
            target: TARGET,
            interval: INTERVAL,
            limit: LIMIT,
        }
    }
}

impl CodelConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, time) in [("a target", self.target), ("an interval", self.interval)] {
            if time.is_zero() || time > Duration::from_secs(3_600) {
                let time = delay_text(time);
                return Err(format!("{name} of {time} is not above 0 and up to 3600s"));
            }
        }
        self.limit.check()
    }

    /// Returns the control parameters for people: ` (target 5 ms, interval 100 ms)`.
    pub(super) fn control_for_people(&self) -> String {
        format!(
            " (target {} ms, interval {} ms)",
            self.target.as_millis_f64(),
            self.interval.as_millis_f64()
        )
    }

    /// Writes the parameters that differ from the default, each preceded by a space.
    pub(super) fn write_parameters(
        &self,
        default: &Self,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        if self.target != default.target {
            write!(f, " target {}", delay_text(self.target))?;
        }
        if self.interval != default.interval {
            write!(f, " interval {}", delay_text(self.interval))?;
        }
        if self.limit != default.limit {
            write!(f, " limit {}", self.limit)?;
        }
        Ok(())
    }
}

impl fmt::Display for CodelConfig {
    /// Writes the parameters that differ from the default as the grammar reads them after
    /// `codel`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_parameters(&Self::default(), f)
    }
}

/// The state of `CoDel` for one queue. Names follow RFC 8289, section 5.2.
#[derive(Clone, Debug)]
pub(crate) struct Codel {
    target: Duration,
    interval: Duration,
    /// The time at which the sojourn time will have exceeded the target for a whole interval.
    first_above: Option<Instant>,
    dropping: bool,
    drop_next: Instant,
    /// The drop count of the current or last dropping state.
    count: u64,
    /// The value of `count` when the dropping state was last entered.
    last_count: u64,
}

impl Codel {
    pub(crate) fn new(config: &CodelConfig) -> Self {
        Self {
            target: config.target,
            interval: config.interval,
            first_above: None,
            dropping: false,
            drop_next: Instant::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Returns the next packet for the bottleneck, and passes packets dropped before it
    /// to `drop`.
    /// <https://www.rfc-editor.org/rfc/rfc8289#section-5.5>
    pub(crate) fn dequeue<P>(
        &mut self,
        now: Instant,
        queue: &mut Fifo<P>,
        mut drop: impl FnMut(Queued<P>),
    ) -> Option<Queued<P>> {
        let (mut packet, mut late) = self.take(now, queue);
        if self.dropping {
            self.dropping = late;
            while self.dropping && now >= self.drop_next {
                packet.map(&mut drop);
                self.count += 1;
                (packet, late) = self.take(now, queue);
                self.dropping = late;
                if late {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if late {
            packet.map(&mut drop);
            (packet, _) = self.take(now, queue);
            self.begin_dropping(now);
        }
        packet
    }

    /// Enters the dropping state. The drop count starts from the last burst if that burst
    /// was recent, and otherwise from one.
    fn begin_dropping(&mut self, now: Instant) {
        let earlier = self.count - self.last_count;
        let remembered = Duration::from_nanos(self.interval.as_nanos() * REMEMBERED_INTERVALS);
        let recent = now.since(self.drop_next) < remembered;
        self.count = if earlier > 1 && recent { earlier } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.drop_next = self.control_law(now);
    }

    /// Removes the next packet. Also returns true if the sojourn time has exceeded the
    /// target for an interval, so that the packet may be dropped. A queue with at most
    /// one full packet left is not a standing queue.
    /// <https://www.rfc-editor.org/rfc/rfc8289#section-5.6>
    fn take<P>(&mut self, now: Instant, queue: &mut Fifo<P>) -> (Option<Queued<P>>, bool) {
        let Some(packet) = queue.pop() else {
            self.first_above = None;
            return (None, false);
        };
        let waited = now.since(packet.offered_at);
        if waited < self.target || queue.bytes() <= MTU {
            self.first_above = None;
            return (Some(packet), false);
        }
        let until = *self.first_above.get_or_insert(now + self.interval);
        (Some(packet), now >= until)
    }

    /// Returns `t` plus interval / sqrt(count).
    /// <https://www.rfc-editor.org/rfc/rfc8289#section-5.6>
    fn control_law(&self, t: Instant) -> Instant {
        let interval = u128::from(self.interval.as_nanos());
        let step = (interval * interval / u128::from(self.count)).isqrt();
        t + Duration::from_nanos(step as u64)
    }
}

#[cfg(test)]
mod tests;
