//! Report input for transfers.

use pagerace_report::bulk::{BulkNetwork, BulkReport, BulkTransfer};
use pagerace_report::input::Named;
use pagerace_sim::BULK_INTERVAL;

use super::{BulkResults, bulk_sentence};
use crate::VERSION;
use crate::unit::Unit;

/// Fills the report; `rerun` is the command that repeats the comparison.
pub fn bulk_report(results: &BulkResults, rerun: &str) -> BulkReport {
    let plan = &results.plan;
    let size = Unit::Bytes.format(plan.bytes as f64);
    let contenders = (0..plan.contenders.len()).map(|i| Named {
        name: plan.label(i),
        description: format!(
            "{} with {}",
            plan.contenders[i].protocol, plan.contenders[i].congestion
        ),
    });
    BulkReport {
        title: format!("{size}: one transfer"),
        version: VERSION.to_owned(),
        seed: plan.seed.to_string(),
        runs: plan.runs,
        rerun: rerun.to_owned(),
        failures: results.reasons().into_iter().map(str::to_owned).collect(),
        bytes: plan.bytes,
        interval_ms: BULK_INTERVAL.as_millis_f64(),
        contenders: contenders.collect(),
        networks: (0..plan.networks.len())
            .map(|network| BulkNetwork {
                name: plan.networks[network].name.clone(),
                description: plan.networks[network].describe(),
                verdict: bulk_sentence(results, network),
                transfers: (0..plan.contenders.len())
                    .map(|contender| transfer(results, network, contender))
                    .collect(),
            })
            .collect(),
    }
}

fn transfer(results: &BulkResults, network: usize, contender: usize) -> BulkTransfer {
    let run = results.median_run(network, contender);
    let outcome = results
        .cell(network, contender)
        .get(run)
        .cloned()
        .unwrap_or_default();
    BulkTransfer {
        summary: results.summary(network, contender),
        run: run as u32,
        failure: outcome.failure,
        arrived: outcome.arrived,
        window: outcome.window,
        queued: outcome.queued,
    }
}
