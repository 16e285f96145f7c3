//! Each response in turn, a batch of packets each.
//!
//! Follows Sander 2022, section V-D: switch the stream only after `n` packets,
//! so that a burst of losses hits fewer streams. With `n` = 1 it is
//! [`round_robin`](super::round_robin).
//!
//! A response that is blocked in the middle of its batch gives the rest of it
//! up. What is put into the rest of a packet counts as one of the `n`.

use crate::parameter::{Parameter, Range};
use crate::rotation::Rotation;
use crate::{Response, Strategy, StrategyInfo, Values};

/// How this strategy is listed.
pub const INFO: StrategyInfo = StrategyInfo {
    name: "batched-round-robin",
    summary: "Every response in turn, a batch of packets each",
    source: "Sander 2022, section V-D",
    parameters: &[Parameter {
        name: "n",
        default: "10",
        range: Range::Integer { min: 1, max: 1000 },
        meaning: "packets in a batch",
    }],
    build: |values: &Values| Box::new(BatchedRoundRobin::new(values.integer("n"))),
};

/// The strategy.
#[derive(Clone, Debug)]
pub struct BatchedRoundRobin {
    n: u64,
    rotation: Rotation,
    /// Whose batch it is, and how many packets of it are left.
    batch: Option<(u64, u64)>,
}

impl BatchedRoundRobin {
    /// Batches of `n` packets.
    ///
    /// # Panics
    /// If `n` is zero.
    pub fn new(n: u64) -> Self {
        assert!(n > 0, "a batch has packets");
        Self {
            n,
            rotation: Rotation::default(),
            batch: None,
        }
    }
}

impl Strategy for BatchedRoundRobin {
    fn arrived(&mut self, response: &Response) {
        self.rotation.join(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        if let Some((stream, left)) = self.batch
            && left > 0
            && let Ok(index) = ready.binary_search_by_key(&stream, |r| r.stream)
        {
            self.rotation.picked(stream);
            return index;
        }
        let index = self.rotation.pick(ready);
        self.batch = Some((ready[index].stream, self.n));
        index
    }

    fn sent(&mut self, response: &Response, _bytes: u64) {
        if let Some(turn) = self.rotation.sent(response.stream) {
            self.rotation.send_back(response.stream, turn);
            if let Some((stream, left)) = &mut self.batch
                && *stream == response.stream
            {
                *left -= 1;
            }
        }
    }

    fn left(&mut self, stream: u64) {
        self.rotation.leave(stream);
    }
}
