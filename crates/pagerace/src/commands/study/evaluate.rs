//! Tables, matrices and claims.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, bail};
use clap::Args;
use pagerace_lab::MetricId;
use pagerace_lab::export::csv::quote;
use pagerace_lab::unit::{percent, signed_percent};
use pagerace_study::claim::{self, Claim, ClaimVerdict, Decision, Measure, Statistic};
use pagerace_study::frame::{Filter, Frame, outline};
use pagerace_study::matrix::Matrix;
use pagerace_study::table::{FilledTable, TableKind, TableSpec, Value};
use pagerace_study::{Key, Store, Study};

use super::loads::Loads;
use super::resolve::Resolved;
use super::text::{Facts, Filled};
use super::{Part, ReportArgs, markdown, run};
use crate::cli::model::word;
use crate::failed::Failed;
use crate::table as terminal;
use crate::text::counted;

/// Placeholder for a missing value.
pub(super) const NONE: &str = "–";

const EXAMPLES: &str = "\
Examples:
  pagerace study table loads.parquet --metric speed_index_ms --compare protocol --baseline h2

  pagerace study table results --kind cdf --where network=slow-4g --csv > cdf.csv";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TableArgs {
    /// A file that `study export` wrote, or the folder of the results.
    #[arg(value_name = "LOADS")]
    loads: PathBuf,

    /// Kind of the table.
    #[arg(long, value_name = "KIND", default_value = "summary", value_parser = word::<TableKind>())]
    kind: TableKind,

    /// Metric, by name or column; see `pagerace list metrics`.
    #[arg(short, long, value_name = "NAME", default_value_t, value_parser = claim::metric)]
    metric: MetricId,

    /// Metric with which `--kind spearman` correlates. [default: hol-blocked-bytes]
    #[arg(long, value_name = "NAME", value_parser = claim::metric)]
    with: Option<MetricId>,

    /// Column whose values are compared. [default: the one that varies]
    #[arg(long, value_name = "COLUMN")]
    compare: Option<String>,

    /// Value with which the others are compared. [default: the first in the alphabet]
    #[arg(short, long, value_name = "VALUE")]
    baseline: Option<String>,

    #[command(flatten)]
    only: FilterArgs,

    /// Print CSV with all digits.
    #[arg(long)]
    csv: bool,
}

/// Loads of some groups.
#[derive(Args, Clone, Debug)]
pub(crate) struct FilterArgs {
    /// Only loads with this value of a column; may be given several times.
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition)]
    conditions: Vec<(String, String)>,
}

impl FilterArgs {
    /// Returns the values that each column may have.
    pub(crate) fn filter(&self) -> Filter {
        let mut filter = Filter::new();
        for (column, value) in &self.conditions {
            let values = filter.entry(column.clone()).or_default();
            values.push(value.clone());
        }
        filter
    }
}

/// Parses an item of `--where`.
fn condition(text: &str) -> Result<(String, String), String> {
    let (column, value) = text
        .split_once('=')
        .ok_or_else(|| "write it as network=cable: a column and its value".to_owned())?;
    Ok((column.to_owned(), value.to_owned()))
}

pub(super) fn table(args: &TableArgs) -> Result<()> {
    let spec = TableSpec {
        name: String::new(),
        kind: args.kind,
        metric: args.metric,
        with: args.with,
        compare: args.compare.clone(),
        baseline: args.baseline.clone(),
        filter: args.only.filter(),
    };
    let frame = Frame::read(&args.loads, &spec.metrics())?;
    let place = || args.loads.display().to_string();
    let table = spec.fill(&frame).map_err(Error::msg).with_context(place)?;
    let mut out = anstream::stdout().lock();
    if args.csv {
        return Ok(print_csv(&mut out, &table)?);
    }
    Ok(print(&mut out, &table)?)
}

