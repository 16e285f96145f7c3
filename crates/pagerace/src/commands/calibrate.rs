//! `pagerace calibrate`: measures how far the model is from a real browser.

mod args;
mod changes;
mod films;
mod kept;
mod measure;
mod opinion;
mod pages;
mod timelines;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Result, bail};
use pagerace_calibration::cell;
use pagerace_calibration::classes::csv;
use pagerace_calibration::design::design;
use pagerace_calibration::json::write_accuracy;
use pagerace_calibration::markdown::markdown;
use pagerace_calibration::tables::{Extent, sections};
use pagerace_calibration::{
    Accuracy, Input, Observation, Observations, Prediction, accuracy, predict,
};
use pagerace_lab::{Plan, VERSION, Worlds};
use pagerace_net::Network;
use pagerace_page::Interventions;
use pagerace_report::sections::Section;
use pagerace_sim::OriginRtt;

pub(super) use self::args::CalibrateArgs;
use self::pages::Model;
use super::live::common;
use crate::cli::files::{check_files, rerun, write, write_text};
use crate::cli::groups::jobs;
use crate::cli::inputs::networks;
use crate::cli::simulate::{explain, load};
use crate::progress::Watch;
use crate::table;
use crate::text::{say, stress};

/// A slow and a faster mobile network, a line, a fast lossy hop, and a fast line.
const DEFAULT_NETWORKS: [&str; 5] = [
    "slow-4g",
    "fast-4g",
    "cable",
    "lossy-wifi",
    "rate 50mbit rtt 20ms",
];

/// Minimum number of simulated loads of each variant, where no packet is lost at random. The median
/// of FCP is then within 0.5 % of that of 301 loads (two pages); the median of 31, within 1.1 %.
const SIMULATED_RUNS: u32 = 30;

/// Minimum gap between live and simulated times of a resource that is reported, in ms.
const THRESHOLD_MS: f64 = 20.0;

pub(crate) fn run(args: &CalibrateArgs) -> Result<()> {
    let networks = networks(&args.loads.network, &DEFAULT_NETWORKS)?;
    if args.pages.is_empty() && !args.offline {
        bail!("new loads need recordings: name them, or compare earlier loads with --offline");
    }
    let models = args.models.iter().filter(|_| !args.pages.is_empty());
    let files = args.output.iter().chain(&args.json).chain(models);
    let files = files.chain(&args.timelines).chain(&args.model_errors);
    let files = files.chain(&args.cells).chain(&args.claims);
    check_files(&files.collect::<Vec<_>>(), &args.pages)?;
    let pages = pages::read(args)?;
    let all = plan(args, networks, &pages.models)?;
    check_names(args, &all)?;
    if let Some(list) = &args.changes {
        return changes::run(args, list, &all, pages);
    }
    if args.films {
        return films::run(args, &all, pages);
    }
    let design = design(&all);
    let elsewhere = elsewhere(&pages.models, &design);
    let watch = args.progress.watch("loads");
    let observations = measure::observations(args, &design, pages, &watch)?;
    let predictions = predicted(args, &design, &observations, &watch)?;
    let elsewhere = predicted(args, &elsewhere, &observations, &watch)?;
    let compared = accuracy(&Input {
        observations: &observations,
        predictions: &predictions,
        elsewhere: &elsewhere,
        pages: &all.pages,
        networks: &all.networks,
        lighthouse: &observations.lighthouse,
        metrics: &args.metric,
        held_out: &args.held_out,
        threshold_ms: THRESHOLD_MS,
    });
    print(&compared)?;
    write_comparison(args, &compared)?;
    if let Some(path) = &args.model_errors {
        let text = csv(&compared.classes, &comments(&compared));
        write_text(path, &text)?;
    }
    if let Some(path) = &args.timelines {
        write_text(path, &timelines::csv(&observations, &predictions))?;
    }
    Ok(())
}

