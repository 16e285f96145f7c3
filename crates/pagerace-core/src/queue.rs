//! A queue of future events in a total order: by time, then by the order in which they were
//! scheduled.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::Instant;

/// Future events of type `E`, earliest first. Ties keep scheduling order.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// Time, place in the order of scheduling, and slot of each event. The events themselves do not
    /// move.
    heap: BinaryHeap<Reverse<(Instant, u64, usize)>>,
    slots: Vec<Option<E>>,
    free: Vec<usize>,
    scheduled: u64,
    now: Instant,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
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
        let slot = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => *free = Some(event),
            None => self.slots.push(Some(event)),
        }
        self.heap.push(Reverse((at, self.scheduled, slot)));
        self.scheduled += 1;
    }

    /// Returns the time of the next event.
    pub fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|e| e.0.0)
    }

    /// Removes the next event and advances the queue's time to it.
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        let Reverse((at, _, slot)) = self.heap.pop()?;
        self.now = at;
        self.free.push(slot);
        let event = self.slots[slot].take();
        Some((at, event.expect("a slot in the heap has its event")))
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
