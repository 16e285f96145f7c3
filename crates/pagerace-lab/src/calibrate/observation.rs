//! What was measured live, as a file that later versions read.
//!
//! Values are in the units of [`crate::metric`], times of resources in
//! milliseconds since the start of the navigation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lighthouse::LighthousePrediction;
use crate::contender::Contender;
use crate::error::LabError;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::{Results, RunSummary};
use crate::stats::median;
use crate::unit::Unit;
use crate::world::Fact;

mod file;

pub use file::{FORMAT, SCHEMA};

/// What was measured in one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Observations {
    /// When, where and with what.
    pub setting: Setting,
    /// One for each page, network and contender.
    pub observations: Vec<Observation>,
    /// By page, a digest of what was served: observations of other content are
    /// none of the page.
    pub contents: BTreeMap<String, String>,
    /// What Lighthouse predicts for the same pages and networks, if it was asked.
    pub lighthouse: Vec<LighthousePrediction>,
}

/// When, where and with what was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The day, as `2026-01-31`; given from outside, for there is no clock here.
    pub date: String,
    /// Version of Pagerace.
    pub pagerace: String,
    /// Version of Chromium.
    pub chromium: String,
    /// Version of the operating system's kernel, with its name.
    pub kernel: String,
    /// From which the runs' seeds derive.
    pub seed: u64,
    /// Anything else that tells this setting from another: processors, memory.
    #[serde(default)]
    pub more: Vec<Fact>,
}

/// One page on one network with one contender, loaded several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Short name of the page.
    pub page: String,
    /// The network as the user wrote it: what predictions are matched by.
    pub network: String,
    /// The network resolved, in words.
    pub network_text: String,
    /// How the page was delivered.
    pub contender: Contender,
    /// The runs that were accepted.
    pub runs: Vec<ObservedRun>,
    /// The resources of the median run by onload; empty if they were not kept.
    pub resources: Vec<ResourceTimes>,
    /// How late the emulated link forwarded packets, over all accepted runs.
    pub lateness: Option<Lateness>,
    /// Largest share of the machine's processor time that others than the load
    /// took during a run, 0 to 1.
    pub cpu_contention: Option<f64>,
    /// Runs that were thrown away and repeated, because the link was late or
    /// the machine busy.
    pub rejected_runs: u32,
}

/// One accepted run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedRun {
    /// The link's seed.
    pub seed: u64,
    /// Why the load did not finish, if it did not; it then counts as later than
    /// any finished one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What was measured, by metric; a metric that was not is not there.
    pub values: BTreeMap<MetricId, f64>,
}

/// A resource's way through one load, in milliseconds since the start of the
/// navigation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTimes {
    /// The whole URL.
    pub url: String,
    /// The browser knew that it needs the resource (Resource Timing: startTime).
    pub discovered_ms: Option<f64>,
    /// The request left.
    pub request_start_ms: Option<f64>,
    /// The first response byte came.
    pub response_start_ms: Option<f64>,
    /// The last response byte came.
    pub response_end_ms: Option<f64>,
}

/// How late packets left the emulated link, in milliseconds; over several runs
/// the largest of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lateness {
    /// Packets.
    pub packets: u64,
    /// Half of them were at most so late.
    pub p50_ms: f64,
    /// 99 of 100 were at most so late.
    pub p99_ms: f64,
    /// The latest.
    pub max_ms: f64,
}

impl Observations {
    /// A file of these observations.
    pub fn new(setting: Setting, observations: Vec<Observation>) -> Self {
        Self {
            setting,
            observations,
            contents: BTreeMap::new(),
            lighthouse: Vec::new(),
        }
    }

    /// The file's text, ended by a line break. Times of resources are rounded to
    /// milliseconds.
    ///
    /// # Panics
    /// Never: observations are plain data.
    pub fn to_json(&self) -> String {
        file::to_json(self)
    }

    /// Reads such a file; `file` names it in errors.
    ///
    /// # Errors
    /// [`LabError::NotResults`] if it is not JSON, not ours, of another schema,
    /// or has a field that is missing, wrong or unknown.
    pub fn from_json(file: &str, bytes: &[u8]) -> Result<Self, LabError> {
        file::from_json(file, bytes)
    }
}

impl Observation {
    /// What live results say of their variant at `index`; the caller adds
    /// resources, lateness, contention and rejected runs.
    pub fn of(results: &Results, index: usize) -> Self {
        let plan = &results.plan;
        let runs = results.variants[index].runs.iter().enumerate();
        Self {
            runs: runs
                .map(|(run, summary)| ObservedRun::of(plan.run_seed(run), summary))
                .collect(),
            ..Self::none(plan, index)
        }
    }

    /// Nothing yet of the variant at `index` of a plan.
    pub fn none(plan: &Plan, index: usize) -> Self {
        let (page, network, contender) = plan.variant_parts(index);
        let network = &plan.networks[network];
        Self {
            page: plan.pages[page].name.clone(),
            network: network.name.clone(),
            network_text: network.describe(),
            contender: plan.contenders[contender].clone(),
            runs: Vec::new(),
            resources: Vec::new(),
            lateness: None,
            cpu_contention: None,
            rejected_runs: 0,
        }
    }

    /// The metric of each run that has it; infinity where the load failed.
    pub fn values(&self, metric: MetricId) -> Vec<f64> {
        self.runs
            .iter()
            .filter_map(|run| run.value(metric))
            .collect()
    }

    /// Median over the runs; infinite if more than half failed.
    pub fn median(&self, metric: MetricId) -> Option<f64> {
        median(&self.values(metric))
    }

    /// Runs that did not finish.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failure.is_some()).count()
    }
}

impl ObservedRun {
    /// What a run's summary says.
    pub fn of(seed: u64, summary: &RunSummary) -> Self {
        let reached = |metric: MetricId| {
            let value = summary.reached(metric)?;
            let value = match metric.metric().unit {
                // A tenth of a millisecond is less than any noise.
                Unit::Milliseconds => libm::round(value * 10.0) / 10.0,
                _ => value,
            };
            value.is_finite().then_some((metric, value))
        };
        Self {
            seed,
            failure: summary.failure.clone(),
            values: MetricId::all().filter_map(reached).collect(),
        }
    }

    /// The metric, as the statistics take it: see [`RunSummary::value`].
    pub fn value(&self, metric: MetricId) -> Option<f64> {
        if self.failure.is_none() {
            return self.values.get(&metric).copied();
        }
        (metric.metric().unit != Unit::Score).then_some(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests;
