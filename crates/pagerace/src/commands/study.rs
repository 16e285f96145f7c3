//! `pagerace study`: races over many pages, in resumable shards.

use std::fs;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use clap::{Args, CommandFactory as _, Parser as _, Subcommand};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_lab::{LabError, Plan, Progress, RunSummary, VERSION, parallel};
use pagerace_study::row::{Key, Row, RowWriter};
use pagerace_study::shard::{cut, digest};
use pagerace_study::{PageFile, Shard, Store, Study};

use super::files::say;
use super::inputs::jobs;
use super::interventions::{self, needs_pages};
use super::race::{add_pages, outline};
use super::simulate::load;
use crate::cli::{Cli, Command, RaceArgs};
use crate::progress::Watch;

/// Maximum number of loads of a study.
const LOADS_MAX: u64 = 1_000_000_000;

/// Options of `pagerace race` that a plan cannot give: a study has outputs of its own.
const NOT_IN_PLANS: [&str; 11] = [
    "report",
    "open",
    "json",
    "csv",
    "sessions",
    "qlog",
    "qlog-runs",
    "scenario",
    "jobs",
    "no-progress",
    "help",
];

const EXAMPLES: &str = "\
Examples:
  pagerace study run plan.toml -o results
      runs what results/ lacks; interrupted or changed, it goes on where it was

  pagerace study run plan.toml -o results --shard 3/16
      the third of sixteen parts, on any machine; copy the files together";

#[derive(Debug, Subcommand)]
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
}

#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// The plan, a TOML file.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ResultArgs {
    #[command(flatten)]
    plan: PlanArgs,

    /// Folder of the results.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    results: ResultArgs,

    /// Part of the work, such as 3/16 for the third of sixteen.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Part,

    /// Number of threads; results do not depend on it. [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Do not show progress.
    #[arg(long)]
    no_progress: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    results: ResultArgs,

    /// The Parquet file to write.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

/// One of several equal parts of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    index: usize,
    of: usize,
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
    match command {
        StudyCommand::Check(args) => check(args),
        StudyCommand::Run(args) => run_shards(args),
        StudyCommand::Status(args) => status(args),
        StudyCommand::Export(args) => export(args),
    }
}

/// A plan whose races are resolved.
struct Resolved {
    study: Study,
    /// The folder of the plan, to which the names of pages are relative.
    folder: PathBuf,
    /// The options and the outline of each race.
    races: Vec<(RaceArgs, Plan)>,
}

/// The cells of one race and page.
struct Cells {
    plan: Plan,
    /// Digest of everything that decides the loads of each cell: networks, and
    /// contenders on each.
    digests: Vec<String>,
}

