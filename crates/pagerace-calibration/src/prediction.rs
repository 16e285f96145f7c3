//! Simulations of the variants that were measured live.

use std::collections::BTreeSet;

use pagerace_core::Duration;
use pagerace_lab::contender::Contender;
use pagerace_lab::detail::median_runs;
use pagerace_lab::error::LabError;
use pagerace_lab::metric::MetricId;
use pagerace_lab::model_error::is_lossy;
use pagerace_lab::plan::Plan;
use pagerace_lab::results::{Results, RunSummary, Variant};
use pagerace_lab::runner::{OnProgress, Runner, run_all, run_race};
use pagerace_lab::stats::median;
use pagerace_lab::why::{Explainer, explainable};
use pagerace_lab::worlds::Worlds;
use pagerace_page::{Page, PaintEvidence};
use pagerace_report::input::Provenance;
use pagerace_sim::ResourceTiming;

use crate::observation::ResourceTimes;

/// One page on one network with one contender, simulated several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Short name of the page.
    pub page: String,
    /// The network as the user specified it.
    pub network: String,
    /// The contender that delivers the page.
    pub contender: Contender,
    /// The evidence for the page's paints.
    pub evidence: PaintEvidence,
    /// The runs that predict the live median.
    pub runs: Vec<RunSummary>,
    /// All runs, whose range predicts single live loads.
    pub all_runs: Vec<RunSummary>,
    /// Their groups: see [`Results::groups`].
    pub groups: Vec<usize>,
    /// Resources of the median run by the plan's metric; empty if they were not requested.
    pub resources: Vec<ResourceTimes>,
    /// For each explainable metric, the URLs of its critical path in that run,
    /// from the navigation on.
    pub paths: Vec<(MetricId, Vec<String>)>,
}

impl Prediction {
    /// Creates one prediction per variant, with metrics only.
    pub fn of(results: &Results) -> Vec<Self> {
        let plan = &results.plan;
        let one = |variant: &Variant| Self {
            page: plan.pages[variant.page].name.clone(),
            network: plan.networks[variant.network].name.clone(),
            contender: plan.contenders[variant.contender].clone(),
            evidence: plan.pages[variant.page].paint_evidence(),
            runs: variant.runs.clone(),
            all_runs: variant.runs.clone(),
            groups: results.groups(variant.page, variant.network, variant.runs.len()),
            resources: Vec::new(),
            paths: Vec::new(),
        };
        results.variants.iter().map(one).collect()
    }

    /// Median over the runs; infinite if more than half failed.
    pub fn median(&self, metric: MetricId) -> Option<f64> {
        let values = self.runs.iter().filter_map(|run| run.value(metric));
        median(&values.collect::<Vec<f64>>())
    }
}

/// Simulates every variant of `plan`, and explains those of `metrics` that can be
/// explained, in the median run.
///
/// Run *k* has the same sequence of losses in the simulation and live. If packets are
/// lost at random, the median is that of runs in the nominal world with the seeds that
/// `live_seeds` returns for a variant (all, if it returns `None`): the lost packets are known,
/// and the model need not guess them. Without random loss, more runs give a more stable median.
/// The range of single loads is always that of the plan's worlds.
///
/// # Errors
/// The errors of a race.
pub fn predict(
    plan: &Plan,
    live_seeds: &dyn Fn(usize) -> Option<BTreeSet<u64>>,
    metrics: &[MetricId],
    jobs: usize,
    runner: &Runner<'_>,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<Vec<Prediction>, LabError> {
    let grouping = run_race(plan, jobs, runner, progress)?;
    let all = grouping.variants.clone();
    let nominal = Plan {
        worlds: Worlds::Nominal,
        ..plan.clone()
    };
    let is_lossy_plan = plan.networks.iter().any(is_lossy);
    let plan = if is_lossy_plan { &nominal } else { plan };
    let mut results = Results::new(plan, Provenance::Simulated, all.clone());
    if is_lossy_plan {
        results = run_race(plan, jobs, runner, progress)?;
    }
    for (index, variant) in results.variants.iter_mut().enumerate() {
        let lossy = is_lossy(&plan.networks[variant.network]);
        let Some(seeds) = live_seeds(index).filter(|_| lossy) else {
            continue;
        };
        let mut run = 0..;
        let is_live = |run: usize| seeds.contains(&plan.run_seed(run));
        variant.runs.retain(|_| run.next().is_some_and(is_live));
    }
    let choices = median_runs(&results);
    let parts: Vec<_> = metrics
        .iter()
        .filter_map(|metric| Some((*metric, explainable(*metric).ok()?)))
        .collect();
    let work = |index: usize| {
        let choice = choices[index];
        let (page, ..) = plan.variant_parts(choice.variant);
        let page = &plan.pages[page];
        let scenario = plan.scenario(choice.variant, choice.run);
        let (mut resources, mut paths) = (Vec::new(), Vec::new());
        for (metric, part) in &parts {
            let seed = plan.run_seed(choice.run);
            let Some(explained) = explainer(&scenario, seed, *part)? else {
                continue;
            };
            let url = |step: &pagerace_sim::Step| page.resource(step.resource).url.clone();
            paths.push((*metric, explained.path.iter().map(url).collect()));
            if resources.is_empty() {
                resources = resource_times(page, &explained.outcome.resources);
            }
        }
        Ok((resources, paths))
    };
    let details = run_all(jobs, choices.len(), &work, progress)?;
    let mut predictions = Prediction::of(&results);
    for (choice, (resources, paths)) in choices.iter().zip(details) {
        predictions[choice.variant].resources = resources;
        predictions[choice.variant].paths = paths;
    }
    for (prediction, variant) in predictions.iter_mut().zip(all) {
        prediction.groups = grouping.groups(variant.page, variant.network, variant.runs.len());
        prediction.all_runs = variant.runs;
    }
    Ok(predictions)
}

/// Returns the timings of the requested resources, in page order.
pub fn resource_times(page: &Page, timings: &[Option<ResourceTiming>]) -> Vec<ResourceTimes> {
    let requested = page.resources.iter().zip(timings);
    let requested = requested.filter_map(|(resource, timing)| Some((resource, timing.as_ref()?)));
    let times = requested.map(|(resource, timing)| {
        let mut at = Duration::from_nanos(timing.discovered.as_nanos());
        let mut after = |span: Duration| {
            at += span;
            Some(at.as_millis_f64())
        };
        ResourceTimes {
            url: resource.url.clone(),
            discovered_ms: after(Duration::ZERO),
            request_start_ms: after(timing.queued + timing.blocked + timing.dns + timing.connect),
            response_start_ms: after(timing.wait),
            response_end_ms: after(timing.receive),
        }
    });
    times.collect()
}

#[cfg(test)]
mod tests;
