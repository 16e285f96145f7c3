//! Set of byte offsets, as disjoint ranges.

use std::collections::BTreeMap;

/// Ranges as start to end; no two are adjacent.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the offset behind the last byte.
    pub(super) fn end(&self) -> Option<u64> {
        self.0.last_key_value().map(|(_, end)| *end)
    }

    /// Returns the parts of a range that are not in the set.
    pub(super) fn missing(&self, from: u64, to: u64) -> Vec<(u64, u64)> {
        let mut missing = Vec::new();
        let mut at = from;
        while at < to {
            let before = self.0.range(..=at).next_back().map(|(_, end)| *end);
            if let Some(end) = before.filter(|end| *end > at) {
                at = end;
                continue;
            }
            let next = self.0.range(at..).next().map_or(to, |(start, _)| *start);
            let end = next.min(to);
            missing.push((at, end));
            at = end;
        }
        missing
    }

    /// Adds a range that is disjoint from the set.
    pub(super) fn insert(&mut self, mut from: u64, mut to: u64) {
        if let Some((start, end)) = self.0.range(..from).next_back()
            && *end == from
        {
            from = *start;
        }
        if let Some(end) = self.0.remove(&to) {
            to = end;
        }
        self.0.insert(from, to);
    }

    /// Removes a range from the set and returns the number of bytes removed.
    pub(super) fn take(&mut self, from: u64, to: u64) -> u64 {
        let mut taken = 0;
        while let Some((start, end)) = self.0.range(..to).next_back().map(|(s, e)| (*s, *e)) {
            if end <= from {
                break;
            }
            self.0.remove(&start);
            if end > to {
                self.0.insert(to, end);
            }
            if start < from {
                self.0.insert(start, from);
            }
            taken += end.min(to) - start.max(from);
            if start <= from {
                break;
            }
        }
        taken
    }

    /// Removes the first range if it begins at or before `at`, and returns its end.
    pub(super) fn take_first(&mut self, at: u64) -> Option<u64> {
        let first = self.0.first_entry()?;
        (*first.key() <= at).then(|| first.remove())
    }

    /// Removes the ranges that end at or before `offset`.
    pub(super) fn forget_below(&mut self, offset: u64) {
        while let Some(first) = self.0.first_entry() {
            if *first.get() > offset {
                return;
            }
            first.remove();
        }
    }
}
