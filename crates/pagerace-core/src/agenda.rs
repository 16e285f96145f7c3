//! An index of state machines that have work to do, and of the deadlines of the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::Instant;

/// Index of an event loop's members, which keeps the work in proportion to the active
/// members.
///
/// A member is *ready* from [`touch`](Self::touch) until [`rest`](Self::rest). Its deadline
/// is stale from a touch until [`arm`](Self::arm).
#[derive(Clone, Debug)]
pub struct Agenda<K> {
    /// Ready members, ascending. Few of all are, and vectors keep their memory while they are
    /// empty.
    ready: Vec<K>,
    /// Members with stale deadlines, ascending.
    stale: Vec<K>,
    timers: BTreeSet<(Instant, K)>,
    armed: BTreeMap<K, Instant>,
}

impl<K> Default for Agenda<K> {
    fn default() -> Self {
        Self {
            ready: Vec::new(),
            stale: Vec::new(),
            timers: BTreeSet::new(),
            armed: BTreeMap::new(),
        }
    }
}

impl<K: Copy + Ord> Agenda<K> {
    /// Marks a member as ready and its deadline as stale.
    pub fn touch(&mut self, key: K) {
        insert(&mut self.ready, key);
        insert(&mut self.stale, key);
    }

    /// Marks a member as having nothing to do for now.
    pub fn rest(&mut self, key: K) {
        remove(&mut self.ready, &key);
    }

    /// Returns true if the member is ready.
    pub fn is_ready(&self, key: K) -> bool {
        self.ready.binary_search(&key).is_ok()
    }

    /// Returns the ready members, ascending.
    pub fn ready(&self) -> impl Iterator<Item = K> {
        self.ready.iter().copied()
    }

    /// Returns the first ready member after `after`, or the first of all.
    pub fn next_ready(&self, after: Option<K>) -> Option<K> {
        let first = after.map_or(0, |after| self.ready.partition_point(|key| *key <= after));
        self.ready.get(first).copied()
    }

    /// Removes and returns a member with a stale deadline. Must be followed by
    /// [`arm`](Self::arm).
    pub fn pop_stale(&mut self) -> Option<K> {
        self.stale.pop()
    }

    /// Sets a member's deadline.
    pub fn arm(&mut self, key: K, at: Option<Instant>) {
        let before = match at {
            Some(at) => self.armed.insert(key, at),
            None => self.armed.remove(&key),
        };
        if before != at {
            // In this order, a set with one member keeps its memory.
            if let Some(at) = at {
                self.timers.insert((at, key));
            }
            if let Some(before) = before {
                self.timers.remove(&(before, key));
            }
        }
    }

    /// Returns the earliest deadline.
    pub fn next_at(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Removes and returns the next member whose deadline is at or before `now`.
    pub fn pop_due(&mut self, now: Instant) -> Option<K> {
        let (at, key) = *self.timers.first()?;
        if at > now {
            return None;
        }
        self.arm(key, None);
        Some(key)
    }

    /// Removes a member.
    pub fn remove(&mut self, key: K) {
        self.arm(key, None);
        remove(&mut self.ready, &key);
        remove(&mut self.stale, &key);
    }
}

/// Adds a key to an ascending list, unless it is there.
fn insert<K: Ord>(keys: &mut Vec<K>, key: K) {
    if let Err(at) = keys.binary_search(&key) {
        keys.insert(at, key);
    }
}

/// Removes a key from an ascending list, if it is there.
fn remove<K: Ord>(keys: &mut Vec<K>, key: &K) {
    if let Ok(at) = keys.binary_search(key) {
        keys.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn members_are_ready_until_they_rest() {
        let mut agenda = Agenda::default();
        agenda.touch(2);
        agenda.touch(1);
        assert_eq!(agenda.ready().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(agenda.next_ready(Some(1)), Some(2));
        assert_eq!(agenda.next_ready(Some(2)), None);
        agenda.rest(1);
        assert_eq!(agenda.next_ready(None), Some(2));
        agenda.remove(2);
        assert_eq!(agenda.next_ready(None), None);
        assert_eq!(
            agenda.pop_stale(),
            Some(1),
            "resting leaves a deadline stale"
        );
        assert_eq!(agenda.pop_stale(), None);
    }

    #[test]
    fn the_last_deadline_of_a_member_counts() {
        let mut agenda = Agenda::default();
        agenda.arm('a', Some(at(5)));
        agenda.arm('b', Some(at(3)));
        agenda.arm('a', Some(at(9)));
        assert_eq!(agenda.next_at(), Some(at(3)));
        assert_eq!(agenda.pop_due(at(5)), Some('b'));
        assert_eq!(agenda.pop_due(at(5)), None, "replaced deadlines are gone");
        agenda.arm('a', None);
        assert_eq!(agenda.next_at(), None);
    }
}
