//! `pagerace survey new`: simulates the versions, and writes the folder of a survey.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use pagerace_core::Duration;
use pagerace_lab::export::file::write_atomically;
use pagerace_lab::facts::facts_in;
use pagerace_lab::stats::median;
use pagerace_lab::{Contender, MetricId, Plan, Results, RunSummary, VERSION, run_race};
use pagerace_page::Interventions;
use pagerace_papers::srivastava;
use pagerace_report::film::{self, PLAYER_SCRIPT};
use pagerace_report::input::Provenance;
use pagerace_sim::Outcome;
use pagerace_survey::Survey;
use pagerace_survey::design::tasks;
use pagerace_survey::questions::{consent, questions};
use pagerace_survey::survey::{
    FILE, FILMS, FORMAT, Layout, Limits, PLAYER, PLAYER_STYLE, Rules, SCENE, SCHEMA, Version,
};

use super::films::{films, last_change};
use super::{check_empty, print};
use crate::cli::files::say;
use crate::cli::groups::{
    DesignArgs, LayoutArgs, MODEL, OUTPUT, PageChoice, RECORDING, WorkArgs, default,
};
use crate::cli::model::ModelArgs;
use crate::cli::plan::{add_design, add_pages, settings};
use crate::cli::simulate::load;
use crate::cli::warn::warn;
use crate::commands::race::{measured_pages, prepare, recorded};
use crate::progress::end_soon_on_interrupt;

/// The network if none is named.
const NETWORK: &str = "fast-4g";
/// Name of the plainly slower version.
const SLOWER: &str = "slower";
/// Least time by which the plainly slower version is later.
const LATER_MIN: Duration = Duration::from_secs(2);
/// Time for which films show the complete page at their end, in milliseconds.
const REST_MS: f64 = 1_000.0;
/// Time that people take for a task beside its film, in milliseconds.
const THINKING_MS: f64 = 8_000.0;
/// Metrics that the report compares with answers.
const METRICS: [&str; 5] = ["ttfb", "fcp", "lcp", "speed-index", "onload"];

pub(super) const EXAMPLES: &str = "\
Examples:
  pagerace survey new site.page --what-if thesis -n \"rate 9mbit rtt 60ms loss 5%\" -o survey
      the seven versions of Srivastava 2024, section 5.10.2

  pagerace survey new site.page --protocol h2,h3 --network lossy-wifi --one-by-one
      do people prefer the page over HTTP/3 to the page over HTTP/2?

  pagerace survey new site.page --change \"remove ads\" --change \"font-display=swap fonts\"
      the page as it is, without ads, and with fallback fonts";

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Versions",
    mut_arg("network", default(NETWORK)),
    mut_arg("strategy", default("sequential")),
    mut_arg("baseline", default("the first"))
)]
pub(crate) struct NewArgs {
    /// Recording of the page (.page, .har, also .gz), or its URL, which is recorded first.
    #[arg(value_name = "HAR", help_heading = None)]
    har: PathBuf,

    #[command(flatten)]
    design: DesignArgs,

    /// Folder of the survey, which is absent or empty.
    #[arg(short, long, value_name = "DIR", default_value = "survey", help_heading = OUTPUT)]
    output: PathBuf,

    /// Heading of the survey's pages.
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "How do pages load best?",
        help_heading = OUTPUT
    )]
    title: String,

    /// Show the two films of a comparison one after the other, instead of side by side.
    #[arg(long, help_heading = OUTPUT)]
    one_by_one: bool,

    #[command(flatten, next_help_heading = OUTPUT)]
    work: WorkArgs,

    #[command(flatten, next_help_heading = RECORDING)]
    choice: PageChoice,

    #[command(flatten, next_help_heading = RECORDING)]
    layout: LayoutArgs,

    #[command(flatten, next_help_heading = MODEL)]
    model: ModelArgs,
}

