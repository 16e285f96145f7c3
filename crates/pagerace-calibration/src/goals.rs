//! Goals for the errors, and the errors reached.

use pagerace_lab::metric::MetricId;
use pagerace_lab::results::distinct;
use serde::Serialize;

use crate::cell::Cell;
use crate::errors::Errors;

/// Limits for the median and the 90th percentile of relative errors, as shares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// Limit for the median.
    pub p50: f64,
    /// Limit for the 90th percentile.
    pub p90: f64,
}

/// A goal and the errors reached, over the cells to which the goal applies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    /// The metric that is compared.
    pub metric: MetricId,
    /// The versions of HTTP to which the goal applies.
    pub protocols: &'static str,
    /// True if the networks lose packets at random.
    pub lossy: bool,
    /// The goal.
    pub goal: Goal,
    /// The errors on tuned pages.
    pub tuned: Errors,
    /// The errors on held-out pages.
    pub held_out: Errors,
    /// The errors on held-out pages for each network, in order of appearance.
    pub networks: Vec<(String, Errors)>,
}

/// Tolerance for the blocking time: a share of the live value, or milliseconds.
const BLOCKING: (f64, f64) = (0.25, 50.0);

/// Returns the goal of a metric, doubled if packets are lost at random.
fn goal(metric: &str, h1: bool, lossy: bool) -> Option<Goal> {
    let (p50, p90) = match (metric, h1) {
        ("lcp" | "onload", false) => (0.03, 0.1),
        ("fcp" | "lcp" | "onload" | "speed-index", _) => (0.05, 0.15),
        _ => return None,
    };
    let factor = if lossy { 2.0 } else { 1.0 };
    Some(Goal {
        p50: p50 * factor,
        p90: p90 * factor,
    })
}

/// Returns every goal that has cells, with the errors reached.
pub fn reached(metrics: &[MetricId], cells: &[Cell]) -> Vec<Reached> {
    let mut all = Vec::new();
    for lossy in [false, true] {
        for (protocols, h1) in [("h2, h3", false), ("h1", true)] {
            for &metric in metrics {
                let Some(goal) = goal(metric.metric().name, h1, lossy) else {
                    continue;
                };
                let here: Vec<&Cell> = cells
                    .iter()
                    .filter(|cell| cell.metric == metric && cell.lossy == lossy)
                    .filter(|cell| (cell.protocol == "h1") == h1)
                    .collect();
                if here.is_empty() {
                    continue;
                }
                let [tuned, held_out] = Errors::apart(&here);
                let of = |network: &str| {
                    let there = here.iter().filter(|cell| cell.network == network);
                    Errors::of(there.filter(|cell| cell.held_out).copied())
                };
                let networks = distinct(here.iter().map(|cell| cell.network.as_str()));
                let networks = networks.into_iter().map(|name| (name.to_owned(), of(name)));
                all.push(Reached {
                    metric,
                    protocols,
                    lossy,
                    goal,
                    tuned,
                    held_out,
                    networks: networks.collect(),
                });
            }
        }
    }
    all
}

impl Goal {
    /// Returns true if the errors meet the goal; `None` without cells.
    pub(crate) fn is_met(&self, errors: &Errors) -> Option<bool> {
        Some(errors.p50? <= self.p50 && errors.p90? <= self.p90)
    }
}

/// Returns two counts for tuned or held-out pages: the cells with a Total Blocking
/// Time within 25 % or 50 ms of the live value, and all cells that have both values.
pub fn blocking(cells: &[Cell], held_out: bool) -> (usize, usize) {
    let cells = cells
        .iter()
        .filter(|cell| cell.metric.metric().name == "tbt");
    let (mut close, mut all) = (0, 0);
    for cell in cells.filter(|cell| cell.held_out == held_out) {
        if let Some((distance, live)) = cell.distance().zip(cell.observed) {
            all += 1;
            close += usize::from(distance <= BLOCKING.1.max(BLOCKING.0 * live));
        }
    }
    (close, all)
}
