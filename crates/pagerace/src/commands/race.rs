//! `pagerace race`: plans a race from arguments, runs it, prints the answer and writes
//! files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use pagerace_delivery::StrategySpec;
use pagerace_lab::export::json::read_plan;
use pagerace_lab::first_visit::{self, add_first_visit};
use pagerace_lab::why::{explain_network, is_explained, loads};
use pagerace_lab::{MetricId, Plan, Results, VERSION, run_network};
use pagerace_net::Network;
use pagerace_page::Page;
use pagerace_papers::NETWORKS;
use pagerace_report::input::Provenance;
use pagerace_sim::{ProtocolMap, Visit};

#[cfg(feature = "live")]
use super::record::{Measure, record_site};
use crate::cli::files::{check_files, open};
use crate::cli::groups::{LayoutArgs, ProgressArgs, WorkArgs};
#[cfg(feature = "live")]
use crate::cli::inputs::pages_by;
use crate::cli::inputs::{pages, skipped};
use crate::cli::measured;
use crate::cli::plan::{Contenders, add_design, add_pages, settings};
use crate::cli::simulate::{explain, load};
use crate::cli::warn::{idle_rules, warn};
use crate::failed::all_failed;
use crate::progress::{Watch, end_soon_on_interrupt};
use crate::text;

pub(crate) use args::RaceArgs;

pub(crate) mod answer;
mod args;
mod outputs;
mod pages;

/// The networks if none is named: a slow mobile network, a fast line, and a lossy hop.
pub(crate) const DEFAULT_NETWORKS: [&str; 3] = ["slow-4g", "cable", "lossy-wifi"];

pub(crate) fn run(args: &RaceArgs) -> Result<()> {
    check_files(&outputs::files_of(args), &args.hars)?;
    let mut plan = match &args.scenario {
        Some(path) => plan_of_scenario(path)?,
        None => plan_of_args(args)?,
    };
    prepare(&mut plan)?.iter().for_each(|text| warn(text));
    outputs::check_qlog(args, &plan)?;
    args.film.check(&plan, 1)?;
    let jobs = args.work.jobs();
    end_soon_on_interrupt();
    let watch = args.work.watch("loads");
    let mut out = anstream::stdout().lock();
    answer::doubts(&mut out, &plan)?;
    let results = results(&plan, jobs, &watch, &mut |results, network| {
        Ok(answer::first(&mut out, results, network)?)
    })?;
    answer::rest(&mut out, &results, &defaults_used(args))?;
    drop(out);
    outputs::write_all(args, &results, jobs, &watch)?;
    if args.scenario.is_none()
        && let Some(text) = skipped(args.hars.len(), plan.pages.len())
    {
        text::say(&mut anstream::stdout(), &text)?;
    }
    all_failed(&results)?;
    if args.open
        && let Some(path) = &args.outputs.findings.report
    {
        open(path)?;
    }
    Ok(())
}

/// Checks a plan and merges contenders that load alike. Returns warnings.
pub(crate) fn prepare(plan: &mut Plan) -> Result<Vec<String>> {
    check_metric(plan.metric)?;
    // An intervention that selects nothing is a mistake and not a copy of the original.
    plan.check()?;
    let idle = plan.idle_policies().into_iter();
    let idle = idle.map(|(policy, page)| format!("{policy} selects no object of {page}"));
    let mut warnings: Vec<String> = idle.collect();
    let transfers = plan.pages.iter().filter(|page| !page.has_navigation());
    warnings.extend(transfers.map(|page| format!("{}: {}", page.name, page.paints_in_words())));
    warnings.extend(idle_rules(plan));
    warnings.extend(plan.merge_twins());
    Ok(warnings)
}

/// Runs a race and explains its differences, network by network. `answered` is called when the
/// results on a network are complete.
pub(crate) fn results(
    plan: &Plan,
    jobs: usize,
    watch: &Watch,
    answered: &mut dyn FnMut(&Results, usize) -> Result<()>,
) -> Result<Results> {
    let mut results = Results::planned(plan, Provenance::Simulated);
    for network in 0..plan.networks.len() {
        watch.start("racing", plan.loads());
        run_network(&mut results, network, jobs, &load, &|progress| {
            watch.tell(progress)
        })?;
        if is_explained(plan) {
            watch.start("explaining", loads(plan));
            explain_network(&mut results, network, jobs, &explain, &|progress| {
                watch.tell(progress)
            })?;
        }
        let first_visits = first_visit::loads(&results, network);
        if first_visits > 0 {
            watch.start("first visits", first_visits);
            add_first_visit(&mut results, network, jobs, &load, &|progress| {
                watch.tell(progress)
            })?;
        }
        watch.clear();
        answered(&results, network)?;
    }
    Ok(results)
}

