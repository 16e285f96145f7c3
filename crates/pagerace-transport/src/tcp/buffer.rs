//! Buffer of bytes that were written but not sent yet.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// The unsent part of the stream.
#[derive(Debug, Default)]
pub(super) struct SendBuffer {
    chunks: VecDeque<Bytes>,
    bytes: usize,
    /// True if a FIN follows the bytes and has not been sent yet.
    fin: bool,
    finished: bool,
}

impl SendBuffer {
    /// # Panics
    /// Panics if called after [`Self::finish`].
    pub(super) fn write(&mut self, data: Bytes) {
        assert!(!self.finished, "written behind the end of the stream");
        if !data.is_empty() {
            self.bytes += data.len();
            self.chunks.push_back(data);
        }
    }

    pub(super) fn finish(&mut self) {
        self.fin |= !self.finished;
        self.finished = true;
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Returns the number of unsent bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Returns true if there is neither a byte nor a FIN to send.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0 && !self.fin
    }

    /// Removes the next `length` bytes. Also returns true if the FIN goes with them.
    pub(super) fn take(&mut self, length: usize) -> (Bytes, bool) {
        assert!(length <= self.bytes, "more taken than written");
        self.bytes -= length;
        let payload = self.join(length);
        let fin = self.fin && self.bytes == 0;
        self.fin &= !fin;
        (payload, fin)
    }

    fn join(&mut self, length: usize) -> Bytes {
        let Some(first) = self.chunks.front_mut() else {
            return Bytes::new();
        };
        if first.len() > length {
            return first.split_to(length);
        }
        if first.len() == length {
            return self.chunks.pop_front().expect("it is there");
        }
        let mut joined = BytesMut::with_capacity(length);
        while joined.len() < length {
            let first = self.chunks.front_mut().expect("the length is counted");
            let part = first.split_to(first.len().min(length - joined.len()));
            joined.extend_from_slice(&part);
            if first.is_empty() {
                self.chunks.pop_front();
            }
        }
        joined.freeze()
    }
}
