//! `pagerace live`: a race in a real browser, with the model's prediction.

mod args;
mod convert;
mod environment;
pub(crate) mod session;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use pagerace_browser::BrowserConfig;
use pagerace_calibration::{
    Accuracy, Input, Observation, Observations, Setting, accuracy, predict,
};
use pagerace_chromium::node::Lighthouse;
use pagerace_lab::detail::{Choice, median_runs, record};
use pagerace_lab::export::report::report_of_kept;
use pagerace_lab::film::{self, LiveLoad};
use pagerace_lab::{LabError, Load, MetricId, Plan, Results, VERSION, Worlds, run_live};
use pagerace_page::{Interventions, Page};
use pagerace_report::input::Provenance;
use pagerace_sim::LoadSettings;

pub(crate) use args::LiveArgs;
pub(crate) use args::WorldArgs;
pub(crate) use environment::{Environment, kernel, machine};
use session::{LiveSession, Served, check, served};

use super::race;
use crate::cli::files::{check_files, rerun, write_text};
use crate::cli::groups::jobs;
use crate::cli::interventions;
use crate::cli::measured;
use crate::cli::origin_rtt;
use crate::cli::plan::{add_design, add_pages};
use crate::cli::simulate::{explain, load};
use crate::cli::warn::{idle_rules, warn};
use crate::failed::all_failed;
use crate::progress::Watch;
use crate::table::{self, predicted::predicted};

/// The networks if none is named.
pub(crate) const DEFAULT_NETWORKS: [&str; 2] = ["slow-4g", "cable"];

pub(crate) fn run(args: &LiveArgs) -> Result<()> {
    let files = args.outputs.files().into_iter();
    let files = files.chain(args.film.film.iter().cloned());
    check_files(&files.collect::<Vec<_>>(), &args.pages)?;
    let (mut plan, mut pages) = plan(args)?;
    for twin in plan.merge_twins() {
        warn(&twin);
    }
    plan.check()?;
    check(&plan)?;
    args.film
        .check(&plan, if args.no_prediction { 1 } else { 2 })?;
    idle_rules(&plan).for_each(|text| warn(&text));
    for page in &mut pages {
        page.prepare(&plan)?;
    }
    let mut session = LiveSession::open(pages, &args.world)?;

    let watch = args.progress.watch("loads");
    watch.start("loading", plan.loads());
    let mut environment = Environment::default();
    let is_filmed = !args.film.film.is_empty();
    let mut loads: BTreeMap<Choice, LiveLoad> = BTreeMap::new();
    let measure = |load: Load| {
        let measured = session.load(&plan, load).map_err(|e| format!("{e:#}"))?;
        environment.add(&measured.live);
        let choice = Choice {
            variant: plan.variant_index(load.page, load.network, load.contender),
            run: load.run,
        };
        if is_filmed || args.outputs.findings.report.is_some() {
            let load = LiveLoad {
                shots: convert::shots(&measured.live.observed),
                outcome: measured.outcome,
                predicted: None,
            };
            loads.insert(choice, load);
        }
        Ok(measured.summary)
    };
    let mut results = run_live(&plan, measure, &|progress| watch.tell(progress))?;
    results.environment = environment.facts(session.browser());
    let opinions = if args.lighthouse {
        opinions(&mut session, &plan, &watch)?
    } else {
        Vec::new()
    };
    drop(session);
    watch.clear();

    race::answer::print(&mut anstream::stdout().lock(), &results, &[])?;
    if !opinions.is_empty() {
        let mut out = anstream::stdout().lock();
        writeln!(out, "\nLighthouse {}, one load each", opinions[0].1.version)?;
        table::print(&mut out, &table::lighthouse::observed(&plan, &opinions))?;
    }
    args.outputs.write_values(&results)?;
    if !args.no_prediction {
        add_predictions(&results, &mut loads, &watch)?;
    }
    if is_filmed {
        let choices = median_runs(&results).into_iter();
        let filmed = choices.filter_map(|choice| {
            let load = loads.get(&choice)?.clone();
            Some((film::name(&plan, choice), load))
        });
        let film = film::live_film(&plan.pages[0], filmed.collect());
        args.film.write(&film)?;
    }
    if let Some(path) = &args.outputs.findings.report {
        let input = report_of_kept(&results, &rerun(), |choice| loads.remove(&choice));
        write_text(path, &pagerace_report::render(&input))?;
    }
    all_failed(&results)?;
    if let Some(hint) = environment.hint() {
        writeln!(anstream::stdout().lock(), "\n{hint}")?;
    }
    if !args.no_prediction {
        print_prediction(&results, &watch)?;
    }
    Ok(())
}

