//! `pagerace explain`: why a way to deliver a page is no sooner, or slower than another.

mod one;

pub(super) use one::recorded_protocol;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use pagerace_lab::contender::ContenderText;
use pagerace_lab::facts::facts;
use pagerace_lab::why::{
    Split, Why, explain_run, explainable, no_pair, sentence, typical_run, write_why_json,
};
use pagerace_lab::{
    Contender, LabError, MetricId, Plan, Results, RunSummary, VERSION, Variant, run_race, worlds,
};
use pagerace_page::Page;
use pagerace_report::input::Provenance;

use super::race::measured_pages;
use crate::cli::files::{check_files, write};
use crate::cli::groups::{ESSENTIAL, LayoutArgs, LoadArgs, MODEL, PageChoice, RECORDING, WorkArgs};
use crate::cli::inputs::networks;
use crate::cli::model::ModelArgs;
use crate::cli::needs::NeedArgs;
use crate::cli::origin_rtt;
use crate::cli::plan::settings;
use crate::cli::simulate::{explain, load};
use crate::cli::warn::{idle_rules, warn};
use crate::table;
use crate::text::{headed, say, stress, width};

/// The network if none is named.
const DEFAULT_NETWORK: &str = "fast-4g";

const NETWORK: &str = "The network, by name or as \"rate 2mbit rtt 100ms loss 2%\". \
    [default: fast-4g]";
const RUNS: &str = "Loads of each, of which a typical run is explained";

const EXAMPLES: &str = "\
Contenders are words in any order: a protocol (h1, h2, h3, or rules such as
\"static.example=h3 *=h2\"), a congestion controller, a visit, a strategy, a reliability
policy (late, adaptive, ..) and interventions (such as fonts=1s). The defaults are h3, cubic,
cold, sequential, full and original.

Examples:
  pagerace explain examples/pages/shop.har h1 h3 --network slow-4g
      the causes of the difference between HTTP/3 and HTTP/1.1, in the median run

  pagerace explain examples/pages/shop.har \"h2 cubic\" \"h2 bbr\" --network lossy-wifi \\
      --metric onload --run 3
      the causes of the difference between BBR and CUBIC, in run 3";

/// Split the difference between two ways to deliver a page by cause.
#[derive(Debug, Parser)]
#[command(
    name = "explain",
    after_long_help = EXAMPLES,
    next_help_heading = "Comparison",
    mut_arg("network", |arg| arg.help(NETWORK).value_name("NETWORK")),
    mut_arg("runs", |arg| arg.help(RUNS))
)]
pub(crate) struct ExplainArgs {
    /// Recording of the page (.har or .har.gz).
    #[arg(value_name = "HAR", help_heading = None)]
    har: PathBuf,

    /// One way to deliver it, such as h1, "h2 bbr" or "h3 round-robin". [default: the
    /// recorded version of HTTP]
    #[arg(value_name = "A", help_heading = None)]
    a: Option<String>,

    /// Another one, such as h3, which is compared with the first.
    #[arg(value_name = "B", help_heading = None)]
    b: Option<String>,

    /// Metric to explain: ttfb, fcp, lcp, speed-index or onload.
    #[arg(short, long, value_name = "NAME", default_value_t)]
    metric: MetricId,

    #[command(flatten)]
    loads: LoadArgs,

    /// Explain this run (from 1) instead of a typical one.
    #[arg(long, value_name = "K", conflicts_with = "runs",
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    run: Option<u32>,

    #[command(flatten, next_help_heading = RECORDING)]
    choice: PageChoice,

    #[command(flatten, next_help_heading = RECORDING)]
    layout: LayoutArgs,

    #[command(flatten, next_help_heading = ESSENTIAL)]
    needs: NeedArgs,

    #[command(flatten, next_help_heading = MODEL)]
    model: ModelArgs,

