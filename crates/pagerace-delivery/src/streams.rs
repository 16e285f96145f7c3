//! A small map keyed by stream id, designed to be walked alongside the ready responses.

use crate::Response;

/// Values in ascending order of their stream ids.
#[derive(Clone, Debug)]
pub(crate) struct Streams<T>(Vec<(u64, T)>);

impl<T> Default for Streams<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Streams<T> {
    /// Sets the value of `stream`.
    pub(crate) fn insert(&mut self, stream: u64, value: T) {
        match self.0.binary_search_by_key(&stream, |e| e.0) {
            Ok(i) => self.0[i].1 = value,
            Err(i) => self.0.insert(i, (stream, value)),
        }
    }

    pub(crate) fn remove(&mut self, stream: u64) -> Option<T> {
        let i = self.0.binary_search_by_key(&stream, |e| e.0).ok()?;
        Some(self.0.remove(i).1)
    }

    pub(crate) fn get_mut(&mut self, stream: u64) -> Option<&mut T> {
        let i = self.0.binary_search_by_key(&stream, |e| e.0).ok()?;
        Some(&mut self.0[i].1)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|e| &mut e.1)
    }

    /// Visits each ready response with its index and value, in ascending stream order.
    ///
    /// # Panics
    /// Panics if a ready response has never arrived, or if `ready` is not in ascending
    /// order.
    pub(crate) fn each_ready(
        &mut self,
        ready: &[Response],
        mut visit: impl FnMut(usize, &Response, &mut T),
    ) {
        let mut values = self.0.iter_mut();
        for (index, response) in ready.iter().enumerate() {
            let entry = values
                .find(|e| e.0 >= response.stream)
                .filter(|e| e.0 == response.stream);
            let (_, value) = entry.unwrap_or_else(|| {
                panic!(
                    "stream {} is ready but has not arrived, or is out of order",
                    response.stream
                )
            });
            visit(index, response, value);
        }
    }

    /// Returns the index of the ready response with the least key, the earliest if several
    /// have it.
    ///
    /// # Panics
    /// Panics if `ready` is empty, and where [`each_ready`](Self::each_ready) does.
    pub(crate) fn first_ready<K: Ord + Copy>(
        &mut self,
        ready: &[Response],
        key: impl Fn(&Response, &T) -> K,
    ) -> usize {
        let mut first: Option<(K, usize)> = None;
        self.each_ready(ready, |index, response, value| {
            let key = key(response, value);
            if first.is_none_or(|(least, _)| key < least) {
                first = Some((key, index));
            }
        });
        first.expect("something is ready").1
    }
}

#[cfg(test)]
pub(crate) mod tests;
