//! When Chromium acknowledges.
//!
//! quinn-proto acknowledges every second packet (RFC 9000, section 13.2.2). Chromium does so
//! only for the first hundred packets of a connection. From then on it acknowledges every tenth
//! packet, or after a quarter of the shortest round trip, and the packets after a gap at once.
//!
//! quinn-proto writes an acknowledgement of all packets received when it is polled, so
//! a connection with [`Acks`] polls it only when Chromium would acknowledge. Deviations from
//! Chromium: a single packet waits for quinn-proto's 25 ms, also the second and fourth behind a
//! gap; a gap that was filled counts as one; quinn-proto's other timers release an acknowledgement
//! that waits.
//!
//! # Source
//! QUICHE, `quic_received_packet_manager.cc` (`MaybeUpdateAckTimeout`, `GetMaxAckDelay`), with
//! its default values.

use pagerace_core::{Duration, Instant};

use super::tap::Arrival;

/// The first packet number at which fewer packets are acknowledged
/// (`kMinReceivedBeforeAckDecimation`).
const FIRST: u64 = 100;
/// The number of packets that one acknowledgement covers from then on
/// (`kMaxRetransmittablePacketsBeforeAck`).
const PACKETS: u32 = 10;
/// The number of packets after a gap that are acknowledged at once
/// (`kMaxPacketsAfterNewMissing`).
const AFTER_GAP: u64 = 4;
/// The shortest delay of an acknowledgement (`kAlarmGranularity`), and the longest
/// (`kDefaultDelayedAckTimeMs`).
const DELAYS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(25)];

/// The packets that a browser has not acknowledged yet.
#[derive(Debug, Default)]
pub(super) struct Acks {
    largest: Option<u64>,
    /// Number of packets since the last gap in the packet numbers, if there was one.
    after_gap: Option<u64>,
    /// Number of ack-eliciting packets since the last acknowledgement.
    waiting: u32,
    /// The time of the next acknowledgement.
    due: Option<Instant>,
}

impl Acks {
    /// Takes note of a received packet. `min_rtt` is the shortest round trip so far.
    pub(super) fn handle_received(&mut self, now: Instant, packet: Arrival, min_rtt: Duration) {
        let Arrival { number, eliciting } = packet;
        let next = self.largest.map_or(number, |largest| largest + 1);
        let late = number < next;
        if !late {
            self.largest = Some(number);
            self.after_gap = match self.after_gap {
                _ if number > next => Some(1),
                run => run.map(|packets| packets + 1),
            };
        }
        self.waiting += u32::from(eliciting);
        let after_gap = self.after_gap.is_some_and(|packets| packets <= AFTER_GAP);
        let at_once = number < FIRST || late || eliciting && (after_gap || self.waiting >= PACKETS);
        let at = if at_once {
            now
        } else if eliciting {
            now + Duration::from_nanos(min_rtt.as_nanos() / 4).clamp(DELAYS[0], DELAYS[1])
        } else {
            return;
        };
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Takes note of an acknowledgement that was sent.
    pub(super) fn handle_sent(&mut self) {
        (self.waiting, self.due) = (0, None);
    }

    /// Takes note that quinn-proto sent none. It keeps that of a single packet for up to 25 ms.
    pub(super) fn handle_refused(&mut self, now: Instant) {
        self.due = self.due.filter(|due| *due > now);
    }

    /// Returns the time of the next acknowledgement, if packets wait for one.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }
}

#[cfg(test)]
mod tests;
