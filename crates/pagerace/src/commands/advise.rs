//! `pagerace advise`: what to change about a page, and what that gains.

mod http3;
mod json;
mod markdown;
mod paste;
mod print;
mod report;
pub(super) mod servers;
mod users;
mod words;

#[cfg(feature = "live")]
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use pagerace_lab::advice::{News, Question, advise};
use pagerace_lab::why::explainable;
use pagerace_lab::{Contender, MetricId, Plan};
use pagerace_page::Changes;
use pagerace_sim::ProtocolMap;

use super::explain::recorded_protocol;
use super::race::{answer, measured_pages, recorded};
use crate::cli::files::{check_files, open, write_text};
use crate::cli::groups::{LayoutArgs, MODEL, OUTPUT, PageChoice, RECORDING, SeedArgs, WorkArgs};
use crate::cli::inputs::{list, networks};
use crate::cli::measured;
use crate::cli::model::ModelArgs;
use crate::cli::origin_rtt;
use crate::cli::plan::settings;
use crate::cli::simulate::{explain, load};
use crate::progress::end_soon_on_interrupt;
use servers::Server;
use words::Answer;

/// The networks if none is named: a slow and a fast mobile network, and a line.
const DEFAULT_NETWORKS: [&str; 3] = ["slow-4g", "fast-4g", "cable"];

/// The loads of each variant in a browser: the fewest that a test can decide over.
#[cfg(feature = "live")]
const VERIFYING: u32 = 6;

/// Changes whose sizes are measured before others are tried.
const MEASURED: [&str; 5] = [
    "compress=br html+css+js+json",
    "inline css+js",
    "critical-css css",
    "format=avif images",
    "format=webp images",
];

const EXAMPLES: &str = "\
Each change is tried in many worlds: on links and processors a little better or worse than named.
A change gains if the metric comes sooner in nine of ten of them on one network, by 3 % or more,
and on no network later by as much.

A file of users is CSV with a header: the column rtt_ms, and optionally down_mbps, up_mbps,
loss_percent, cpu (as --cpu) and weight, or quantile in place of weight. What it lacks of a user is
that of the nearest network of --network.

