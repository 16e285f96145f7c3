//! The simulator behind the interface that the laboratory expects.

use pagerace_sim::{
    BulkOutcome, BulkScenario, Explainable, Explained, LoggedPacket, Outcome, Scenario,
    ScenarioError,
};

/// Simulates a load.
pub(crate) fn load(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, String> {
    pagerace_sim::run(scenario, seed, record).map_err(|e| e.to_string())
}

/// Simulates a load and returns all its packets, for qlog files.
pub(crate) fn load_logged(
    scenario: &Scenario,
    seed: u64,
) -> Result<(Outcome, Vec<LoggedPacket>), String> {
    pagerace_sim::run_logged(scenario, seed).map_err(|e| e.to_string())
}

/// Simulates a load and splits its metric into causes; `None` if it has no value.
pub(crate) fn explain(
    scenario: &Scenario,
    seed: u64,
    metric: Explainable,
) -> Result<Option<Explained>, String> {
    match pagerace_sim::explain(scenario, seed, metric) {
        Ok(explained) => Ok(Some(explained)),
        Err(ScenarioError::NoMetric { .. }) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Simulates a transfer.
pub(crate) fn transfer(scenario: &BulkScenario, seed: u64) -> Result<BulkOutcome, String> {
    pagerace_sim::run_bulk(scenario, seed).map_err(|e| e.to_string())
}
