//! Round robin: one packet for each response in turn, regardless of its kind.
//!
//! Follows Sander 2022, section IV-B1, "Round-Robin". The response that has waited longest
//! goes next, and a new response joins at the back. Data in the rest of a packet counts as
//! a turn.

use crate::rotation::Rotation;
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "round-robin",
    summary: "Every response in turn, one packet each",
    source: "Sander 2022, section IV-B1, \"Round-Robin\"",
    parameters: &[],
    build: |_: &Values| Box::new(RoundRobin::default()),
};

/// The round-robin strategy.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    rotation: Rotation,
}

impl Strategy for RoundRobin {
    fn handle_arrival(&mut self, response: &Response) {
        self.rotation.join(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        self.rotation.pick(ready, |_| ())
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        self.rotation.handle_sent(response.stream);
    }

    fn handle_end(&mut self, stream: u64) {
        self.rotation.leave(stream);
    }
}
