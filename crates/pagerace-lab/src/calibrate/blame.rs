//! Where a prediction first goes wrong: the resources of one simulated and one
//! live load, side by side along the predicted critical path.
//!
//! Both are median runs, not the same run: a gap of the size of the noise
//! says nothing, so gaps below a threshold count as none.

use std::collections::BTreeMap;

use serde::Serialize;

use super::observation::{Observation, ResourceTimes};
use super::prediction::Prediction;
use crate::metric::MetricId;

/// The resource at which prediction and reality part, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Blame {
    /// What parts first.
    pub stage: Stage,
    /// Of which resource; `None` if no resource parts.
    pub url: Option<String>,
    /// When it was predicted, in milliseconds.
    pub predicted_ms: Option<f64>,
    /// When it was observed, in milliseconds.
    pub observed_ms: Option<f64>,
}

/// A stage in the way of a resource, at whose end the worlds part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It is found at another time, although what leads to it has arrived as
    /// predicted: parsing, scripts and style take another time.
    Cpu,
    /// It is found at another time, while what leads to it still arrives.
    Discovery,
    /// The request leaves at another time: queue, connection, name.
    Request,
    /// The answer takes another time.
    Answer,
    /// The transfer takes another time.
    Transfer,
    /// It was never loaded live.
    Absent,
    /// All resources come as predicted: what is left is work and paint after
    /// the last one.
    Paint,
}

impl Stage {
    /// In words, after "parts at".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Cpu => "discovery, although what leads to it came as predicted (CPU gap)",
            Self::Discovery => "discovery, while what leads to it still arrived",
            Self::Request => "the start of the request (queue, connection set-up)",
            Self::Answer => "the first byte of the answer",
            Self::Transfer => "the transfer",
            Self::Absent => "a resource that was not loaded live",
            Self::Paint => "work and paint after the last response (CPU gap)",
        }
    }

    /// In one or two words, for tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cpu => "CPU before",
            Self::Discovery => "discovery",
            Self::Request => "request start",
            Self::Answer => "answer",
            Self::Transfer => "transfer",
            Self::Absent => "absent live",
            Self::Paint => "CPU, paint after",
        }
    }
}

impl Blame {
    /// How much later than predicted it was, in milliseconds.
    pub fn gap_ms(&self) -> Option<f64> {
        Some(self.observed_ms? - self.predicted_ms?)
    }
}

/// The first parting by more than `threshold_ms` along the metric's critical
/// path; without a path, along all resources in predicted order of discovery.
/// `None` if the resources of either side were not kept.
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

/// Whether what leads to `resource` was complete, live, when that was found.
fn came_before(before: Option<(&ResourceTimes, &ResourceTimes)>, resource: &ResourceTimes) -> bool {
    let end = before.and_then(|(_, observed)| observed.response_end_ms);
    end.zip(resource.discovered_ms)
        .is_some_and(|(end, found)| end <= found)
}

/// The first stage that ends at another time, with both times.
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

/// The URLs along which the worlds are compared.
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

/// The first load of each URL.
fn by_url(resources: &[ResourceTimes]) -> BTreeMap<&str, &ResourceTimes> {
    let mut all = BTreeMap::new();
    for resource in resources {
        all.entry(without_fragment(&resource.url))
            .or_insert(resource);
    }
    all
}

/// Browsers name resources with or without it.
fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
}

#[cfg(test)]
mod tests;
