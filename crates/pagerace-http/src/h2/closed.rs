//! Memory of closed streams.

use std::collections::BTreeMap;

/// The reason why a stream was closed, which decides how late frames are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closure {
    /// Both ends sent `END_STREAM`.
    Ended,
    /// This end sent `RST_STREAM`. Frames in flight are dropped.
    ResetByUs,
    /// The peer sent `RST_STREAM` and must not send more.
    ResetByPeer,
}

/// The closed streams with the highest ids.
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
