//! Comparison with Lighthouse: its published accuracy, and its predictions for
//! the measured pages.

use std::collections::BTreeMap;

use pagerace_lab::metric::MetricId;
use serde::{Deserialize, Serialize};

/// Quantiles of the relative error of Lighthouse's simulation, as shares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// The name of the metric in [`pagerace_lab::metric`].
    pub metric: &'static str,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
}

/// The accuracy that Lighthouse publishes: its simulation of mobile loads
/// compared with real loads, on its own pages and machines.
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

/// Returns the published accuracy for `metric`, if any.
pub fn published(metric: MetricId) -> Option<Published> {
    let name = metric.metric().name;
    PUBLISHED.into_iter().find(|known| known.metric == name)
}

/// Lighthouse's prediction for one page on one network. Lighthouse simulates neither
/// protocols nor congestion controllers, so the same prediction applies to every contender.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LighthousePrediction {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// Lighthouse's version.
    pub version: String,
    /// Predicted values by metric, in the metric's unit.
    pub values: BTreeMap<MetricId, f64>,
}

#[cfg(test)]
mod tests;
