//! A queue of future events in a total order: by time, then by the order in which they were
//! scheduled.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::Instant;

/// Future events of type `E`, earliest first. Ties keep scheduling order.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    scheduled: u64,
    now: Instant,
}

#[derive(Clone, Debug)]
struct Entry<E> {
    at: Instant,
    sequence: u64,
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.sequence) == (other.at, other.sequence)
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            scheduled: 0,
            now: Instant::ZERO,
        }
    }
}

impl<E> EventQueue<E> {
    /// Creates an empty queue at [`Instant::ZERO`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Schedules `event` at `at`.
    ///
    /// # Panics
    /// Panics if `at` is before the time of the last popped event, as time does not run
    /// backwards.
    pub fn schedule(&mut self, at: Instant, event: E) {
        assert!(
            at >= self.now,
            "event at {at:?} scheduled in the past of {:?}",
            self.now
        );
        self.heap.push(Reverse(Entry {
            at,
            sequence: self.scheduled,
            event,
        }));
        self.scheduled += 1;
    }

    /// Returns the time of the next event.
    pub fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|e| e.0.at)
    }

    /// Removes the next event and advances the queue's time to it.
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        let Reverse(entry) = self.heap.pop()?;
        self.now = entry.at;
        Some((entry.at, entry.event))
    }

    /// Removes the next event if it is due at or before `now`.
    pub fn pop_due(&mut self, now: Instant) -> Option<(Instant, E)> {
        if self.next_at()? <= now {
            self.pop()
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
