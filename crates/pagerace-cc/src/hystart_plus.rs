//! `HyStart`++ (RFC 9406, <https://www.rfc-editor.org/rfc/rfc9406>): when the
//! delay grows, slow start continues at a quarter of its pace for five round
//! trips. It then ends, unless the delay has fallen again in the meantime.
//!
//! Left out: the limit `L` of section 4.3 on the growth per acknowledgement,
//! because each call here reports a single packet.

use pagerace_core::Duration;

use crate::Ack;
use crate::rounds::Rounds;

/// Section 4.3: lower and upper bound of the delay growth that is significant.
const RTT_THRESH: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));
/// Section 4.3: divisor of the round trip time that gives the significant growth.
const MIN_RTT_DIVISOR: u64 = 8;
/// Section 4.3: number of samples before the delay of a round trip is used.
const N_RTT_SAMPLE: u32 = 8;
/// Section 4.3: factor by which conservative slow start is slower.
const CSS_GROWTH_DIVISOR: u64 = 4;
/// Section 4.3: duration of conservative slow start in round trips.
const CSS_ROUNDS: u32 = 5;

/// The state of conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The delay at which conservative slow start began.
    baseline: Duration,
    rounds: u32,
}

/// Controls growth in slow start and decides when it ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct HyStartPlus {
    rounds: Rounds,
    last_delay: Option<Duration>,
    round_delay: Option<Duration>,
    samples: u32,
    conservative: Option<Conservative>,
    /// Section 4.2: the algorithm applies to the first slow start only.
    is_over: bool,
}

/// The effect of an acknowledgement in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    /// Bytes by which the window grows.
    pub(crate) bytes: u64,
    /// True if slow start ends with this acknowledgement.
    pub(crate) ends: bool,
}

impl HyStartPlus {
    /// Handles the acknowledgement of a packet in slow start.
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

    /// Handles a packet loss, which ends the algorithm (section 4.2).
    pub(crate) fn on_congestion(&mut self) {
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

    /// Returns true if conservative slow start has lasted long enough. The
    /// round trip during which it began counts.
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
