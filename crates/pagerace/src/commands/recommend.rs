//! `pagerace recommend`: the choice for many pages and networks, and who gets worse by it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, bail};
use clap::Parser;
use pagerace_core::Words as _;
use pagerace_lab::MetricId;
use pagerace_lab::export::file::write_atomically;
use pagerace_study::claim;
use pagerace_study::recommend::evaluate::steps;
use pagerace_study::recommend::rule::DEPTH_MAX;
use pagerace_study::recommend::{Feature, Population, evaluate, population};

use super::study::{self, FilterArgs, FolderArgs, PagesArgs};
use crate::cli::files::{check_files, say, write_text};
use crate::cli::groups::WorkArgs;
use crate::cli::sections;
use crate::cli::sections::SectionArgs;
use crate::cli::warn::warn;
use crate::failed::Interrupted;
use crate::progress::end_soon_on_interrupt;
use input::Input;
use mix::Mix;

mod csv;
mod input;
mod json;
mod losers;
mod mix;
mod print;

const EXAMPLES: &str = "\
The choices are the contenders of a study: versions of HTTP, controllers and strategies. Today's
choice, the best fixed choice and a rule that is learnt are compared on pages from which they were
not learnt.

Examples:
  pagerace recommend plan.toml --today \"h2 cubic\"
      runs what the results lack; which choice is best for all pages and networks, and whether a
      rule by page and network is better

  pagerace recommend loads.parquet --mix 'cable=5,slow-4g=1' --metric speed-index
      the same from loads that `study export` wrote, if five of six users have cable

  pagerace recommend results --users users.csv --depth 2 --json rule.json
      for networks as users measured them (a header with rtt_ms and optionally down_mbps,
      loss_percent, up_mbps, weight), with the rule as JSON for a server

  pagerace recommend plan.toml --mix crux-mobile
      for the round trips of Chrome on phones; `pagerace list mixes` has the others";

/// Recommend a choice for many pages and networks, and say who gets worse by it.
#[derive(Debug, Parser)]
#[command(name = "recommend", after_long_help = EXAMPLES)]
pub(crate) struct RecommendArgs {
    /// A plan (a TOML file or a folder that holds plan.toml), a folder of results, or a file
    /// that `study export` or `corpus --loads` wrote. Of a plan, the loads that its results lack
    /// run first.
    #[arg(value_name = "INPUT")]
    input: PathBuf,

    /// Metric, by name or column; see `pagerace list metrics`.
    #[arg(short, long, value_name = "NAME", default_value_t, value_parser = claim::metric)]
    metric: MetricId,

    /// Contender that is in use today: its name or a part of it, such as "h2 cubic".
    /// [default: the plainest, of HTTP/2 if there is one]
    #[arg(long, value_name = "NAME")]
    today: Option<String>,

    /// Maximum number of questions of the rule on the way to a choice.
    #[arg(long, value_name = "N", default_value_t = DEPTH_MAX,
        value_parser = clap::value_parser!(u8).range(1..=i64::from(DEPTH_MAX)))]
    depth: u8,

    /// Weights of networks, such as 'cable=5,slow-4g=1'; others have none. Or the name of a [mix]
    /// of the plan, or of one that `pagerace list mixes` shows. [default: equal]
    #[arg(long, value_name = "NETWORK=WEIGHT,..|NAME", conflicts_with = "users")]
    mix: Vec<String>,

    /// Weights of networks from a CSV file with a row for each user, with the column `rtt_ms` and
    /// optionally `down_mbps`, `loss_percent`, `up_mbps` and weight. Each user counts for the
    /// nearest network.
    #[arg(long, value_name = "FILE")]
    users: Option<PathBuf>,

    #[command(flatten)]
    only: FilterArgs,

    #[command(flatten, next_help_heading = "Plan")]
    files: PagesArgs,

    #[command(flatten, next_help_heading = "Plan")]
    folder: FolderArgs,

    /// Do not run the loads that the results of the plan lack.
    #[arg(long, help_heading = "Plan")]
    no_run: bool,

    #[command(flatten, next_help_heading = "Plan")]
    work: WorkArgs,

    #[command(flatten, next_help_heading = "Output")]
    sections: SectionArgs,

    /// Write all pairs of page and network that lose by each policy as CSV: those that get worse
    /// than today by more than 5 %, and those that break more objects.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    losers: Option<PathBuf>,

    /// Print the regret as CSV with all digits, and nothing else.
    #[arg(long, help_heading = "Output")]
    csv: bool,
}