impl Resolved {
    fn read(path: &Path) -> Result<Self> {
        let study = Study::read(path)?;
        let mut races = Vec::new();
        for race in &study.races {
            let place = || format!("{}: race \"{}\"", path.display(), race.name);
            let args = race_args(&race.arguments).with_context(place)?;
            let plan = outline(&args).with_context(place)?;
            races.push((args, plan));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let resolved = Self {
            study,
            folder,
            races,
        };
        let loads = resolved.loads();
        if loads > LOADS_MAX {
            bail!(
                "{}: has {loads} loads, more than {LOADS_MAX}; use fewer runs, or several plans",
                path.display()
            );
        }
        Ok(resolved)
    }

    /// Number of loads, without contenders that depend on the pages.
    fn loads(&self) -> u64 {
        let of = |plan: &Plan| {
            (plan.networks.len() * plan.contenders.len()) as u64 * u64::from(plan.runs)
        };
        let each: u64 = self.races.iter().map(|(_, plan)| of(plan)).sum();
        each.saturating_mul(self.study.pages.len() as u64)
    }

    /// Returns the cells of a race and page. The page is loaded if `load`, or if the
    /// contenders depend on it.
    fn cells(&self, race: usize, page: &PageFile, load: bool) -> Result<Cells> {
        let (args, outline) = &self.races[race];
        let mut plan = outline.clone();
        if load || needs_pages(&interventions::read(&args.what_if)?) {
            let mut args = args.clone();
            args.hars = vec![page.path.clone()];
            let place = || format!("race \"{}\"", self.study.races[race].name);
            add_pages(&mut plan, &args).with_context(place)?;
            plan.check().with_context(place)?;
        }
        let contents = |path: &Path| -> Result<String> {
            let bytes = fs::read(path);
            let bytes = bytes.with_context(|| format!("{}: cannot be read", path.display()))?;
            Ok(digest(&bytes))
        };
        let mut inputs = vec![contents(&page.path)?, format!("{:?}", args.needs)];
        for list in args.needs.ad_lists() {
            inputs.push(contents(list)?);
        }
        let mut digests = Vec::new();
        for network in &plan.networks {
            for contender in &plan.contenders {
                let cell = Plan {
                    runs: 0,
                    seed: plan.seed,
                    browser: plan.browser.clone(),
                    settings: plan.settings,
                    interventions: plan.interventions.clone(),
                    ..Plan::new(Vec::new(), vec![network.clone()], vec![contender.clone()])
                };
                let all = (VERSION, &inputs, args.page.as_ref(), cell);
                digests.push(digest(&serde_json::to_vec(&all)?));
            }
        }
        Ok(Cells { plan, digests })
    }

    /// Calls `work` with each race, page and its cells, in the order of the plan.
    fn each(&self, mut work: impl FnMut(usize, usize, &Cells) -> Result<()>) -> Result<()> {
        for race in 0..self.races.len() {
            for (index, page) in self.study.pages.iter().enumerate() {
                work(race, index, &self.cells(race, page, false)?)?;
            }
        }
        Ok(())
    }

    /// Returns the columns of the cell at `index`.
    fn key(&self, race: usize, page: &PageFile, plan: &Plan, index: usize) -> Key {
        let network = &plan.networks[index / plan.contenders.len()];
        let contender = &plan.contenders[index % plan.contenders.len()];
        let path = page.path.strip_prefix(&self.folder).unwrap_or(&page.path);
        Key {
            race: self.study.races[race].name.clone(),
            group: page.group.clone(),
            page: path.to_string_lossy().into_owned(),
            network: network.name.clone(),
            protocol: contender.protocols.to_string(),
            controller: contender.congestion.clone(),
            visit: contender.visit.to_string(),
            strategy: contender.strategy.to_string(),
            reliability: contender.reliability.to_string(),
            interventions: contender.interventions.to_string(),
        }
    }
}

/// Parses the options of a race as the command line does.
fn race_args(arguments: &[String]) -> Result<RaceArgs> {
    let command = Cli::command();
    let race = command
        .find_subcommand("race")
        .expect("there is such a command");
    let known = |name: &str| race.get_arguments().any(|arg| arg.get_long() == Some(name));
    for name in arguments
        .iter()
        .filter_map(|argument| argument.strip_prefix("--"))
    {
        if NOT_IN_PLANS.contains(&name) || !known(name) {
            bail!("`{name}` is no option of a plan; `pagerace race --help` lists them");
        }
    }
    let words = ["pagerace", "race"].into_iter().map(str::to_owned);
    match Cli::try_parse_from(words.chain(arguments.iter().cloned())) {
        Ok(Cli {
            command: Command::Race(args),
        }) => Ok(*args),
        Ok(_) => unreachable!("the words name the command race"),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            bail!("{}", first.strip_prefix("error: ").unwrap_or(first));
        }
    }
}

fn check(args: &PlanArgs) -> Result<()> {
    let resolved = Resolved::read(&args.plan)?;
    let mut out = anstream::stdout().lock();
    let pages = resolved.study.pages.len();
    if !resolved.study.title.is_empty() {
        writeln!(out, "{}", resolved.study.title)?;
    }
    writeln!(out, "{pages} pages")?;
    for (race, (_, plan)) in resolved.study.races.iter().zip(&resolved.races) {
        let networks: Vec<&str> = plan.networks.iter().map(|n| n.name.as_str()).collect();
        writeln!(out, "race \"{}\": {} runs of", race.name, plan.runs)?;
        writeln!(out, "  networks    {}", networks.join("; "))?;
        writeln!(out, "  contenders  {}", plan.labels().join("; "))?;
    }
    let (mut loads, mut shards) = (0, 0);
    resolved.each(|race, page, cells| {
        for shard in cut(race, page, &cells.digests, cells.plan.runs) {
            loads += shard.loads();
            shards += 1;
        }
        Ok(())
    })?;
    writeln!(out, "{loads} loads in {shards} shards")?;
    Ok(())
}

