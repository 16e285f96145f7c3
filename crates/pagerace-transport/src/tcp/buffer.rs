//! Buffer of bytes that were written but not sent yet.

use bytes::Bytes;

use crate::chunks::Chunks;

/// The unsent part of the stream.
#[derive(Debug, Default)]
pub(super) struct SendBuffer {
    chunks: Chunks,
    /// True if a FIN follows the bytes and has not been sent yet.
    fin: bool,
    finished: bool,
}

impl SendBuffer {
    /// # Panics
    /// Panics if called after [`Self::finish`].
    pub(super) fn write(&mut self, data: Bytes) {
        assert!(!self.finished, "written behind the end of the stream");
        self.chunks.push(data);
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
        self.chunks.len()
    }

    /// Returns true if there is neither a byte nor a FIN to send.
    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty() && !self.fin
    }

    /// Removes the next `length` bytes. Also returns true if the FIN goes with them.
    pub(super) fn take(&mut self, length: usize) -> (Bytes, bool) {
        assert!(length <= self.chunks.len(), "more taken than written");
        let payload = self.chunks.take_joined(length);
        let fin = self.fin && self.chunks.is_empty();
        self.fin &= !fin;
        (payload, fin)
    }
}
