//! `HyStart` as Linux has it (`net/ipv4/tcp_cubic.c`, 6.x), after Ha and Rhee,
//! "Taming the Elephants: New TCP Slow Start" (Computer Networks 55(9), 2011):
//! slow start ends when a train of acknowledgements is as long as the path's
//! one-way delay, or when the delay has grown.
//!
//! Deviates where the sender is paced. Linux knows it, paces slow start at two
//! windows a round trip (`tcp_pacing_ss_ratio`), which takes half of it, and
//! lets trains take the other half as well. Here it is seen by packets that
//! leave at other times than acknowledgements arrive, and such trains are not
//! looked at: QUIC paces at 1.25 windows a round trip (RFC 9002, section 7.7,
//! N), so that a growing window is never through with a train before the next
//! begins, and trains are as long as round trips on an empty path. The delay
//! is looked at in either case. Left out: the allowance for the hosts'
//! segmentation offload (`hystart_ack_delay`).

use pagerace_core::{Duration, Instant};

use crate::Ack;
use crate::rounds::Rounds;

/// Acknowledgements not farther apart are one train: `hystart_ack_delta_us`.
const ACK_GAP: Duration = Duration::from_millis(2);
/// Samples before a delay is believed: `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u32 = 8;
/// Bounds of the growth that counts: `HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`.
const DELAY_GROWTH: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));
/// The share of bytes sent between acknowledgements, as 1 of so many, that tells
/// a paced sender: others send none, unless they wait for their application.
const SPREAD_SHARE: u64 = 8;
/// In packets; smaller windows are let grow: `hystart_low_window`.
const LOW_WINDOW: u64 = 16;

/// Looks for the end of slow start.
#[derive(Clone, Debug, Default)]
pub(crate) struct HyStart {
    rounds: Rounds,
    round_start: Instant,
    /// The last acknowledgement of the train.
    train_end: Instant,
    delay_min: Option<Duration>,
    round_delay: Option<Duration>,
    samples: u32,
    pace: Pace,
}

impl HyStart {
    /// A packet was sent.
    pub(crate) fn on_sent(&mut self, now: Instant, bytes: u64) {
        self.pace.on_sent(now, bytes);
    }

    /// A packet was acknowledged in slow start; `window` is in packets.
    /// Returns whether slow start is over.
    pub(crate) fn on_ack(&mut self, ack: &Ack, window: u64) -> bool {
        let delay = ack.rtt_latest;
        let delay_min = self.delay_min.map_or(delay, |min| min.min(delay));
        self.delay_min = Some(delay_min);
        if self.rounds.on_ack(ack) {
            self.round_start = ack.now;
            self.train_end = ack.now;
            self.round_delay = None;
            self.samples = 0;
            self.pace.restart();
        }
        self.pace.on_ack(ack.now);
        window >= LOW_WINDOW
            && (self.is_train_long(ack, delay_min) | self.has_grown(delay, delay_min))
    }

    /// What was seen is of no use after a timeout.
    pub(crate) fn restart(&mut self, now: Instant) {
        *self = Self::default();
        self.rounds.restart(now);
        self.round_start = now;
        self.train_end = now;
    }

    fn is_train_long(&mut self, ack: &Ack, delay_min: Duration) -> bool {
        if ack.now.since(self.train_end) > ACK_GAP {
            return false;
        }
        self.train_end = ack.now;
        let half = Duration::from_nanos(delay_min.as_nanos() / 2);
        !self.pace.is_paced() && ack.now.since(self.round_start) > half
    }

    fn has_grown(&mut self, delay: Duration, delay_min: Duration) -> bool {
        let round_delay = self.round_delay.map_or(delay, |min| min.min(delay));
        self.round_delay = Some(round_delay);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        let eighth = Duration::from_nanos(delay_min.as_nanos() / 8);
        round_delay > delay_min + eighth.clamp(DELAY_GROWTH.0, DELAY_GROWTH.1)
    }
}

/// Tells whether packets leave when acknowledgements arrive, or spread out.
#[derive(Clone, Debug, Default)]
struct Pace {
    last_ack: Option<Instant>,
    /// Bytes sent at an acknowledgement, and between two.
    prompt: u64,
    spread: u64,
    was_paced: bool,
}

impl Pace {
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        match self.last_ack {
            Some(at) if at == now => self.prompt += bytes,
            Some(_) => self.spread += bytes,
            // The first window is sent before any acknowledgement.
            None => {}
        }
    }

    fn on_ack(&mut self, now: Instant) {
        self.last_ack = Some(now);
    }

    /// A round trip ended.
    fn restart(&mut self) {
        self.was_paced = self.spread * SPREAD_SHARE > self.prompt + self.spread;
        (self.prompt, self.spread) = (0, 0);
    }

    /// Of what was sent in the round trip whose acknowledgements arrive.
    fn is_paced(&self) -> bool {
        self.was_paced
    }
}

#[cfg(test)]
mod tests;
