//! Round robin in batches of packets.
//!
//! Follows Sander 2022, section V-D: the stream switches only after `n` packets, so that a
//! burst of losses affects fewer streams. With `n` = 1 it is the same as
//! [`round_robin`](super::round_robin).
//!
//! A response that is blocked in the middle of its batch gives up the rest of the batch.
//! Data in the rest of a packet counts as one of the `n` packets.

use crate::parameter::{Parameter, Range};
use crate::rotation::Rotation;
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "batched-round-robin",
    summary: "Every response in turn, a batch of packets each",
    source: "Sander 2022, section V-D",
    parameters: &[Parameter {
        name: "n",
        default: "10",
        range: Range::Integer { min: 1, max: 1000 },
        meaning: "packets in a batch",
    }],
    build: |values: &Values| {
        Box::new(BatchedRoundRobin {
            n: values.integer("n"),
            rotation: Rotation::default(),
            batch: None,
        })
    },
};

/// The batched round-robin strategy.
#[derive(Clone, Debug)]
pub(crate) struct BatchedRoundRobin {
    n: u64,
    rotation: Rotation,
    /// The stream that owns the current batch, and the number of packets left in it.
    batch: Option<(u64, u64)>,
}

impl Strategy for BatchedRoundRobin {
    fn handle_arrival(&mut self, response: &Response) {
        self.rotation.join(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        if let Some((stream, left)) = self.batch
            && left > 0
            && let Ok(index) = ready.binary_search_by_key(&stream, |r| r.stream)
        {
            self.rotation.handle_picked(stream);
            return index;
        }
        let index = self.rotation.pick(ready, |_| ());
        self.batch = Some((ready[index].stream, self.n));
        index
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        if self.rotation.handle_sent(response.stream).is_some()
            && let Some((stream, left)) = &mut self.batch
            && *stream == response.stream
        {
            *left -= 1;
        }
    }

    fn handle_end(&mut self, stream: u64) {
        self.rotation.leave(stream);
    }
}
