//! A wrapper that records the choices of a strategy and their alternatives.

use pagerace_core::Dependency;
use pagerace_delivery::{Response, Strategy, StrategySpec};

use crate::bench::{Bench, Sent};

/// One choice of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) ready: Vec<Response>,
    pub(crate) index: usize,
    pub(crate) bytes: u64,
}

impl Choice {
    pub(crate) fn chosen(&self) -> &Response {
        &self.ready[self.index]
    }

    pub(crate) fn stream(&self) -> u64 {
        self.chosen().stream
    }

    pub(crate) fn has(&self, stream: u64) -> bool {
        self.ready.iter().any(|r| r.stream == stream)
    }
}

struct Watch {
    strategy: Box<dyn Strategy>,
    choices: Vec<Choice>,
    arrivals: Vec<u64>,
}

impl Strategy for Watch {
    fn handle_arrival(&mut self, response: &Response) {
        self.arrivals.push(response.stream);
        self.strategy.handle_arrival(response);
    }

    fn handle_update(&mut self, response: &Response) {
        self.strategy.handle_update(response);
    }

    fn dependency(&mut self, stream: u64, dependency: Dependency) {
        self.strategy.dependency(stream, dependency);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let index = self.strategy.pick(ready);
        self.choices.push(Choice {
            ready: ready.to_vec(),
            index,
            bytes: 0,
        });
        index
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        self.choices.last_mut().expect("sent after a choice").bytes = bytes;
        self.strategy.handle_sent(response, bytes);
    }

    fn handle_end(&mut self, stream: u64) {
        self.strategy.handle_end(stream);
    }
}

/// The record of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) choices: Vec<Choice>,
    /// Streams in order of arrival.
    pub(crate) arrivals: Vec<u64>,
    pub(crate) sent: Vec<Sent>,
}

/// Runs the strategy `spec` on `bench`.
pub(crate) fn run(spec: &str, bench: &Bench) -> Run {
    let spec: StrategySpec = spec.parse().expect(spec);
    let mut watch = Watch {
        strategy: spec.build(),
        choices: Vec::new(),
        arrivals: Vec::new(),
    };
    let sent = bench.run(&mut watch);
    assert_eq!(
        sent.len(),
        watch.choices.len(),
        "one sending for each choice"
    );
    Run {
        choices: watch.choices,
        arrivals: watch.arrivals,
        sent,
    }
}
