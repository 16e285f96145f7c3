//! The complete comparison: cells, errors, differences, and causes of errors.

use std::sync::Arc;

use pagerace_lab::metric::MetricId;
use pagerace_lab::model_error::Class;
use pagerace_lab::results::distinct;
use pagerace_net::Network;
use pagerace_page::{Page, PaintEvidence};
use serde::Serialize;

use crate::blame::{Blame, Stage};
use crate::cell::Cell;
use crate::classes::{classes, held_out_classes};
use crate::differences::{Difference, DifferenceErrors, has_symmetric_kind, model_errors};
use crate::errors::Errors;
use crate::goals::{Reached, reached};
use crate::lighthouse::LighthousePrediction;
use crate::observation::{Observation, Observations, Setting};
use crate::prediction::Prediction;
use crate::spread::{LiveSpread, Reliability, reliability};

mod groups;
mod matched;

use groups::{elsewhere, groups, overall, rivals};
use matched::Matched;

/// The inputs of the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The live measurements.
    pub observations: &'a Observations,
    /// The predictions, in any order.
    pub predictions: &'a [Prediction],
    /// Predictions for the same pages as another recorder would have recorded
    /// them; may be empty.
    pub elsewhere: &'a [Prediction],
    /// The pages; some may not have been measured.
    pub pages: &'a [Arc<Page>],
    /// The networks; some may not have been measured.
    pub networks: &'a [Network],
    /// Lighthouse's predictions; may be empty.
    pub lighthouse: &'a [LighthousePrediction],
    /// The metrics to compare.
    pub metrics: &'a [MetricId],
    /// Names of the pages that were not used to tune the model.
    pub held_out: &'a [String],
    /// The gap in milliseconds from which two times count as different when a
    /// resource is blamed; 20 is reasonable.
    pub threshold_ms: f64,
}

/// The accuracy of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// The settings of the measurements, each with its number of observations.
    pub settings: Vec<Measured>,
    /// The metrics that are compared.
    pub metrics: Vec<MetricId>,
    /// Names of the pages, in order of appearance.
    pub pages: Vec<String>,
    /// The subset of `pages` that was not used to tune the model.
    pub held_out: Vec<String>,
    /// Names and descriptions of the networks.
    pub networks: Vec<(String, String)>,
    /// Labels and descriptions of the contenders.
    pub contenders: Vec<(String, String)>,
    /// The quality of the measurement.
    pub quality: Quality,
    /// Every prediction compared with its observation.
    pub cells: Vec<Cell>,
    /// Errors over all pages, and separately over tuned and held-out pages.
    pub overall: Vec<Group>,
    /// The goals and the errors reached.
    pub goals: Vec<Reached>,
    /// Errors by kind of page.
    pub by_kind: Vec<Group>,
    /// Errors by network.
    pub by_network: Vec<Group>,
    /// Errors by protocol.
    pub by_protocol: Vec<Group>,
    /// Errors by strategy, over HTTP/3.
    pub by_strategy: Vec<Group>,
    /// Errors by page.
    pub by_page: Vec<Group>,
    /// Errors for the pages as another recorder would have recorded them.
    pub elsewhere: Vec<Group>,
    /// Every pair of contenders that differ in one respect.
    pub differences: Vec<Difference>,
    /// Errors of the predicted differences.
    pub model_errors: Vec<DifferenceErrors>,
    /// `model_errors` on held-out pages only.
    pub model_errors_held_out: Vec<DifferenceErrors>,
    /// The records that verdicts rely on, by class of comparisons.
    pub classes: Vec<Class>,
    /// `classes` on held-out pages only, with ranges widened as on tuned pages.
    pub classes_held_out: Vec<Class>,
    /// Where single live loads lie among simulated runs, without random loss.
    pub live_spread: Vec<LiveSpread>,
    /// How often the likelier winner won live, without random loss, by its share of pairs of
    /// simulated runs.
    pub reliability: Vec<Reliability>,
    /// Lighthouse compared with this model, on the cells that Lighthouse predicts.
    pub lighthouse: Vec<Rival>,
    /// The cells with the largest errors of each metric, largest first.
    pub worst: Vec<Worst>,
    /// The causes of all errors above 5 %.
    pub causes: Vec<ErrorCause>,
}

/// The errors of a set of cells by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Name of the set: "tuned pages", a network, a page.
    pub name: String,
    /// The metric that is compared.
    pub metric: MetricId,
    /// Errors over all pages of the set.
    pub errors: Errors,
    /// Errors on tuned pages.
    pub tuned: Errors,
    /// Errors on held-out pages.
    pub held_out: Errors,
}

