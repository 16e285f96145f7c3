//! The qlog of a load, as the laboratory asks for it.

use pagerace_lab::qlog::QlogFile;
use pagerace_sim::Scenario;

/// Loads a page once and returns the qlog of its connections.
pub(super) fn load(scenario: &Scenario, seed: u64) -> Result<Vec<QlogFile>, String> {
    let _ = (scenario, seed);
    Err("qlog files are not written yet".to_owned())
}