/// Checks the tables and claims of a plan against its cells.
pub(super) fn check(resolved: &Resolved, path: &Path) -> Result<()> {
    if resolved.study.asks_nothing() {
        return Ok(());
    }
    let names_pages = resolved.study.names_pages();
    let mut keys: Vec<Key> = Vec::new();
    for race in 0..resolved.study.races.len() {
        let mut pages = 0..resolved.pages(race);
        let first = pages.find_map(|page| resolved.readable_cells(race, page, false).transpose());
        let Some(mut cells) = first.transpose()? else {
            continue;
        };
        let mut group = None;
        for page in 0..resolved.pages(race) {
            cells.on = (race, page);
            // All pages have the same cells. Those of one in each group are enough to know
            // them, and one cell is enough to know the page, unless its name matters.
            let own = resolved.key(&cells, 0).group;
            let known = group.as_ref() == Some(&own) && !names_pages;
            let count = if known { 1 } else { cells.digests.len() };
            keys.extend((0..count).map(|index| resolved.key(&cells, index)));
            group = Some(own);
        }
    }
    let frame = outline(keys, &metrics(resolved));
    let study = &resolved.study;
    for (what, specs) in [("table", &study.tables), ("plot", &study.plots)] {
        for (i, spec) in specs.iter().enumerate() {
            at(path, what, i, spec.question(&frame))?;
        }
    }
    for (i, spec) in study.losses.iter().enumerate() {
        at(path, "losses", i, spec.check(&frame))?;
    }
    Answers::of(path, study, &frame)?.fill(path, study)?;
    Ok(())
}

/// The answers of the results to the questions of a plan.
pub(super) struct Answers {
    /// The numbers of each matrix, row by row.
    pub(super) matrices: Vec<Vec<Vec<Option<f64>>>>,
    /// The decisions on each claim.
    pub(super) claims: Vec<Vec<Decision>>,
}

impl Answers {
    fn of(path: &Path, study: &Study, frame: &Frame) -> Result<Self> {
        let matrices = study.matrices.iter().enumerate();
        let matrices = matrices.map(|(i, one)| at(path, "matrix", i, one.fill(frame)));
        let claims = study.claims.iter().enumerate();
        let claims = claims.map(|(i, one)| at(path, "claim", i, one.decide(frame)));
        Ok(Self {
            matrices: matrices.collect::<Result<_>>()?,
            claims: claims.collect::<Result<_>>()?,
        })
    }

    /// Fills in the text of the plan.
    fn fill(&self, path: &Path, study: &Study) -> Result<Filled> {
        Facts::of(study, self)
            .and_then(|facts| facts.fill(&study.text))
            .map_err(Error::msg)
            .with_context(|| format!("{}: text", path.display()))
    }
}

/// Says where in the plan a mistake is.
pub(super) fn at<T>(path: &Path, what: &str, i: usize, result: Result<T, String>) -> Result<T> {
    let place = || format!("{}: {what} {}", path.display(), i + 1);
    result.map_err(Error::msg).with_context(place)
}

/// Returns the metrics that the tables, matrices, plots and claims of a plan need.
fn metrics(resolved: &Resolved) -> Vec<MetricId> {
    let study = &resolved.study;
    let tables = study.tables.iter().chain(&study.plots);
    let measures = study.matrices.iter().flat_map(|one| one.measures.iter());
    let claims = study.claims.iter();
    let all: BTreeSet<MetricId> = tables
        .flat_map(TableSpec::metrics)
        .chain(measures.flatten().flat_map(Measure::metrics))
        .chain(claims.flat_map(|claim| claim.sentence.measure.metrics()))
        .collect();
    all.into_iter().collect()
}

