//! `HyStart` as Linux has it (`net/ipv4/tcp_cubic.c`, 6.18), after Ha and Rhee,
//! "Taming the Elephants: New TCP Slow Start" (Computer Networks 55(9), 2011):
//! slow start ends when a train of acknowledgements is as long as the path's
//! one-way delay, or when the delay has grown.
//!
//! It counts acknowledgements, not the packets that they cover: one sample for
//! each, with the round trip of the latest packet.
//!
//! Deviates where the sender is paced. Linux paces slow start at two windows a
//! round trip (`tcp_pacing_ss_ratio`), which takes half of it, and lets trains
//! take the other half as well. Trains of a paced sender are not looked at here:
//! QUIC paces at 1.25 windows a round trip (RFC 9002, section 7.7, N), so that a
//! growing window is never through with a train before the next begins, and
//! trains are as long as round trips on an empty path. The delay is looked at in
//! either case.

use pagerace_core::{Duration, Instant};

use crate::Ack;
use crate::rounds::Rounds;

/// Acknowledgements not farther apart are one train: `hystart_ack_delta_us`.
const ACK_GAP: Duration = Duration::from_millis(2);
/// Samples before a delay is believed: `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u32 = 8;
/// Bounds of the growth that counts: `HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`.
const DELAY_GROWTH: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));
/// In packets; smaller windows are let grow: `hystart_low_window`.
const LOW_WINDOW: u64 = 16;
/// The time that segmentation offload may add to a train: `hystart_ack_delay`,
/// which is less only above 2 Gbit/s.
const OFFLOAD: Duration = Duration::from_millis(1);

/// Looks for the end of slow start.
#[derive(Clone, Debug, Default)]
pub(crate) struct HyStart {
    paced: bool,
    rounds: Rounds,
    round_start: Instant,
    /// The last acknowledgement of the train.
    train_end: Instant,
    delay_min: Option<Duration>,
    round_delay: Option<Duration>,
    samples: u32,
    /// What the acknowledgement that is being read told so far.
    told: Option<Told>,
}

/// The latest packet of an acknowledgement, and the bytes by which the window
/// may grow.
#[derive(Clone, Copy, Debug)]
struct Told {
    latest: Ack,
    bytes: u64,
}

impl HyStart {
    /// The sender spreads packets over the round trip.
    pub(crate) fn set_paced(&mut self) {
        self.paced = true;
    }

    /// A packet was acknowledged in slow start.
    pub(crate) fn on_packet(&mut self, ack: &Ack) {
        let bytes = if ack.app_limited { 0 } else { ack.bytes };
        let told = self.told.get_or_insert(Told {
            latest: *ack,
            bytes: 0,
        });
        told.bytes += bytes;
        if ack.sent_at >= told.latest.sent_at {
            told.latest = *ack;
        }
    }

    /// What was told of the current acknowledgement is not to grow the window.
    pub(crate) fn forget_packets(&mut self) {
        self.told = None;
    }

    /// All packets of an acknowledgement were told. `window`: in packets. Returns
    /// the bytes by which slow start may grow, or `None` if it is over.
    pub(crate) fn on_ack_end(&mut self, window: u64) -> Option<u64> {
        let Some(Told { latest, bytes }) = self.told.take() else {
            return Some(0);
        };
        (!self.is_over(&latest, window)).then_some(bytes)
    }

    fn is_over(&mut self, ack: &Ack, window: u64) -> bool {
        let delay = ack.rtt_latest;
        let delay_min = self.delay_min.map_or(delay, |min| min.min(delay));
        self.delay_min = Some(delay_min);
        if self.rounds.on_ack(ack) {
            self.round_start = ack.now;
            self.train_end = ack.now;
            self.round_delay = None;
            self.samples = 0;
        }
        window >= LOW_WINDOW
            && (self.is_train_long(ack, delay_min) | self.has_grown(delay, delay_min))
    }

    /// What was seen is of no use after a timeout.
    pub(crate) fn restart(&mut self, now: Instant) {
        *self = Self {
            paced: self.paced,
            ..Self::default()
        };
        self.rounds.restart(now);
        self.round_start = now;
        self.train_end = now;
    }

    fn is_train_long(&mut self, ack: &Ack, delay_min: Duration) -> bool {
        if ack.now.since(self.train_end) > ACK_GAP {
            return false;
        }
        self.train_end = ack.now;
        let half = Duration::from_nanos((delay_min + OFFLOAD).as_nanos() / 2);
        !self.paced && ack.now.since(self.round_start) > half
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

#[cfg(test)]
mod tests;
