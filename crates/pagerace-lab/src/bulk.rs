//! Comparison of transports and congestion controllers by one large transfer
//! instead of a page, so that there is nothing to schedule.
//!
//! The measures follow Srivastava 2024, section 5.2: transfer time, throughput
//! over time, and protocol overhead (the bytes on the wire beyond the file's
//! size, relative to that size). *Deviation*: medians of the runs replace
//! means, so that a single slow run does not dominate. A failed transfer counts
//! as infinitely long, like a failed load in a race. Medians over the finished
//! transfers alone would favour contenders that mostly fail.

use std::collections::BTreeSet;

use pagerace_core::Protocol;
use pagerace_core::rng::derive_seed;
use pagerace_net::Network;
use pagerace_report::bulk::BulkSummary;
use pagerace_sim::{BulkOutcome, BulkScenario, LoadSettings};
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::results::distinct;
use crate::runner::{OnProgress, run_all};
use crate::stats::median;

mod csv;
mod json;
mod report;
mod sentence;

pub use csv::write_bulk_csv;
pub use json::{BULK_FORMAT, BULK_SCHEMA, write_bulk_json};
pub use report::bulk_report;
pub use sentence::bulk_sentence;

/// Transfers a file once, given a scenario and a seed. Returns an error if the
/// scenario cannot be run at all; a transfer that fails is an outcome.
pub(crate) type BulkRunner<'a> =
    dyn Fn(&BulkScenario, u64) -> Result<BulkOutcome, String> + Sync + 'a;

/// All inputs of a comparison of transfers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkPlan {
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The networks, resolved.
    pub networks: Vec<Network>,
    /// The contenders; the first is the baseline.
    pub contenders: Vec<BulkContender>,
    /// Number of transfers per contender and network.
    pub runs: u32,
    /// The seed from which all randomness derives.
    pub seed: u64,
    /// The settings that all contenders share.
    pub settings: LoadSettings,
}

/// A protocol and a congestion controller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkContender {
    /// The version of HTTP.
    pub protocol: Protocol,
    /// The server's congestion controller.
    pub congestion: String,
}

/// The results of a comparison of transfers.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkResults {
    /// The plan that was run.
    pub plan: BulkPlan,
    /// The outcomes of all runs, by network and then contender.
    pub cells: Vec<Vec<BulkOutcome>>,
}

impl BulkPlan {
    /// Returns an error if the plan cannot be run.
    ///
    /// # Errors
    /// [`LabError::Plan`] with the invalid value and what is expected instead.
    pub fn check(&self) -> Result<(), LabError> {
        let bad = |text: String| Err(LabError::Plan(text));
        if self.bytes == 0 {
            return bad("size: zero bytes; use 50MB, for example".to_owned());
        }
        if self.networks.is_empty() || self.contenders.is_empty() || self.runs == 0 {
            return bad("a comparison needs a network, a protocol and a run".to_owned());
        }
        self.settings.check().map_err(LabError::Plan)?;
        let mut names = BTreeSet::new();
        if let Some(twin) = self.networks.iter().find(|n| !names.insert(&n.name)) {
            return bad(format!("networks: {} is given twice", twin.name));
        }
        let mut seen = BTreeSet::new();
        if let Some(twin) = self.contenders.iter().find(|c| !seen.insert(*c)) {
            let BulkContender {
                protocol,
                congestion,
            } = twin;
            return bad(format!("{protocol} with {congestion} is given twice"));
        }
        Ok(())
    }

    /// Number of transfers in the whole comparison.
    pub fn transfers(&self) -> usize {
        self.networks.len() * self.contenders.len() * self.runs as usize
    }

    /// Seed of run `run`. All contenders share it, so that runs are paired. It
    /// is below 2^53, as in a race.
    pub fn run_seed(&self, run: usize) -> u64 {
        derive_seed(self.seed, &format!("bulk/{run}")) >> 11
    }

    /// Short name of a contender, made of the properties that distinguish it.
    pub fn label(&self, contender: usize) -> String {
        let BulkContender {
            protocol,
            congestion,
        } = &self.contenders[contender];
        let differ = |other: &dyn Fn(&BulkContender) -> bool| self.contenders.iter().any(other);
        let protocols = differ(&|other| other.protocol != *protocol);
        let controllers = differ(&|other| other.congestion != *congestion);
        match (protocols, controllers) {
            (true, false) => protocol.to_string(),
            (false, true) => congestion.clone(),
            _ => format!("{protocol} {congestion}"),
        }
    }

