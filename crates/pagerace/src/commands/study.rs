//! `pagerace study`: races over many pages, in resumable shards.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Result;
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Args, Parser};
use pagerace_lab::VERSION;
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_study::Store;
use pagerace_study::columns::TableWriter;
use pagerace_study::row::Row;
use pagerace_study::store::{PAGES, VERSION_KEY};

use crate::cli::files::say;
use crate::cli::groups::WorkArgs;
use crate::cli::warn::warn;
use crate::progress::end_soon_on_interrupt;
use crate::text::counted;
use evaluate::TableArgs;
use resolve::Resolved;

mod embedded;
pub(super) mod engine;
mod evaluate;
mod from_race;
mod loads;
mod markdown;
mod options;
mod resolve;
mod run;
mod text;

pub use embedded::Study;
pub(super) use evaluate::FilterArgs;
pub(super) use loads::{PlanLoads, of_plan};
pub(super) use markdown::{MODEL_ERROR, name};
pub(crate) use options::plan_with;

/// The name of a plan in its folder.
pub(super) const PLAN_FILE: &str = "plan.toml";

/// The metadata key of the plan.
pub(super) const PLAN: &str = "pagerace.plan";

const EXAMPLES: &str = "\
Examples:
  pagerace study run plan.toml -o results
      runs what results/ lacks; interrupted or changed, it goes on where it was

  pagerace study run plan.toml -o results --shard 3/16
      the third of sixteen parts, on any machine; copy the folders together";

/// Run a plan of races over many pages, with the results in Parquet files.
#[derive(Debug, Parser)]
#[command(name = "study")]
pub(crate) enum StudyCommand {
    /// Explain a plan: its pages, races, and the number of loads.
    Check(PlanArgs),
    /// Run the loads of a plan that the results lack.
    #[command(after_help = EXAMPLES)]
    Run(RunArgs),
    /// Show how much of a plan is done.
    Status(ResultArgs),
    /// Write the loads of a plan as one Parquet file, in the order of the plan.
    Export(ExportArgs),
    /// Run the loads that the results lack, print the tables and decide the claims of a plan.
    Report(ReportArgs),
    /// Make a table of loads in Parquet files.
    Table(TableArgs),
    /// Print a plan of the race of a results file (written by race --json).
    Plan(FromRaceArgs),
}

/// Recordings and traces for a plan.
#[derive(Args, Clone, Debug)]
pub(crate) struct PagesArgs {
    /// Recordings in place of the plan's pages; may be given several times, as in
    /// 'small=pages/small/*.har' --pages 'large=pages/large/*.har'.
    #[arg(long, value_name = "[GROUP=]FILES")]
    pub(crate) pages: Vec<String>,

    /// Folder to which the traces of networks are relative. [default: that of the plan]
    #[arg(long, value_name = "DIR")]
    pub(crate) traces: Option<PathBuf>,
}

/// The results of a plan.
#[derive(Args, Clone, Debug)]
pub(crate) struct FolderArgs {
    /// Folder of the plan's results. [default: results, beside the plan]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// The plan, a TOML file, or a folder that holds plan.toml.
    #[arg(value_name = "PLAN", value_parser = PathBufValueParser::new().map(plan_file))]
    plan: PathBuf,

    #[command(flatten)]
    files: PagesArgs,
}

impl PlanArgs {
    fn read(&self) -> Result<Resolved> {
        let PagesArgs { pages, traces } = &self.files;
        Resolved::read(&self.plan, pages, traces.as_deref())
    }
}

/// Returns the file of a plan, which may be named by its folder.
fn plan_file(path: PathBuf) -> PathBuf {
    if path.is_dir() {
        path.join(PLAN_FILE)
    } else {
        path
    }
}

#[derive(Args, Debug)]
pub(crate) struct ResultArgs {
    #[command(flatten)]
    plan: PlanArgs,

    #[command(flatten)]
    folder: FolderArgs,
}

impl ResultArgs {
    /// The results of a plan that lie in `folder`, or else beside it.
    pub(super) fn new(plan: PathBuf, files: PagesArgs, folder: FolderArgs) -> Self {
        let plan = PlanArgs { plan, files };
        Self { plan, folder }
    }

    /// Returns the folder of the results.
    fn folder(&self) -> PathBuf {
        let beside = || self.plan.plan.with_file_name("results");
        self.folder.output.clone().unwrap_or_else(beside)
    }

    fn read(&self) -> Result<Resolved> {
        Ok(self.plan.read()?.lenient())
    }
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    results: ResultArgs,

    /// Part of the work, such as 3/16 for the third of sixteen.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Part,

    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    results: ResultArgs,

    /// Also write the study's section of a Markdown file, in place of the one that is there.
    /// Its plots go beside the file.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Do not run the loads that the results lack.
    #[arg(long)]
    no_run: bool,

    /// Exit with status 1 if a claim does not hold that the plan marks with `expected = true`.
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    results: ResultArgs,

    /// The Parquet file to write.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct FromRaceArgs {
    /// The results file.
    #[arg(value_name = "JSON")]
    race: PathBuf,
}

/// One of several equal parts of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    index: usize,
    of: usize,
}

impl Part {
    /// All of the work.
    const WHOLE: Self = Self { index: 1, of: 1 };
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(index, of)| {
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&index).then_some(Self { index, of })
        });
        parsed.ok_or_else(|| "write it as 3/16: a part from 1 and the number of parts".to_owned())
    }
}

