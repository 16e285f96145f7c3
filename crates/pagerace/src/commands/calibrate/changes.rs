//! The calibration of changes of pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use pagerace_calibration::changes::{
    Listed, Setup, Trial, check, csv, design, list, pairs, record, sections, trials,
};
use pagerace_calibration::classes;
use pagerace_calibration::markdown::page;
use pagerace_calibration::tables::Extent;
use pagerace_lab::{Plan, VERSION, Worlds, run_race};

use super::pages::Pages;
use super::{CalibrateArgs, SIMULATED_RUNS, measure, print_sections};
use crate::cli::files::{rerun, write_text};
use crate::cli::groups::jobs;
use crate::cli::simulate::load;

/// Reads the list of changes in the file of `--changes`.
pub(super) fn read(file: &Path) -> Result<Vec<Listed>> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(|| format!("{shown}: cannot be read"))?;
    Ok(list(&shown, &text)?)
}

pub(super) fn run(args: &CalibrateArgs, file: &Path, all: &Plan, pages: Pages) -> Result<()> {
    let shown = file.display().to_string();
    check(&shown, &pages.listed, &all.pages)?;
    let design = design(all, &pages.listed);
    let watch = args.progress.watch("loads");
    let observations = measure::observations(args, &design, pages, &watch)?;

    watch.start("predicting", design.len());
    let (mut compared, mut differences) = (Vec::new(), Vec::new());
    for (index, plan) in design.iter().enumerate() {
        let mut plan = Plan {
            runs: SIMULATED_RUNS,
            worlds: Worlds::PLAUSIBLE,
            ..plan.clone()
        };
        let of_page = |name: &str| name == plan.pages[0].name;
        let mut own = observations.observations.iter();
        let Some(own) = own.find(|one| of_page(&one.page)) else {
            continue;
        };
        plan.browser.cpu = observations.settings[own.setting].cpu;
        let predicted = run_race(&plan, jobs(None), &load, &|_| watch.go_on())?;
        let (metrics, held_out) = (&args.metric, &args.held_out);
        compared.extend(trials(&predicted, &observations, metrics, held_out));
        differences.extend(pairs(&predicted, &observations, metrics, held_out));
        watch.step(index + 1, design.len())?;
    }
    watch.clear();
    if compared.is_empty() {
        bail!("no change of {shown} was measured");
    }
    let command = rerun();
    let setup = Setup {
        observations: &observations,
        simulated: SIMULATED_RUNS,
        rerun: &command,
    };
    print_sections(&sections(&compared, &setup, Extent::Terminal))?;
    if let Some(path) = &args.output {
        write_text(path, &page(&sections(&compared, &setup, Extent::Page)))?;
    }
    if let Some(path) = &args.cells {
        write_text(path, &csv(&compared))?;
    }
    let of = observations.settings.iter();
    let of = of.map(|one| format!("{} with Chromium {}", one.date, one.chromium));
    let of = of.collect::<Vec<_>>().join("; ");
    let comments = |what: &str| {
        [
            format!("{what}; written by pagerace calibrate"),
            format!("Pagerace {VERSION}, measured {of}"),
        ]
    };
    if let Some(path) = &args.model_errors {
        let comments = comments("How ranges of predicted differences hold measured ones");
        write_text(
            path,
            &classes::csv(&classes::classes(&differences), &comments),
        )?;
    }
    if let Some(path) = &args.claims {
        let comments = comments("What became of claims about changes");
        let comments: Vec<String> = comments.into_iter().chain([over(&compared)]).collect();
        write_text(path, &record(&compared, &comments))?;
    }
    Ok(())
}

/// Returns the comment that counts the trials by version of HTTP, and names the networks; see
/// [`OVER`](pagerace_lab::advice::OVER).
fn over(trials: &[Trial]) -> String {
    // Every trial is there once for each metric.
    let first = trials.first().map(|one| one.metric);
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut networks: BTreeSet<&str> = BTreeSet::new();
    for one in trials.iter().filter(|one| Some(one.metric) == first) {
        *versions.entry(&one.protocol).or_default() += 1;
        networks.insert(&one.network);
    }
    let versions = versions
        .iter()
        .map(|(version, count)| format!("{count} over {version}"));
    let versions: Vec<String> = versions.collect();
    let networks: Vec<&str> = networks.into_iter().collect();
    let versions = versions.join(" and ");
    format!("trials: {versions}, on {}", networks.join(" and "))
}