/// Predicts the variants of the design that have been observed.
fn predicted(
    args: &CalibrateArgs,
    design: &[Plan],
    observations: &Observations,
    watch: &Watch,
) -> Result<Vec<Prediction>> {
    let observed = |plan: &Plan, variant: usize| {
        let mut all = observations.observations.iter();
        all.find(|one| kept::is_of(plan, variant, one))
    };
    let mut parts = Vec::new();
    for plan in design {
        for (index, setting) in observations.settings.iter().enumerate() {
            let of_setting = |one: &Observation| one.setting == index;
            let here = |variant: &usize| observed(plan, *variant).is_some_and(of_setting);
            let here = (0..plan.variants()).filter(here);
            let contenders: Vec<_> = here.map(|one| plan.contenders[one].clone()).collect();
            if contenders.is_empty() {
                continue;
            }
            let mut part = Plan {
                contenders,
                // Simulated loads are cheap, so their median may be firmer than the live one.
                runs: plan.runs.max(SIMULATED_RUNS),
                worlds: Worlds::PLAUSIBLE,
                ..plan.clone()
            };
            part.browser.cpu = setting.cpu;
            if !kept::follows_hints(setting) {
                for page in &mut part.pages {
                    Arc::make_mut(page).hints.clear();
                }
            }
            parts.push(part);
        }
    }
    watch.start("predicting", parts.len());
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let live_seeds = |variant: usize| {
            let found = observed(part, variant);
            found.map(|one| one.runs.iter().map(|run| run.seed).collect())
        };
        let go_on = |_| watch.go_on();
        let metrics = &args.metric;
        let jobs = jobs(None);
        all.extend(predict(
            part,
            &live_seeds,
            metrics,
            jobs,
            &load,
            &explain,
            &go_on,
        )?);
        watch.step(index + 1, parts.len())?;
    }
    watch.clear();
    Ok(all)
}

/// Prints the circumstances, the goals, the errors and Lighthouse.
fn print(compared: &Accuracy) -> Result<()> {
    print_sections(&sections(compared, "", Extent::Terminal))
}

fn print_sections(all: &[Section]) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for section in all {
        stress(&mut out, &section.title)?;
        for line in section.text.iter().filter(|_| section.list) {
            say(&mut out, &format!("  {line}"))?;
        }
        for part in section.tables.iter().filter(|part| !part.rows.is_empty()) {
            writeln!(out)?;
            if !part.caption.is_empty() {
                writeln!(out, "{}", part.caption)?;
            }
            table::print(
                &mut out,
                table::table(&part.header, part.words).add_rows(&part.rows),
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_comparison(args: &CalibrateArgs, compared: &Accuracy) -> Result<()> {
    if let Some(path) = &args.output {
        write_text(path, &markdown(compared, &rerun()))?;
    }
    if let Some(path) = &args.json {
        write(path, |out| write_accuracy(compared, &rerun(), out))?;
    }
    if let Some(path) = &args.cells {
        write_text(path, &cell::csv(&compared.cells))?;
    }
    Ok(())
}

/// Returns the comments above the errors of differences.
fn comments(compared: &Accuracy) -> [String; 3] {
    let settings = compared.settings.iter().map(|one| {
        let setting = &one.setting;
        format!(
            "{} with Chromium {}, {}",
            setting.date, setting.chromium, setting.kernel
        )
    });
    let settings: Vec<String> = settings.collect();
    [
        "How ranges of predicted differences hold measured ones; written by pagerace calibrate"
            .to_owned(),
        format!("Pagerace {VERSION}, measured {}", settings.join("; ")),
        format!(
            "{} pages, {} live loads; percent of the baseline's live median",
            compared.pages.len(),
            compared.quality.runs
        ),
    ]
}

/// Returns the design with the pages as another recorder would have recorded them, without
/// contenders that select nothing there, because only ours records requests that fail.
fn elsewhere(models: &[Model], design: &[Plan]) -> Vec<Plan> {
    let with = |plan: &Plan| {
        let mut pages = models.iter().map(|model| &model.elsewhere);
        let page = pages.find(|page| page.name == plan.pages[0].name)?;
        let mut plan = Plan {
            pages: vec![page.clone()],
            ..plan.clone()
        };
        let all = std::slice::from_ref(page);
        plan.contenders
            .retain(|contender| contender.interventions.unmatched(all).is_empty());
        (!plan.contenders.is_empty()).then_some(plan)
    };
    design.iter().filter_map(with).collect()
}

/// Returns all pages and networks without contenders, which the design adds.
fn plan(args: &CalibrateArgs, networks: Vec<Network>, models: &[Model]) -> Result<Plan> {
    let mut plan = Plan {
        pages: models.iter().map(|model| Arc::clone(&model.page)).collect(),
        networks,
        runs: args.loads.runs(),
        // The resources are kept of the run with the median of this metric.
        metric: "onload".parse()?,
        ..common(
            &args.world,
            args.loads.random.seed,
            Interventions::default(),
        )
    };
    // The measured loads had all servers at the end of the link.
    plan.settings.origin_rtt = OriginRtt::Same;
    Ok(plan)
}

/// Rejects a held-out page that does not exist.
fn check_names(args: &CalibrateArgs, plan: &Plan) -> Result<()> {
    let names: BTreeSet<&str> = plan.pages.iter().map(|page| page.name.as_str()).collect();
    for name in &args.held_out {
        if !names.contains(name.as_str()) {
            let known: Vec<&str> = names.into_iter().collect();
            bail!(
                "--held-out: unknown page {name}; the pages are {}",
                known.join(", ")
            );
        }
    }
    Ok(())
}