fn run_shards(args: &RunArgs) -> Result<()> {
    let resolved = Resolved::read(&args.results.plan.plan)?;
    let store = Store::open(&args.results.output)?;
    check_writable(&args.results.output.join("shard.parquet"))?;
    let mut work: Vec<Shard> = Vec::new();
    let mut count = 0;
    resolved.each(|race, page, cells| {
        for shard in cut(race, page, &cells.digests, cells.plan.runs) {
            if count % args.shard.of == args.shard.index - 1 {
                work.extend(store.missing(&shard));
            }
            count += 1;
        }
        Ok(())
    })?;
    let total = work.iter().map(Shard::loads).sum::<u64>() as usize;
    let watch = Watch::new(!args.no_progress, "loads");
    watch.start("running", total);
    let done = AtomicUsize::new(0);
    let jobs = jobs(args.jobs);
    let shard = |(): &mut (), index: usize| {
        let result = run_shard(&resolved, &store, &work[index], &|| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            watch.tell(Progress { done, total })
        });
        if let Ok(Some(path)) = &result {
            let done = done.load(Ordering::Relaxed);
            watch.log(&format!("{}: {done} of {total} loads", path.display()));
        }
        result
    };
    let results = parallel::map(jobs, work.len(), &shard, &|_| watch.go_on());
    watch.clear();
    let mut finished = 0;
    for result in results.into_iter().flatten() {
        finished += usize::from(result?.is_some());
    }
    let done = done.into_inner();
    if finished < work.len() {
        return Err(LabError::Interrupted { done, total }.into());
    }
    writeln!(
        anstream::stdout(),
        "Ran {total} loads; {} shards in {}",
        store.files() + finished,
        args.results.output.display()
    )?;
    Ok(())
}

/// Runs the loads of a shard and writes its file. Returns `None` if `tell` stops it.
fn run_shard(
    resolved: &Resolved,
    store: &Store,
    shard: &Shard,
    tell: &dyn Fn() -> ControlFlow<()>,
) -> Result<Option<PathBuf>> {
    let page = &resolved.study.pages[shard.page];
    let cells = resolved.cells(shard.race, page, true)?;
    let plan = &cells.plan;
    let mut rows = Vec::new();
    for (index, piece) in &shard.pieces {
        if cells.digests.get(*index) != Some(&piece.cell) {
            bail!(
                "{}: changed during the study; run it again",
                page.path.display()
            );
        }
        let key = Arc::new(resolved.key(shard.race, page, plan, *index));
        let scenario = plan.scenario(*index);
        for run in piece.runs.clone() {
            let seed = plan.run_seed(run as usize);
            let outcome = load(&scenario, seed, false)
                .map_err(|reason| anyhow::anyhow!("{}: {reason}", page.path.display()))?;
            let summary = RunSummary::from(&outcome);
            rows.push(Row::new(Arc::clone(&key), run, seed, &summary));
            if tell().is_break() {
                return Ok(None);
            }
        }
    }
    Ok(Some(store.write(shard, &rows)?))
}

fn status(args: &ResultArgs) -> Result<()> {
    let resolved = Resolved::read(&args.plan.plan)?;
    let store = Store::open(&args.output)?;
    let mut races = vec![(0, 0); resolved.races.len()];
    resolved.each(|race, page, cells| {
        for shard in cut(race, page, &cells.digests, cells.plan.runs) {
            let missing = store.missing(&shard).map_or(0, |rest| rest.loads());
            races[race].0 += shard.loads() - missing;
            races[race].1 += shard.loads();
        }
        Ok(())
    })?;
    let mut out = anstream::stdout().lock();
    for (race, (done, all)) in resolved.study.races.iter().zip(races) {
        writeln!(out, "race \"{}\": {done} of {all} loads", race.name)?;
    }
    Ok(())
}

fn export(args: &ExportArgs) -> Result<()> {
    let resolved = Resolved::read(&args.results.plan.plan)?;
    let store = Store::open(&args.results.output)?;
    check_writable(&args.to)?;
    let plan = fs::read_to_string(&args.results.plan.plan)?;
    let metadata = [
        ("pagerace.version", VERSION.to_owned()),
        ("pagerace.plan", plan),
    ];
    let (mut found, mut all) = (0, 0);
    write_atomically(&args.to, |out| {
        let mut writer = RowWriter::new(out, &metadata)?;
        resolved
            .each(|_, _, cells| {
                let rows = store.rows(&cells.digests, cells.plan.runs)?;
                found += rows.len();
                all += cells.digests.len() * cells.plan.runs as usize;
                writer.write(&rows)?;
                Ok(())
            })
            .map_err(|error| io::Error::other(format!("{error:#}")))?;
        Ok(writer.close()?)
    })?;
    if found < all {
        super::warn::warn(&format!(
            "{found} of {all} loads are done; `pagerace study run` runs the others"
        ));
    }
    Ok(say(&args.to)?)
}
