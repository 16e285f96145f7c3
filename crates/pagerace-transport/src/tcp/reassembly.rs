//! Reassembly of received bytes into order.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use bytes::Bytes;

use super::ranges::RangeSet;

/// The result of adding a segment's payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Bytes that were not present before.
    pub(super) new: u64,
    /// True if the payload lies beyond a gap or fills one, which calls for an immediate
    /// acknowledgement.
    pub(super) out_of_order: bool,
    /// The range that was already present.
    pub(super) duplicate: Option<Range<u64>>,
}

/// The receive buffer.
#[derive(Debug)]
pub(super) struct Reassembly {
    next: u64,
    held: BTreeMap<u64, Bytes>,
    beyond: RangeSet,
    ready: VecDeque<Bytes>,
    unread: u64,
}

impl Reassembly {
    pub(super) fn new() -> Self {
        Self {
            next: 1,
            held: BTreeMap::new(),
            beyond: RangeSet::default(),
            ready: VecDeque::new(),
            unread: 0,
        }
    }

    /// Returns the number of the first missing byte.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of bytes in order that have not been read.
    pub(super) fn unread(&self) -> u64 {
        self.unread
    }

    /// Returns the ranges received beyond the first gap.
    pub(super) fn beyond(&self) -> &RangeSet {
        &self.beyond
    }

    pub(super) fn insert(&mut self, sequence: u64, payload: &Bytes) -> Arrival {
        let end = sequence + payload.len() as u64;
        if end <= self.next {
            return Arrival {
                duplicate: Some(sequence..end),
                ..Arrival::default()
            };
        }
        let mut arrival = Arrival::default();
        let start = sequence.max(self.next);
        if sequence < self.next {
            arrival.duplicate = Some(sequence..self.next);
        }
        if start == self.next && self.held.is_empty() {
            arrival.new = end - start;
            self.deliver(payload.slice((start - sequence) as usize..));
            return arrival;
        }
        arrival.out_of_order = true;
        let Self { held, beyond, .. } = self;
        beyond.insert(start..end, |new| {
            let slice = (new.start - sequence) as usize..(new.end - sequence) as usize;
            arrival.new += new.end - new.start;
            held.insert(new.start, payload.slice(slice));
        });
        if arrival.new == 0 {
            arrival.duplicate = Some(start..end);
        }
        while let Some(entry) = self.held.first_entry()
            && *entry.key() == self.next
        {
            let payload = entry.remove();
            self.deliver(payload);
        }
        self.beyond.remove_below(self.next);
        arrival
    }

    fn deliver(&mut self, payload: Bytes) {
        self.next += payload.len() as u64;
        self.unread += payload.len() as u64;
        self.ready.push_back(payload);
    }

    pub(super) fn read(&mut self) -> Option<Bytes> {
        let data = self.ready.pop_front()?;
        self.unread -= data.len() as u64;
        Some(data)
    }
}

#[cfg(test)]
mod tests;