/// Simulates the median loads that have screenshots. The simulated links lose the same packets, and
/// deviate in nothing else from what the networks say.
fn add_predictions(
    results: &Results,
    loads: &mut BTreeMap<Choice, LiveLoad>,
    watch: &Watch,
) -> Result<()> {
    let mut choices = median_runs(results);
    choices.retain(|choice| loads.get(choice).is_some_and(|load| !load.shots.is_empty()));
    if choices.is_empty() {
        return Ok(());
    }
    watch.start("filming", choices.len());
    let same = Results::planned(&results.plan, Provenance::Simulated);
    let keep = |_, outcome| outcome;
    let tell = |progress| watch.tell(progress);
    let predicted = record(&same, &choices, jobs(None), &load, &tell, &keep);
    watch.clear();
    let predicted = match predicted {
        Ok(predicted) => predicted,
        // The comparison of the metrics says why.
        Err(LabError::Scenario(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for (choice, outcome) in choices.iter().zip(predicted) {
        if let Some(load) = loads.get_mut(choice) {
            load.predicted = Some(outcome);
        }
    }
    Ok(())
}

/// Loads each variant once under Lighthouse.
fn opinions(
    session: &mut LiveSession,
    plan: &Plan,
    watch: &Watch,
) -> Result<Vec<(usize, Lighthouse)>> {
    let total = plan.variants();
    watch.start("Lighthouse", total);
    let mut all = Vec::new();
    for variant in 0..total {
        let (page, network, contender) = plan.variant_parts(variant);
        let load = Load {
            page,
            network,
            contender,
            run: 0,
            seed: plan.run_seed(0),
        };
        all.push((variant, session.lighthouse(plan, load, None)?));
        watch.step(variant + 1, total)?;
    }
    Ok(all)
}

fn plan(args: &LiveArgs) -> Result<(Plan, Vec<Served>)> {
    let far = &args.distance.origin_rtt;
    origin_rtt::check(far, args.world.wire.connections)?;
    let shared = interventions::shared(&args.interventions)?;
    let mut plan = common(&args.world, args.design.loads.random.seed, shared);
    plan.settings.origin_rtt = origin_rtt::setting(far);
    // Loads take long, so only the strategies that are named race.
    let (design, folder) = (&args.design, Path::new(""));
    let contenders = add_design(&mut plan, design, &DEFAULT_NETWORKS, true, folder)?;
    let mut pages = served(&args.pages, &mut |text| warn(text))?;
    let mut all: Vec<Arc<Page>> = pages.iter().map(|one| Arc::clone(&one.page)).collect();
    measured::measure(&args.pages, None, &contenders.changes, &mut all)?;
    add_pages(&mut plan, far, Some(&contenders), all)?;
    for (served, page) in pages.iter_mut().zip(&plan.pages) {
        served.page = Arc::clone(page);
    }
    Ok((plan, pages))
}

/// Returns the settings that live loads and their predictions share with a race.
pub(crate) fn common(args: &WorldArgs, seed: u64, interventions: Interventions) -> Plan {
    Plan {
        runs: 1,
        seed,
        // An emulated link is as the network says.
        worlds: Worlds::Nominal,
        browser: BrowserConfig {
            cpu: args.cpu,
            ..BrowserConfig::default()
        },
        settings: LoadSettings {
            deadline: args.deadline,
            ..args.wire.settings()
        },
        interventions,
        ..Plan::new(Vec::new(), Vec::new(), Vec::new())
    }
}

/// Prints the simulator's prediction of the same plan beside the measurements.
fn print_prediction(results: &Results, watch: &Watch) -> Result<(), anyhow::Error> {
    let plan = &results.plan;
    let metrics: Vec<MetricId> = ["ttfb", "fcp", "lcp", "speed-index", "onload"]
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect();
    watch.start("predicting", plan.loads());
    let jobs = jobs(None);
    let simulated = Plan {
        worlds: Worlds::PLAUSIBLE,
        ..plan.clone()
    };
    let predicted = predict(
        &simulated,
        &|_| None,
        &metrics,
        jobs,
        &load,
        &explain,
        &|p| watch.tell(p),
    );
    let predictions = match predicted {
        Ok(predictions) => predictions,
        Err(LabError::Scenario(reason)) => {
            warn(&format!("no prediction: {reason}"));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    watch.clear();
    let all = (0..results.variants.len()).map(|index| Observation::of(results, index));
    let setting = Setting {
        pagerace: VERSION.to_owned(),
        seed: plan.seed,
        cpu: plan.browser.cpu,
        more: results.environment.clone(),
        ..Setting::default()
    };
    let observations = Observations::new(setting, all.collect());
    let compared = accuracy(&Input {
        observations: &observations,
        predictions: &predictions,
        elsewhere: &[],
        pages: &plan.pages,
        networks: &plan.networks,
        lighthouse: &[],
        metrics: &metrics,
        held_out: &[],
        threshold_ms: 20.0,
    });
    say_prediction(results, &compared)
}

fn say_prediction(results: &Results, compared: &Accuracy) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let shown = [results.plan.metric, MetricId::default(), "onload".parse()?];
    let mut metrics: Vec<MetricId> = Vec::new();
    for metric in shown {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    writeln!(
        out,
        "\nPredicted by the model, medians of {} simulated loads",
        results.plan.runs
    )?;
    for network in &results.plan.networks {
        writeln!(out, "\n{}", network.name)?;
        table::print(&mut out, &predicted(compared, &network.name, &metrics))?;
    }
    let errors = compared.model_errors.iter();
    let errors = errors.filter(|one| one.metric == results.plan.metric);
    let (significant, right) = errors.fold((0, 0), |(all, right), one| {
        (all + one.significant, right + one.sign_right)
    });
    if significant > 0 {
        writeln!(
            out,
            "\nOf {significant} pairs of contenders with a significant difference, the prediction \
             has the sign of {right}."
        )?;
    }
    Ok(())
}
