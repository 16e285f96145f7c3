//! What was measured live, as a file that later versions read.
//!
//! Values are in the units of [`crate::metric`], times of resources in
//! milliseconds since the start of the navigation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lighthouse::LighthousePrediction;
use crate::contender::Contender;
use crate::error::LabError;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::{Results, RunSummary};
use crate::stats::median;
use crate::unit::Unit;
use crate::world::Fact;

/// The value of `format` in the file.
pub const FORMAT: &str = "pagerace-observations";
/// The version of the format that this version writes and reads.
pub const SCHEMA: u32 = 1;

/// A file of observations, taken in one setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observations {
    format: String,
    schema: u32,
    /// When, where and with what.
    pub setting: Setting,
    /// One for each page, network and contender.
    pub observations: Vec<Observation>,
    /// What Lighthouse predicts for the same pages and networks, if it was asked.
    #[serde(default)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    #[serde(default)]
    pub resources: Vec<ResourceTimes>,
    /// How late the emulated link forwarded packets, over all accepted runs.
    #[serde(default)]
    pub lateness: Option<Lateness>,
    /// Largest share of the machine's processor time that others than the load
    /// took during a run, 0 to 1.
    #[serde(default)]
    pub cpu_contention: Option<f64>,
    /// Runs that were thrown away and repeated, because the link was late or
    /// the machine busy.
    #[serde(default)]
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
    #[serde(default)]
    pub failure: Option<String>,
    /// What was measured, by metric; a metric that was not is not there.
    pub values: BTreeMap<MetricId, f64>,
    /// `DOMContentLoaded`, in milliseconds.
    #[serde(default)]
    pub dom_content_loaded_ms: Option<f64>,
}

/// A resource's way through one load, in milliseconds since the start of the
/// navigation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            setting,
            observations,
            lighthouse: Vec::new(),
        }
    }

    /// The file's text, ended by a line break.
    ///
    /// # Panics
    /// Never: observations are plain data.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// Reads such a file; `file` names it in errors.
    ///
    /// # Errors
    /// [`LabError::NotResults`] if it is not JSON, not ours, of another schema,
    /// or has a field that is missing, wrong or unknown.
    pub fn from_json(file: &str, bytes: &[u8]) -> Result<Self, LabError> {
        let refuse = |reason: String| LabError::NotResults {
            file: file.to_owned(),
            reason,
        };
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|e| refuse(format!("not JSON ({e}); expected what calibrate wrote")))?;
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(refuse(format!(
                "no observations: the field format is not \"{FORMAT}\"; expected what calibrate \
                 wrote"
            )));
        }
        let schema = value.get("schema").and_then(Value::as_u64);
        if schema != Some(u64::from(SCHEMA)) {
            let found = schema.map_or_else(|| "missing".to_owned(), |n| n.to_string());
            return Err(refuse(format!(
                "its schema is {found}, but this version reads schema {SCHEMA}; measure again, or \
                 use the version of Pagerace that wrote it"
            )));
        }
        // From the text rather than the value: the error then names line and column.
        serde_json::from_slice(bytes).map_err(|e| {
            refuse(format!(
                "{e}; the file was changed or is of another version"
            ))
        })
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
            value.is_finite().then_some((metric, value))
        };
        let loaded = summary.load.dom_content_loaded;
        Self {
            seed,
            failure: summary.failure.clone(),
            values: MetricId::all().filter_map(reached).collect(),
            dom_content_loaded_ms: loaded.map(pagerace_core::Duration::as_millis_f64),
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