pub(super) fn report(args: &ReportArgs) -> Result<()> {
    let path = &args.results.plan.plan;
    let resolved = args.results.read()?;
    if resolved.study.asks_nothing() {
        bail!(
            "{}: has no tables and claims; add [[table]] or [[claim]]",
            path.display()
        );
    }
    let expected = resolved.study.claims.iter().filter(|one| one.expected);
    let expected = expected.count();
    if args.check && expected == 0 {
        bail!(
            "{}: has no claims that --check could decide; mark them with expected = true",
            path.display()
        );
    }
    check(&resolved, path)?;
    let folder = args.results.folder();
    if let Some(markdown) = &args.markdown {
        markdown::check(markdown, path)?;
    }
    if !args.no_run {
        run::complete(
            &resolved,
            &folder,
            Part::WHOLE,
            args.work.threads.jobs,
            args.work.watch("loads"),
        )?;
    }
    let loads = Loads::complete(&resolved, &folder, &metrics(&resolved))?;
    let frame = &loads.frame;
    let study = &resolved.study;
    let mut circumstances = String::new();
    markdown::circumstances(&mut circumstances, &resolved, &loads)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{circumstances}")?;
    let tables = tables(path, study, frame, &folder)?;
    for (name, table) in &tables {
        if !name.is_empty() {
            writeln!(out, "{name}")?;
        }
        print(&mut out, table)?;
        writeln!(out)?;
    }
    let answers = Answers::of(path, study, frame)?;
    for (matrix, numbers) in study.matrices.iter().zip(&answers.matrices) {
        print_matrix(&mut out, matrix, numbers)?;
    }
    let mut failed = 0;
    for (claim, decisions) in study.claims.iter().zip(&answers.claims) {
        print_claim(&mut out, claim, decisions)?;
        failed += usize::from(claim.expected && !holds(worst(decisions)));
    }
    if let Some(text) = resolved.skipped()? {
        writeln!(out, "{text}")?;
    }
    drop(out);
    let Filled { text, broken } = answers.fill(path, study)?;
    if !broken.is_empty() {
        return Err(Failed::sentences(format!(
            "{}: the results do not bear out what its text says; rewrite these sentences, or take `text` out of a plan with other pages or settings:\n{}",
            path.display(),
            broken.join("\n")
        ))
        .into());
    }
    if let Some(markdown) = &args.markdown {
        let answers = markdown::Content {
            answers: &answers,
            tables: &tables,
            text: &text,
        };
        markdown::write(markdown, path, &resolved, &loads, &answers)?;
    }
    if args.check && failed > 0 {
        return Err(Failed::claims(failed, expected).into());
    }
    Ok(())
}

/// Fills the tables of loads, and those of lost packets, with their names.
fn tables<'a>(
    path: &Path,
    study: &'a Study,
    frame: &Frame,
    folder: &Path,
) -> Result<Vec<(&'a str, FilledTable)>> {
    let mut all = Vec::new();
    for (i, spec) in study.tables.iter().enumerate() {
        let table = at(path, "table", i, spec.fill(frame))?;
        all.push((spec.name.as_str(), table));
    }
    if !study.losses.is_empty() {
        let store = Store::read(folder, study.details)?;
        for spec in &study.losses {
            all.push((spec.name.as_str(), spec.fill(frame, &store)?));
        }
    }
    Ok(all)
}

fn print_claim(out: &mut impl Write, claim: &Claim, decisions: &[Decision]) -> io::Result<()> {
    let name = if claim.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", claim.name)
    };
    let text = &claim.sentence.text;
    writeln!(out, "{name}{text}: {}", summed_up(decisions))?;
    let published = claim
        .published
        .map(|number| format!("; published {}", rounded(number)));
    let published = published.unwrap_or_default();
    for Decision { measured, verdict } in decisions {
        let number = measured.number.map_or_else(|| NONE.to_owned(), rounded);
        let (low, high) = measured.interval.map_or_else(
            || (NONE.to_owned(), NONE.to_owned()),
            |(low, high)| (rounded(low), rounded(high)),
        );
        let pages = counted(measured.pages as u64, "page");
        let place = match &measured.network {
            Some(network) => format!("{}, {network}", measured.race),
            None => measured.race.clone(),
        };
        let verdict = verdict.name();
        writeln!(
            out,
            "  {verdict}: {number} ({low} to {high}) over {pages} ({place}){published}"
        )?;
    }
    Ok(())
}

/// True if a claim holds, whatever its size.
pub(super) fn holds(verdict: ClaimVerdict) -> bool {
    matches!(verdict, ClaimVerdict::Holds | ClaimVerdict::DiffersInSize)
}

/// Returns the worst verdict. A claim that nothing decides does not hold.
pub(super) fn worst(decisions: &[Decision]) -> ClaimVerdict {
    let all = decisions.iter().map(|one| one.verdict);
    all.max().unwrap_or(ClaimVerdict::DoesNotHold)
}

