//! Taking turns: who waited longest goes next.

use crate::Response;
use crate::streams::Streams;

/// When each stream last had a turn. Who arrives waits as if it just had one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rotation {
    pub(crate) last: Streams<u64>,
    /// Numbers turns and arrivals alike.
    turns: u64,
    /// Who was picked and has not sent since.
    picked: Option<u64>,
}

impl Rotation {
    /// `stream` joins at the back.
    pub(crate) fn join(&mut self, stream: u64) {
        self.turns += 1;
        self.last.insert(stream, self.turns);
    }

    pub(crate) fn leave(&mut self, stream: u64) {
        self.last.remove(stream);
    }

    /// Picks the one of `ready` that waited longest.
    ///
    /// # Panics
    /// If `ready` is empty, or holds a stream that did not join.
    pub(crate) fn pick(&mut self, ready: &[Response]) -> usize {
        let mut longest = None;
        self.last.each_ready(ready, |index, _, last| {
            if longest.is_none_or(|(l, _)| *last < l) {
                longest = Some((*last, index));
            }
        });
        let index = longest.expect("something is ready").1;
        self.picked(ready[index].stream);
        index
    }

    /// Notes who was picked; its turn counts once it has sent.
    pub(crate) fn picked(&mut self, stream: u64) {
        self.picked = Some(stream);
    }

    /// `stream` sent something. The number of its turn, if this is its first
    /// sending since it was picked.
    pub(crate) fn sent(&mut self, stream: u64) -> Option<u64> {
        self.picked.take_if(|picked| *picked == stream)?;
        self.turns += 1;
        Some(self.turns)
    }

    /// `stream` goes to the back.
    pub(crate) fn send_back(&mut self, stream: u64, turn: u64) {
        if let Some(last) = self.last.get_mut(stream) {
            *last = turn;
        }
    }
}
