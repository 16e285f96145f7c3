//! One prediction beside one observation, by one metric.

use serde::Serialize;

use super::observation::Observation;
use crate::metric::MetricId;

/// A page, a network, a contender and a metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Short name of the page.
    pub page: String,
    /// The network as the user wrote it.
    pub network: String,
    /// The contender's label among those that were measured.
    pub contender: String,
    /// In which versions of HTTP it speaks.
    pub protocol: String,
    /// The strategy, where it is all that tells contenders over HTTP/3 apart.
    pub strategy: Option<String>,
    /// What kind of page it is; see [`mod@super::kind`].
    pub kinds: Vec<&'static str>,
    /// Whether the network loses packets at random.
    pub lossy: bool,
    /// Whether the model was not tuned on this page.
    pub held_out: bool,
    /// By what.
    pub metric: MetricId,
    /// Median over the live runs; infinite if more than half failed.
    pub observed: Option<f64>,
    /// Median over the predicted runs, likewise.
    pub predicted: Option<f64>,
    /// Median over the runs that were predicted for the page as another recorder
    /// would have recorded it.
    pub elsewhere: Option<f64>,
    /// What Lighthouse's simulation says, if it was asked.
    pub lighthouse: Option<f64>,
    /// Coefficient of variation of the live runs that finished: their standard
    /// deviation as a share of their mean. No prediction can be expected to
    /// come much closer.
    pub noise: Option<f64>,
    /// Live runs that have the metric, failed ones included.
    pub runs: usize,
    /// Live runs that failed.
    pub failed: usize,
}

impl Cell {
    /// How far the prediction lies above the observation, as a share of the
    /// observation; see [`relative_error`].
    pub fn signed_error(&self) -> Option<f64> {
        relative_error(self.predicted, self.observed)
    }

    /// The same without its sign.
    pub fn error(&self) -> Option<f64> {
        self.signed_error().map(f64::abs)
    }

    /// The same of Lighthouse's prediction.
    pub fn lighthouse_error(&self) -> Option<f64> {
        relative_error(self.lighthouse, self.observed).map(f64::abs)
    }

    /// How far the prediction lies from the observation, in the metric's unit.
    pub fn distance(&self) -> Option<f64> {
        let (predicted, observed) = (self.predicted?, self.observed?);
        observed.is_finite().then(|| (predicted - observed).abs())
    }
}

/// `(predicted − observed) / observed`. Infinite where only the prediction
/// fails; `None` where either is unknown, the live loads failed, or nothing
/// was observed (a blocking time of zero) of which an error could be a share.
pub fn relative_error(predicted: Option<f64>, observed: Option<f64>) -> Option<f64> {
    let (predicted, observed) = (predicted?, observed?);
    (observed > 0.0 && observed.is_finite()).then(|| (predicted - observed) / observed)
}

/// Standard deviation (of a sample) as a share of the mean, over the values
/// that are finite; `None` of fewer than two, or if the mean is zero.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if finite.len() < 2 {
        return None;
    }
    let count = finite.len() as f64;
    let mean = finite.iter().sum::<f64>() / count;
    let squares: f64 = finite.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean > 0.0).then(|| libm::sqrt(squares / (count - 1.0)) / mean)
}

/// The noise of an observation by this metric.
pub(super) fn noise(observation: &Observation, metric: MetricId) -> Option<f64> {
    coefficient_of_variation(&observation.values(metric))
}

#[cfg(test)]
mod tests;
