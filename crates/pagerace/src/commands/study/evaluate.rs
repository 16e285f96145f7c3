//! Tables and claims.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, bail};
use clap::Args;
use comfy_table::Cell;
use pagerace_lab::MetricId;
use pagerace_lab::unit::{percent, signed_percent};
use pagerace_study::claim::{self, Claim};
use pagerace_study::frame::{Filter, Frame, outline};
use pagerace_study::table::{Kind, Table, TableSpec, Value};
use pagerace_study::{Key, Store};

use super::resolve::Resolved;
use super::{ResultArgs, warn_of_missing};
use crate::table as terminal;

/// Placeholder for a missing value.
const NONE: &str = "–";

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

    /// Kind of the table: summary, pages, cdf, quantiles or spearman.
    #[arg(long, value_name = "KIND", default_value_t)]
    kind: Kind,

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

    /// Only loads with this value of a column; may be given several times.
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition)]
    conditions: Vec<(String, String)>,

    /// Print CSV with all digits.
    #[arg(long)]
    csv: bool,
}

/// Parses an item of `--where`.
fn condition(text: &str) -> Result<(String, String), String> {
    let (column, value) = text
        .split_once('=')
        .ok_or_else(|| "write it as network=cable: a column and its value".to_owned())?;
    Ok((column.to_owned(), value.to_owned()))
}

pub(super) fn table(args: &TableArgs) -> Result<()> {
    let mut filter = Filter::new();
    for (column, value) in &args.conditions {
        filter
            .entry(column.clone())
            .or_default()
            .push(value.clone());
    }
    let spec = TableSpec {
        name: String::new(),
        kind: args.kind,
        metric: args.metric,
        with: args.with,
        compare: args.compare.clone(),
        baseline: args.baseline.clone(),
        filter,
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
    if resolved.study.tables.is_empty() && resolved.study.claims.is_empty() {
        return Ok(());
    }
    let mut keys: Vec<Key> = Vec::new();
    for race in 0..resolved.study.races.len() {
        let cells = resolved.cells(race, 0, false)?;
        let all = 0..cells.digests.len();
        keys.extend(all.map(|index| resolved.key(race, 0, &cells, index)));
        // Other pages have the same cells, and one is enough to know the page.
        let others = 1..resolved.pages(race);
        keys.extend(others.map(|page| resolved.key(race, page, &cells, 0)));
    }
    let frame = outline(keys, &metrics(resolved));
    for (i, table) in resolved.study.tables.iter().enumerate() {
        let place = || format!("{}: table {}", path.display(), i + 1);
        table
            .question(&frame)
            .map_err(Error::msg)
            .with_context(place)?;
    }
    for (i, claim) in resolved.study.claims.iter().enumerate() {
        let place = || format!("{}: claim {}", path.display(), i + 1);
        claim
            .decide(&frame)
            .map_err(Error::msg)
            .with_context(place)?;
    }
    Ok(())
}

/// Returns the metrics that the tables and claims of a plan need.
fn metrics(resolved: &Resolved) -> Vec<MetricId> {
    let tables = resolved.study.tables.iter().flat_map(TableSpec::metrics);
    let claims = resolved.study.claims.iter().map(Claim::metric);
    let all: BTreeSet<MetricId> = tables.chain(claims).collect();
    all.into_iter().collect()
}

pub(super) fn report(args: &ResultArgs) -> Result<()> {
    let path = &args.plan.plan;
    let resolved = Resolved::read(path)?;
    let (tables, claims) = (&resolved.study.tables, &resolved.study.claims);
    if tables.is_empty() && claims.is_empty() {
        bail!(
            "{}: has no tables and claims; add [[table]] or [[claim]]",
            path.display()
        );
    }
    check(&resolved, path)?;
    let store = Store::read(&args.output, resolved.study.details)?;
    let mut frame = Frame::new(&metrics(&resolved));
    let (mut found, mut all) = (0, 0);
    resolved.each(false, |race, page, cells| {
        let rows = resolved.rows(&store, race, page, cells)?;
        found += rows.len();
        all += cells.digests.len() * cells.plan.runs as usize;
        frame.add(&rows);
        Ok(())
    })?;
    if found == 0 {
        bail!(
            "{}: holds no loads of the plan; `pagerace study run` runs them",
            args.output.display()
        );
    }
    warn_of_missing(found, all);
    let mut out = anstream::stdout().lock();
    for (i, spec) in tables.iter().enumerate() {
        let place = || format!("{}: table {}", path.display(), i + 1);
        let table = spec.fill(&frame).map_err(Error::msg).with_context(place)?;
        if !spec.name.is_empty() {
            writeln!(out, "{}", spec.name)?;
        }
        print(&mut out, &table)?;
        writeln!(out)?;
    }
    for (i, claim) in claims.iter().enumerate() {
        let place = || format!("{}: claim {}", path.display(), i + 1);
        let decisions = claim
            .decide(&frame)
            .map_err(Error::msg)
            .with_context(place)?;
        print_claim(&mut out, claim, &decisions)?;
    }
    Ok(())
}

fn print_claim(
    out: &mut impl Write,
    claim: &Claim,
    decisions: &[claim::Decision],
) -> io::Result<()> {
    let holds = decisions.iter().filter(|decision| decision.holds).count();
    let verdict = match decisions.len() {
        all if all == holds => "holds".to_owned(),
        1 => "does not hold".to_owned(),
        all => format!("does not hold on {} of {all} networks", all - holds),
    };
    let name = if claim.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", claim.name)
    };
    writeln!(out, "{name}{}: {verdict}", claim.text)?;
    for one in decisions {
        let verdict = if one.holds { "holds" } else { "does not hold" };
        let number = one.number.map_or_else(|| NONE.to_owned(), rounded);
        let pages = super::counted(one.pages as u64, "page");
        let (race, network) = (&one.race, &one.network);
        writeln!(
            out,
            "  {verdict}: {number} over {pages} ({race}, {network})"
        )?;
    }
    Ok(())
}

fn print(out: &mut impl Write, table: &Table) -> io::Result<()> {
    writeln!(out, "{}", table.caption)?;
    let header: Vec<&str> = table.header.iter().map(String::as_str).collect();
    let mut printed = terminal::table(&header, table.left);
    for row in &table.rows {
        let cells = row.iter().map(|value| Cell::new(shown(value)));
        terminal::add(&mut printed, table.left, cells.collect());
    }
    terminal::print(out, &printed)
}

/// Formats a value for people.
fn shown(value: &Value) -> String {
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
fn print_csv(out: &mut impl Write, table: &Table) -> io::Result<()> {
    let names: Vec<String> = table.header.iter().map(|name| quoted(name)).collect();
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
        Value::Text(text) => quoted(text),
        Value::Count(count) => count.to_string(),
        Value::Metric(_, n) | Value::Share(n) | Value::Change(n) | Value::Number(n) => number(*n),
    }
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
