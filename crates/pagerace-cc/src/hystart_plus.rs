//! `HyStart`++ (RFC 9406, <https://www.rfc-editor.org/rfc/rfc9406>): when the
//! delay grows, slow start goes on at a quarter of its pace for five round
//! trips, and ends then unless the growth turns out to have been an accident.
//!
//! Left out: the limit `L` of section 4.3 on what one acknowledgement opens,
//! for here each tells of one packet.

use pagerace_core::{Duration, Instant};

use crate::Ack;
use crate::rounds::Rounds;

/// Section 4.3: bounds of the growth that counts.
const RTT_THRESH: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));
/// Section 4.3: the share of the round trip that counts as growth.
const MIN_RTT_DIVISOR: u64 = 8;
/// Section 4.3: samples before a round trip is believed.
const N_RTT_SAMPLE: u32 = 8;
/// Section 4.3: how much slower conservative slow start is.
const CSS_GROWTH_DIVISOR: u64 = 4;
/// Section 4.3: how many round trips it lasts.
const CSS_ROUNDS: u32 = 5;

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The delay at which it began.
    baseline: Duration,
    rounds: u32,
}

/// Steers slow start.
#[derive(Clone, Debug, Default)]
pub(crate) struct HyStartPlus {
    rounds: Rounds,
    last_delay: Option<Duration>,
    round_delay: Option<Duration>,
    samples: u32,
    conservative: Option<Conservative>,
    /// Section 4.2: it is for the first slow start only.
    is_over: bool,
}

/// What an acknowledgement does in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    /// Bytes by which the window grows.
    pub(crate) bytes: u64,
    /// Slow start ends with it.
    pub(crate) ends: bool,
}

impl HyStartPlus {
    /// A packet was acknowledged in slow start.
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> Growth {
        let bytes = match self.conservative {
            Some(_) => ack.bytes / CSS_GROWTH_DIVISOR,
            None => ack.bytes,
        };
        if self.is_over {
            return Growth { bytes, ends: false };
        }
        let delay = ack.rtt_latest;
        let round_delay = self.round_delay.map_or(delay, |min| min.min(delay));
        self.round_delay = Some(round_delay);
        self.samples += 1;
        if self.samples >= N_RTT_SAMPLE {
            self.judge(round_delay);
        }
        let ends = self.rounds.on_ack(ack) && self.end_round();
        self.is_over |= ends;
        Growth { bytes, ends }
    }

    /// A packet was lost: section 4.2 ends the algorithm.
    pub(crate) fn on_congestion(&mut self, _now: Instant) {
        self.is_over = true;
        self.conservative = None;
    }

    fn judge(&mut self, round_delay: Duration) {
        if let Some(Conservative { baseline, .. }) = self.conservative {
            if round_delay < baseline {
                self.conservative = None;
            }
        } else if let Some(last) = self.last_delay {
            let share = Duration::from_nanos(last.as_nanos() / MIN_RTT_DIVISOR);
            if round_delay >= last + share.clamp(RTT_THRESH.0, RTT_THRESH.1) {
                self.conservative = Some(Conservative {
                    baseline: round_delay,
                    rounds: 0,
                });
            }
        }
    }

    /// Returns whether conservative slow start has lasted long enough; a round
    /// trip in the midst of which it began counts.
    fn end_round(&mut self) -> bool {
        self.last_delay = self.round_delay.take();
        self.samples = 0;
        let Some(conservative) = &mut self.conservative else {
            return false;
        };
        conservative.rounds += 1;
        let ends = conservative.rounds >= CSS_ROUNDS;
        if ends {
            self.conservative = None;
        }
        ends
    }
}

#[cfg(test)]
mod tests;
