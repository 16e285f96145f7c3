//! Correlation between blocked bytes and slowness of the contenders on a page.
//!
//! Sander 2022 correlates, per page, the differences in head-of-line blocked
//! bytes with those in Speed Index (Spearman). Here, each point is a contender:
//! the medians of its paired differences from the baseline.

use crate::analysis::analyse;
use crate::metric::MetricId;
use crate::results::Results;
use crate::stats::{Spearman, spearman};

/// Correlates the differences in HOL-blocked bytes with those in Speed Index,
/// over all contenders except the baseline; `None` if fewer than three contenders
/// have both, or if either is constant.
pub(crate) fn hol_with_speed_index(
    results: &Results,
    page: usize,
    network: usize,
) -> Option<Spearman> {
    let differences = |metric: &str| -> Vec<Option<f64>> {
        let metric: MetricId = metric.parse().expect("a metric of ours");
        let rows = analyse(results, page, network, metric).rows;
        rows.iter().map(|row| row.difference).collect()
    };
    let (blocked, slower): (Vec<f64>, Vec<f64>) = differences("hol-blocked-bytes")
        .into_iter()
        .zip(differences("speed-index"))
        .filter_map(|(blocked, slower)| Some((blocked?, slower?)))
        .unzip();
    spearman(&blocked, &slower)
}

#[cfg(test)]
mod tests;
