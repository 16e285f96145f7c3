//! `HyStart` as implemented by Linux (`net/ipv4/tcp_cubic.c`, 6.18), after Ha and
//! Rhee, "Taming the Elephants: New TCP Slow Start" (Computer Networks 55(9),
//! 2011). Slow start ends when a train of acknowledgements is as long as the
//! path's one-way delay, or when the delay has grown.
//!
//! The algorithm counts acknowledgements, not the packets that they cover. Each
//! acknowledgement gives one sample: the round trip time of its latest packet.
//!
//! Deviation for paced senders: Linux paces slow start at two windows per round
//! trip (`tcp_pacing_ss_ratio`), so that sending takes half of it, and allows
//! trains to take the whole round trip. This implementation ignores the trains of
//! a paced sender. QUIC paces at 1.25 windows per round trip (RFC 9002, section
//! 7.7, N), so a growing window never completes a train before the next begins,
//! and trains are as long as round trips even on an empty path. The delay is
//! checked in either case.

use pagerace_core::{Duration, Instant};

use crate::Ack;
use crate::rounds::Rounds;

/// The longest gap between acknowledgements of one train: `hystart_ack_delta_us`.
const ACK_GAP: Duration = Duration::from_millis(2);
/// Number of samples before a delay is used: `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u32 = 8;
/// Bounds of the significant delay growth: `HYSTART_DELAY_MIN`,
/// `HYSTART_DELAY_MAX`.
const DELAY_GROWTH: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));
/// Window in packets below which slow start continues: `hystart_low_window`.
const LOW_WINDOW: u64 = 16;
/// The time that segmentation offload may add to a train: `hystart_ack_delay`.
/// The kernel's value is smaller only above 2 Gbit/s.
const OFFLOAD: Duration = Duration::from_millis(1);

/// Detects the end of slow start.
#[derive(Clone, Debug, Default)]
pub(crate) struct HyStart {
    paced: bool,
    rounds: Rounds,
    round_start: Instant,
    /// The time of the train's last acknowledgement.
    train_end: Instant,
    delay_min: Option<Duration>,
    round_delay: Option<Duration>,
    samples: u32,
    /// The packets reported so far for the acknowledgement being processed.
    told: Option<Told>,
}

/// The latest packet of an acknowledgement, and the bytes by which the window may grow.
#[derive(Clone, Copy, Debug)]
struct Told {
    latest: Ack,
    bytes: u64,
}

impl HyStart {
    /// Configures the detector for a sender that spreads packets over the round trip.
    pub(crate) fn set_paced(&mut self) {
        self.paced = true;
    }

    /// Handles the acknowledgement of a packet in slow start.
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

    /// Discards the packets reported for the current acknowledgement, so that
    /// they do not grow the window.
    pub(crate) fn forget_packets(&mut self) {
        self.told = None;
    }

    /// Completes an acknowledgement after all its packets were reported. `window`
    /// is in packets. Returns the bytes by which slow start may grow the window,
    /// or `None` if slow start is over.
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

    /// Discards all measurements after a timeout.
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
