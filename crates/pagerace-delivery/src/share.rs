//! Fair sharing of a link by weight, exact to one packet.
//!
//! Follows J. Bennett and H. Zhang, "WF2Q: worst-case fair weighted fair
//! queueing", INFOCOM 1996, and for trees their "Hierarchical packet fair
//! queueing algorithms", IEEE/ACM Transactions on Networking 5 (1997). Each competitor has
//! a *start tag*: the virtual time at which a fluid system would begin its next packet.
//! Among the competitors whose start tag is due, the scheduler serves the one whose packet
//! a fluid system would finish first. While the set of competitors stays the same, none of
//! them is ever more than one packet ahead of its share or behind it.
//!
//! A competitor that is new, or that was blocked, starts at the current virtual time, so
//! absence earns no credit. Times are fixed-point integers, so runs are the same on every
//! machine.
//!
//! This implementation deviates in two points. The virtual time is the weighted mean of the
//! competitors' start tags. It equals the fluid system's time while the competitors stay
//! the same. When they change it stays among the tags, so it cannot drift. Also, weights
//! may change: a start tag then keeps its distance from the virtual time in *bytes*, so
//! that no lead or lag is inflated.

use crate::Response;
use crate::streams::Streams;

/// Fractional bits of a [`Weight`].
const FRACTION_BITS: u32 = 32;

/// Assumed size of a packet in bytes when finish times are compared: QUIC's smallest
/// maximum datagram size (RFC 9000, section 14,
/// <https://www.rfc-editor.org/rfc/rfc9000#section-14>). Only its ratio to a response's
/// last few bytes matters.
const PACKET_BYTES: u64 = 1200;

/// A positive weight. Only ratios between competitors matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight(u64);

impl Weight {
    /// The minimum weight, about a millionth. Smaller weights are raised to it.
    const MIN: u64 = 1 << 12;

    pub(crate) const fn whole(weight: u32) -> Self {
        assert!(weight > 0, "a weight is positive");
        Self((weight as u64) << FRACTION_BITS)
    }

    /// Creates a weight from a share of 0 to 1, or any number up to 2^31.
    pub(crate) fn real(weight: f64) -> Self {
        let bits = weight * (1_u64 << FRACTION_BITS) as f64;
        Self((bits as u64).max(Self::MIN))
    }

    /// Returns the virtual time that `bytes` take at this weight.
    fn time_of(self, bytes: u64) -> i128 {
        time_of(bytes, i128::from(self.0))
    }
}

fn time_of(bytes: u64, weight: i128) -> i128 {
    (i128::from(bytes) << (2 * FRACTION_BITS)) / weight
}

/// The scheduling state of one competitor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    weight: Weight,
    start: i128,
    /// Number of the last contest that the competitor entered.
    seen: u64,
}

impl Lane {
    pub(crate) const fn new(weight: Weight) -> Self {
        Self {
            weight,
            start: 0,
            seen: 0,
        }
    }
}

/// Repeated contests among siblings.
#[derive(Clone, Debug)]
pub(crate) struct Contest<K> {
    /// Current virtual time.
    now: i128,
    number: u64,
    /// Sum of the competitors' weights.
    weights: i128,
    /// Sum of each competitor's distance from `now` to its start tag, times its weight.
    ahead: i128,
    entries: Vec<Entry<K>>,
}

#[derive(Clone, Debug)]
struct Entry<K> {
    start: i128,
    finish: i128,
    key: K,
}

impl<K> Default for Contest<K> {
    fn default() -> Self {
        Self {
            now: 0,
            number: 0,
            weights: 0,
            ahead: 0,
            entries: Vec::new(),
        }
    }
}

impl<K: Copy> Contest<K> {
    /// Opens the next contest.
    pub(crate) fn open(&mut self) {
        self.number += 1;
        self.weights = 0;
        self.ahead = 0;
        self.entries.clear();
    }

    /// Enters `lane`, which has `remaining` bytes to send. Ties go to the first to enter.
    pub(crate) fn enter(&mut self, lane: &mut Lane, key: K, remaining: u64) {
        if lane.seen + 1 != self.number {
            lane.start = lane.start.max(self.now);
        }
        lane.seen = self.number;
        let weight = i128::from(lane.weight.0);
        self.weights += weight;
        self.ahead += weight * (lane.start - self.now);
        let finish = lane.start + lane.weight.time_of(remaining.min(PACKET_BYTES));
        self.entries.push(Entry {
            start: lane.start,
            finish,
            key,
        });
    }

    /// Closes the contest and returns the winner, or `None` if nobody entered.
    pub(crate) fn close(&mut self) -> Option<K> {
        if self.entries.is_empty() {
            return None;
        }
        // The mean is rounded down but is not below the earliest start tag, so at least one
        // entry is due.
        self.now += self.ahead.div_euclid(self.weights);
        let due = self.entries.iter().filter(|e| e.start <= self.now);
        due.min_by_key(|e| e.finish).map(|e| e.key)
    }

    /// Charges `lane` for `bytes` sent after the last contest.
    pub(crate) fn charge(&mut self, lane: &mut Lane, bytes: u64) {
        lane.start += lane.weight.time_of(bytes);
        if self.weights > 0 {
            self.now += time_of(bytes, self.weights);
        }
    }

    /// Changes the weight of `lane`.
    pub(crate) fn reweigh(&self, lane: &mut Lane, weight: Weight) {
        let ahead = lane.start - self.now;
        // Split, so that the product of a large distance cannot overflow.
        let (old, new) = (i128::from(lane.weight.0), i128::from(weight.0));
        lane.start = self.now + ahead / new * old + ahead % new * old / new;
        lane.weight = weight;
    }
}

/// Responses that share a link by weight.
#[derive(Clone, Debug, Default)]
pub(crate) struct FairShare {
    contest: Contest<usize>,
    lanes: Streams<Lane>,
}

impl FairShare {
    pub(crate) fn join(&mut self, stream: u64, weight: Weight) {
        let lane = Lane {
            start: self.contest.now,
            ..Lane::new(weight)
        };
        self.lanes.insert(stream, lane);
    }

    pub(crate) fn leave(&mut self, stream: u64) {
        self.lanes.remove(stream);
    }

    /// Assigns new weights to the streams, in ascending stream order.
    pub(crate) fn reweigh_all(&mut self, weights: impl Iterator<Item = Weight>) {
        for (lane, weight) in self.lanes.values_mut().zip(weights) {
            self.contest.reweigh(lane, weight);
        }
    }

    /// Picks the response of `ready` that sends next.
    ///
    /// # Panics
    /// Panics if `ready` is empty or holds a stream that has not joined.
    pub(crate) fn pick(&mut self, ready: &[Response]) -> usize {
        self.contest.open();
        self.lanes.each_ready(ready, |i, response, lane| {
            self.contest.enter(lane, i, response.remaining());
        });
        self.contest.close().expect("something is ready")
    }

    pub(crate) fn charge(&mut self, stream: u64, bytes: u64) {
        if let Some(lane) = self.lanes.get_mut(stream) {
            self.contest.charge(lane, bytes);
        }
    }
}

#[cfg(test)]
mod tests;
