//! `pagerace race`: plans a race from arguments, runs it, prints the answer and writes
//! files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_lab::contender::{ContenderText, choices, choose, product};
use pagerace_lab::export::json::read_plan;
use pagerace_lab::first_visit::{self, add_first_visit};
use pagerace_lab::why::{explain_network, is_explained, loads};
use pagerace_lab::{Contender, MetricId, Plan, Results, VERSION, run_network};
use pagerace_net::Network;
use pagerace_page::{Interventions, Page};
use pagerace_papers::{NETWORKS, srivastava};
use pagerace_report::input::Provenance;
use pagerace_sim::{ProtocolMap, Visit};

use super::failed::all_failed;
use super::files::{check_files, open};
use super::inputs::{controllers, list, measured_pages, networks_in, skipped};
use super::interventions::{self, needs_pages, variants};
#[cfg(feature = "live")]
use super::record::record_site;
use super::simulate::{explain, load};
use super::warn::{idle_rules, warn};
use crate::cli::groups::ProgressArgs;
use crate::cli::groups::{ContenderArgs, DesignArgs};
use crate::cli::model::ModelArgs;
use crate::cli::{RaceArgs, origin_rtt};
use crate::lists::unquote;
use crate::progress::{Watch, end_soon_on_interrupt};
use crate::text;

pub(crate) mod answer;
mod outputs;
mod pages;

/// The networks if none is named: a slow mobile network, a fast line, and a lossy hop.
pub(crate) const DEFAULT_NETWORKS: [&str; 3] = ["slow-4g", "cable", "lossy-wifi"];

/// The strategy with which others are compared.
pub(crate) const DEFAULT_STRATEGY: &str = "sequential";

/// The defaults of a race for options that are not given.
pub(super) struct Defaults {
    pub(super) networks: &'static [&'static str],
    /// True if loads take long, so that only the strategies that are named race.
    pub(super) few: bool,
}

const DEFAULTS: Defaults = Defaults {
    networks: &DEFAULT_NETWORKS,
    few: false,
};

