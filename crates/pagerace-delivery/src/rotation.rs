//! Round-robin turns: the stream that has waited longest goes next.

use crate::Response;
use crate::streams::Streams;

/// The last turn of each stream. An arriving stream waits as if it had just had a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rotation {
    pub(crate) last: Streams<u64>,
    /// Counter that numbers both turns and arrivals.
    turns: u64,
    /// The stream that was picked and has not sent since.
    picked: Option<u64>,
}

impl Rotation {
    /// Adds `stream` at the back of the rotation.
    pub(crate) fn join(&mut self, stream: u64) {
        self.turns += 1;
        self.last.insert(stream, self.turns);
    }

    pub(crate) fn leave(&mut self, stream: u64) {
        self.last.remove(stream);
    }

    /// Picks the response of `ready` that has waited longest among those of the lowest rank.
    ///
    /// # Panics
    /// Panics if `ready` is empty or holds a stream that has not joined.
    pub(crate) fn pick<R: Ord + Copy>(
        &mut self,
        ready: &[Response],
        rank: impl Fn(&Response) -> R,
    ) -> usize {
        let wait = |response: &Response, last: &u64| (rank(response), *last);
        let index = self.last.first_ready(ready, wait);
        self.handle_picked(ready[index].stream);
        index
    }

    /// Records the picked stream. Its turn counts once it has sent.
    pub(crate) fn handle_picked(&mut self, stream: u64) {
        self.picked = Some(stream);
    }

    /// Records that `stream` has sent. If this is the first time since it was picked, moves
    /// it to the back of the rotation and returns the number of its turn.
    pub(crate) fn handle_sent(&mut self, stream: u64) -> Option<u64> {
        self.picked.take_if(|picked| *picked == stream)?;
        self.turns += 1;
        if let Some(last) = self.last.get_mut(stream) {
            *last = self.turns;
        }
        Some(self.turns)
    }
}
