//! `pagerace race`: a plan from arguments, the race, its answers and files.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use pagerace_browser::BrowserConfig;
use pagerace_delivery::StrategySpec;
use pagerace_lab::export::json::read_plan;
use pagerace_lab::{Plan, VERSION, run_race};
use pagerace_net::Network;
use pagerace_page::{ImportOptions, Page};
use pagerace_sim::{LoggedPacket, Outcome, Scenario, TransportSettings};

use crate::cli::{RaceArgs, TlsArg};
use crate::lists::split_all;
use crate::progress::Watch;

mod answer;
mod outputs;

use outputs::Outputs;

/// Raced where no network is named: a slow cell, a fast line, a lossy hop.
const DEFAULT_NETWORKS: [&str; 3] = ["slow-4g", "cable", "lossy-wifi"];

pub(crate) fn run(args: &RaceArgs) -> Result<()> {
    let plan = match &args.scenario {
        Some(path) => plan_of_scenario(path)?,
        None => plan_of_args(args)?,
    };
    plan.check()?;
    check_controller(&plan)?;
    let outputs = Outputs::check(args, &plan)?;
    let jobs = args.jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let watch = Watch::new(!args.no_progress);
    watch.start("racing", plan.loads());
    let results = run_race(&plan, jobs, &load, &|progress| watch.tell(progress))?;
    watch.clear();
    answer::print(&results, &defaults_used(args))?;
    outputs.write(&results, jobs, &load, &watch)
}

/// The simulator, as the laboratory calls it.
fn load(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, String> {
    pagerace_sim::run(scenario, seed, record).map_err(|e| e.to_string())
}

/// The same with all packets, for qlog files.
fn load_logged(scenario: &Scenario, seed: u64) -> Result<(Outcome, Vec<LoggedPacket>), String> {
    pagerace_sim::run_logged(scenario, seed).map_err(|e| e.to_string())
}

fn plan_of_scenario(path: &Path) -> Result<Plan> {
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
    if args.page.is_some() && args.hars.len() > 1 {
        bail!(
            "--page chooses a page of one HAR, but {} were given",
            args.hars.len()
        );
    }
    // Cheap arguments first: a wrong name should not wait for a large file.
    let baseline: StrategySpec = args.baseline.parse().context("--baseline")?;
    let strategies = strategies(args, &baseline)?;
    let networks = networks(args)?;
    Ok(Plan {
        pages: pages(args)?,
        networks,
        strategies,
        runs: args.runs,
        seed: args.seed,
        browser: BrowserConfig {
            profile: args.browser.into(),
            cpu: args.cpu,
            jitter: args.jitter,
        },
        connections: args.connections.into(),
        retransmission: args.retransmission.into(),
        transport: TransportSettings {
            congestion: args.cc.clone(),
            real_tls: args.tls == TlsArg::Real,
        },
        deadline: args.deadline,
        metric: args.metric,
        baseline,
    })
}

/// The strategies to race; the baseline always takes part.
fn strategies(args: &RaceArgs, baseline: &StrategySpec) -> Result<Vec<StrategySpec>> {
    let names = split_all("strategy", &args.strategy)?;
    let mut strategies = if names.is_empty() {
        StrategySpec::defaults()
    } else {
        let parse = |name: &String| name.parse().context("--strategy");
        names
            .iter()
            .map(parse)
            .collect::<Result<Vec<StrategySpec>>>()?
    };
    if !strategies.contains(baseline) {
        strategies.insert(0, baseline.clone());
    }
    Ok(strategies)
}

fn networks(args: &RaceArgs) -> Result<Vec<Network>> {
    let mut names = split_all("network", &args.network)?;
    if names.is_empty() {
        names = DEFAULT_NETWORKS.map(str::to_owned).to_vec();
    }
    names
        .iter()
        .map(|name| Network::parse(name).context("--network (all names: pagerace list networks)"))
        .collect()
}

fn pages(args: &RaceArgs) -> Result<Vec<Arc<Page>>> {
    let options = ImportOptions {
        page: args.page.clone(),
    };
    let mut pages: Vec<Arc<Page>> = Vec::new();
    for path in &args.hars {
        let mut page = pagerace_page::load(path, &options)?;
        page.name = free_name(&pages, &page.name);
        pages.push(Arc::new(page));
    }
    Ok(pages)
}

/// `name`, or `name (2)` and so on if another page has it.
fn free_name(pages: &[Arc<Page>], name: &str) -> String {
    let taken = |candidate: &str| pages.iter().any(|page| page.name == candidate);
    let mut numbered = (2..).map(|number| format!("{name} ({number})"));
    if taken(name) {
        numbered
            .find(|candidate| !taken(candidate))
            .expect("numbers do not end")
    } else {
        name.to_owned()
    }
}

/// Refuses an unknown congestion controller before any load.
fn check_controller(plan: &Plan) -> Result<()> {
    let name = &plan.transport.congestion;
    let known: Vec<&str> = pagerace_cc::registry()
        .iter()
        .map(|info| info.name)
        .collect();
    if !known.contains(&name.as_str()) {
        bail!(
            "--cc: no congestion controller is called \"{name}\"; there are {}",
            known.join(", ")
        );
    }
    Ok(())
}

/// What was chosen for the user, to be told once.
fn defaults_used(args: &RaceArgs) -> Vec<&'static str> {
    let mut used = Vec::new();
    if args.scenario.is_none() {
        if args.strategy.is_empty() {
            used.push("--strategy (pagerace list strategies)");
        }
        if args.network.is_empty() {
            used.push("--network (pagerace list networks)");
        }
    }
    used
}

fn warn(text: &str) {
    use std::io::Write as _;

    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    // Without standard error there is nobody left to tell.
    let _ = writeln!(anstream::stderr(), "{yellow}warning{yellow:#}: {text}");
}