/// Returns the verdict of a claim as a whole: the worst, and where it applies.
pub(super) fn summed_up(decisions: &[Decision]) -> String {
    let worst = worst(decisions);
    let count = decisions.iter().filter(|one| one.verdict == worst).count();
    let words = worst.name();
    if count == decisions.len() {
        words.to_owned()
    } else {
        format!("{words} on {count} of {} networks", decisions.len())
    }
}

fn print_matrix(
    out: &mut impl Write,
    matrix: &Matrix,
    numbers: &[Vec<Option<f64>>],
) -> io::Result<()> {
    writeln!(out, "{}", matrix.name)?;
    let names = matrix.columns.iter().map(String::as_str);
    let header: Vec<&str> = std::iter::once("").chain(names).collect();
    let mut printed = terminal::table(&header, 1);
    for (row, name) in matrix.rows.iter().enumerate() {
        let cells = (0..matrix.columns.len()).map(|column| beside(matrix, numbers, row, column));
        printed.add_row(std::iter::once(name.clone()).chain(cells));
    }
    terminal::print(out, &printed)?;
    writeln!(out)
}

/// Returns a number of a matrix, with the published one in brackets.
pub(super) fn beside(
    matrix: &Matrix,
    numbers: &[Vec<Option<f64>>],
    row: usize,
    column: usize,
) -> String {
    let measure = &matrix.measures[row][column];
    let ours = numbers[row][column].map_or_else(|| NONE.to_owned(), |n| measured(measure, n));
    match matrix.published(row, column) {
        None => ours,
        Some(theirs) => format!("{ours} ({})", measured(measure, theirs)),
    }
}

/// Formats the number of a measure for people.
pub(super) fn measured(measure: &Measure, number: f64) -> String {
    match measure.statistic {
        Statistic::Share(..) => percent(number),
        _ if measure.is_correlation() => format!("{number:.2}"),
        _ if measure.is_probability() || measure.is_slope() => rounded(number),
        _ if measure.is_share() => signed_percent(number),
        _ => measure.metric.metric().unit.format(number),
    }
}

fn print(out: &mut impl Write, table: &FilledTable) -> io::Result<()> {
    writeln!(out, "{}", table.caption)?;
    let mut printed = terminal::table(&table.header, table.left);
    let rows = table.rows.iter().map(|row| row.iter().map(shown));
    terminal::print(out, printed.add_rows(rows))
}

/// Formats a value for people.
pub(super) fn shown(value: &Value) -> String {
    let of = |number: Option<f64>, format: &dyn Fn(f64) -> String| {
        number.map_or_else(|| NONE.to_owned(), format)
    };
    match value {
        Value::Text(text) => text.clone(),
        Value::Count(count) => count.to_string(),
        Value::Metric(metric, number) => of(*number, &|v| metric.metric().unit.format(v)),
        Value::Share(share) => of(*share, &percent),
        Value::Change(share) => of(*share, &signed_percent),
        Value::Number(number) => of(*number, &rounded),
    }
}

/// Formats a number with four significant digits.
fn rounded(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let size = number.abs().log10().floor() as i32;
    if !(-4..9).contains(&size) {
        return format!("{number:.3e}");
    }
    let decimals = usize::try_from(3 - size).unwrap_or(0);
    format!("{number:.decimals$}")
}

/// Prints a table as CSV (RFC 4180, with LF line endings). Shares are fractions, and a
/// missing value is empty.
fn print_csv(out: &mut impl Write, table: &FilledTable) -> io::Result<()> {
    let names: Vec<_> = table.header.iter().map(|name| quote(name)).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in &table.rows {
        let fields: Vec<String> = row.iter().map(field).collect();
        writeln!(out, "{}", fields.join(","))?;
    }
    Ok(())
}

fn field(value: &Value) -> String {
    let number = |number: Option<f64>| number.map_or_else(String::new, |n| n.to_string());
    match value {
        Value::Text(text) => quote(text).into_owned(),
        Value::Count(count) => count.to_string(),
        Value::Metric(_, n) | Value::Share(n) | Value::Change(n) | Value::Number(n) => number(*n),
    }
}
