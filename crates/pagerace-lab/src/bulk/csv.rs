//! CSV output for transfers. The format is described in `docs/output.md`.

use std::io::{self, Write};

use super::{BulkResults, goodput, overhead};
use crate::export::csv::{line, number};

/// The columns.
const HEADER: [&str; 17] = [
    "network",
    "protocol",
    "congestion",
    "run",
    "seed",
    "failure",
    "time_ms",
    "connect_ms",
    "goodput_bits_per_second",
    "overhead_percent",
    "bytes",
    "bytes_down",
    "bytes_up",
    "packets_sent",
    "packets_lost",
    "retransmitted_bytes",
    "queue_drops",
];

/// Writes one line per transfer. An empty field stands for a missing value, such as the time of a
/// transfer that failed.
///
/// # Errors
/// Any error of `out`.
pub fn write_bulk_csv(results: &BulkResults, out: &mut dyn Write) -> io::Result<()> {
    let plan = &results.plan;
    line(out, HEADER.map(str::to_owned))?;
    for (network, link) in plan.networks.iter().enumerate() {
        for (contender, side) in plan.contenders.iter().enumerate() {
            for (run, outcome) in results.cell(network, contender).iter().enumerate() {
                let finished = |value: f64| number(outcome.failure.is_none().then_some(value));
                line(
                    out,
                    [
                        link.name.clone(),
                        side.protocol.to_string(),
                        side.congestion.clone(),
                        (run + 1).to_string(),
                        plan.run_seed(run).to_string(),
                        outcome.failure.clone().unwrap_or_default(),
                        finished(outcome.finished_at.as_millis_f64()),
                        finished(outcome.connect.as_millis_f64()),
                        finished(goodput(outcome, plan.bytes)),
                        finished(overhead(outcome, plan.bytes) * 100.0),
                        outcome.bytes.to_string(),
                        outcome.bytes_down.to_string(),
                        outcome.bytes_up.to_string(),
                        outcome.packets_sent.to_string(),
                        outcome.packets_lost.to_string(),
                        outcome.retransmitted_bytes.to_string(),
                        outcome.queue_drops.to_string(),
                    ],
                )?;
            }
        }
    }
    Ok(())
}
