//! Quantiles of relative errors, in the form of Lighthouse's own table.

use pagerace_lab::stats::{median, quantile};
use serde::Serialize;

use crate::cell::Cell;

/// Errors of predictions over a set of cells of one metric. Values are shares
/// of the observation unless noted otherwise; `None` without cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Errors {
    /// Cells that have an error.
    pub count: usize,
    /// Cells that have no error: see [`crate::cell::relative_error`].
    pub without: usize,
    /// Median of the absolute errors.
    pub p50: Option<f64>,
    /// 90th percentile of the absolute errors.
    pub p90: Option<f64>,
    /// 95th percentile of the absolute errors.
    pub p95: Option<f64>,
    /// Median of the signed errors: negative if predictions are mostly too low.
    pub bias: Option<f64>,
    /// Median distance in the metric's unit, including cells without a relative error.
    pub distance: Option<f64>,
    /// Cells with several live runs, and the median and 90th percentile of the errors of
    /// these runs as predictions of each other ([`crate::cell::repeat_error`]).
    pub repeat_count: usize,
    /// See [`Self::repeat_count`].
    pub repeat_p50: Option<f64>,
    /// See [`Self::repeat_count`].
    pub repeat_p90: Option<f64>,
}

impl Errors {
    /// Computes the errors of `cells`, which have one metric in common.
    ///
    /// # Panics
    /// Panics if an observation or a prediction is not a number.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Self {
        let cells: Vec<&Cell> = cells.into_iter().collect();
        let some = |value: fn(&Cell) -> Option<f64>| -> Vec<f64> {
            cells.iter().filter_map(|cell| value(cell)).collect()
        };
        let errors = some(Cell::error);
        let repeats = some(|cell| cell.repeat);
        Self {
            count: errors.len(),
            without: cells.len() - errors.len(),
            bias: median(&some(Cell::signed_error)),
            distance: median(&some(Cell::distance)),
            repeat_count: repeats.len(),
            repeat_p50: quantile(&repeats, 0.5),
            repeat_p90: quantile(&repeats, 0.9),
            ..Self::quantiles(&errors)
        }
    }

    /// Computes the errors on tuned and on held-out pages.
    pub fn apart(cells: &[&Cell]) -> [Self; 2] {
        [false, true].map(|held_out| {
            let some = cells.iter().filter(|cell| cell.held_out == held_out);
            Self::of(some.copied())
        })
    }

    /// Computes the errors of Lighthouse's predictions for `cells`, without
    /// bias, distance and repeats.
    pub(crate) fn of_lighthouse<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Self {
        let cells = cells.into_iter();
        let errors: Vec<f64> = cells.filter_map(Cell::lighthouse_error).collect();
        Self::quantiles(&errors)
    }

    pub(crate) fn quantiles(errors: &[f64]) -> Self {
        Self {
            count: errors.len(),
            p50: quantile(errors, 0.5),
            p90: quantile(errors, 0.9),
            p95: quantile(errors, 0.95),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
