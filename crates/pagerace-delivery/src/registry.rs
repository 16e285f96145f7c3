//! The list of strategies. A new strategy is a file in `strategies/` and a line here.

use crate::Strategy;
use crate::parameter::{Parameter, Values};
use crate::strategies as s;

/// Description and constructor of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct StrategyInfo {
    /// Name of the strategy: lower-case words and digits joined by hyphens.
    pub name: &'static str,
    /// Effect of the strategy, in one sentence.
    pub summary: &'static str,
    /// The document that the strategy follows.
    pub source: &'static str,
    /// Parameters of the strategy, in the order in which they are displayed.
    pub parameters: &'static [Parameter],
    /// Builds the strategy for one connection.
    pub build: fn(&Values) -> Box<dyn Strategy>,
}

const REGISTRY: &[StrategyInfo] = &[
    s::eps::INFO,
    s::fifo::INFO,
    s::sequential::INFO,
    s::round_robin::INFO,
    s::batched_round_robin::INFO,
    s::weighted_round_robin::INFO,
    s::firefox_tree::INFO,
    s::firefox_eps::INFO,
    s::h2_tree::INFO,
    s::weighted_incremental::INFO,
    s::hybrid::INFO,
];

/// The strategies that a race runs when none are named.
///
/// The list has every strategy once, except `h2-tree`, which shares equally if the client
/// signals no tree. `alpha` is 0.5, the middle of its range, as its source names no single
/// value. The batch has 10 packets, the middle one of Sander 2022's burst lengths.
pub const DEFAULTS: &[&str] = &[
    "eps",
    "fifo",
    "sequential",
    "round-robin",
    "batched-round-robin:n=10",
    "weighted-round-robin",
    "firefox-tree",
    "firefox-eps",
    "weighted-incremental:alpha=0.5:urgency=class",
    "hybrid:alpha=0.5:urgency=class",
];

/// Returns all strategies, in the order in which they are listed to users.
pub const fn registry() -> &'static [StrategyInfo] {
    REGISTRY
}
