//! Delivery rate samples as in draft-cheng-iccrg-delivery-rate-estimation-02,
//! <https://datatracker.ietf.org/doc/html/draft-cheng-iccrg-delivery-rate-estimation-02>.
//!
//! A sample divides the data delivered between a packet's sending and its acknowledgement
//! by the time in which that data was sent or acknowledged, whichever is longer.
//!
//! Deviation: a packet is identified by the instant at which it was sent, so packets of
//! one instant share a record. A record is dropped when, as far as can be known, all data
//! in flight was sent later. A packet that arrives after that gives no sample.

use std::collections::VecDeque;

use pagerace_core::{Duration, Instant};

use crate::flight::Flight;
use crate::{Ack, mul_div};

/// Takes a delivery rate sample for each acknowledgement.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSampler {
    /// Bytes delivered so far: `C.delivered`.
    delivered: u64,
    /// The time of the last delivery: `C.delivered_time`.
    delivered_at: Instant,
    /// The time when the most recently acknowledged packet was sent, or the first packet
    /// after an idle period: `C.first_sent_time`.
    first_sent: Instant,
    /// The number of delivered bytes up to which samples are application-limited.
    app_limited_until: Option<u64>,
    flight: Flight,
    /// The records, in order of sending.
    records: VecDeque<Record>,
    /// Bytes in `records`.
    recorded: u64,
    current: Current,
}

/// The state recorded for the packets sent at one instant.
#[derive(Clone, Copy, Debug)]
struct Record {
    sent_at: Instant,
    /// Bytes not yet acknowledged.
    bytes: u64,
    first_sent: Instant,
    delivered: u64,
    delivered_at: Instant,
    app_limited: bool,
}

/// The acknowledgement being processed.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    acked: u64,
    lost: u64,
    /// The record and the round trip time of the most recently sent packet.
    newest: Option<(Record, Duration)>,
    /// The shortest round trip time so far.
    rtt_min: Duration,
}

/// The result of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Bytes acknowledged.
    pub(crate) acked: u64,
    /// Bytes declared lost since the last sample.
    pub(crate) lost: u64,
    /// Bytes in flight after the acknowledgement.
    pub(crate) in_flight: u64,
    /// Bytes in flight before the acknowledgement.
    pub(crate) prior_in_flight: u64,
    /// The round trip time of the most recently sent packet.
    pub(crate) rtt: Option<Duration>,
    /// The delivery rate; `None` if it is unreliable by section 3.3 of the draft.
    pub(crate) rate: Option<DeliveryRate>,
}

/// A delivery rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeliveryRate {
    /// Bytes per second.
    pub(crate) bytes_per_second: u64,
    /// True if the application had too little to send, so the path may be faster.
    pub(crate) app_limited: bool,
    /// The total bytes that were delivered when the packet was sent.
    pub(crate) prior_delivered: u64,
}

impl RateSampler {
    /// Bytes delivered so far.
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Bytes in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        self.flight.bytes()
    }

    /// Returns true if samples are application-limited.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// Records a sent packet (section 3.2).
    pub(crate) fn on_sent(&mut self, now: Instant, bytes: u64) {
        if self.flight.is_empty() {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.flight.handle_sent(bytes);
        self.recorded += bytes;
        if let Some(last) = self.records.back_mut()
            && last.sent_at == now
        {
            last.bytes += bytes;
            return;
        }
        self.records.push_back(Record {
            sent_at: now,
            bytes,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.is_app_limited(),
        });
    }

    /// Records an acknowledged packet (section 3.3, `UpdateRateSample`).
    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        self.delivered += ack.bytes;
        self.delivered_at = ack.now;
        self.flight.handle_settled(ack.bytes);
        self.current.acked += ack.bytes;
        self.current.rtt_min = ack.rtt_min;
        let Ok(index) = self
            .records
            .binary_search_by_key(&ack.sent_at, |record| record.sent_at)
        else {
            return;
        };
        let record = &mut self.records[index];
        let taken = ack.bytes.min(record.bytes);
        record.bytes -= taken;
        self.recorded -= taken;
        let record = *record;
        if self
            .current
            .newest
            .is_none_or(|(newest, _)| record.sent_at >= newest.sent_at)
        {
            self.current.newest = Some((record, ack.rtt_latest));
            self.first_sent = ack.sent_at;
        }
    }

    /// Records lost packets.
    pub(crate) fn on_lost(&mut self, bytes: u64) {
        self.flight.handle_settled(bytes);
        self.current.lost += bytes;
    }

    /// Marks the data in flight, which is less than the path could carry, as
    /// application-limited (section 3.4).
    pub(crate) fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = Some(self.delivered + in_flight);
    }

    /// Completes an acknowledgement (section 3.3, `GenerateRateSample`). Returns `None`
    /// if it acknowledged nothing.
    pub(crate) fn on_ack_end(&mut self, now: Instant, in_flight: u64) -> Option<Sample> {
        self.flight.set(in_flight);
        self.prune();
        if self.current.acked == 0 {
            return None;
        }
        if self.app_limited_until.is_some_and(|n| self.delivered > n) {
            self.app_limited_until = None;
        }
        let Current {
            acked,
            lost,
            newest,
            rtt_min,
        } = std::mem::take(&mut self.current);
        Some(Sample {
            acked,
            lost,
            in_flight,
            prior_in_flight: in_flight + acked + lost,
            rtt: newest.map(|(_, rtt)| rtt),
            rate: newest.and_then(|(record, _)| self.rate(now, &record, rtt_min)),
        })
    }

    fn rate(&self, now: Instant, record: &Record, rtt_min: Duration) -> Option<DeliveryRate> {
        let sending = record.sent_at.since(record.first_sent);
        let acknowledging = now.since(record.delivered_at);
        let interval = sending.max(acknowledging);
        // Section 3.3: an interval below the minimum round trip time is unreliable.
        if interval < rtt_min || interval.is_zero() {
            return None;
        }
        let bytes = self.delivered - record.delivered;
        Some(DeliveryRate {
            bytes_per_second: mul_div(bytes, 1_000_000_000, interval.as_nanos()),
            app_limited: record.app_limited,
            prior_delivered: record.delivered,
        })
    }

    /// Drops records of packets that are no longer in flight: those fully acknowledged,
    /// and the oldest as long as the others account for all data in flight.
    fn prune(&mut self) {
        while let Some(oldest) = self.records.front() {
            if self.recorded - oldest.bytes < self.flight.bytes() {
                break;
            }
            self.recorded -= oldest.bytes;
            self.records.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
