//! Bulk transfers side by side.

use pagerace_core::{Duration, Instant, Protocol, Rng};
use pagerace_sim::{Flow, run_flows};

use super::inputs::{Case, Draw};

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
    let scenario = &case.scenario;
    let run = || {
        run_flows(&flows, &scenario.network, &scenario.settings, case.seed)
            .map_err(|error| format!("bulk: {error}"))
    };
    let outcomes = run()?;
    if outcomes != run()? {
        return Err("bulk: the same seed gives other results".to_owned());
    }
    let mut total = 0;
    let mut end = Instant::ZERO;
    for (flow, outcome) in flows.iter().zip(&outcomes) {
        let arrived: u64 = outcome.arrived.iter().sum();
        if arrived != outcome.bytes || outcome.bytes > flow.bytes {
            return Err(format!(
                "bulk: {arrived} bytes in intervals, {} in all, {} asked for",
                outcome.bytes, flow.bytes
            ));
        }
        let lost = |reason: &String| reason.contains("connection was lost");
        match &outcome.failure {
            None if outcome.bytes < flow.bytes => {
                return Err(format!("bulk: ended after {} bytes", outcome.bytes));
            }
            Some(reason) if !lost(reason) => return Err(format!("bulk: stalled: {reason}")),
            _ => {}
        }
        total += outcome.bytes;
        end = end.max(outcome.finished_at);
    }
    if let Some((rate, burst)) = case.limits.down {
        let bits = total.saturating_sub(burst) as f64 * 8.0;
        let least = Duration::from_millis_f64(bits / rate as f64 * 1e3);
        if Instant::ZERO + least > end {
            return Err(format!("bulk: {total} bytes in {end:?}, less than {least}"));
        }
    }
    Ok(())
}
