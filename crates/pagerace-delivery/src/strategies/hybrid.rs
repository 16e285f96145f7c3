//! Render-blocking responses one after the other, then all other responses shared.
//!
//! Gupta 2024, section VI, proposes to combine non-incremental and incremental delivery but
//! does not specify how. In this strategy, responses that the first paint waits for go in
//! the order of [`sequential`](super::sequential) (class, then request order). While there
//! are none, the others share as in [`weighted_incremental`](super::weighted_incremental),
//! whose `n` and `r_u` count only these other responses.

use super::sequential::first_by_class;
use super::weighted_incremental::{ALPHA, URGENCY, WeightedIncremental};
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "hybrid",
    summary: "Render-blocking responses one after the other first; the rest share as in weighted-incremental",
    source: "proposed in Gupta 2024, section VI; details ours",
    parameters: &[ALPHA, URGENCY],
    build: |values: &Values| {
        Box::new(Hybrid {
            rest: WeightedIncremental::of(values),
        })
    },
};

/// The hybrid strategy.
#[derive(Clone, Debug)]
pub(crate) struct Hybrid {
    rest: WeightedIncremental,
}

impl Strategy for Hybrid {
    fn handle_arrival(&mut self, response: &Response) {
        if !response.facts.render_blocking {
            self.rest.handle_arrival(response);
        }
    }

    fn handle_update(&mut self, response: &Response) {
        // `rest` holds no render-blocking responses and ignores updates to them.
        self.rest.handle_update(response);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let blocking = first_by_class(ready, |response| response.facts.render_blocking);
        blocking.unwrap_or_else(|| self.rest.pick(ready))
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        self.rest.handle_sent(response, bytes);
    }

    fn handle_end(&mut self, stream: u64) {
        self.rest.handle_end(stream);
    }
}
