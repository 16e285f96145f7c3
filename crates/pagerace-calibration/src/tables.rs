//! The accuracy of the model as sections of sentences and tables, independent of the
//! output format.

use pagerace_lab::metric::MetricId;
use pagerace_lab::unit::{percent, signed_percent};
use pagerace_report::sections::Section;

use crate::accuracy::Accuracy;

mod answers;
mod differences;
mod errors;
mod goals;
mod head;
mod lighthouse;
mod why;

/// The placeholder for a missing value.
pub const NONE: &str = "–";

/// The parts of the output, by the place where they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Goals, errors and Lighthouse: about one screen.
    Terminal,
    /// A page of documentation, with a row for each kind of page, network, protocol and
    /// strategy, the errors of differences, and the causes of the largest errors.
    Page,
}

/// Returns all sections in order. `rerun` is the command that repeats the measurement; it
/// may be empty.
pub fn sections(accuracy: &Accuracy, rerun: &str, extent: Extent) -> Vec<Section> {
    let goals = goals::goals(accuracy);
    let beside = lighthouse::lighthouse(accuracy);
    match extent {
        Extent::Terminal => [
            head::facts(accuracy),
            goals,
            errors::errors(accuracy),
            answers::answers(accuracy),
        ]
        .into_iter()
        .chain(beside)
        .collect(),
        Extent::Page => [
            head::introduction(accuracy),
            goals,
            errors::overview(accuracy),
            answers::answers(accuracy),
            differences::overview(accuracy),
            why::why(accuracy),
        ]
        .into_iter()
        .chain(beside)
        .chain([head::facts(accuracy), head::rerun(accuracy, rerun)])
        .collect(),
    }
}

/// Returns a text, or a dash if there is none.
fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| NONE.to_owned())
}

/// Formats two quantiles of errors in one field, without the unit: "3.3 / 11".
fn pair(p50: Option<f64>, p90: Option<f64>) -> String {
    format!("{} / {}", unitless(&share(p50)), unitless(&share(p90)))
}

fn unitless(text: &str) -> &str {
    text.trim_end_matches([' ', '%'])
}

/// Formats a share as per cent.
pub(crate) fn share(value: Option<f64>) -> String {
    or_none(value.map(|v| finite_or_sign(v, percent)))
}

/// Formats a share as per cent with its sign.
pub(crate) fn signed(value: Option<f64>) -> String {
    or_none(value.map(|v| finite_or_sign(v, signed_percent)))
}

fn finite_or_sign(value: f64, format: fn(f64) -> String) -> String {
    match value {
        _ if value.is_finite() => format(value),
        _ if value > 0.0 => "∞".to_owned(),
        _ => "-∞".to_owned(),
    }
}

/// Formats a value of a metric with its unit.
fn value(metric: MetricId, value: Option<f64>) -> String {
    or_none(value.map(|v| metric.metric().unit.format(v)))
}

fn title(metric: MetricId) -> String {
    metric.metric().title.to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests;
