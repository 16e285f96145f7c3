//! Locates the first error of a prediction by comparing the resources of a
//! simulated and a live load along the predicted critical path.
//!
//! The loads are the median runs of each side, not the same run. Gaps below a
//! threshold are ignored because they may be noise.

use std::collections::BTreeMap;

use pagerace_core::words;
use pagerace_lab::metric::MetricId;
use serde::Serialize;

use crate::observation::{Observation, ResourceTimes};
use crate::prediction::Prediction;

/// The resource and stage at which prediction and observation diverge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Blame {
    /// The first stage that diverges.
    pub stage: Stage,
    /// URL of the resource; `None` if no resource diverges.
    pub url: Option<String>,
    /// Predicted time of the end of the stage, in milliseconds.
    pub predicted_ms: Option<f64>,
    /// Observed time of the end of the stage, in milliseconds.
    pub observed_ms: Option<f64>,
}

words! {
    /// A stage in the load of a resource, at whose end prediction and observation diverge.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Stage {
        /// Discovery at another time, although the preceding resource on the path
        /// was complete by then: parsing, scripts or style take another time.
        Cpu = "CPU before":
            "discovery, although the resource before it came as predicted (CPU gap)",
        /// Discovery at another time, while the preceding resource on the path is
        /// still arriving.
        Discovery = "discovery": "discovery, while the resource before it was still arriving",
        /// Start of the request at another time, because of queueing, connection set-up or DNS.
        Request = "request start": "the start of the request (queue, connection set-up)",
        /// First byte of the response at another time.
        Answer = "answer": "the first byte of the answer",
        /// Last byte of the response at another time.
        Transfer = "transfer": "the transfer",
        /// The resource is not loaded live.
        Absent = "absent live": "a resource that was not loaded live",
        /// No resource diverges, which leaves work and painting after the last response.
        Paint = "CPU, paint after": "work and paint after the last response (CPU gap)",
    }
}

impl Blame {
    /// Returns how much later than predicted the stage ended, in milliseconds.
    pub(crate) fn gap_ms(&self) -> Option<f64> {
        Some(self.observed_ms? - self.predicted_ms?)
    }
}

/// Returns the first divergence of more than `threshold_ms` along the metric's
/// critical path, or, without a path, along all resources in predicted order of
/// discovery. Returns `None` if the resources of either side were not kept.
pub fn blame(
    observation: &Observation,
    prediction: &Prediction,
    metric: MetricId,
    threshold_ms: f64,
) -> Option<Blame> {
    if observation.resources.is_empty() || prediction.resources.is_empty() {
        return None;
    }
    let live = by_url(&observation.resources);
    let model = by_url(&prediction.resources);
    let mut before: Option<(&ResourceTimes, &ResourceTimes)> = None;
    for url in order(prediction, metric) {
        let Some(predicted) = model.get(without_fragment(url)) else {
            continue;
        };
        let Some(observed) = live.get(without_fragment(url)) else {
            return Some(Blame {
                stage: Stage::Absent,
                url: Some(url.to_owned()),
                predicted_ms: predicted.discovered_ms,
                observed_ms: None,
            });
        };
        if let Some((stage, p, o)) = parting(predicted, observed, threshold_ms) {
            let stage = if stage == Stage::Discovery && came_before(before, observed) {
                Stage::Cpu
            } else {
                stage
            };
            return Some(Blame {
                stage,
                url: Some(url.to_owned()),
                predicted_ms: Some(p),
                observed_ms: Some(o),
            });
        }
        before = Some((predicted, observed));
    }
    Some(Blame {
        stage: Stage::Paint,
        url: None,
        predicted_ms: prediction.median(metric),
        observed_ms: observation.median(metric),
    })
}

/// Returns true if the preceding resource was complete in the live load when
/// `resource` was discovered.
fn came_before(before: Option<(&ResourceTimes, &ResourceTimes)>, resource: &ResourceTimes) -> bool {
    let end = before.and_then(|(_, observed)| observed.response_end_ms);
    end.zip(resource.discovered_ms)
        .is_some_and(|(end, found)| end <= found)
}

/// Returns the first stage that ends at another time, with both times.
fn parting(
    predicted: &ResourceTimes,
    observed: &ResourceTimes,
    threshold_ms: f64,
) -> Option<(Stage, f64, f64)> {
    let stages = [
        Stage::Discovery,
        Stage::Request,
        Stage::Answer,
        Stage::Transfer,
    ];
    let times = |r: &ResourceTimes| {
        [
            r.discovered_ms,
            r.request_start_ms,
            r.response_start_ms,
            r.response_end_ms,
        ]
    };
    let pairs = times(predicted).into_iter().zip(times(observed));
    stages.into_iter().zip(pairs).find_map(|(stage, (p, o))| {
        let (p, o) = (p?, o?);
        ((o - p).abs() > threshold_ms).then_some((stage, p, o))
    })
}

/// Returns the URLs along which both loads are compared.
fn order(prediction: &Prediction, metric: MetricId) -> Vec<&str> {
    let path = prediction.paths.iter().find(|(m, _)| *m == metric);
    if let Some((_, urls)) = path {
        return urls.iter().map(String::as_str).collect();
    }
    let mut all: Vec<&ResourceTimes> = prediction.resources.iter().collect();
    let found = |r: &ResourceTimes| r.discovered_ms.unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| found(a).total_cmp(&found(b)));
    all.into_iter().map(|r| r.url.as_str()).collect()
}

/// Maps each URL to its first load.
fn by_url(resources: &[ResourceTimes]) -> BTreeMap<&str, &ResourceTimes> {
    let mut all = BTreeMap::new();
    for resource in resources {
        all.entry(without_fragment(&resource.url))
            .or_insert(resource);
    }
    all
}

/// Removes the fragment, because browsers report resource URLs with or without it.
fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
}

#[cfg(test)]
mod tests;
