//! RFC 7540's tree as nginx implements it: an order instead of shares.

use std::collections::BTreeMap;

use pagerace_core::Dependency;
use pagerace_delivery::{Response, Strategy, StrategyInfo, Values};

use crate::newest::Newest;

/// The strategies of the tree, besides those of the registry.
pub(crate) const RANKS: &[StrategyInfo] = &[
    StrategyInfo {
        name: "h2-ranks",
        summary: "HTTP/2's dependency tree as an order: parents first, then the largest share of weights",
        source: "nginx 1.31, ngx_http_v2_filter_module.c, ngx_http_v2_waiting_queue",
        parameters: &[],
        build: |_: &Values| Box::new(Ranks::default()),
    },
    StrategyInfo {
        name: "h2-newest",
        summary: "HTTP/2's dependency tree: parents first, then the newest, or shares if weights differ",
        source: "golang.org/x/net/http2 of 2022, writesched_priority.go",
        parameters: &[],
        build: |_: &Values| Box::new(Newest::default()),
    },
];

/// Longest chain that is followed. Scripts have shorter ones.
const DEPTH_MAX: usize = 64;

/// Responses nearest to the root first, among them those with the largest share; equals take turns.
#[derive(Default)]
struct Ranks {
    /// Parent and weight of each stream.
    places: BTreeMap<u64, (u64, u16)>,
    /// The last turn of each stream.
    turns: BTreeMap<u64, u64>,
    turn: u64,
}

impl Ranks {
    /// Returns the distance from the root, and the product of all weights on the way.
    fn rank(&self, stream: u64) -> (usize, f64) {
        let (mut rank, mut share, mut at) = (0, 1.0, stream);
        while let Some((parent, weight)) = self.places.get(&at)
            && rank < DEPTH_MAX
        {
            (rank, share, at) = (rank + 1, share * f64::from(*weight) / 256.0, *parent);
        }
        (rank, share)
    }

    fn take_turn(&mut self, stream: u64) {
        self.turn += 1;
        self.turns.insert(stream, self.turn);
    }
}

impl Strategy for Ranks {
    fn handle_arrival(&mut self, response: &Response) {
        let Dependency { parent, weight, .. } = Dependency::default();
        let stream = response.stream;
        self.places.entry(stream).or_insert((parent, weight));
        self.take_turn(stream);
    }

    fn dependency(&mut self, stream: u64, dependency: Dependency) {
        let Dependency {
            parent,
            weight,
            exclusive,
        } = dependency;
        if exclusive {
            let others = self.places.values_mut();
            for (above, _) in others.filter(|(above, _)| *above == parent) {
                *above = stream;
            }
        }
        self.places.insert(stream, (parent, weight));
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let place = |i: &usize| {
            let stream = ready[*i].stream;
            let (rank, share) = self.rank(stream);
            (rank, share, self.turns.get(&stream))
        };
        let first = (0..ready.len()).min_by(|a, b| {
            let (a, b) = (place(a), place(b));
            a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
        });
        first.expect("something is ready")
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        self.take_turn(response.stream);
    }

    fn handle_end(&mut self, stream: u64) {
        // The place remains, as others may depend on it.
        self.turns.remove(&stream);
    }
}
