//! Lighthouse beside us: what it publishes of its own accuracy, and what its
//! simulation says of the pages that were measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metric::MetricId;

/// Quantiles of the relative error of Lighthouse's simulation, as shares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Our name of the metric.
    pub metric: &'static str,
    /// Median.
    pub p50: f64,
    /// Exceeded by one page in ten.
    pub p90: f64,
    /// Exceeded by one page in twenty.
    pub p95: f64,
}

/// Lighthouse's accuracy as it publishes it: its simulation of mobile loads
/// against real ones, on pages and machines of its own.
///
/// # Source
/// `core/test/fixtures/lantern-baseline-accuracy.json` of
/// <https://github.com/GoogleChrome/lighthouse>, rounded to three digits.
pub const PUBLISHED: [Published; 4] = [
    Published {
        metric: "fcp",
        p50: 0.274,
        p90: 0.488,
        p95: 0.519,
    },
    Published {
        metric: "lcp",
        p50: 0.201,
        p90: 0.619,
        p95: 0.863,
    },
    Published {
        metric: "speed-index",
        p50: 0.249,
        p90: 0.574,
        p95: 0.652,
    },
    Published {
        metric: "tti",
        p50: 0.274,
        p90: 0.584,
        p95: 0.726,
    },
];

/// The published accuracy for `metric`, if there is one.
pub fn published(metric: MetricId) -> Option<Published> {
    let name = metric.metric().name;
    PUBLISHED.into_iter().find(|known| known.metric == name)
}

/// What Lighthouse's simulation says of one page on one network. It knows no
/// protocol and no congestion controller, so that the same prediction stands
/// beside every contender.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LighthousePrediction {
    /// Short name of the page.
    pub page: String,
    /// The network as the user wrote it.
    pub network: String,
    /// Lighthouse's version.
    pub version: String,
    /// What it predicts, by metric, in the metric's unit.
    pub values: BTreeMap<MetricId, f64>,
}

#[cfg(test)]
mod tests;
