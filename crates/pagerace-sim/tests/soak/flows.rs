//! Bulk transfers side by side.

use pagerace_core::{Instant, Protocol, Rng};
use pagerace_sim::{
    BulkOutcome, BulkScenario, Flow, Ledger, run_bulk, run_flows, run_flows_with_ledger,
};

use super::inputs::{Case, Draw};
use super::limits::Limits;
use super::wire;

/// Runs a few transfers over the network of a case.
///
/// # Errors
/// Returns the law that was broken and the values that break it.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let mut draw = Draw(Rng::new(case.seed, "flows"));
    let count = 1 + draw.0.below(3);
    let flows: Vec<Flow> = (0..count)
        .map(|_| Flow {
            bytes: draw.size().min(1_000_000),
            protocol: draw.of(&[Protocol::H1, Protocol::H2, Protocol::H3]),
            congestion: draw.of(pagerace_cc::registry()).name.to_owned(),
            starts_at: draw.ms(1_000),
        })
        .collect();
    checked(case, &flows).map_err(|reason| format!("bulk: {reason}"))
}

fn checked(case: &Case, flows: &[Flow]) -> Result<(), String> {
    let (network, settings) = (&case.scenario.network, &case.scenario.settings);
    let run = |flows: &[Flow]| {
        run_flows(flows, network, settings, case.seed).map_err(|error| error.to_string())
    };
    let outcomes = run(flows)?;
    if outcomes != run(flows)? {
        return Err("the same seed gives other results".to_owned());
    }
    if outcomes != run(&again(&flows.to_vec())?)? {
        return Err("transfers that were written and read give other results".to_owned());
    }
    if outcomes != again(&outcomes)? {
        return Err("results are not read back as they were written".to_owned());
    }
    let (watched, ledger) = run_flows_with_ledger(flows, network, settings, case.seed)
        .map_err(|error| error.to_string())?;
    if outcomes != watched {
        return Err("the ledger changes the transfers".to_owned());
    }
    alone(case, &flows[0])?;
    hold(&Limits::of(network), flows, &outcomes, &ledger)
}

/// A transfer alone gives the same as a scenario of one transfer.
fn alone(case: &Case, flow: &Flow) -> Result<(), String> {
    let scenario = BulkScenario {
        bytes: flow.bytes,
        network: case.scenario.network.clone(),
        protocol: flow.protocol,
        congestion: flow.congestion.clone(),
        settings: case.scenario.settings,
    };
    let run =
        |scenario: &BulkScenario| run_bulk(scenario, case.seed).map_err(|error| error.to_string());
    if run(&scenario)? != run(&again(&scenario)?)? {
        return Err("a scenario that was written and read gives other results".to_owned());
    }
    Ok(())
}

/// Writes a value and reads it back.
fn again<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> Result<T, String> {
    let text = serde_json::to_string(value).map_err(|e| e.to_string())?;
    serde_json::from_str(&text).map_err(|e| format!("{text} is not read back: {e}"))
}

/// Holds results against the laws that need no further run.
pub(crate) fn hold(
    limits: &Limits,
    flows: &[Flow],
    outcomes: &[BulkOutcome],
    ledger: &Ledger,
) -> Result<(), String> {
    let mut total = 0;
    let mut end = Instant::ZERO;
    for (flow, outcome) in flows.iter().zip(outcomes) {
        let arrived: u64 = outcome.arrived.iter().sum();
        if arrived != outcome.bytes || outcome.bytes > flow.bytes {
            return Err(format!(
                "{arrived} bytes in intervals, {} in all, {} asked for",
                outcome.bytes, flow.bytes
            ));
        }
        let lost = |reason: &String| reason.contains("connection was lost");
        match &outcome.failure {
            None if outcome.bytes < flow.bytes => {
                return Err(format!("ended after {} bytes", outcome.bytes));
            }
            Some(reason) if !lost(reason) => return Err(format!("stalled: {reason}")),
            _ => {}
        }
        let least = limits.round_trip();
        let took = outcome.finished_at.since(Instant::ZERO + flow.starts_at);
        if outcome.failure.is_none() && (outcome.connect < least || took < least + least) {
            return Err(format!(
                "connected after {}, complete after {took}, on a round trip of {least}",
                outcome.connect
            ));
        }
        total += outcome.bytes;
        end = end.max(outcome.finished_at);
    }
    let possible = limits.down.bytes_until(end);
    if total > possible {
        return Err(format!(
            "{total} bytes in {end:?}; the link carries {possible}"
        ));
    }
    wire::conserved(ledger, end)?;
    wire::within(limits, ledger)
}
