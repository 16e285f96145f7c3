//! JSON output for transfers. The format is described in `docs/output.md`.

use std::io::{self, Write};

use pagerace_core::Protocol;
use pagerace_sim::{BULK_INTERVAL, BulkOutcome};
use serde::Serialize;

use super::{BulkPlan, BulkResults, BulkSummary};
use crate::VERSION;

/// The value of `format` in these files.
pub const BULK_FORMAT: &str = "pagerace-bulk";
/// The version of the format.
pub const BULK_SCHEMA: u32 = 2;

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    schema: u32,
    version: &'static str,
    /// Interval between samples of the series `arrived`, `window` and `queued`, in ms.
    interval_ms: f64,
    results: Vec<Cell<'a>>,
    plan: &'a BulkPlan,
}

#[derive(Serialize)]
struct Cell<'a> {
    network: &'a str,
    protocol: Protocol,
    congestion: &'a str,
    #[serde(flatten)]
    summary: BulkSummary,
    runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
struct Run<'a> {
    #[serde(rename = "run")]
    number: usize,
    seed: u64,
    outcome: &'a BulkOutcome,
}

/// Writes `results` as one JSON document with a final line break. The bytes
/// depend only on the results.
///
/// # Errors
/// Any error of `out`.
pub fn write_bulk_json(results: &BulkResults, out: &mut dyn Write) -> io::Result<()> {
    let plan = &results.plan;
    let cells = (0..plan.networks.len())
        .flat_map(|network| (0..plan.contenders.len()).map(move |c| (network, c)));
    let document = Document {
        format: BULK_FORMAT,
        schema: BULK_SCHEMA,
        version: VERSION,
        interval_ms: BULK_INTERVAL.as_millis_f64(),
        results: cells.map(|(n, c)| cell(results, n, c)).collect(),
        plan,
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn cell(results: &BulkResults, network: usize, contender: usize) -> Cell<'_> {
    let plan = &results.plan;
    let runs = results.cell(network, contender).iter().enumerate();
    Cell {
        network: &plan.networks[network].name,
        protocol: plan.contenders[contender].protocol,
        congestion: &plan.contenders[contender].congestion,
        summary: results.summary(network, contender),
        runs: runs
            .map(|(run, outcome)| Run {
                number: run + 1,
                seed: plan.run_seed(run),
                outcome,
            })
            .collect(),
    }
}
