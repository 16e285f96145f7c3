//! RFC 9218 as other servers implement it, where incremental and other responses of one
//! urgency meet. The RFC leaves their order open (section 10); our own `eps` counts all
//! non-incremental responses as one participant in the round of the incremental ones.

use std::collections::BTreeMap;

use pagerace_delivery::{Response, Strategy, StrategyInfo, Values};

/// The strategies, besides those of the registry.
pub(crate) const MIXED: &[StrategyInfo] = &[
    StrategyInfo {
        name: "eps-halves",
        summary: "As the browser signals; incremental and other responses of one urgency alternate",
        source: "quic-go 0.65, framer.go, getNextStreamFrame",
        parameters: &[],
        build: |_: &Values| Box::new(Mixed::new(false)),
    },
    StrategyInfo {
        name: "eps-first",
        summary: "As the browser signals; incremental responses follow others of their urgency",
        source: "quiche, stream/mod.rs, StreamPriorityKey; h2o, http3/server.c, req_scheduler",
        parameters: &[],
        build: |_: &Values| Box::new(Mixed::new(true)),
    },
];

/// Urgency first, then one of the two rules.
struct Mixed {
    /// True if incremental responses wait for others.
    others_first: bool,
    /// The last turn of each stream.
    turns: BTreeMap<u64, u64>,
    turn: u64,
    /// True if the last packet was of an incremental response, by urgency.
    incremental: [bool; 8],
}

impl Mixed {
    fn new(others_first: bool) -> Self {
        Self {
            others_first,
            turns: BTreeMap::new(),
            turn: 0,
            incremental: [false; 8],
        }
    }

    fn take_turn(&mut self, stream: u64) {
        self.turn += 1;
        self.turns.insert(stream, self.turn);
    }
}

impl Strategy for Mixed {
    fn handle_arrival(&mut self, response: &Response) {
        self.take_turn(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let urgency = ready
            .iter()
            .map(|r| r.signal.urgency)
            .min()
            .expect("something is ready");
        let among = |incremental: bool| {
            let all = ready.iter().enumerate();
            all.filter(move |(_, r)| {
                r.signal.urgency == urgency && r.signal.incremental == incremental
            })
        };
        let first = among(false).next();
        let longest = among(true).min_by_key(|(_, r)| self.turns.get(&r.stream));
        let alternate = !self.others_first && !self.incremental[usize::from(urgency)];
        let (index, _) = match (first, longest) {
            (Some(_), Some(longest)) if alternate => longest,
            (Some(first), _) => first,
            (None, longest) => longest.expect("one has this urgency"),
        };
        index
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        let signal = response.signal;
        self.incremental[usize::from(signal.urgency)] = signal.incremental;
        self.take_turn(response.stream);
    }

    fn handle_end(&mut self, stream: u64) {
        self.turns.remove(&stream);
    }
}