pub(crate) fn run(args: &RaceArgs) -> Result<()> {
    check_files(&outputs::files_of(args), &args.hars)?;
    let mut plan = match &args.scenario {
        Some(path) => plan_of_scenario(path)?,
        None => plan_of_args(args)?,
    };
    prepare(&mut plan)?.iter().for_each(|text| warn(text));
    outputs::check_qlog(args, &plan)?;
    let jobs = args.work.jobs();
    end_soon_on_interrupt();
    let watch = args.work.watch("loads");
    let mut out = anstream::stdout().lock();
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
fn recorded(page: &Path, progress: &ProgressArgs) -> Result<PathBuf> {
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
    let no_file = |har: &&PathBuf| !har.exists();
    if let Some(option) = args
        .hars
        .iter()
        .filter(no_file)
        .find_map(|har| option_of(har))
    {
        bail!(option);
    }
    let mut plan = outline(args, Path::new(""))?;
    add_pages(&mut plan, args)?;
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

/// Returns the plan without its pages. Its contenders are complete unless interventions
/// depend on the pages. Paths of traces are relative to `folder`.
pub(super) fn outline(args: &RaceArgs, folder: &Path) -> Result<Plan> {
    check_metric(args.design.metric)?;
    args.needs.read()?;
    let mut plan = settings(&args.model)?;
    add_design(&mut plan, &args.design, &DEFAULTS, folder)?;
    Ok(plan)
}

/// Returns a plan with the settings of the model, and nothing to race.
pub(super) fn settings(args: &ModelArgs) -> Result<Plan> {
    let settings = args.settings();
    origin_rtt::check(&args.distance.origin_rtt, settings.connections)?;
    Ok(Plan {
        worlds: args.worlds,
        browser: args.browser(),
        settings,
        interventions: interventions::shared(&args.interventions)?,
        ..Plan::new(Vec::new(), Vec::new(), Vec::new())
    })
}

/// Adds the design of a race to a plan, as far as it does not depend on pages. Wrong names are found here,
/// before large files are read.
pub(super) fn add_design(
    plan: &mut Plan,
    args: &DesignArgs,
    defaults: &Defaults,
    folder: &Path,
) -> Result<()> {
    let DesignArgs { loads, metric, .. } = args;
    plan.networks = networks_in(folder, &loads.network, defaults.networks)?;
    (plan.runs, plan.seed, plan.metric) = (loads.runs(), loads.random.seed, *metric);
    plan.adaptive = loads.runs.is_none();
    add_contenders(plan, &args.contenders, defaults)?;
    Ok(plan.check_settings()?)
}

/// Loads the pages of a plan, and adds all that depends on them.
pub(super) fn add_pages(plan: &mut Plan, args: &RaceArgs) -> Result<()> {
    let progress = &args.work.progress;
    let files = args.hars.iter().map(|page| recorded(page, progress));
    let files: Vec<PathBuf> = files.collect::<Result<_>>()?;
    let pages = measured_pages(&files, args.choice.page.as_ref(), &args.layout, &args.work)?;
    with_pages(plan, args, pages, false)
}

/// Adds pages to a plan, and all that depends on them: its contenders, unless they are
/// `fixed`, and the objects that pages need.
pub(super) fn with_pages(
    plan: &mut Plan,
    args: &RaceArgs,
    mut pages: Vec<Arc<Page>>,
    fixed: bool,
) -> Result<()> {
    origin_rtt::apply(&args.model.distance.origin_rtt, &mut pages)?;
    plan.pages = pages;
    if !fixed {
        add_contenders(plan, &args.design.contenders, &DEFAULTS)?;
    }
    args.needs.add_to(plan)
}

/// Adds the contenders to a plan. Interventions that depend on pages wait for them.
pub(super) fn add_contenders(
    plan: &mut Plan,
    args: &ContenderArgs,
    defaults: &Defaults,
) -> Result<()> {
    let what_ifs = interventions::read(&args.what_if)?;
    let (variants, baseline) = if plan.pages.is_empty() && needs_pages(&what_ifs) {
        (vec![Interventions::default()], None)
    } else {
        let variants = variants(&what_ifs, &plan.pages)?;
        (variants, args.baseline.as_deref())
    };
    (plan.contenders, plan.baseline) = contenders(args, &variants, baseline, defaults)?;
    Ok(())
}

/// Returns the contenders and the index of the baseline, which `text` names. The first of
/// the `variants` is the original. A strategy that the baseline names takes part. So does
/// `sequential` if no strategy is given, or if only strategies differ and no baseline is
/// named, unless few race.
fn contenders(
    args: &ContenderArgs,
    variants: &[Interventions],
    text: Option<&str>,
    defaults: &Defaults,
) -> Result<(Vec<Contender>, usize)> {
    let maps = list(
        "protocol",
        &args.protocols.protocol,
        &[ProtocolMap::default()],
    )?;
    let controllers = controllers(&args.controllers.cc)?;
    let visits = list("visit", &args.visit, &[Visit::default()])?;
    let mut strategies: Vec<StrategySpec> = list("strategy", &args.strategy, &[])?;
    let policies = policies(&args.reliability)?;
    let lengths = [
        maps.len(),
        controllers.len(),
        visits.len(),
        policies.len(),
        variants.len(),
    ];
    let few = defaults.few || lengths.into_iter().any(|length| length > 1);
    let read = text.and_then(|text| text.parse::<ContenderText>().ok());
    let named = read
        .filter(|read| read.named.has("strategy"))
        .map(|read| read.contender.strategy);
    if strategies.is_empty() && !few {
        strategies = StrategySpec::defaults();
    }
    let needed = match named {
        None if strategies.is_empty() || (!few && text.is_none()) => {
            Some(DEFAULT_STRATEGY.parse().expect("it is in the registry"))
        }
        named => named,
    };
    if let Some(needed) = &needed
        && !strategies.contains(needed)
    {
        strategies.insert(0, needed.clone());
    }
    let contenders = product(&[
        choices("protocol", &maps, |c, value| c.protocols = value),
        choices("congestion", &controllers, |c, value| c.congestion = value),
        choices("visit", &visits, |c, value| c.visit = value),
        choices("strategy", &strategies, |c, value| c.strategy = value),
        choices("reliability", &policies, |c, value| c.reliability = value),
        choices("interventions", variants, |c, value| c.interventions = value),
    ]);
    let baseline = match text {
        Some(text) => choose(&contenders, text).context("--baseline")?,
        None if few => 0,
        None => {
            let strategy = |c: &Contender| Some(&c.strategy) == needed.as_ref();
            contenders.iter().position(strategy).unwrap_or(0)
        }
    };
    Ok((contenders, baseline))
}

/// Parses reliability policies. Without any, everything is delivered reliably.
fn policies(values: &[String]) -> Result<Vec<ReliabilitySpec>> {
    if values.is_empty() {
        return Ok(vec![ReliabilitySpec::default()]);
    }
    let sets = [(srivastava::THESIS, srivastava::RELIABILITY)];
    // A policy has commas of its own, so that only quotes around a whole value are removed.
    let values: Vec<&str> = values.iter().map(|value| unquote(value)).collect();
    ReliabilitySpec::parse_list(&values.join(","), &sets).context("--reliability")
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
