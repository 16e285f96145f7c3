//! `pagerace advise`: what to change about a page, and what that gains.

mod paste;
mod print;

#[cfg(feature = "live")]
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use pagerace_lab::advice::{Advice, Effect, Tried, advise};
use pagerace_lab::why::explainable;
use pagerace_lab::{Contender, MetricId, Plan, VERSION};
use pagerace_page::Changes;
use pagerace_sim::ProtocolMap;
use serde_json::{Value, json};

use super::explain::recorded_protocol;
use super::race::{answer, measured_pages, recorded};
use crate::cli::files::{check_files, write_text};
use crate::cli::groups::{LayoutArgs, MODEL, OUTPUT, PageChoice, RECORDING, SeedArgs, WorkArgs};
use crate::cli::inputs::networks;
use crate::cli::measured;
use crate::cli::model::ModelArgs;
use crate::cli::origin_rtt;
use crate::cli::plan::settings;
use crate::cli::simulate::{explain, load};
use crate::progress::end_soon_on_interrupt;

/// The networks if none is named: a slow and a fast mobile network, and a line.
const DEFAULT_NETWORKS: [&str; 3] = ["slow-4g", "fast-4g", "cable"];

/// The loads of each variant in a browser: the fewest that a test can decide over.
#[cfg(feature = "live")]
const VERIFYING: u32 = 6;

/// Changes whose sizes are measured before others are tried.
const MEASURED: [&str; 2] = ["compress=br html+css+js+json", "inline css+js"];

const EXAMPLES: &str = "\
Each change is tried in many worlds: on links and processors a little better or worse than named.
A change gains if the metric comes sooner in nine of ten of them, by 3 % or more.

Examples:
  pagerace advise examples/pages/tours.page.gz
      what to change, what it gains on three networks, and the lines to paste

  pagerace advise https://news.example/ --network slow-4g --metric fcp
      records the page first, then advises what shows something sooner on a slow network

  pagerace advise examples/pages/tours.page.gz --network fast-4g --verify 2
      loads the page with each of the two best changes in Chromium, too";

/// Tell what to change about a page, and what it gains.
#[derive(Debug, Parser)]
#[command(name = "advise", after_long_help = EXAMPLES, next_help_heading = "Advice")]
pub(crate) struct AdviseArgs {
    /// Recording of the page (.har or .har.gz), or its URL, which is recorded first.
    #[arg(value_name = "HAR", help_heading = None)]
    har: PathBuf,

    /// Networks of the users, by name (`pagerace list networks`) or as "rate 2mbit rtt 100ms".
    /// [default: slow-4g,fast-4g,cable]
    #[arg(short, long, alias = "networks", value_name = "LIST")]
    network: Vec<String>,

    /// Metric that should improve: ttfb, fcp, lcp, speed-index or onload.
    #[arg(short, long, alias = "goal", value_name = "NAME", default_value_t)]
    metric: MetricId,

    /// Version of HTTP: h1, h2, h3, or rules for each origin such as "static.example=h3 *=h2".
    /// [default: the recorded one]
    #[arg(short = 'P', long, value_name = "PROTOCOL")]
    protocol: Option<ProtocolMap>,

    #[command(flatten)]
    random: SeedArgs,

    /// Measure this many of the best changes in Chromium.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "N", help_heading = OUTPUT)]
    verify: Option<usize>,

    /// Write the advice as JSON.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    #[command(flatten, next_help_heading = OUTPUT)]
    work: WorkArgs,

    #[command(flatten, next_help_heading = RECORDING)]
    choice: PageChoice,

    #[command(flatten, next_help_heading = RECORDING)]
    layout: LayoutArgs,

    #[command(flatten, next_help_heading = MODEL)]
    model: ModelArgs,
}

