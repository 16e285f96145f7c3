//! An interval for a mean over pages.

use pagerace_core::rng::Rng;
use pagerace_lab::stats::quantile;
use serde::Serialize;

/// Number of resamples.
const RESAMPLES: usize = 2_000;
/// Minimum number of pages, as for intervals of medians.
const PAGES_MIN: usize = 6;

/// A mean over pages with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The ends of the interval; `None` with fewer than six pages.
    pub interval: Option<(f64, f64)>,
}

/// Returns the mean of `values` with the interval of the percentile bootstrap: the quantiles of
/// the means of samples that are drawn with replacement. The draws are always the same.
///
/// # Source
/// Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3.
pub(super) fn mean(values: &[f64]) -> Mean {
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    if count < PAGES_MIN {
        return Mean {
            mean,
            interval: None,
        };
    }
    let mut rng = Rng::new(0, "bootstrap over pages");
    let mut draw = || {
        let sum: f64 = (0..count)
            .map(|_| values[rng.below(count as u64) as usize])
            .sum();
        sum / count as f64
    };
    let means: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    let interval = quantile(&means, 0.025).zip(quantile(&means, 0.975));
    Mean { mean, interval }
}

#[cfg(test)]
mod tests;
