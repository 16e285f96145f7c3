//! What is remembered of closed streams.

use std::collections::BTreeMap;

/// How a stream was closed, which decides what late frames mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closure {
    /// Both sides ended it.
    Ended,
    /// We sent `RST_STREAM`; what was under way is dropped.
    ResetByUs,
    /// The peer sent `RST_STREAM`; it knows better than to send more.
    ResetByPeer,
}

/// The last streams that were closed.
#[derive(Debug)]
pub(super) struct Closed {
    streams: BTreeMap<u64, Closure>,
    max: usize,
}

impl Closed {
    pub(super) const fn new(max: usize) -> Self {
        Self {
            streams: BTreeMap::new(),
            max,
        }
    }

    pub(super) fn insert(&mut self, stream: u64, closure: Closure) {
        self.streams.insert(stream, closure);
        while self.streams.len() > self.max {
            self.streams.pop_first();
        }
    }

    pub(super) fn get(&self, stream: u64) -> Option<Closure> {
        self.streams.get(&stream).copied()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.streams.len()
    }
}
