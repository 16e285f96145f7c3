//! `pagerace calibrate`: how far the model is from a real browser.

mod measure;
mod opinion;
mod timelines;

use std::collections::BTreeSet;
use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use pagerace_delivery::StrategySpec;
use pagerace_lab::Plan;
use pagerace_lab::calibrate::json::write_accuracy;
use pagerace_lab::calibrate::markdown::markdown;
use pagerace_lab::calibrate::text::text;
use pagerace_lab::calibrate::{Accuracy, Input, Observations, accuracy, predict};
use pagerace_lab::export::file::write_atomically;
use pagerace_page::Interventions;
use pagerace_sim::ProtocolMap;

use super::files::{check_files, rerun, say};
use super::inputs::{controllers, jobs, list, networks};
use super::live::common;
use super::live::session::{Served, check, served};
use super::racers::{Racers, racers};
use super::simulate::{explain, load};
use super::warn::{warn, warn_of_rules};
use crate::cli::live::CalibrateArgs;
use crate::progress::Watch;

/// A slow cell, a faster one, a line, and a fast lossy hop.
const DEFAULT_NETWORKS: [&str; 4] = ["slow-4g", "fast-4g", "cable", "lossy-wifi"];
const DEFAULT_PROTOCOLS: [&str; 3] = ["h1", "h2", "h3"];
/// In order, and all at once: the two ends of what strategies do.
const DEFAULT_STRATEGIES: [&str; 2] = ["sequential", "round-robin"];

/// Simulated loads of each variant, at least, where no packet is lost at random.
const SIMULATED_RUNS: u32 = 15;

/// From which gap on a resource is said to come at another time.
const THRESHOLD_MS: f64 = 20.0;

pub(crate) fn run(args: &CalibrateArgs) -> Result<()> {
    let (plan, pages) = plan(args)?;
    plan.check()?;
    check(&plan)?;
    warn_of_rules(&plan);
    check_names(args, &plan)?;
    let files = args.output.iter().chain(&args.json).chain(&args.timelines);
    check_files(&files.map(AsRef::as_ref).collect::<Vec<_>>(), &args.pages)?;

    let watch = Watch::new(!args.no_progress, "loads");
    let observations = measure::observations(args, &plan, pages, &watch)?;
    // Simulated loads are cheap: their median may be firmer than the live one.
    let simulated = Plan {
        runs: plan.runs.max(SIMULATED_RUNS),
        ..plan
    };
    watch.start("predicting", simulated.loads());
    let live_seeds = |variant: usize| {
        let mut all = observations.observations.iter();
        let found = all.find(|o| measure::is_of(&simulated, variant, o));
        found.map(|o| o.runs.iter().map(|run| run.seed).collect())
    };
    let predictions = predict(
        &simulated,
        &live_seeds,
        &args.metric,
        jobs(None),
        &load,
        &explain,
        &|progress| watch.tell(progress),
    )?;
    watch.clear();
    let compared = accuracy(&Input {
        observations: &observations,
        predictions: &predictions,
        lighthouse: &observations.lighthouse,
        metrics: &args.metric,
        held_out: &args.held_out,
        threshold_ms: THRESHOLD_MS,
    });
    print(&compared)?;
    write(args, &compared)?;
    if let Some(path) = &args.timelines {
        let rows = timelines::csv(&observations, &predictions);
        write_atomically(path, |out| out.write_all(rows.as_bytes()))?;
        say(path)?;
    }
    Ok(())
}

fn print(compared: &Accuracy) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", text(compared))?;
    Ok(())
}

fn write(args: &CalibrateArgs, compared: &Accuracy) -> Result<()> {
    if let Some(path) = &args.output {
        let text = markdown(compared, &rerun());
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        say(path)?;
    }
    if let Some(path) = &args.json {
        write_atomically(path, |out| write_accuracy(compared, &rerun(), out))?;
        say(path)?;
    }
    Ok(())
}

fn plan(args: &CalibrateArgs) -> Result<(Plan, Vec<Served>)> {
    let parse = |names: &[&str]| -> Vec<ProtocolMap> {
        let parsed = names.iter().map(|name| name.parse());
        parsed
            .collect::<Result<_, _>>()
            .expect("they are protocols")
    };
    let strategies: Vec<StrategySpec> = DEFAULT_STRATEGIES
        .iter()
        .map(|name| name.parse().expect("it is in the registry"))
        .collect();
    let networks = networks(&args.network, &DEFAULT_NETWORKS)?;
    let (contenders, baseline) = racers(&Racers {
        protocols: &list("protocol", &args.protocol, &parse(&DEFAULT_PROTOCOLS))?,
        controllers: &controllers(&args.cc)?,
        strategies: &list("strategy", &args.strategy, &strategies)?,
        variants: &[Interventions::default()],
        baseline: None,
    })?;
    let pages = served(&args.pages, &mut |text| warn(text))?;
    let plan = Plan {
        pages: pages.iter().map(|one| one.page.clone()).collect(),
        networks,
        contenders,
        runs: args.runs,
        baseline,
        // The resources that are kept are those of the median run by it.
        metric: "onload".parse()?,
        ..common(&args.world, args.seed, Interventions::default())
    };
    Ok((plan, pages))
}

/// Refuses a held-out page that is not there.
fn check_names(args: &CalibrateArgs, plan: &Plan) -> Result<()> {
    let names: BTreeSet<&str> = plan.pages.iter().map(|page| page.name.as_str()).collect();
    for name in &args.held_out {
        if !names.contains(name.as_str()) {
            let known: Vec<&str> = names.into_iter().collect();
            bail!(
                "--held-out: there is no page {name}; there are {}",
                known.join(", ")
            );
        }
    }
    Ok(())
}

/// Reads the file of observations, if it is there.
fn read(args: &CalibrateArgs) -> Result<Option<Observations>> {
    let Some(path) = args.observations.as_ref().filter(|path| path.exists()) else {
        return Ok(None);
    };
    let shown = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("{shown}: cannot be read"))?;
    Ok(Some(Observations::from_json(&shown, &bytes)?))
}
