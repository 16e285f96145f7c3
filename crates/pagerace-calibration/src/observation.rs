//! Live measurements, as a file that later versions can read.
//!
//! Values have the units of [`pagerace_lab::metric`]. Times of resources are in
//! milliseconds since the start of the navigation.

use std::collections::BTreeMap;

use pagerace_lab::contender::Contender;
use pagerace_lab::error::LabError;
use pagerace_lab::metric::MetricId;
use pagerace_lab::plan::Plan;
use pagerace_lab::results::Fact;
use pagerace_lab::results::{Results, RunSummary};
use pagerace_lab::stats::median;
use pagerace_lab::unit::Unit;
use serde::{Deserialize, Serialize};

use crate::films::Reel;
use crate::lighthouse::LighthousePrediction;

mod file;

pub use file::{FORMAT, SCHEMA};

/// Live measurements in one or several settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// The settings of the measurements, to which observations refer by index.
    pub settings: Vec<Setting>,
    /// One observation per page, network and contender.
    pub observations: Vec<Observation>,
    /// A digest of the served content, by page. Observations of a page with a
    /// different digest are not valid for it.
    pub contents: BTreeMap<String, String>,
    /// Lighthouse's predictions for the same pages and networks, if available.
    pub lighthouse: Vec<LighthousePrediction>,
}

/// The date, software and machine of the measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The day, as `2026-01-31`. The caller provides it because this crate has no clock.
    pub date: String,
    /// Version of Pagerace.
    pub pagerace: String,
    /// Version of Chromium.
    pub chromium: String,
    /// Name and version of the operating system's kernel.
    pub kernel: String,
    /// The seed from which the runs' seeds derive.
    pub seed: u64,
    /// How many times longer the main thread takes than on the machine that recorded the
    /// pages. Predictions are made for such a main thread.
    pub cpu: f64,
    /// Other properties of the setting, such as processors and memory.
    #[serde(default)]
    pub more: Vec<Fact>,
}

impl Default for Setting {
    /// An unknown setting with a main thread as fast as that of the recordings.
    fn default() -> Self {
        Self {
            date: String::new(),
            pagerace: String::new(),
            chromium: String::new(),
            kernel: String::new(),
            seed: 0,
            cpu: 1.0,
            more: Vec::new(),
        }
    }
}

/// One page on one network with one contender, loaded several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Index of the setting, which all runs share.
    pub setting: usize,
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it, by which predictions are matched.
    pub network: String,
    /// A description of the resolved network.
    pub network_text: String,
    /// The contender that delivered the page.
    pub contender: Contender,
    /// The accepted runs.
    pub runs: Vec<ObservedRun>,
    /// Resources of the median run by onload; empty if they were not kept.
    pub resources: Vec<ResourceTimes>,
    /// Lateness of packets on the emulated link, over all accepted runs.
    pub lateness: Option<LinkLateness>,
    /// Maximum share (0 to 1) of the machine's CPU time that other processes used
    /// during a run.
    pub cpu_contention: Option<f64>,
    /// Maximum over the runs of the share (0 to 1) of the time in which the page's main thread
    /// could run that it waited for a processor, because browser, servers and link share those
    /// of one machine.
    pub main_thread_waited: Option<f64>,
    /// Runs that were rejected and repeated, because the link was late or the
    /// machine was busy.
    pub rejected_runs: u32,
}

/// One accepted run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedRun {
    /// The seed of the link.
    pub seed: u64,
    /// The reason why the load did not finish. A failed load counts as later than
    /// any finished one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Measured values by metric, without metrics that were not measured.
    pub values: BTreeMap<MetricId, f64>,
    /// The screenshots, if they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reel: Option<Reel>,
}

/// The timing of a resource in one load, in milliseconds since the start of the navigation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTimes {
    /// The complete URL.
    pub url: String,
    /// Time when the browser discovered the resource (Resource Timing: `startTime`).
    pub discovered_ms: Option<f64>,
    /// Time when the request was sent.
    pub request_start_ms: Option<f64>,
    /// Time when the first byte of the response arrived.
    pub response_start_ms: Option<f64>,
    /// Time when the last byte of the response arrived.
    pub response_end_ms: Option<f64>,
}

/// Delay of packets on the emulated link beyond their due time, in milliseconds;
/// over several runs, the maximum of each field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkLateness {
    /// Number of packets.
    pub packets: u64,
    /// Median lateness.
    pub p50_ms: f64,
    /// 99th percentile of the lateness.
    pub p99_ms: f64,
    /// Maximum lateness.
    pub max_ms: f64,
}

impl Observations {
    /// Creates a file of these observations in one setting, without contents and Lighthouse's
    /// predictions.
    pub fn new(setting: Setting, observations: Vec<Observation>) -> Self {
        Self {
            settings: vec![setting],
            observations,
            contents: BTreeMap::new(),
            lighthouse: Vec::new(),
        }
    }

    /// Returns the file's text with a final line break. Times of resources are
    /// rounded to milliseconds.
    ///
    /// # Panics
    /// Never panics, because observations are plain data.
    pub fn to_json(&self) -> String {
        file::to_json(self)
    }

    /// Parses a file of observations; `file` names it in errors.
    ///
    /// # Errors
    /// [`LabError::NotResults`] if the input is not JSON, not a file of
    /// observations, has another schema, or has a missing, wrong or unknown field.
    pub fn from_json(file: &str, bytes: &[u8]) -> Result<Self, LabError> {
        file::from_json(file, bytes)
    }
}

impl Observation {
    /// Creates an observation from live results of the variant at `index`. The
    /// caller adds resources, lateness, contention and rejected runs.
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

    /// Creates an empty observation of the variant at `index` of a plan.
    pub fn none(plan: &Plan, index: usize) -> Self {
        let (page, network, contender) = plan.variant_parts(index);
        let network = &plan.networks[network];
        Self {
            setting: 0,
            page: plan.pages[page].name.clone(),
            network: network.name.clone(),
            network_text: network.describe(),
            contender: plan.contenders[contender].clone(),
            runs: Vec::new(),
            resources: Vec::new(),
            lateness: None,
            cpu_contention: None,
            main_thread_waited: None,
            rejected_runs: 0,
        }
    }

    /// Values of the runs in which the metric is defined; infinity for failed loads.
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

    /// Number of runs that did not finish.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failure.is_some()).count()
    }
}

impl ObservedRun {
    /// Creates a run from its summary.
    pub fn of(seed: u64, summary: &RunSummary) -> Self {
        let reached = |metric: MetricId| {
            let value = summary.reached(metric)?;
            let value = match metric.metric().unit {
                // Rounding to a tenth of a millisecond stays below any noise.
                Unit::Milliseconds => libm::round(value * 10.0) / 10.0,
                _ => value,
            };
            value.is_finite().then_some((metric, value))
        };
        Self {
            seed,
            failure: summary.failure.clone(),
            values: MetricId::all().filter_map(reached).collect(),
            reel: None,
        }
    }

    /// The value used in statistics: see [`RunSummary::value`].
    pub fn value(&self, metric: MetricId) -> Option<f64> {
        if self.failure.is_none() {
            return self.values.get(&metric).copied();
        }
        (metric.metric().unit != Unit::Score).then_some(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests;
