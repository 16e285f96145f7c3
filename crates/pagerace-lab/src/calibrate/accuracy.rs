//! Everything together: all cells, their errors, winners, and what is blamed.

use std::sync::Arc;

use pagerace_net::Network;
use pagerace_page::Page;
use serde::Serialize;

use super::blame::{Blame, Stage};
use super::cell::Cell;
use super::differences::{Difference, ModelError, model_errors};
use super::errors::Errors;
use super::goals::{Reached, reached};
use super::lighthouse::LighthousePrediction;
use super::observation::{Observation, Observations, Setting};
use super::prediction::Prediction;
use super::ranking::{Ranking, Ranks};
use super::winner::{Duel, Score};
use crate::metric::MetricId;
use crate::results::distinct;

mod groups;
mod matched;

use groups::{elsewhere, groups, overall, rivals, winners};
use matched::Matched;

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What was measured.
    pub observations: &'a Observations,
    /// What was predicted, in any order.
    pub predictions: &'a [Prediction],
    /// What is predicted for the same pages as another recorder would have
    /// recorded them; may be empty.
    pub elsewhere: &'a [Prediction],
    /// The pages, of which some may not have been measured.
    pub pages: &'a [Arc<Page>],
    /// The networks, likewise.
    pub networks: &'a [Network],
    /// What Lighthouse predicts; may be empty.
    pub lighthouse: &'a [LighthousePrediction],
    /// By what.
    pub metrics: &'a [MetricId],
    /// Names of the pages on which the model was not tuned.
    pub held_out: &'a [String],
    /// Gap from which two moments count as different when a resource is
    /// blamed, in milliseconds; 20 is reasonable.
    pub threshold_ms: f64,
}

/// How accurate the model is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// When, where and with what was measured.
    pub setting: Setting,
    /// By what.
    pub metrics: Vec<MetricId>,
    /// Names of the pages, in order of appearance.
    pub pages: Vec<String>,
    /// Those of them on which the model was not tuned.
    pub held_out: Vec<String>,
    /// The networks and what they are.
    pub networks: Vec<(String, String)>,
    /// The contenders' labels and what they are.
    pub contenders: Vec<(String, String)>,
    /// How the measurement went.
    pub quality: Quality,
    /// Every prediction beside its observation.
    pub cells: Vec<Cell>,
    /// Over all pages, and apart over those tuned on and those held out.
    pub overall: Vec<Group>,
    /// The goals, and what was reached.
    pub goals: Vec<Reached>,
    /// By kind of page.
    pub by_kind: Vec<Group>,
    /// By network.
    pub by_network: Vec<Group>,
    /// By protocol.
    pub by_protocol: Vec<Group>,
    /// By strategy, over HTTP/3.
    pub by_strategy: Vec<Group>,
    /// By page.
    pub by_page: Vec<Group>,
    /// Of the pages as another recorder would have recorded them.
    pub elsewhere: Vec<Group>,
    /// Every pair of contenders that differ in one thing.
    pub differences: Vec<Difference>,
    /// How far predicted differences lie from measured ones.
    pub model_errors: Vec<ModelError>,
    /// The same on held-out pages alone.
    pub model_errors_held_out: Vec<ModelError>,
    /// Every pair of contenders.
    pub duels: Vec<Duel>,
    /// Every page, network and metric with two contenders or more.
    pub rankings: Vec<Ranking>,
    /// Winners and ranks, over the same sets of pages as `overall`.
    pub winners: Vec<Winners>,
    /// Lighthouse beside us, on the cells for which it predicts something.
    pub lighthouse: Vec<Rival>,
    /// The worst cells of each metric, worst first.
    pub worst: Vec<Worst>,
    /// What is blamed, over all cells that are off by more than 5 %.
    pub causes: Vec<Cause>,
}

/// The errors of a set of cells by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Of what: "tuned pages", a network, a page.
    pub name: String,
    /// By what.
    pub metric: MetricId,
    /// How large, over all pages.
    pub errors: Errors,
    /// On tuned pages.
    pub tuned: Errors,
    /// On held-out pages.
    pub held_out: Errors,
}

/// Winners and ranks over a set of pages by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Winners {
    /// Which pages.
    pub name: String,
    /// By what.
    pub metric: MetricId,
    /// Pairs of contenders.
    pub score: Score,
    /// The share of decided pairs in which the model picks the winner.
    pub share_right: Option<f64>,
    /// Best contenders and ranks.
    pub ranks: Ranks,
}

/// Lighthouse's simulated predictions beside ours, on the same cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rival {
    /// Which pages.
    pub name: String,
    /// By what.
    pub metric: MetricId,
    /// Our errors.
    pub ours: Errors,
    /// Lighthouse's errors.
    pub lighthouse: Errors,
}

/// A cell whose prediction is far off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// Which.
    pub cell: Cell,
    /// The resource at which the worlds part, if resources were kept.
    pub blame: Option<Blame>,
}

/// How often a stage is blamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// By what.
    pub metric: MetricId,
    /// Which.
    pub stage: Stage,
    /// Cells.
    pub cells: usize,
    /// Median gap in milliseconds; positive if reality is later.
    pub gap_ms: Option<f64>,
}

/// How the measurement itself went; `None` where nobody noted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Live runs that were accepted.
    pub runs: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// Runs that were thrown away and repeated.
    pub rejected: u64,
    /// Median over the observations of the median lateness, in milliseconds.
    pub lateness_p50_ms: Option<f64>,
    /// Largest 99th percentile of any observation.
    pub lateness_p99_ms: Option<f64>,
    /// Largest lateness of any packet.
    pub lateness_max_ms: Option<f64>,
    /// Largest contention of any observation.
    pub cpu_contention: Option<f64>,
    /// Observations for which there is no prediction.
    pub unpredicted: usize,
}

/// Compares predictions with observations.
///
/// # Panics
/// If a value is not a number.
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
    let (duels, rankings) = matched.comparisons(&pages, &networks);
    let by = |group: fn(&Cell) -> Vec<&str>| groups(input.metrics, &cells, group);
    let differences = matched.differences();
    let held_out = differences.iter().filter(|one| one.held_out);
    Accuracy {
        setting: input.observations.setting.clone(),
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
        model_errors: model_errors(&differences),
        model_errors_held_out: model_errors(held_out),
        differences,
        winners: winners(input.metrics, &cells, &duels, &rankings),
        lighthouse: rivals(input.metrics, &cells),
        worst: matched.worst(&cells),
        causes: matched.causes(&cells),
        pages,
        cells,
        duels,
        rankings,
    }
}

#[cfg(test)]
mod tests;