    fn scenario(&self, network: usize, contender: usize) -> BulkScenario {
        let contender = &self.contenders[contender];
        BulkScenario {
            bytes: self.bytes,
            network: self.networks[network].clone(),
            protocol: contender.protocol,
            congestion: contender.congestion.clone(),
            settings: self.settings,
        }
    }
}

impl BulkResults {
    /// The outcomes of this network and contender (indices into the plan).
    pub fn cell(&self, network: usize, contender: usize) -> &[BulkOutcome] {
        &self.cells[network * self.plan.contenders.len() + contender]
    }

    /// Summarises the outcomes of this network and contender.
    pub fn summary(&self, network: usize, contender: usize) -> BulkSummary {
        let cell = self.cell(network, contender);
        let values = |value: &dyn Fn(&BulkOutcome) -> f64, failed: f64| -> Vec<f64> {
            let value = |o: &BulkOutcome| {
                if o.failure.is_none() {
                    value(o)
                } else {
                    failed
                }
            };
            cell.iter().map(value).collect()
        };
        let cost = |value: &dyn Fn(&BulkOutcome) -> f64| median(&values(value, f64::INFINITY));
        let time = |o: &BulkOutcome| o.finished_at.as_millis_f64();
        let times = values(&time, f64::INFINITY);
        BulkSummary {
            failed_runs: cell.iter().filter(|o| o.failure.is_some()).count(),
            time_ms: median(&times),
            time_min_ms: times.iter().copied().reduce(f64::min),
            time_max_ms: times.iter().copied().reduce(f64::max),
            connect_ms: cost(&|o| o.connect.as_millis_f64()),
            goodput_bits_per_second: median(&values(&|o| goodput(o, self.plan.bytes), 0.0)),
            overhead_percent: cost(&|o| overhead(o, self.plan.bytes)).map(|share| share * 100.0),
            retransmitted_bytes: cost(&|o| o.retransmitted_bytes as f64),
            packets_lost: cost(&|o| o.packets_lost as f64),
        }
    }

    /// Number of transfers that did not finish.
    pub fn failed(&self) -> usize {
        let all = self.cells.iter().flatten();
        all.filter(|o| o.failure.is_some()).count()
    }

    /// Reasons why transfers did not finish, without duplicates.
    pub fn reasons(&self) -> Vec<&str> {
        let all = self.cells.iter().flatten();
        distinct(all.filter_map(|o| o.failure.as_deref()))
    }

    /// Index of the finished run with the (lower) median time, which represents
    /// the cell in figures; the first run if none has finished.
    pub fn median_run(&self, network: usize, contender: usize) -> usize {
        let cell = self.cell(network, contender).iter().enumerate();
        let finished = cell.filter(|(_, o)| o.failure.is_none());
        let mut times: Vec<_> = finished.map(|(run, o)| (o.finished_at, run)).collect();
        times.sort_unstable();
        let middle = times.len().checked_sub(1).map(|last| times[last / 2]);
        middle.map_or(0, |(_, run)| run)
    }
}

/// Computes [`BulkSummary::goodput_bits_per_second`] of a transfer that finished.
fn goodput(outcome: &BulkOutcome, file: u64) -> f64 {
    file as f64 * 8e3 / outcome.finished_at.as_millis_f64()
}

/// Computes [`BulkSummary::overhead_percent`] as a share.
fn overhead(outcome: &BulkOutcome, file: u64) -> f64 {
    let file = file as f64;
    ((outcome.bytes_down + outcome.bytes_up) as f64 - file) / file
}

/// Runs all transfers of `plan` on `jobs` threads. The results depend only on the plan.
///
/// # Errors
/// [`LabError::Plan`] or [`LabError::Scenario`] if the plan cannot be run,
/// [`LabError::Interrupted`] if `progress` stops the run.
pub fn run_bulk(
    plan: &BulkPlan,
    jobs: usize,
    runner: &BulkRunner<'_>,
    progress: &OnProgress<'_>,
) -> Result<BulkResults, LabError> {
    plan.check()?;
    let (runs, contenders) = (plan.runs as usize, plan.contenders.len());
    let transfer = |index: usize| {
        let (cell, run) = (index / runs, index % runs);
        let scenario = plan.scenario(cell / contenders, cell % contenders);
        runner(&scenario, plan.run_seed(run))
    };
    let mut outcomes = run_all(jobs, plan.transfers(), &transfer, progress)?.into_iter();
    let cells = (0..plan.networks.len() * contenders)
        .map(|_| outcomes.by_ref().take(runs).collect())
        .collect();
    Ok(BulkResults {
        plan: plan.clone(),
        cells,
    })
}

#[cfg(test)]
mod tests;
