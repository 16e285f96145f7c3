//! First come, first served, in the order in which the heads of the responses become ready.
//!
//! This order differs from request order if think times differ: a response that is ready
//! early does not wait for one that was requested earlier. It is one of the schemes that
//! Wijnants et al. (WWW 2018) compare, see Sander 2022, section III.

use crate::streams::Streams;
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "fifo",
    summary: "One response after the other, in the order in which the server has them ready",
    source: "Sander 2022, section III, after Wijnants et al. 2018",
    parameters: &[],
    build: |_: &Values| Box::new(Fifo::default()),
};

/// The first-come-first-served strategy.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    /// The position of each stream in the order of arrival.
    places: Streams<u64>,
    arrivals: u64,
}

impl Strategy for Fifo {
    fn handle_arrival(&mut self, response: &Response) {
        self.arrivals += 1;
        self.places.insert(response.stream, self.arrivals);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        self.places.first_ready(ready, |_, place| *place)
    }

    fn handle_end(&mut self, stream: u64) {
        self.places.remove(stream);
    }
}