pub(super) fn run(args: &NewArgs) -> Result<()> {
    let mut plan = plan(args)?;
    prepare(&mut plan)?.iter().for_each(|text| warn(text));
    plan.doubts().iter().for_each(|text| warn(text));
    if plan.contenders.len() < 2 {
        bail!(
            "there is nothing to compare with the page as it is; name versions with --what-if, \
             --change or --protocol, such as --what-if thesis"
        );
    }
    // The original comes first.
    plan.contenders.swap(0, plan.baseline);
    plan.baseline = 0;
    check_empty(&args.output)?;
    end_soon_on_interrupt();
    let watch = args.work.watch("loads");
    watch.start("loading", plan.loads());
    let results = run_race(&plan, args.work.jobs(), &load, &|progress| {
        watch.tell(progress)
    })?;
    let run = typical_run(&results)?;
    watch.start("filming", plan.contenders.len() + 1);
    let labels = plan.labels();
    let plan = with_slower(plan, &results, run)?;
    let film = |contender| {
        let variant = plan.variant_index(0, 0, contender);
        load(&plan.scenario(variant, run), plan.run_seed(run), true).map_err(anyhow::Error::msg)
    };
    let loads = (0..plan.contenders.len()).map(film);
    let loads: Vec<Outcome> = loads.collect::<Result<_>>()?;
    watch.clear();
    let survey = write(args, &plan, labels, &loads)?;
    let mut out = anstream::stdout().lock();
    print::made(&mut out, &survey, minutes(&survey))?;
    writeln!(out)?;
    drop(out);
    say(&args.output.join(FILE))?;
    writeln!(
        anstream::stdout(),
        "Next: pagerace survey serve {}",
        args.output.display()
    )?;
    Ok(())
}

fn plan(args: &NewArgs) -> Result<Plan> {
    let mut plan = settings(&args.model)?;
    let contenders = add_design(&mut plan, &args.design, &[NETWORK], true, Path::new(""))?;
    if let [_, _, ..] = plan.networks.as_slice() {
        bail!(
            "--network: people compare versions on one network, and {} are named",
            plan.networks.len()
        );
    }
    let file = recorded(&args.har, &args.work.progress)?;
    let pages = measured_pages(
        std::slice::from_ref(&file),
        args.choice.page.as_ref(),
        &args.layout,
        &args.work,
    )?;
    let page = &pages[0];
    if !page.has_navigation() {
        bail!(
            "{}: {}: there is nothing to see",
            page.name,
            page.paints_in_words()
        );
    }
    add_pages(
        &mut plan,
        &args.model.distance.origin_rtt,
        Some(&contenders),
        pages,
    )?;
    Ok(plan)
}

/// Returns the run that people see: the one in which all versions together are nearest to their
/// medians. All films are of one run, so versions differ in nothing but what they change.
fn typical_run(results: &Results) -> Result<usize> {
    let plan = &results.plan;
    let all: Vec<Vec<Option<f64>>> = results
        .variants
        .iter()
        .map(|variant| variant.values(plan.metric))
        .collect();
    let medians = all.iter().enumerate().map(|(contender, values)| {
        let finite = values
            .iter()
            .flatten()
            .copied()
            .filter(|value| value.is_finite());
        median(&finite.collect::<Vec<_>>()).with_context(|| {
            format!(
                "{} never reaches its {}, so there is nothing to judge; leave it out",
                plan.label(contender),
                plan.metric.metric().title
            )
        })
    });
    let medians: Vec<f64> = medians.collect::<Result<_>>()?;
    let distance = |run: usize| -> Option<f64> {
        let values = all
            .iter()
            .map(|values| values[run].filter(|value| value.is_finite()));
        let each = values
            .zip(&medians)
            .map(|(value, median)| Some((value? / median - 1.0).abs()));
        each.sum()
    };
    let runs = (0..results.most_runs()).filter_map(|run| Some((distance(run)?, run)));
    let nearest = runs.min_by(|a, b| a.0.total_cmp(&b.0));
    Ok(nearest
        .context("no run finishes in all versions; allow more --runs")?
        .1)
}

/// Adds the plainly slower version: the original, whose documents are answered so much later that
/// its first paint takes at least twice as long.
fn with_slower(mut plan: Plan, results: &Results, run: usize) -> Result<Plan> {
    let first = results.variant(0, 0, 0).runs[run].load.fcp;
    let Some(first) = first else {
        bail!("the original never shows anything, so there is nothing to compare");
    };
    let later = first.max(LATER_MIN).as_millis_f64().ceil();
    let later: Interventions = format!("html={later}ms").parse().expect("it is a delay");
    let original = &plan.contenders[0];
    let slower = Contender {
        interventions: original.interventions.and(&later),
        ..original.clone()
    };
    plan.contenders.push(slower);
    Ok(plan)
}

