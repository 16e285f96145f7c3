//! JSON output for transfers. The format is described in `docs/output.md`.

use std::io::{self, Write};

use pagerace_core::object;
use pagerace_sim::BULK_INTERVAL;
use serde::Serialize;

use super::BulkResults;
use crate::VERSION;

/// The value of `format` in these files.
pub const BULK_FORMAT: &str = "pagerace-bulk";
/// The version of the format.
pub const BULK_SCHEMA: u32 = 2;

/// Writes `results` as one JSON document with a final line break. The bytes
/// depend only on the results.
///
/// # Errors
/// Any error of `out`.
pub fn write_bulk_json(results: &BulkResults, out: &mut dyn Write) -> io::Result<()> {
    let plan = &results.plan;
    let cells = (0..plan.networks.len())
        .flat_map(|network| (0..plan.contenders.len()).map(move |c| (network, c)));
    let document = object! {
        format: BULK_FORMAT,
        schema: BULK_SCHEMA,
        version: VERSION,
        // The interval of the series `arrived`, `window` and `queued`.
        interval_ms: BULK_INTERVAL.as_millis_f64(),
        results: cells.map(|(n, c)| cell(results, n, c)).collect::<Vec<_>>(),
        plan: plan,
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn cell(results: &BulkResults, network: usize, contender: usize) -> impl Serialize {
    let plan = &results.plan;
    let runs = results.cell(network, contender).iter().enumerate();
    object! {
        network: &plan.networks[network].name,
        protocol: plan.contenders[contender].protocol,
        congestion: &plan.contenders[contender].congestion,
        #[serde(flatten)]
        summary: results.summary(network, contender),
        runs: runs.map(|(run, outcome)| object! {
            run: run + 1,
            seed: plan.run_seed(run),
            outcome: outcome,
        }).collect::<Vec<_>>(),
    }
}