pub(crate) fn run(args: &RecommendArgs) -> Result<()> {
    let inputs = [Some(&args.input), args.users.as_ref()];
    let inputs: Vec<PathBuf> = inputs.into_iter().flatten().cloned().collect();
    let outputs = args.sections.files().chain(&args.losers);
    check_files(&outputs.collect::<Vec<_>>(), &inputs)?;
    let name = args.name()?;
    let section = format!("recommendation-{name}");
    args.sections.check(&section)?;
    let plan = input::plan(args)?;
    let mix = Mix::read(args, plan.as_deref())?;
    let Input {
        frame,
        pages,
        circumstances,
    } = Input::read(args)?;
    let place = |reason: String| Error::msg(format!("{}: {reason}", args.input.display()));
    let mut frame = frame.filter(&args.only.filter()).map_err(place)?;
    frame.name_contenders();
    // A plan's traces are relative to its folder, and its results lie there by default.
    let loads = input::path(args);
    let folder = loads.parent().unwrap_or(Path::new(""));
    let networks = mix::facts(&population::networks(&frame), folder);
    let shares = mix.shares(&networks)?;
    let facts = population::PopulationFacts {
        pages,
        networks: networks
            .into_iter()
            .filter_map(|(name, facts)| Some((name, facts.ok()?)))
            .collect(),
    };
    let today = args.today.as_deref();
    let population = Population::new(&frame, args.metric, today, &shares.weights, &facts);
    let population = population.map_err(place)?;
    if !population.left_out.is_empty() {
        warn(&format!(
            "pages that lack loads are left out: {}",
            population.left_out.join("; ")
        ));
    }
    let all = Feature::OF_NETWORKS.into_iter().chain(Feature::OF_PAGES);
    let unknown = all.filter(|feature| !population.features.contains(feature));
    let unknown: Vec<&str> = unknown.map(Feature::phrase).collect();
    if !unknown.is_empty() {
        warn(&format!(
            "the rule does not ask for what is not known of all pages and networks: {}",
            unknown.join(", ")
        ));
    }
    end_soon_on_interrupt();
    let watch = args.work.watch("parts");
    watch.start("learning", steps(&population));
    let progress = |progress| watch.tell(progress);
    let jobs = args.work.jobs();
    let evaluation = evaluate(&population, args.depth, jobs, &progress);
    let kept = "; nothing was written, and all loads are kept";
    let evaluation = evaluation.ok_or_else(|| Interrupted(kept.to_owned()))?;
    watch.clear();
    let title = format!("What to choose for {name}: {}", args.metric.metric().title);
    let report = print::Report {
        title: &title,
        population: &population,
        evaluation: &evaluation,
        mix: &shares.text,
        assumed: args.today.is_none(),
        circumstances: &circumstances,
    };
    let mut out = anstream::stdout().lock();
    if args.csv {
        csv::print(&mut out, &population, &evaluation)?;
    } else {
        report.print(&mut out)?;
    }
    drop(out);
    let command = "pagerace recommend --markdown";
    let markdown = || sections::markdown(&report.sections());
    args.sections
        .write(&section, command, &markdown, &|| report.sections())?;
    if let Some(path) = &args.losers {
        write_atomically(path, |out| losers::write(out, &population, &evaluation))?;
        if !args.csv {
            say(path)?;
        }
    }
    if let Some(path) = &args.sections.json {
        let json = json::of(&report, &facts, &args.input, plan.as_deref());
        let text = format!("{}\n", serde_json::to_string_pretty(&json)?);
        if args.csv {
            // Standard output holds the table alone.
            write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        } else {
            write_text(path, &text)?;
        }
    }
    Ok(())
}

impl RecommendArgs {
    /// Returns the name of the input: that of the folder of a plan or of results, or of a file.
    fn name(&self) -> Result<String> {
        let path = input::path(self);
        let place = || format!("{}: cannot be read", path.display());
        let whole = std::fs::canonicalize(&path).with_context(place)?;
        if whole.is_dir() {
            let name = whole.file_name().unwrap_or_default();
            return Ok(name.to_string_lossy().into_owned());
        }
        study::name(&whole)
    }

    /// Rejects options of plans if the input is none.
    fn check_no_plan(&self) -> Result<()> {
        let given = [
            (!self.files.pages.is_empty(), "--pages"),
            (self.files.traces.is_some(), "--traces"),
            (self.folder.output.is_some(), "--output"),
            (self.no_run, "--no-run"),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, option)) => bail!(
                "{option} is an option of plans, and {} holds loads that were run",
                self.input.display()
            ),
            None => Ok(()),
        }
    }
}
