//! The simulator, as the laboratory calls it.

use pagerace_sim::{
    BulkOutcome, BulkScenario, Explainable, Explained, LoggedPacket, Outcome, Scenario,
    ScenarioError,
};

/// A load.
pub(super) fn load(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, String> {
    pagerace_sim::run(scenario, seed, record).map_err(|e| e.to_string())
}

/// A load with all its packets, for qlog files.
pub(super) fn load_logged(
    scenario: &Scenario,
    seed: u64,
) -> Result<(Outcome, Vec<LoggedPacket>), String> {
    pagerace_sim::run_logged(scenario, seed).map_err(|e| e.to_string())
}

/// A load whose metric is taken apart, if it has one.
pub(super) fn explain(
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

/// A transfer.
pub(super) fn transfer(scenario: &BulkScenario, seed: u64) -> Result<BulkOutcome, String> {
    pagerace_sim::run_bulk(scenario, seed).map_err(|e| e.to_string())
}
