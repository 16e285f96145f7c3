//! Contenders from arguments, for commands whose visits are all cold.

use anyhow::{Context as _, Result};
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_lab::Contender;
use pagerace_lab::contender::{choose, product};
use pagerace_page::Interventions;
use pagerace_sim::{ProtocolMap, Visit};

/// The values to combine.
pub(super) struct Racers<'a> {
    pub(super) protocols: &'a [ProtocolMap],
    pub(super) controllers: &'a [String],
    pub(super) strategies: &'a [StrategySpec],
    pub(super) variants: &'a [Interventions],
    pub(super) baseline: Option<&'a str>,
}

/// Returns all combinations and the index of the baseline, which is the first unless it
/// is named.
pub(super) fn racers(from: &Racers<'_>) -> Result<(Vec<Contender>, usize)> {
    let contenders = product(
        from.protocols,
        from.controllers,
        &[Visit::Cold],
        from.strategies,
        &[ReliabilitySpec::default()],
        from.variants,
    );
    let baseline = match from.baseline {
        Some(text) => choose(&contenders, text).context("--baseline")?,
        None => 0,
    };
    Ok((contenders, baseline))
}
