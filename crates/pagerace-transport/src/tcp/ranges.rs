//! A set of sequence numbers, stored as disjoint ranges in ascending order.

use std::ops::Range;

/// Numbers that were received or acknowledged out of order.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeSet(Vec<Range<u64>>);

impl RangeSet {
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the range that contains `number`; `None` if it lies in a gap.
    pub(super) fn containing(&self, number: u64) -> Option<Range<u64>> {
        let at = self.0.partition_point(|range| range.end <= number);
        self.0
            .get(at)
            .filter(|range| range.contains(&number))
            .cloned()
    }

    /// Adds `range` and passes the parts that were not in the set to `new`, in ascending
    /// order.
    pub(super) fn insert(&mut self, range: Range<u64>, mut new: impl FnMut(Range<u64>)) {
        if range.is_empty() {
            return;
        }
        // Adjacent ranges are joined.
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

    /// Removes all numbers below `number`.
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
