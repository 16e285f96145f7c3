//! A queue of byte slices, which avoids copies.

use std::collections::VecDeque;

use bytes::Bytes;

/// A sequence of bytes as a queue of slices. No slice is empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunks {
    chunks: VecDeque<Bytes>,
    length: usize,
}

impl Chunks {
    pub(super) fn push(&mut self, data: Bytes) {
        if !data.is_empty() {
            self.length += data.len();
            self.chunks.push_back(data);
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.length
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Copies the first bytes to `to`. Returns false if there are too few.
    pub(super) fn peek(&self, to: &mut [u8]) -> bool {
        if self.length < to.len() {
            return false;
        }
        let bytes = self.chunks.iter().flat_map(|c| c.iter());
        to.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        true
    }

    /// Removes and returns the first `n` bytes, or all of them if there are fewer.
    pub(super) fn take(&mut self, n: usize) -> Self {
        let mut taken = Self::default();
        while taken.length < n
            && let Some(mut first) = self.chunks.pop_front()
        {
            self.length -= first.len();
            let part = first.split_to(first.len().min(n - taken.length));
            taken.push(part);
            if !first.is_empty() {
                self.length += first.len();
                self.chunks.push_front(first);
            }
        }
        taken
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = Bytes> {
        self.chunks.into_iter()
    }
}