    /// Write the parts and both critical paths as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Output")]
    work: WorkArgs,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<()> {
    let files: Vec<_> = args.json.iter().map(PathBuf::as_path).collect();
    check_files(&files, std::slice::from_ref(&args.har))?;
    let plan = plan(args)?;
    idle_rules(&plan).for_each(|text| warn(&text));
    if plan.contenders.len() == 1 {
        return one::run(&plan, args);
    }
    let watch = args.work.watch("loads");
    let (jobs, tell) = (args.work.jobs(), |progress| watch.tell(progress));
    let run = if let Some(number) = args.run {
        number as usize - 1
    } else {
        watch.start("racing", plan.loads());
        let results = run_race(&plan, jobs, &load, &tell)?;
        let [a, b] = [0, 1].map(|contender| results.variant(0, 0, contender));
        let Some(run) = typical_run(a, b, plan.metric) else {
            watch.clear();
            bail!(no_pair(&results));
        };
        run
    };
    watch.start("explaining", 2);
    let why = explain_run(&plan, 1, run, jobs, &explain, &tell)?;
    watch.clear();
    let Some(why) = why else {
        let results = single_run(&plan, run)?;
        bail!("run {}: {}", run + 1, no_pair(&results));
    };
    print(&plan, &why, args)?;
    if let Some(path) = &args.json {
        write(path, |out| write_why_json(&plan, &why, out))?;
    }
    Ok(())
}

/// Loads one run of both contenders.
fn single_run(plan: &Plan, run: usize) -> Result<Results> {
    let variant = |contender: usize| -> Result<Variant> {
        let scenario = plan.scenario(plan.variant_index(0, 0, contender), run);
        let outcome = load(&scenario, plan.run_seed(run), false).map_err(LabError::Scenario)?;
        Ok(Variant {
            page: 0,
            network: 0,
            contender,
            runs: vec![RunSummary::from(&outcome)],
        })
    };
    let variants = vec![variant(0)?, variant(1)?];
    Ok(Results::new(plan, Provenance::Simulated, variants))
}

fn plan(args: &ExplainArgs) -> Result<Plan> {
    explainable(args.metric).context("--metric")?;
    let read = |what: &'static str, text: &str| -> Result<Contender> {
        if Path::new(text).is_file() {
            bail!("{what}: `{text}` is a file; name one HAR, then the two contenders A and B");
        }
        let text = text.parse::<ContenderText>().context(what)?;
        Ok(text.or(&Contender::default()))
    };
    let a = args.a.as_ref().map(|a| read("A", a)).transpose()?;
    let b = args.b.as_ref().map(|b| read("B", b)).transpose()?;
    if let (Some(a), Some(b)) = (&a, &b)
        && a.loads_as(b)
    {
        bail!("A and B are the same, {a}: there is nothing to explain");
    }
    let networks = networks(&args.loads.network, &[DEFAULT_NETWORK])?;
    if networks.len() > 1 {
        bail!("--network: expected one network, found {}", networks.len());
    }
    // Check cheap arguments first: a wrong name should not wait for a large file.
    let settings = settings(&args.model)?;
    let deciders = args.needs.read()?;
    let files = std::slice::from_ref(&args.har);
    let page = args.choice.page.as_ref();
    let mut pages = measured_pages(files, page, &args.layout, &args.work)?;
    origin_rtt::apply(&args.model.distance.origin_rtt, &mut pages)?;
    if !pages[0].has_navigation() {
        bail!(
            "{}: {}: there is no load to explain",
            pages[0].name,
            pages[0].paints_in_words()
        );
    }
    let a = a.unwrap_or_else(|| Contender {
        protocols: one::recorded_protocol(&pages[0]),
        ..Contender::default()
    });
    let mut plan = Plan {
        pages,
        networks,
        contenders: [Some(a), b].into_iter().flatten().collect(),
        runs: args.run.unwrap_or(args.loads.runs()),
        seed: args.loads.random.seed,
        metric: args.metric,
        ..settings
    };
    deciders.add_to(&mut plan)?;
    plan.check()?;
    Ok(plan)
}

fn print(plan: &Plan, why: &Why, args: &ExplainArgs) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let (page, network) = (&plan.pages[0], &plan.networks[0]);
    let chosen = if args.run.is_some() {
        String::new()
    } else {
        format!(", a typical one of {}", plan.runs)
    };
    let text = format!(
        "{} of {}, seed {}, run {}{chosen}",
        plan.metric.metric().title,
        page.name,
        plan.seed,
        why.run + 1
    );
    headed(&mut out, &format!("Pagerace {VERSION}"), &text)?;
    say(&mut out, &format!("Modelled: {}", facts(plan)))?;
    if let Some(world) = worlds::in_words(&plan.world(0, why.run)) {
        say(&mut out, &format!("World of this run: {world}."))?;
    }
    writeln!(out)?;
    headed(&mut out, &network.name, &network.describe())?;
    let pair = table::why::pair(plan, why, width());
    table::print(&mut out, &pair.table)?;
    for note in &pair.notes {
        say(&mut out, note)?;
    }
    for (contender, split) in [(plan.baseline, &why.base), (why.contender, &why.own)] {
        path(&mut out, &plan.label(contender), page, split)?;
    }
    writeln!(out)?;
    stress(&mut out, &sentence(plan, why))?;
    if args.loads.network.is_empty() {
        writeln!(
            out,
            "\nDefaults were used for --network (pagerace list networks)."
        )?;
    }
    Ok(())
}

/// Writes the critical path, one line for each step: times, resource, and the part that
/// took most of it.
fn path(out: &mut impl Write, label: &str, page: &Page, split: &Split) -> io::Result<()> {
    writeln!(out, "\nThe critical path with {label}:")?;
    let name = |i: usize| short_url(&page.resources[i].url, &page.url);
    let steps = split.path.iter();
    let names: Vec<String> = steps.clone().map(|s| name(s.resource.0 as usize)).collect();
    let wide = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    for (step, name) in steps.zip(names) {
        let largest = step.parts.largest();
        let (from, until) = (step.from.as_millis_f64(), step.until.as_millis_f64());
        let when = format!("  {from:>9.1} to {until:>9.1} ms");
        let most = step.parts.get(largest).as_millis_f64();
        let what = format!("mostly {} ({most:.1} ms)", largest.title());
        let line = format!("{when}  {name:<wide$}  {what}");
        if width().is_none_or(|width| line.chars().count() <= width) {
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{when}  {name}\n{:>14}{what}", "")?;
        }
    }
    Ok(())
}

/// Returns the last segment of the path, with the host if it is not the page's.
fn short_url(url: &str, home: &str) -> String {
    const LONGEST: usize = 48;
    let split = |url: &str| -> (String, String) {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').find(|part| !part.is_empty());
        (host.to_owned(), last.unwrap_or("/").to_owned())
    };
    let (host, name) = split(url);
    let name = if split(home).0 == host {
        name
    } else {
        format!("{name} ({host})")
    };
    if name.chars().count() <= LONGEST {
        return name;
    }
    let kept: String = name.chars().take(LONGEST - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::short_url;

    #[test]
    fn urls_are_short_and_tell_foreign_hosts() {
        let home = "https://site.example/start";
        let short = |url: &str| short_url(url, home);
        assert_eq!(short("https://site.example/"), "/");
        assert_eq!(short("https://site.example/a/b.css?v=1"), "b.css");
        assert_eq!(short("https://cdn.example/x/y.js"), "y.js (cdn.example)");
        let long = format!("https://site.example/{}", "x".repeat(500));
        assert_eq!(short(&long).chars().count(), 48);
    }
}