/// Returns the recording of a page. A page that is given as a URL is recorded first.
#[cfg_attr(not(feature = "live"), expect(unused_variables))]
pub(super) fn recorded(page: &Path, progress: &ProgressArgs) -> Result<PathBuf> {
    let text = page.to_string_lossy();
    if !["https://", "http://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
    {
        return Ok(page.to_owned());
    }
    #[cfg(feature = "live")]
    return record_site(&text, progress);
    #[cfg(not(feature = "live"))]
    bail!("{text}: this build records no pages; build the feature live, or name a HAR file");
}

/// Rejects a metric that simulations cannot compute.
fn check_metric(metric: MetricId) -> Result<()> {
    if !metric.metric().simulated {
        bail!(
            "--metric: {metric} needs real layout, which a simulation lacks; `pagerace live` \
             measures it"
        );
    }
    Ok(())
}

/// Reads the plan of a results file.
pub(super) fn plan_of_scenario(path: &Path) -> Result<Plan> {
    let bytes =
        std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let read = read_plan(&path.display().to_string(), &bytes)?;
    if read.version != VERSION {
        warn(&format!(
            "{} was written by Pagerace {}, this is {VERSION}: numbers may differ",
            path.display(),
            read.version
        ));
    }
    Ok(read.plan)
}

fn plan_of_args(args: &RaceArgs) -> Result<Plan> {
    if args.hars.is_empty() {
        bail!(
            "no page to race: name a HAR file, such as examples/pages/news.har or \
             examples/pages/shop.har, which come with Pagerace; browsers save one from the \
             network panel of their developer tools"
        );
    }
    if args.choice.page.is_some() && args.hars.len() > 1 {
        bail!(
            "--page chooses a page of one HAR, but {} HARs were given",
            args.hars.len()
        );
    }
    let mut absent = args.hars.iter().filter(|har| !har.exists());
    if let Some(option) = absent.find_map(|har| option_of(har)) {
        bail!(option);
    }
    let deciders = args.needs.read()?;
    let (mut plan, contenders) = outline(args, Path::new(""))?;
    let files = args.hars.iter();
    let files = files.map(|page| recorded(page, &args.work.progress));
    let files: Vec<PathBuf> = files.collect::<Result<_>>()?;
    let choice = args.choice.page.as_ref();
    let mut pages = measured_pages(&files, choice, &args.layout, &args.work)?;
    measured::measure(&files, choice, &contenders.changes, &mut pages)?;
    let far = &args.model.distance.origin_rtt;
    add_pages(&mut plan, far, Some(&contenders), pages)?;
    deciders.add_to(&mut plan)?;
    Ok(plan)
}

/// Returns what is wrong with a file whose name is a value of an option.
fn option_of(har: &Path) -> Option<String> {
    let name = har.to_str()?;
    let is_network = || Network::parse_with(name, &NETWORKS, Path::new("")).is_ok();
    let option = if name.parse::<ProtocolMap>().is_ok() {
        "protocol"
    } else if name.parse::<StrategySpec>().is_ok() {
        "strategy"
    } else if pagerace_cc::find(name).is_some() {
        "cc"
    } else if name.parse::<Visit>().is_ok() {
        "visit"
    } else if is_network() {
        "network"
    } else {
        return None;
    };
    Some(format!(
        "{name} is no file but a value of --{option}; write --{option} {name}, with commas between \
         several"
    ))
}

/// Returns the plan without its pages, and the contenders of those. Paths of traces are relative to
/// `folder`.
pub(super) fn outline(args: &RaceArgs, folder: &Path) -> Result<(Plan, Contenders)> {
    check_metric(args.design.metric)?;
    let mut plan = settings(&args.model)?;
    let contenders = add_design(&mut plan, &args.design, &DEFAULT_NETWORKS, false, folder)?;
    Ok((plan, contenders))
}

/// Loads recorded pages as [`pages`] does, and lets Chromium measure the layouts that they lack, if
/// it can.
#[cfg_attr(not(feature = "live"), expect(unused_variables))]
pub(super) fn measured_pages(
    hars: &[PathBuf],
    page: Option<&String>,
    layout: &LayoutArgs,
    work: &WorkArgs,
) -> Result<Vec<Arc<Page>>> {
    #[cfg(feature = "live")]
    if !layout.no_layout
        && let Some(measure) = Measure::new(page, &work.progress)
    {
        return pages_by(hars, Some(work), &|path| measure.load(path));
    }
    pages(hars, page, Some(work))
}

/// Returns the options for which defaults were used, for a hint.
fn defaults_used(args: &RaceArgs) -> Vec<&'static str> {
    let mut used = Vec::new();
    if args.scenario.is_none() {
        if args.design.contenders.strategy.is_empty() {
            used.push("--strategy (pagerace list strategies)");
        }
        if args.design.loads.network.is_empty() {
            used.push("--network (pagerace list networks)");
        }
    }
    used
}