pub(crate) fn run(command: &StudyCommand) -> Result<()> {
    end_soon_on_interrupt();
    match command {
        StudyCommand::Check(args) => check(args),
        StudyCommand::Run(args) => run::run(args),
        StudyCommand::Status(args) => status(args),
        StudyCommand::Export(args) => export(args),
        StudyCommand::Report(args) => evaluate::report(args),
        StudyCommand::Table(args) => evaluate::table(args),
        StudyCommand::Plan(args) => from_race::print(&args.race),
    }
}

fn check(args: &PlanArgs) -> Result<()> {
    let resolved = args.read()?;
    evaluate::check(&resolved, &args.plan)?;
    let mut out = anstream::stdout().lock();
    if !resolved.study.title.is_empty() {
        writeln!(out, "{}", resolved.study.title)?;
    }
    for (index, (race, plan)) in resolved.races().enumerate() {
        let networks: Vec<&str> = plan.networks.iter().map(|n| n.name.as_str()).collect();
        let (runs, pages) = (u64::from(plan.runs), resolved.pages(index) as u64);
        let (runs, pages) = (counted(runs, "run"), counted(pages, "page"));
        writeln!(
            out,
            "race \"{race}\": {runs} of {pages}, seed {}",
            plan.seed
        )?;
        writeln!(out, "  networks    {}", networks.join("; "))?;
        writeln!(out, "  contenders  {}", plan.labels().join("; "))?;
        writeln!(out, "  settings    {}", pagerace_lab::facts::facts(plan))?;
    }
    let (loads, shards) = resolved.check_pages()?;
    let (loads, shards) = (counted(loads, "load"), counted(shards, "shard"));
    writeln!(out, "{loads} in {shards}")?;
    writeln!(out, "engine {}", engine::fingerprint())?;
    let study = &resolved.study;
    let counts = [
        (
            study.tables.len() + study.losses.len() + study.matrices.len(),
            "table",
        ),
        (study.plots.len(), "plot"),
        (study.claims.len(), "claim"),
    ];
    let shown = counts
        .iter()
        .filter(|(count, what)| *count > 0 || *what != "plot");
    let shown: Vec<String> = shown
        .map(|(count, what)| counted(*count as u64, what))
        .collect();
    writeln!(out, "{}", shown.join(", "))?;
    Ok(())
}

fn status(args: &ResultArgs) -> Result<()> {
    let resolved = args.read()?;
    let store = Store::read(&args.folder(), resolved.study.details)?;
    let races = progress_of(&resolved, &store)?;
    let mut out = anstream::stdout().lock();
    for ((race, _), (done, all)) in resolved.races().zip(&races) {
        writeln!(out, "race \"{race}\": {done} of {all} loads")?;
    }
    let (done, total) = races
        .iter()
        .fold((0, 0), |sum, race| (sum.0 + race.0, sum.1 + race.1));
    writeln!(out, "total: {done} of {total} loads")?;
    Ok(())
}

/// Returns the number of loads that are done, and of all, of each race.
fn progress_of(resolved: &Resolved, store: &Store) -> Result<Vec<(u64, u64)>> {
    let mut races = vec![(0, 0); resolved.study.races.len()];
    resolved.shards(&mut |shard| {
        let missing = store.missing(&shard).unwrap_or_default();
        for (place, piece) in &shard.pieces {
            races[place.race].0 += piece.runs.len() as u64;
            races[place.race].1 += piece.runs.len() as u64;
        }
        for (place, piece) in &missing.pieces {
            races[place.race].0 -= piece.runs.len() as u64;
        }
        Ok(())
    })?;
    Ok(races)
}

fn export(args: &ExportArgs) -> Result<()> {
    let resolved = args.results.read()?;
    let (plan, folder) = (&args.results.plan.plan, args.results.folder());
    let (found, all) = export_to(&resolved, plan, &folder, &args.to)?;
    warn_of_missing(all - found);
    Ok(say(&args.to)?)
}

/// Writes the loads of a plan as one Parquet file. Returns their number, and that of all.
fn export_to(resolved: &Resolved, plan: &Path, folder: &Path, to: &Path) -> Result<(usize, usize)> {
    let store = Store::read(folder, resolved.study.details)?;
    check_writable(to)?;
    let plan = fs::read_to_string(plan)?;
    let (mut found, mut all) = (0, 0);
    let mut pages: Vec<String> = Vec::new();
    let mut failed = None;
    let written = write_atomically(to, |out| {
        let mut writer = TableWriter::new::<Row>(out)?;
        let each = resolved.each(|cells| {
            let rows = resolved.rows(&store, cells)?;
            found += rows.len();
            all += cells.digests.len() * cells.plan.runs as usize;
            let facts = resolved.stored_facts(&store, cells)?;
            pages.extend(facts.filter(|facts| !pages.contains(facts)));
            if !rows.is_empty() {
                writer.write(&rows)?;
            }
            Ok(())
        });
        if let Err(error) = each {
            failed = Some(error);
            return Err(io::Error::other("a shard could not be read"));
        }
        let metadata = [
            (VERSION_KEY, VERSION.to_owned()),
            (PLAN, plan),
            (PAGES, format!("[{}]", pages.join(","))),
        ];
        Ok(writer.close(&metadata)?)
    });
    if let Some(error) = failed {
        return Err(error);
    }
    written?;
    Ok((found, all))
}

/// Warns if loads are missing.
fn warn_of_missing(missing: usize) {
    if missing > 0 {
        let missing = counted(missing as u64, "load");
        warn(&format!(
            "the results lack {missing}; `pagerace study run` runs them"
        ));
    }
}

/// Returns the contents of a file as the digest of its bytes.
fn digest_of_file(path: &Path) -> Result<String> {
    use anyhow::Context as _;

    let bytes = fs::read(path);
    let bytes = bytes.with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(pagerace_study::shard::digest(&bytes))
}