pub(crate) fn run(args: &AdviseArgs) -> Result<()> {
    let files: Vec<&Path> = args.json.iter().map(PathBuf::as_path).collect();
    check_files(&files, std::slice::from_ref(&args.har))?;
    explainable(args.metric)?;
    let networks = networks(&args.network, &DEFAULT_NETWORKS)?;
    let settings = settings(&args.model)?;
    let file = recorded(&args.har, &args.work.progress)?;
    let mut pages = measured_pages(
        std::slice::from_ref(&file),
        args.choice.page.as_ref(),
        &args.layout,
        &args.work,
    )?;
    let tried: Vec<Changes> = MEASURED
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let choice = args.choice.page.as_ref();
    measured::measure(std::slice::from_ref(&file), choice, &tried, &mut pages)?;
    origin_rtt::apply(&args.model.distance.origin_rtt, &mut pages)?;
    let page = pages[0].clone();
    if !page.has_navigation() {
        bail!(
            "{}: {}: there is nothing to advise",
            page.name,
            page.paints_in_words()
        );
    }
    let protocols = args.protocol.clone();
    let plan = Plan {
        pages,
        networks,
        contenders: vec![Contender {
            protocols: protocols.unwrap_or_else(|| recorded_protocol(&page)),
            ..Contender::default()
        }],
        seed: args.random.seed,
        metric: args.metric,
        ..settings
    };
    plan.check()?;
    end_soon_on_interrupt();
    let mut out = anstream::stdout().lock();
    answer::doubts(&mut out, &plan)?;
    let watch = args.work.watch("loads");
    watch.start("trying", 0);
    let advice = advise(&plan, args.work.jobs(), &load, &explain, &|progress| {
        watch.tell(progress)
    })?;
    watch.clear();
    print::advice(&mut out, &plan, &advice, &file)?;
    drop(out);
    if let Some(path) = &args.json {
        write_text(path, &format!("{:#}\n", as_json(&plan, &advice)))?;
    }
    #[cfg(feature = "live")]
    if let Some(count) = args.verify {
        verify(args, &file, &plan, &advice, count)?;
    }
    Ok(())
}

/// Loads the page as it is and with each of the best changes in a real browser.
#[cfg(feature = "live")]
fn verify(
    args: &AdviseArgs,
    file: &Path,
    plan: &Plan,
    advice: &Advice,
    count: usize,
) -> Result<()> {
    let gaining = advice.judged.iter().filter(|one| print::gains(one));
    let servable = gaining.filter(|one| paste::is_servable(&plan.pages[0], &one.idea.changes));
    let changes: Vec<String> = servable
        .take(count)
        .map(|one| one.idea.changes.to_string())
        .collect();
    if changes.is_empty() {
        writeln!(
            anstream::stdout(),
            "\nNothing to verify: no change gains that servers can make to the recorded page."
        )?;
        return Ok(());
    }
    writeln!(anstream::stdout(), "\nIn Chromium:")?;
    let networks = plan.networks.iter().map(|network| network.name.clone());
    let networks = networks.collect::<Vec<_>>().join(",");
    let mut words = vec![
        "live".to_owned(),
        file.display().to_string(),
        format!("--network={networks}"),
        format!("--protocol={}", plan.contenders[0].protocols),
        format!("--metric={}", args.metric),
        format!("--runs={VERIFYING}"),
    ];
    words.extend(changes.iter().map(|change| format!("--change={change}")));
    words.extend(
        args.work
            .progress
            .no_progress
            .then(|| "--no-progress".to_owned()),
    );
    super::live::run(&super::live::LiveArgs::try_parse_from(words)?)
}

fn as_json(plan: &Plan, advice: &Advice) -> Value {
    let page = &plan.pages[0];
    let effect = |(network, effect): (usize, &Option<Effect>)| {
        effect.map(|one| {
            json!({
                "network": plan.networks[network].name,
                "before_ms": one.before,
                "after_ms": one.after,
                "after_low_ms": one.after_range.0,
                "after_high_ms": one.after_range.1,
                "difference_ms": one.difference,
                "low_ms": one.range.0,
                "high_ms": one.range.1,
                "worth": print::worth(one.worth()),
            })
        })
    };
    let tried = |one: &Tried| {
        let effects: Vec<Value> = one.effects.iter().enumerate().filter_map(effect).collect();
        let costs = one.costs.iter().map(|(metric, network, effect)| {
            json!({
                "metric": metric.metric().name,
                "network": plan.networks[*network].name,
                "difference_ms": effect.difference,
            })
        });
        json!({
            "change": one.idea.changes.to_string(),
            "because": one.idea.because,
            "is_repair": one.idea.is_repair,
            "worth": print::worth(one.worth()),
            "effects": effects,
            "costs": costs.collect::<Vec<_>>(),
            "paste": paste::lines(page, &one.idea.changes),
        })
    };
    let all = |list: &[Tried]| list.iter().map(tried).collect::<Vec<_>>();
    json!({
        "format": "pagerace-advice",
        "schema": 1,
        "version": VERSION,
        "page": page.name,
        "url": page.url,
        "metric": plan.metric.metric().name,
        "protocol": plan.contenders[0].protocols.to_string(),
        "seed": plan.seed,
        "together": all(&advice.together),
        "sum": advice.sum.iter().enumerate().filter_map(effect).collect::<Vec<_>>(),
        "changes": all(&advice.judged),
        "idle": advice.idle.iter().map(|one| one.changes.to_string()).collect::<Vec<_>>(),
    })
}
