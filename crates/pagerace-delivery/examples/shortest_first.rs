//! Example of a custom strategy: shortest remaining first.
//!
//! Inside the crate a strategy is one file in `strategies/` and one line in `registry.rs`.
//! A separate program uses a list such as `MINE` below and [`StrategySpec::parse_with`].

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../tests/support/bench/mod.rs"]
mod bench;

use std::fmt::Write as _;
use std::io::Write as _;

use pagerace_delivery::{Response, Strategy, StrategyError, StrategyInfo, StrategySpec, Values};

use bench::{Bench, Event, response};

/// Sends the response with the fewest remaining bytes first.
struct ShortestFirst;

impl Strategy for ShortestFirst {
    fn pick(&mut self, ready: &[Response]) -> usize {
        let shortest = ready.iter().enumerate().min_by_key(|(_, r)| r.remaining());
        shortest.expect("something is ready").0
    }
}

/// The description under which the strategy can be named.
const SHORTEST_FIRST: StrategyInfo = StrategyInfo {
    name: "shortest-first",
    summary: "The response with the fewest bytes left goes first",
    source: "shortest remaining processing time, L. Schrage 1968",
    parameters: &[],
    build: |_: &Values| Box::new(ShortestFirst),
};

/// The program's own strategies. Add yours here.
static MINE: &[StrategyInfo] = &[SHORTEST_FIRST];

/// Lists the packets that `strategy` sends for a large response and two small ones.
///
/// # Errors
/// Returns an error if `strategy` does not name a known strategy.
pub fn order(strategy: &str) -> Result<String, StrategyError> {
    let mut strategy = StrategySpec::parse_with(strategy, MINE)?.build();
    let mut bench = Bench::of([response(0, 6000), response(4, 2400)]);
    bench.at(2, Event::Arrive(response(8, 1200)));
    let mut order = String::new();
    for sent in bench.run(strategy.as_mut()) {
        writeln!(
            order,
            "packet {}: stream {}, {} bytes",
            sent.tick, sent.stream, sent.bytes
        )
        .expect("writing to a string works");
    }
    Ok(order)
}

/// Prints the order of the new strategy, and that of round robin for comparison.
///
/// # Errors
/// Returns an error if printing fails.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for strategy in ["shortest-first", "round-robin"] {
        writeln!(out, "{strategy}\n{}", order(strategy)?)?;
    }
    Ok(())
}
