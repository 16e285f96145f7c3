//! A set of sequence numbers, held as few disjoint ranges in ascending order.

use std::ops::Range;

/// Numbers that arrived, or were acknowledged, out of order.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeSet(Vec<Range<u64>>);

impl RangeSet {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The range that `number` lies in.
    pub(super) fn containing(&self, number: u64) -> Option<Range<u64>> {
        let at = self.0.partition_point(|range| range.end <= number);
        self.0
            .get(at)
            .filter(|range| range.contains(&number))
            .cloned()
    }

    /// Adds `range` and tells which parts of it were not there before,
    /// ascending.
    pub(super) fn insert(&mut self, range: Range<u64>, mut new: impl FnMut(Range<u64>)) {
        if range.is_empty() {
            return;
        }
        // Ranges that touch are joined.
        let first = self.0.partition_point(|old| old.end < range.start);
        let mut last = first;
        let mut covered = range.start;
        while let Some(old) = self.0.get(last).filter(|old| old.start <= range.end) {
            if covered < old.start {
                new(covered..old.start);
            }
            covered = covered.max(old.end);
            last += 1;
        }
        if covered < range.end {
            new(covered..range.end);
        }
        if first == last {
            self.0.insert(first, range);
            return;
        }
        let joined = range.start.min(self.0[first].start)..range.end.max(self.0[last - 1].end);
        self.0[first] = joined;
        self.0.drain(first + 1..last);
    }

    /// Takes out all numbers below `number`.
    pub(super) fn remove_below(&mut self, number: u64) {
        let gone = self.0.partition_point(|range| range.end <= number);
        self.0.drain(..gone);
        if let Some(first) = self.0.first_mut() {
            first.start = first.start.max(number);
        }
    }
}

#[cfg(test)]
mod tests;
