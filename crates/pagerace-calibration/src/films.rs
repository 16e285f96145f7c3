//! Films of predicted loads beside the screenshots of live ones: how alike both are at equal times.

mod likeness;
mod reel;
mod tables;

use std::sync::Arc;

use pagerace_core::Duration;
use pagerace_lab::contender::Contender;
use pagerace_lab::detail::{Choice, record};
use pagerace_lab::error::LabError;
use pagerace_lab::film::film;
use pagerace_lab::metric::MetricId;
use pagerace_lab::plan::Plan;
use pagerace_lab::results::Results;
use pagerace_lab::runner::{OnProgress, Runner};
use pagerace_report::film::ScenePart;
use pagerace_report::input::Provenance;
use pagerace_sim::Outcome;

use crate::observation::{Observation, ObservedRun};

pub use likeness::{Fault, Likeness, Moment, fault, likeness, ssim};
pub use reel::{Frame, Reel, ReelError};
pub use tables::sections;

/// The versions of HTTP that take turns over the networks.
const VERSIONS: [&str; 2] = ["h2", "h3"];
/// Longest side of a screenshot in pixels, which films have as well.
const SHOT_SIDE: u32 = 250;

/// A live load and its film.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// The version of HTTP.
    pub protocol: String,
    /// The screenshots.
    pub live: Reel,
    /// The Speed Index of the screenshots by speedline, in milliseconds.
    pub live_index: Option<f64>,
    /// The film of the prediction.
    pub predicted: Reel,
    /// The Speed Index that the model computes without pixels, in milliseconds.
    pub predicted_index: Option<f64>,
    /// The parts of the page.
    pub parts: Vec<ScenePart>,
    /// Width and height of the viewport in CSS pixels.
    pub viewport: (u32, u32),
}

/// Splits `all` into parts of one page and one network each. The first network carries HTTP/2, the
/// next one HTTP/3, and so on. The contenders of `all` are ignored.
pub fn design(all: &Plan) -> Vec<Plan> {
    let networks = all.networks.iter().zip(VERSIONS.iter().cycle());
    let parts = networks.flat_map(|(network, version)| {
        all.pages.iter().map(move |page| Plan {
            pages: vec![Arc::clone(page)],
            networks: vec![network.clone()],
            contenders: vec![Contender {
                protocols: version.parse().expect("it is a protocol"),
                ..Contender::default()
            }],
            baseline: 0,
            ..all.clone()
        })
    });
    parts.collect()
}

/// Predicts the live loads of a part of the design that have screenshots: each with the losses of
/// its link, and nothing else by chance.
///
/// # Errors
/// The errors of a race.
pub fn beside(
    plan: &Plan,
    observed: &Observation,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<Vec<Beside>, LabError> {
    let loads = (0..plan.most_runs()).filter_map(|run| {
        let is_it = |one: &&ObservedRun| one.seed == plan.run_seed(run) && one.failure.is_none();
        let live = observed.runs.iter().find(is_it)?;
        let choice = Choice { variant: 0, run };
        Some((choice, live, live.reel.as_ref()?))
    });
    let loads: Vec<(Choice, &ObservedRun, &Reel)> = loads.collect();
    let choices: Vec<Choice> = loads.iter().map(|(choice, ..)| *choice).collect();
    let results = Results::planned(plan, Provenance::Simulated);
    let index: MetricId = "speed-index".parse().expect("it is a metric");
    let keep = |choice: Choice, outcome: Outcome| {
        let own = loads.iter().find(|(other, ..)| *other == choice);
        let (_, live, reel) = own.expect("it was chosen");
        let predicted_index = outcome.load.speed_index.map(Duration::as_millis_f64);
        let film = film(&plan.pages[0], &[(String::new(), outcome)]);
        let (across, down) = film.scene.viewport;
        let width = across * SHOT_SIDE / across.max(down).max(1);
        let frames = film.frames(0, width.max(1) as usize);
        let page = |predicted| Beside {
            page: observed.page.clone(),
            network: observed.network.clone(),
            protocol: plan.contenders[0].protocols.to_string(),
            live: (*reel).clone(),
            live_index: live.value(index),
            predicted,
            predicted_index,
            viewport: film.scene.viewport,
            parts: film.scene.parts,
        };
        Reel::of(&frames, reel.size()).map(page)
    };
    let all = record(&results, &choices, jobs, runner, progress, &keep)?;
    Ok(all.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
