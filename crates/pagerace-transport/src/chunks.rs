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
        let mut rest = to;
        for chunk in &self.chunks {
            let (now, later) = rest.split_at_mut(rest.len().min(chunk.len()));
            now.copy_from_slice(&chunk[..now.len()]);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        true
    }

    /// Removes at most `n` bytes of the first slice.
    fn pop(&mut self, n: usize) -> Option<Bytes> {
        let part = match self.chunks.front_mut() {
            Some(first) if first.len() > n => first.split_to(n),
            _ => self.chunks.pop_front()?,
        };
        self.length -= part.len();
        Some(part)
    }

    /// Removes the first `n` bytes, or all of them if there are fewer.
    pub(crate) fn skip(&mut self, mut n: usize) {
        while n > 0
            && let Some(part) = self.pop(n)
        {
            n -= part.len();
        }
    }

    /// Removes and returns the first `n` bytes, or all of them if there are fewer.
    pub(crate) fn take(&mut self, n: usize) -> Self {
        let mut taken = Self::default();
        while taken.length < n
            && let Some(part) = self.pop(n - taken.length)
        {
            taken.push(part);
        }
        taken
    }

    /// Removes the first `n` bytes, of which there must be as many, and returns them in one
    /// slice, without a copy if they lie in one.
    pub(crate) fn take_joined(&mut self, n: usize) -> Bytes {
        let first = self.pop(n).unwrap_or_default();
        if first.len() == n {
            return first;
        }
        let mut joined = BytesMut::with_capacity(n);
        joined.extend_from_slice(&first);
        while joined.len() < n
            && let Some(part) = self.pop(n - joined.len())
        {
            joined.extend_from_slice(&part);
        }
        joined.freeze()
    }

    /// Removes and returns the last `N` bytes, of which there must be as many.
    pub(crate) fn take_end<const N: usize>(&mut self) -> [u8; N] {
        let mut end = [0; N];
        let mut missing = N;
        while missing > 0
            && let Some(last) = self.chunks.back_mut()
        {
            let keep = last.len().saturating_sub(missing);
            let n = last.len() - keep;
            end[missing - n..missing].copy_from_slice(&last[keep..]);
            missing -= n;
            self.length -= n;
            if keep > 0 {
                last.truncate(keep);
            } else {
                self.chunks.pop_back();
            }
        }
        end
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = Bytes> {
        self.chunks.into_iter()
    }
}