/// Writes the folder of the survey.
fn write(
    args: &NewArgs,
    plan: &Plan,
    mut labels: Vec<String>,
    loads: &[Outcome],
) -> Result<Survey> {
    labels.push("plainly slower".to_owned());
    let films = films(&plan.pages[0], loads.to_vec());
    let names = names(plan);
    let mut versions = Vec::new();
    for (place, (run, outcome)) in films.runs.iter().zip(loads).enumerate() {
        versions.push(version(
            &names[place],
            &labels[place],
            outcome,
            last_change(run),
        )?);
    }
    let slower = versions.pop().expect("the slower version is the last");
    let ids: Vec<String> = versions.iter().map(|version| version.id.clone()).collect();
    let published = if names_of_thesis(plan).is_some() {
        serde_json::from_str(srivastava::SURVEY).expect("the paper's results are read by a test")
    } else {
        Vec::new()
    };
    let page = &plan.pages[0];
    let mut survey = Survey {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        pagerace: VERSION.to_owned(),
        title: args.title.clone(),
        consent: Vec::new(),
        shows: format!(
            "{}: {}; {}: {}; seed {}",
            page.name,
            page.url,
            plan.networks[0].name,
            facts_in(plan, Provenance::Simulated),
            plan.seed
        ),
        seed: plan.seed,
        layout: if args.one_by_one {
            Layout::OneByOne
        } else {
            Layout::SideBySide
        },
        tasks: tasks(&ids),
        versions,
        slower,
        questions: questions(),
        rules: Rules::default(),
        limits: Limits::default(),
        published,
    };
    survey.consent = consent(minutes(&survey));
    survey.check().map_err(anyhow::Error::msg)?;
    let folder = &args.output;
    std::fs::create_dir_all(folder.join(FILMS)).with_context(|| folder.display().to_string())?;
    let file = |name: &str, text: &str| {
        write_atomically(&folder.join(name), |out| out.write_all(text.as_bytes()))
    };
    file(PLAYER, PLAYER_SCRIPT)?;
    file(PLAYER_STYLE, film::PLAYER_STYLE)?;
    file(&format!("{FILMS}/{SCENE}.json"), &films.scene.to_string())?;
    for (version, run) in survey.all_versions().zip(&films.runs) {
        file(&format!("{FILMS}/{}.json", version.id), &run.to_string())?;
    }
    file(
        FILE,
        &format!("{}\n", serde_json::to_string_pretty(&survey)?),
    )?;
    Ok(survey)
}

/// Returns a version with the metrics of its load.
fn version(id: &str, label: &str, outcome: &Outcome, last_change: Option<f64>) -> Result<Version> {
    let summary = RunSummary::from(outcome);
    let value = |name: &str| -> Option<(String, f64)> {
        let metric: MetricId = name.parse().expect("it is in the registry");
        let value = summary.value(metric).filter(|value| value.is_finite())?;
        Some((name.to_owned(), value))
    };
    let values: BTreeMap<String, f64> = METRICS.iter().filter_map(|name| value(name)).collect();
    let Some(last) = last_change.filter(|_| values.contains_key("fcp")) else {
        bail!("{label} never shows anything, so there is nothing to judge; leave it out");
    };
    let end = values.get("lcp").copied().unwrap_or(last).max(last);
    Ok(Version {
        id: id.to_owned(),
        what: label.to_owned(),
        length_ms: ((end + REST_MS) / 100.0).ceil() * 100.0,
        metrics: values,
    })
}

/// Returns the names of all versions: those of the thesis, or numbers; the slower one has its own.
fn names(plan: &Plan) -> Vec<String> {
    let count = plan.contenders.len() - 1;
    let numbers = || (1..=count).map(|number| number.to_string()).collect();
    let mut names = names_of_thesis(plan).unwrap_or_else(numbers);
    names.push(SLOWER.to_owned());
    names
}

/// Returns the names of the thesis, if all versions are some of its seven.
fn names_of_thesis(plan: &Plan) -> Option<Vec<String>> {
    let own = plan.contenders.iter().take(plan.contenders.len() - 1);
    let all = own.map(|contender| srivastava::version(&contender.interventions));
    let names: Vec<String> = all
        .map(|name| name.map(str::to_owned))
        .collect::<Option<_>>()?;
    // Versions that differ in something else as well would have one name.
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (distinct.len() == names.len()).then_some(names)
}

/// Returns how long a person takes, in minutes.
fn minutes(survey: &Survey) -> u64 {
    let lengths = survey.versions.iter().map(|version| version.length_ms);
    let longest = lengths.fold(0.0, f64::max);
    let mut films = survey.tasks_per_person() as f64 * (longest + THINKING_MS);
    if survey.layout == Layout::OneByOne {
        films += survey.pairs_per_person() as f64 * longest;
    }
    (films / 60_000.0).ceil() as u64
}
