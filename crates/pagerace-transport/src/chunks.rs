//! A queue of byte slices, which avoids copies.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// A sequence of bytes as a queue of slices. No slice is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunks {
    chunks: VecDeque<Bytes>,
    length: usize,
}

impl Chunks {
    pub(crate) fn push(&mut self, data: Bytes) {
        if !data.is_empty() {
            self.length += data.len();
            self.chunks.push_back(data);
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.length
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Copies the first bytes to `to`. Returns false if there are too few.
    pub(crate) fn peek(&self, to: &mut [u8]) -> bool {
        if self.length < to.len() {
            return false;
        }
        let bytes = self.chunks.iter().flat_map(|c| c.iter());
        to.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        true
    }

    /// Removes and returns the first `n` bytes, or all of them if there are fewer.
    pub(crate) fn take(&mut self, n: usize) -> Self {
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

    /// Removes the first `n` bytes, of which there must be as many, and returns them in one
    /// slice, without a copy if they lie in one.
    pub(crate) fn take_joined(&mut self, n: usize) -> Bytes {
        if let Some(first) = self.chunks.front_mut()
            && first.len() > n
        {
            self.length -= n;
            return first.split_to(n);
        }
        if self.chunks.front().is_some_and(|first| first.len() == n) {
            self.length -= n;
            return self.chunks.pop_front().unwrap_or_default();
        }
        let mut joined = BytesMut::with_capacity(n);
        joined.extend(self.take(n).into_iter());
        joined.freeze()
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = Bytes> {
        self.chunks.into_iter()
    }
}
