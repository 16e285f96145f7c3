//! Firefox's request groups, mapped to urgencies.
//!
//! Follows Sander 2022, section IV-B1, "Firefox (EPS)": urgent start has urgency 1, leaders
//! 2, followers 3, others 4, background 5, speculative 6. Responses of one group take
//! turns. The strategy ignores the client's signal, and it does not use Firefox's own
//! mapping since November 2021, which differs.

use super::firefox_group::Group;
use crate::rotation::Rotation;
use crate::{Facts, Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "firefox-eps",
    summary: "Firefox's groups one after the other; round robin inside a group",
    source: "Sander 2022, section IV-B1, \"Firefox (EPS)\"",
    parameters: &[],
    build: |_: &Values| Box::new(FirefoxEps::default()),
};

/// Returns the urgency of a resource's group.
pub fn urgency(facts: &Facts) -> u8 {
    match Group::of(facts) {
        Group::UrgentStart => 1,
        Group::Leader => 2,
        Group::Follower => 3,
        Group::Unblocked => 4,
        Group::Background => 5,
        Group::Speculative => 6,
    }
}

/// The strategy of Firefox's groups as urgencies.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirefoxEps {
    rotation: Rotation,
}

impl Strategy for FirefoxEps {
    fn handle_arrival(&mut self, response: &Response) {
        self.rotation.join(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        self.rotation
            .pick(ready, |response| urgency(&response.facts))
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        self.rotation.handle_sent(response.stream);
    }

    fn handle_end(&mut self, stream: u64) {
        self.rotation.leave(stream);
    }
}