Examples:
  pagerace advise tests/corpus/slides.page.gz
      what to change, what it gains on three networks, and the lines to paste

  pagerace advise tests/corpus/slides.page.gz --users crux-mobile --goal lcp,speed-index
      the same for the slower quarter of Chrome's users on phones, by two metrics

  pagerace advise https://news.example/ --network slow-4g --metric fcp --markdown issue.md
      records the page first, then advises what shows something sooner on a slow network, as a
      text for an issue

  pagerace advise tests/corpus/slides.page.gz --report advice.html --open
      the same as a report, with films of the page as it is and after the changes

  pagerace advise examples/pages/tours.page.gz --http3
      whether to turn on HTTP/3, who gains and who loses by it, and from what

  pagerace advise tests/corpus/slides.page.gz --network fast-4g --verify 2
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

    /// Users, whose slower quarter decides: a CSV file of their round trips and what else is known
    /// of them, or a mix that `pagerace list mixes` shows. [default: networks count by themselves]
    #[arg(long, value_name = "FILE|NAME")]
    users: Option<String>,

    /// Metrics that should improve, the most important first: ttfb, fcp, lcp, speed-index, onload.
    /// [default: lcp]
    #[arg(short, long, alias = "goal", value_name = "LIST")]
    metric: Vec<String>,

    /// Answer whether to turn on HTTP/3, for first and returning visitors near and far.
    #[arg(long, conflicts_with_all = ["protocol", "markdown", "report", "server", "h3_discovery", "certificates"])]
    #[cfg_attr(feature = "live", arg(conflicts_with = "verify"))]
    http3: bool,

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

    /// Print the lines for the configuration of this server, too.
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    server: Option<Server>,

    /// Write the advice as Markdown, for an issue or a pull request.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    markdown: Option<PathBuf>,

    /// Write a report as one HTML file: what to change, and a race of the page with and without it.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    report: Option<PathBuf>,

    /// Open the report in the browser.
    #[arg(long, requires = "report", help_heading = OUTPUT)]
    open: bool,

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
    let files = args.json.iter().chain(&args.markdown).chain(&args.report);
    let files: Vec<&Path> = files.map(PathBuf::as_path).collect();
    let users = args.users.iter().map(PathBuf::from);
    let inputs: Vec<PathBuf> = users.chain([args.har.clone()]).collect();
    check_files(&files, &inputs)?;
    let goals = list("metric", &args.metric, &[MetricId::default()])?;
    for goal in &goals {
        explainable(*goal)?;
    }
    if args.http3 && goals.len() > 1 {
        bail!(
            "--metric: --http3 answers for one metric, and {} are named",
            goals.len()
        );
    }
    let mut settings = settings(&args.model)?;
    let usual = if args.http3 && args.users.is_none() {
        &http3::NETWORKS[..]
    } else {
        &DEFAULT_NETWORKS
    };
    settings.networks = networks(&args.network, usual)?;
    let mut shares = Vec::new();
    if let Some(users) = &args.users {
        let crowds = users::read(users, &settings.networks, settings.browser.cpu)?;
        shares = crowds.iter().map(|one| one.weight).collect();
        settings.processors = crowds.iter().map(|one| one.cpu).collect();
        settings.networks = crowds.into_iter().map(|one| one.network).collect();
    }
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
    if !args.http3 {
        measured::measure(std::slice::from_ref(&file), choice, &tried, &mut pages)?;
    }
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
        contenders: vec![Contender {
            protocols: protocols.unwrap_or_else(|| recorded_protocol(&page)),
            ..Contender::default()
        }],
        seed: args.random.seed,
        metric: goals[0],
        ..settings
    };
    plan.check()?;
    end_soon_on_interrupt();
    let question = Question {
        plan: &plan,
        goals: &goals,
        shares: &shares,
    };
    let mut out = anstream::stdout().lock();
    answer::doubts(&mut out, &plan)?;
    if args.http3 {
        drop(out);
        let json = http3::run(&plan, &shares, &args.work)?;
        if let Some(path) = &args.json {
            write_text(path, &format!("{json:#}\n"))?;
        }
        return Ok(());
    }
    let watch = args.work.watch("loads");
    let news = |news: News<'_>| match news {
        News::Part(name, loads) => watch.start(name, loads),
        News::First(idea, effects) => watch.note(&format!(
            "First impression: {} changes {} by {:+.0} %",
            idea.brief(),
            goals[0].metric().title,
            100.0 * effects[0].mean()
        )),
    };
    let progress = |progress| watch.tell(progress);
    let advice = advise(
        question,
        args.work.jobs(),
        &load,
        &explain,
        &progress,
        &news,
    )?;
    watch.clear();
    let answer = Answer {
        question,
        advice: &advice,
    };
    let measured = measured_on(answer);
    let verified = measured.iter().map(|i| {
        let network = &plan.networks[*i];
        if shares.is_empty() {
            network.name.clone()
        } else {
            network.to_string()
        }
    });
    let verified: Vec<String> = verified.collect();
    print::advice(&mut out, answer, &file, args.server, &verified)?;
    drop(out);
    if let Some(path) = &args.markdown {
        write_text(path, &markdown::of(answer))?;
    }
    if let Some(path) = &args.json {
        write_text(path, &format!("{:#}\n", json::of(answer)))?;
    }
    if let Some(path) = &args.report {
        report::write(path, answer, &measured, &args.work)?;
        if args.open {
            open(path)?;
        }
    }
    #[cfg(feature = "live")]
    if let Some(count) = args.verify {
        verify(args, &file, answer, &verified, count)?;
    }
    Ok(())
}

/// Returns the networks that stand for the answer: those of the question, or of users the one whose
/// loads are at the 75th percentile.
fn measured_on(answer: Answer<'_>) -> Vec<usize> {
    let (plan, shares) = (answer.plan(), answer.question.shares);
    if shares.is_empty() {
        return (0..plan.networks.len()).collect();
    }
    let effects = answer.advice.alone(answer.question);
    let all = effects.networks.iter().enumerate();
    let all = all.filter_map(|(i, effect)| Some((effect.as_ref()?.before, i)));
    let mut all: Vec<(f64, usize)> = all.collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut passed = 0.0;
    let slower = all.iter().find(|(_, i)| {
        passed += shares[*i];
        passed >= 0.75
    });
    slower.map(|(_, i)| *i).into_iter().collect()
}

/// Loads the page as it is and with each of the best changes in a real browser.
#[cfg(feature = "live")]
fn verify(
    args: &AdviseArgs,
    file: &Path,
    answer: Answer<'_>,
    networks: &[String],
    count: usize,
) -> Result<()> {
    let plan = answer.plan();
    let gaining = answer.advice.judged.iter().filter(|one| words::gains(one));
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
    let networks = networks.join(",");
    let mut words = vec![
        "live".to_owned(),
        file.display().to_string(),
        format!("--network={networks}"),
        format!("--protocol={}", plan.contenders[0].protocols),
        format!("--metric={}", plan.metric),
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
