//! The decoder's dynamic table.
//!
//! Source: RFC 9204, section 3.2.

use std::collections::VecDeque;

use super::Error;
use crate::Field;

/// The dynamic table.
#[derive(Debug)]
pub(super) struct DynamicTable {
    entries: VecDeque<Field>,
    /// Number of entries ever inserted. The newest entry has the absolute index
    /// `inserted - 1`.
    inserted: u64,
    size: u64,
    capacity: u64,
    capacity_max: u64,
}

impl DynamicTable {
    /// Creates an empty table of capacity zero that may grow to `capacity_max` bytes.
    pub(super) fn new(capacity_max: u64) -> Self {
        Self {
            entries: VecDeque::new(),
            inserted: 0,
            size: 0,
            capacity: 0,
            capacity_max,
        }
    }

    /// The insert count.
    pub(super) const fn inserted(&self) -> u64 {
        self.inserted
    }

    /// The capacity in use, in bytes.
    pub(super) const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// `MaxEntries` of RFC 9204, section 4.5.1.1.
    pub(super) const fn entries_max(&self) -> u64 {
        self.capacity_max / 32
    }

    /// Executes the instruction Set Dynamic Table Capacity.
    ///
    /// # Errors
    /// [`Error::Capacity`] if the capacity exceeds the maximum in our settings.
    pub(super) fn set_capacity(&mut self, capacity: u64) -> Result<(), Error> {
        if capacity > self.capacity_max {
            return Err(Error::Capacity);
        }
        self.capacity = capacity;
        self.evict();
        Ok(())
    }

    /// Adds an entry and evicts the oldest as needed.
    ///
    /// # Errors
    /// [`Error::Capacity`] if the entry would not fit even into an empty table.
    pub(super) fn insert(&mut self, field: Field) -> Result<(), Error> {
        if field.size() > self.capacity {
            return Err(Error::Capacity);
        }
        self.size += field.size();
        self.entries.push_back(field);
        self.inserted += 1;
        self.evict();
        Ok(())
    }

    /// Returns the entry with the absolute index `index`.
    ///
    /// # Errors
    /// [`Error::DynamicIndex`] if the entry is not inserted yet, or evicted.
    pub(super) fn absolute(&self, index: u64) -> Result<&Field, Error> {
        let oldest = self.inserted - self.entries.len() as u64;
        index
            .checked_sub(oldest)
            .and_then(|at| self.entries.get(at as usize))
            .ok_or(Error::DynamicIndex)
    }

    /// Returns the entry with the relative index `index`, which counts back from the
    /// newest entry in encoder instructions.
    pub(super) fn relative(&self, index: u64) -> Result<&Field, Error> {
        let below = index.checked_add(1).ok_or(Error::DynamicIndex)?;
        self.absolute(
            self.inserted
                .checked_sub(below)
                .ok_or(Error::DynamicIndex)?,
        )
    }

    fn evict(&mut self) {
        while self.size > self.capacity {
            let oldest = self
                .entries
                .pop_front()
                .expect("an empty table has size zero");
            self.size -= oldest.size();
        }
    }
}
