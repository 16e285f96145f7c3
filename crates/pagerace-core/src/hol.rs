//! Head-of-line blocking: bytes that arrive while earlier bytes of their stream are
//! missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Number and waiting time of blocked bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolBlocked {
    /// The bytes that arrived while earlier bytes of their stream were missing, each
    /// counted once.
    pub bytes: u64,
    /// The sum over these bytes of the milliseconds until each could be delivered. Bytes
    /// that are never delivered do not count.
    pub byte_ms: u64,
}

/// The received bytes of one stream. Times are in a unit of the caller's choice.
#[derive(Clone, Debug, Default)]
pub struct HolStream {
    delivered: u64,
    /// Spans behind a gap: start to (end, time of arrival); disjoint and ascending.
    waiting: BTreeMap<u64, (u64, u64)>,
    blocked_bytes: u64,
    blocked_byte_time: u128,
}

impl HolStream {
    /// Returns the number of bytes that have been delivered, in order.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Returns the number of bytes that were blocked.
    pub fn blocked_bytes(&self) -> u64 {
        self.blocked_bytes
    }

    /// Returns the sum over the blocked bytes of the time until each was delivered.
    pub fn blocked_byte_time(&self) -> u128 {
        self.blocked_byte_time
    }

    /// Handles the arrival of the bytes from `start` to `end` at `now`. Duplicate bytes
    /// do not count again.
    pub fn arrived(&mut self, now: u64, start: u64, end: u64) {
        let mut at = start.max(self.delivered);
        while at < end {
            let covering = self.waiting.range(..=at).next_back();
            if let Some((_, &(known, _))) = covering.filter(|(_, span)| span.0 > at) {
                at = known;
                continue;
            }
            let next = self.waiting.range(at..).next();
            let until = next.map_or(end, |(start, _)| end.min(*start));
            if at == self.delivered {
                self.delivered = until;
                // Spans that waited for this one are delivered too, and so are the spans
                // directly after them.
                self.deliver(now);
            } else {
                self.blocked_bytes = self.blocked_bytes.saturating_add(until - at);
                self.waiting.insert(at, (until, now));
            }
            at = until.max(self.delivered.min(end));
        }
    }

    fn deliver(&mut self, now: u64) {
        while let Some(first) = self.waiting.first_entry() {
            if *first.key() > self.delivered {
                return;
            }
            let (start, (end, since)) = first.remove_entry();
            let waited = u128::from(end - start) * u128::from(now.saturating_sub(since));
            self.blocked_byte_time = self.blocked_byte_time.saturating_add(waited);
            self.delivered = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(spans: &[(u64, u64, u64)]) -> (u64, u128) {
        let mut stream = HolStream::default();
        for &(now, start, end) in spans {
            stream.arrived(now, start, end);
        }
        (stream.blocked_bytes, stream.blocked_byte_time)
    }

    #[test]
    fn bytes_in_order_never_wait() {
        assert_eq!(of(&[(0, 0, 10), (5, 10, 30), (9, 30, 31)]), (0, 0));
    }

    #[test]
    fn bytes_behind_a_gap_wait_until_it_closes() {
        // 10..20 and 20..25 wait for 0..10, which arrives at 107.
        let spans = [(100, 10, 20), (103, 20, 25), (107, 0, 10)];
        assert_eq!(of(&spans), (15, 10 * 7 + 5 * 4));
    }

    #[test]
    fn what_comes_twice_counts_once() {
        let spans = [(0, 10, 20), (1, 10, 20), (2, 5, 25), (4, 0, 30)];
        // 10..20 waits from 0; 5..10 and 20..25 wait from 2; 0..5 and 25..30 never wait.
        assert_eq!(of(&spans), (20, 10 * 4 + 10 * 2));
    }

    #[test]
    fn a_gap_that_stays_counts_bytes_but_no_time() {
        assert_eq!(of(&[(0, 10, 20), (50, 30, 40)]), (20, 0));
    }

    /// Compares with a simple count byte by byte.
    #[test]
    fn agrees_with_a_count_of_single_bytes() {
        let mut rng = crate::Rng::new(7, "hol");
        for _ in 0..200 {
            let mut spans = Vec::new();
            for now in 0..30 {
                let start = rng.below(60);
                spans.push((now, start, start + rng.below(12)));
            }
            let mut arrival = [None; 80];
            let (mut delivered, mut bytes, mut byte_time) = (0, 0, 0);
            for &(now, start, end) in &spans {
                for at in start..end {
                    arrival[at as usize].get_or_insert(now);
                }
                let from = delivered;
                while arrival[delivered].is_some() {
                    delivered += 1;
                }
                for at in &arrival[from..delivered] {
                    byte_time += u128::from(now - at.unwrap());
                }
                // Counts the bytes of this span that could not be delivered.
                let behind = &arrival[delivered..];
                bytes += behind.iter().filter(|a| **a == Some(now)).count() as u64;
            }
            assert_eq!(of(&spans), (bytes, byte_time));
        }
    }
}