/// Lighthouse's simulated predictions compared with this model's, on the same cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rival {
    /// Name of the set of pages.
    pub name: String,
    /// The metric that is compared.
    pub metric: MetricId,
    /// Errors of this model.
    pub ours: Errors,
    /// Errors of Lighthouse.
    pub lighthouse: Errors,
}

/// A cell with a large error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// The cell.
    pub cell: Cell,
    /// The resource at which prediction and observation diverge, if resources were kept.
    pub blame: Option<Blame>,
}

/// The number of cells in which a stage is blamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorCause {
    /// The metric that is compared.
    pub metric: MetricId,
    /// The stage.
    pub stage: Stage,
    /// Number of cells.
    pub cells: usize,
    /// Median gap in milliseconds; positive if the live load is later.
    pub gap_ms: Option<f64>,
}

/// Quality of the measurement itself; `None` for values that were not recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Live runs that were accepted.
    pub runs: usize,
    /// Accepted runs that failed.
    pub failed: usize,
    /// Runs that were rejected and repeated.
    pub rejected: u64,
    /// Median over the observations of their median lateness, in milliseconds.
    pub lateness_p50_ms: Option<f64>,
    /// Maximum over the observations of their 99th percentile of lateness, in milliseconds.
    pub lateness_p99_ms: Option<f64>,
    /// Maximum lateness of any packet, in milliseconds.
    pub lateness_max_ms: Option<f64>,
    /// Maximum CPU contention of any observation.
    pub cpu_contention: Option<f64>,
    /// Median over the observations of the share of the time in which the page's main thread
    /// could run that it waited for a processor.
    pub main_thread_waited: Option<f64>,
    /// Number of observations without a prediction.
    pub unpredicted: usize,
}

/// A setting and what was measured in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Number of observations.
    pub observations: usize,
}

/// Compares predictions with observations.
///
/// # Panics
/// Panics if a value is not a number.
pub fn accuracy(input: &Input<'_>) -> Accuracy {
    let observations = &input.observations.observations;
    let matched = Matched::new(input);
    let names = |name: fn(&Observation) -> &str| -> Vec<String> {
        let names = distinct(observations.iter().map(name));
        names.into_iter().map(str::to_owned).collect()
    };
    let pages = names(|o| &o.page);
    let networks = names(|o| &o.network);
    let cells = matched.cells();
    let by = |group: fn(&Cell) -> Vec<&str>| groups(input.metrics, &cells, group);
    let differences = matched.differences();
    let held_out = differences.iter().filter(|one| one.held_out);
    let sure = |one: &&Difference| {
        !one.lossy && one.evidence == PaintEvidence::Recorded && has_symmetric_kind(one.kind)
    };
    Accuracy {
        settings: measured(input.observations),
        metrics: input.metrics.to_vec(),
        held_out: pages
            .iter()
            .filter(|page| input.held_out.contains(page))
            .cloned()
            .collect(),
        networks: networks
            .into_iter()
            .map(|name| {
                let first = observations.iter().find(|o| o.network == name);
                let text = first.map_or_else(String::new, |o| o.network_text.clone());
                (name, text)
            })
            .collect(),
        contenders: matched.contenders(),
        quality: matched.quality(),
        overall: overall(input.metrics, &cells),
        goals: reached(input.metrics, &cells),
        by_kind: by(|cell| cell.kinds.clone()),
        by_network: by(|cell| vec![&cell.network]),
        by_protocol: by(|cell| vec![&cell.protocol]),
        by_strategy: by(|cell| cell.strategy.iter().map(String::as_str).collect()),
        by_page: by(|cell| vec![&cell.page]),
        elsewhere: elsewhere(input.metrics, &cells),
        model_errors_held_out: model_errors(held_out),
        model_errors: model_errors(differences.iter()),
        classes: classes(differences.iter()),
        classes_held_out: held_out_classes(&differences),
        live_spread: matched.live_spread(),
        reliability: reliability(differences.iter().filter(sure)),
        differences,
        lighthouse: rivals(input.metrics, &cells),
        worst: matched.worst(&cells),
        causes: matched.causes(&cells),
        pages,
        cells,
    }
}

/// Returns the settings that have observations.
fn measured(all: &Observations) -> Vec<Measured> {
    let of = |index: usize| all.observations.iter().filter(move |o| o.setting == index);
    let settings = all.settings.iter().enumerate();
    let settings = settings.map(|(index, setting)| Measured {
        setting: setting.clone(),
        observations: of(index).count(),
    });
    settings.filter(|one| one.observations > 0).collect()
}

#[cfg(test)]
mod tests;
