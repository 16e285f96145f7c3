//! How fast a path delivers: delivery rate samples as in
//! draft-cheng-iccrg-delivery-rate-estimation-02,
//! <https://datatracker.ietf.org/doc/html/draft-cheng-iccrg-delivery-rate-estimation-02>.
//!
//! A sample is what was delivered between the sending of a packet and its
//! acknowledgement, over the time in which it was sent or the time in which
//! it was acknowledged, whichever is longer.
//!
//! Deviates: packets are known by the instant at which they were sent, so those
//! of one instant share a record. A record is dropped when all that is in
//! flight was sent later as far as can be known; a packet that arrives
//! after all gives no sample.

use std::collections::VecDeque;

use pagerace_core::{Duration, Instant};

use crate::Ack;
use crate::flight::Flight;

/// Takes a sample for each acknowledgement.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSampler {
    /// Bytes delivered so far: `C.delivered`.
    delivered: u64,
    /// When the last of them was acknowledged: `C.delivered_time`.
    delivered_at: Instant,
    /// When the packet was sent that was acknowledged last, or the first after
    /// a silence: `C.first_sent_time`.
    first_sent: Instant,
    /// Until so much is delivered, samples show the application's rate.
    app_limited_until: Option<u64>,
    flight: Flight,
    /// In the order of sending.
    records: VecDeque<Record>,
    /// Bytes in `records`.
    recorded: u64,
    current: Current,
}

/// What is remembered of the packets sent at one instant.
#[derive(Clone, Copy, Debug)]
struct Record {
    sent_at: Instant,
    /// Not yet acknowledged.
    bytes: u64,
    first_sent: Instant,
    delivered: u64,
    delivered_at: Instant,
    app_limited: bool,
}

/// The acknowledgement that is being told of.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    acked: u64,
    lost: u64,
    /// The record of the packet that was sent last, and its round trip.
    newest: Option<(Record, Duration)>,
    /// The shortest round trip so far.
    rtt_min: Duration,
}

/// What an acknowledgement tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Bytes acknowledged.
    pub(crate) acked: u64,
    /// Bytes declared lost since the last sample.
    pub(crate) lost: u64,
    /// Bytes in flight now.
    pub(crate) in_flight: u64,
    /// Bytes in flight before.
    pub(crate) prior_in_flight: u64,
    /// The round trip of the packet that was sent last.
    pub(crate) rtt: Option<Duration>,
    /// `None` where the draft's section 3.3 finds it unreliable.
    pub(crate) rate: Option<Rate>,
}

/// How fast the path delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Bytes per second.
    pub(crate) bytes_per_second: u64,
    /// The application had too little to send, so the path may be faster.
    pub(crate) app_limited: bool,
    /// Bytes that were delivered when the packet was sent.
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

    /// Whether samples show the application's rate.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// A packet was sent: section 3.2.
    pub(crate) fn on_sent(&mut self, now: Instant, bytes: u64) {
        if self.flight.is_empty() {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.flight.sent(bytes);
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

    /// A packet was acknowledged: section 3.3, `UpdateRateSample`.
    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        self.delivered += ack.bytes;
        self.delivered_at = ack.now;
        self.flight.settled(ack.bytes);
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

    /// Packets were declared lost.
    pub(crate) fn on_lost(&mut self, bytes: u64) {
        self.flight.settled(bytes);
        self.current.lost += bytes;
    }

    /// What is in flight, and what comes of it, is less than the path could
    /// carry: section 3.4.
    pub(crate) fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = Some(self.delivered + in_flight);
    }

    /// The acknowledgement is told of: section 3.3, `GenerateRateSample`.
    /// `None` if it acknowledged nothing.
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

    fn rate(&self, now: Instant, record: &Record, rtt_min: Duration) -> Option<Rate> {
        let sending = record.sent_at.since(record.first_sent);
        let acknowledging = now.since(record.delivered_at);
        let interval = sending.max(acknowledging);
        // A packet of ours was delivered faster than light.
        if interval < rtt_min || interval.is_zero() {
            return None;
        }
        let bytes = u128::from(self.delivered - record.delivered);
        let rate = bytes * 1_000_000_000 / u128::from(interval.as_nanos());
        Some(Rate {
            bytes_per_second: u64::try_from(rate).unwrap_or(u64::MAX),
            app_limited: record.app_limited,
            prior_delivered: record.delivered,
        })
    }

    /// Drops records of which nothing is in flight: those that are used up, and
    /// the oldest as long as the rest hold all that is in flight.
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
