//! Which strategies there are. A new one is a file in `strategies/` and a line here.

use std::fmt;

use crate::Strategy;
use crate::parameter::{Parameter, Values};
use crate::strategies as s;

/// What a strategy is, and how it is made.
#[derive(Clone, Copy)]
pub struct StrategyInfo {
    /// Its name: lower-case words and digits joined by hyphens.
    pub name: &'static str,
    /// What it does, one sentence.
    pub summary: &'static str,
    /// The document that it follows.
    pub source: &'static str,
    /// The parameters that it takes, in the order in which they are displayed.
    pub parameters: &'static [Parameter],
    /// Makes one, for one connection.
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

/// What a race runs when no strategies are named: each once but `h2-tree`, which
/// shares equally where nobody signals a tree, and otherwise at the middle of
/// its range where the source names no single value (`alpha` 0.5), and with the
/// middle one of Sander 2022's burst lengths as the batch (10 packets).
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

/// All strategies, in the order in which they are listed to people.
pub const fn registry() -> &'static [StrategyInfo] {
    REGISTRY
}

impl fmt::Debug for StrategyInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StrategyInfo")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
