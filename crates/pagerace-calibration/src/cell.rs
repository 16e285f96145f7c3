//! One prediction compared with one observation, by one metric, and all of them as CSV.

use pagerace_lab::export::csv::quote;
use pagerace_lab::metric::MetricId;
use pagerace_lab::stats::median;
use serde::Serialize;

/// A page, network, contender and metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// The contender's label among the measured contenders.
    pub contender: String,
    /// The versions of HTTP that the contender uses.
    pub protocol: String,
    /// The strategy, if the contender uses HTTP/3, CUBIC and no interventions.
    pub strategy: Option<String>,
    /// The kinds of the page; see [`mod@crate::kind`].
    pub kinds: Vec<&'static str>,
    /// True if the network loses packets at random.
    pub lossy: bool,
    /// True if the page was not used to tune the model.
    pub held_out: bool,
    /// The metric that is compared.
    pub metric: MetricId,
    /// Median over the live runs; infinite if more than half failed.
    pub observed: Option<f64>,
    /// Median over the predicted runs; infinite if more than half failed.
    pub predicted: Option<f64>,
    /// Median over the runs predicted for the page as another recorder would
    /// have recorded it.
    pub elsewhere: Option<f64>,
    /// The value that Lighthouse's simulation predicts, if available.
    pub lighthouse: Option<f64>,
    /// The error of one live run as a prediction of the others; see [`repeat_error`].
    pub repeat: Option<f64>,
    /// Live runs in which the metric is defined, failed ones included.
    pub runs: usize,
    /// Live runs that failed.
    pub failed: usize,
}

impl Cell {
    /// The relative error of the prediction: positive if it is too high; see
    /// [`relative_error`].
    pub fn signed_error(&self) -> Option<f64> {
        relative_error(self.predicted, self.observed)
    }

    /// The absolute value of the relative error.
    pub fn error(&self) -> Option<f64> {
        self.signed_error().map(f64::abs)
    }

    /// The absolute value of the relative error of Lighthouse's prediction.
    pub(crate) fn lighthouse_error(&self) -> Option<f64> {
        relative_error(self.lighthouse, self.observed).map(f64::abs)
    }

    /// The distance between prediction and observation, in the metric's unit.
    pub fn distance(&self) -> Option<f64> {
        let (predicted, observed) = (self.predicted?, self.observed?);
        observed.is_finite().then(|| (predicted - observed).abs())
    }
}

/// Returns `(predicted − observed) / observed`. Infinite if only the prediction
/// fails. `None` if either value is unknown, the live loads failed, or the observed
/// value is zero (such as a blocking time), which allows no relative error.
pub fn relative_error(predicted: Option<f64>, observed: Option<f64>) -> Option<f64> {
    let (predicted, observed) = (predicted?, observed?);
    (observed > 0.0 && observed.is_finite()).then(|| (predicted - observed) / observed)
}

/// Returns the mean relative error of each live run as a prediction of the median of the
/// others, over the finite values; `None` for fewer than two. Medians of several
/// runs scatter less, so this is no lower limit for the error of a prediction.
pub fn repeat_error(values: &[f64]) -> Option<f64> {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let errors = (0..finite.len()).map(|i| {
        let mut others = finite.clone();
        let one = others.swap_remove(i);
        relative_error(Some(one), median(&others)).map(f64::abs)
    });
    let errors: Vec<f64> = errors.collect::<Option<_>>()?;
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

const HEADER: &str = "page,held_out,network,contender,metric,predicted,live,error_percent,\
                      repeat_percent,runs,failed\n";

/// Formats cells as CSV, one line each. Values are in the unit of the metric, and all numbers are
/// rounded to one decimal. An unknown value is empty; a time that most loads did not reach is
/// `inf`.
pub fn csv(cells: &[Cell]) -> String {
    let mut text = HEADER.to_owned();
    for cell in cells {
        let percent = |share: Option<f64>| rounded(share.map(|share| share * 100.0));
        let fields = [
            cell.page.clone(),
            cell.held_out.to_string(),
            cell.network.clone(),
            cell.contender.clone(),
            cell.metric.metric().name.to_owned(),
            rounded(cell.predicted),
            rounded(cell.observed),
            percent(cell.signed_error()),
            percent(cell.repeat),
            cell.runs.to_string(),
            cell.failed.to_string(),
        ];
        let fields = fields.each_ref().map(|field| quote(field));
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

fn rounded(value: Option<f64>) -> String {
    value.map_or_else(String::new, |v| ((v * 10.0).round() / 10.0).to_string())
}

#[cfg(test)]
mod tests;
