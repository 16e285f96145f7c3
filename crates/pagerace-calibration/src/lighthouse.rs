//! Comparison with Lighthouse: its published accuracy, and its predictions for
//! the measured pages.

use std::collections::BTreeMap;

use pagerace_lab::metric::MetricId;
use serde::{Deserialize, Serialize};

/// The accuracy that Lighthouse publishes: its simulation of mobile loads
/// compared with real loads, on its own pages and machines. By metric, the median and
/// the 90th and 95th percentile of the relative error, as shares.
///
/// # Source
/// `core/test/fixtures/lantern-baseline-accuracy.json` of
/// <https://github.com/GoogleChrome/lighthouse>, rounded to three digits.
const PUBLISHED: [(&str, [f64; 3]); 4] = [
    ("fcp", [0.274, 0.488, 0.519]),
    ("lcp", [0.201, 0.619, 0.863]),
    ("speed-index", [0.249, 0.574, 0.652]),
    ("tti", [0.274, 0.584, 0.726]),
];

/// Returns the published quantiles of `metric`: the median, the 90th and the 95th
/// percentile.
pub fn published(metric: MetricId) -> Option<[f64; 3]> {
    let name = metric.metric().name;
    let mut all = PUBLISHED.into_iter();
    all.find(|(known, _)| *known == name)
        .map(|(_, quantiles)| quantiles)
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
    /// Savings that its audits promise, in milliseconds by metric: first contentful paint and
    /// largest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub savings: BTreeMap<String, BTreeMap<MetricId, f64>>,
}

#[cfg(test)]
mod tests;
