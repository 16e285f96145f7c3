//! All responses share the link by the weight of their kind, as in Safari.
//!
//! Follows Sander 2022, section IV-B1, "Weighted Round-Robin": all streams are siblings,
//! HTML has weight 255, CSS and JavaScript have 24, and all others have less. Sander does
//! not print the other weights, so these are **modelled**. `WebKit` ranks resources in five
//! classes (`CachedResource::defaultPriorityForResourceType`: main resource; style and
//! script; font, media and fetch; image; prefetch and beacon), and the last three get 16, 8
//! and 1. 16 is HTTP/2's default weight (RFC 7540, section 5.3.5,
//! <https://www.rfc-editor.org/rfc/rfc7540#section-5.3.5>).

use pagerace_core::Destination;

use crate::share::{FairShare, Weight};
use crate::{Facts, Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "weighted-round-robin",
    summary: "All responses share by weight: HTML 255, styles and scripts 24, the rest less (Safari)",
    source: "Sander 2022, section IV-B1, \"Weighted Round-Robin\"; weights below 24 are modelled",
    parameters: &[],
    build: |_: &Values| Box::new(WeightedRoundRobin::default()),
};

/// Returns the weight of a resource among its siblings.
pub const fn weight(facts: &Facts) -> u32 {
    match facts.destination {
        Destination::Document | Destination::Iframe => 255,
        Destination::Style | Destination::Script => 24,
        Destination::Font | Destination::Media | Destination::Fetch => 16,
        Destination::Image => 8,
        Destination::Other => 1,
    }
}

/// The weighted round-robin strategy.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeightedRoundRobin {
    share: FairShare,
}

impl Strategy for WeightedRoundRobin {
    fn handle_arrival(&mut self, response: &Response) {
        self.share
            .join(response.stream, Weight::whole(weight(&response.facts)));
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        self.share.pick(ready)
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        self.share.charge(response.stream, bytes);
    }

    fn handle_end(&mut self, stream: u64) {
        self.share.leave(stream);
    }
}
