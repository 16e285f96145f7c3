//! A study's section of a Markdown file, which is written as a whole.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use pagerace_lab::VERSION;
use pagerace_lab::export::file::write_atomically;
use pagerace_lab::facts::facts;
use pagerace_study::claim::{Claim, Decision};
use pagerace_study::plot;
use pagerace_study::table::FilledTable;

use super::evaluate::{Answers, NONE, at, beside, measured, shown, summed_up};
use super::loads::Loads;
use super::resolve::Resolved;
use super::{PLAN_FILE, engine};
use crate::cli::markdown::{Section, cell};
use crate::text::counted;

/// The limits of statistics over pages.
pub(in crate::commands) const MODEL_ERROR: &str = "Tests and intervals (95 %, in brackets) cover runs and pages. They leave \
                           out the model's error, which docs/accuracy.md lists.";

/// The answers and the text for a page.
pub(super) struct Content<'a> {
    pub(super) answers: &'a Answers,
    /// The tables with their names.
    pub(super) tables: &'a [(&'a str, FilledTable)],
    /// The text of the plan, filled in.
    pub(super) text: &'a str,
}

/// Checks before the loads run that the section can be written.
pub(super) fn check(file: &Path, plan: &Path) -> Result<()> {
    Section::check(file, &name(plan)?)
}

/// Writes the section of a study and its plots.
pub(super) fn write(
    file: &Path,
    plan: &Path,
    resolved: &Resolved,
    loads: &Loads,
    content: &Content<'_>,
) -> Result<()> {
    let name = name(plan)?;
    let mut own = String::new();
    head(&mut own, &name, resolved, loads)?;
    claims(&mut own, resolved, content.answers)?;
    matrices(&mut own, resolved, content.answers)?;
    tables(&mut own, content.tables)?;
    plots(&mut own, file, &name, plan, resolved, loads)?;
    if !content.text.trim().is_empty() {
        writeln!(own, "## What the numbers say\n\n{}\n", content.text.trim())?;
    }
    Section::write(file, &name, "pagerace study report --markdown", &own)
}

/// Returns the name of a study: that of its folder, or of its file if that has another name
/// than plans in folders.
pub(in crate::commands) fn name(plan: &Path) -> Result<String> {
    let whole = fs::canonicalize(plan).with_context(|| plan.display().to_string())?;
    let folder = whole.parent().and_then(Path::file_name);
    let name = match (whole.ends_with(PLAN_FILE), folder) {
        (true, Some(folder)) => Some(folder),
        _ => whole.file_stem(),
    };
    Ok(name.unwrap_or_default().to_string_lossy().into_owned())
}

/// Writes the title, and the loads that ran.
fn head(out: &mut String, name: &str, resolved: &Resolved, loads: &Loads) -> Result<()> {
    let study = &resolved.study;
    let title = match study.title.as_str() {
        "" => name,
        title => title,
    };
    writeln!(out, "# {title}\n")?;
    if !study.about.trim().is_empty() {
        writeln!(out, "{}\n", study.about.trim())?;
    }
    circumstances(out, resolved, loads)?;
    Ok(writeln!(out)?)
}

/// Describes the loads: version, pages, failures, and the settings of each race. The last line
/// has the limits of statistics.
pub(super) fn circumstances(out: &mut String, resolved: &Resolved, loads: &Loads) -> Result<()> {
    let study = &resolved.study;
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for page in &study.pages {
        match groups.last_mut() {
            Some((group, count)) if *group == page.group => *count += 1,
            _ => groups.push((&page.group, 1)),
        }
    }
    let groups: Vec<String> = groups
        .iter()
        .filter(|(group, _)| !group.is_empty())
        .map(|(group, count)| format!("{count} {group}"))
        .collect();
    let groups = match groups.as_slice() {
        [] => String::new(),
        groups => format!(" ({})", groups.join(", ")),
    };
    let pages = (0..study.races.len()).map(|race| resolved.pages(race));
    let pages = counted(pages.max().unwrap_or_default() as u64, "page");
    let failed = match loads.failed {
        0 => "none failed".to_owned(),
        failed => format!("{failed} failed"),
    };
    writeln!(
        out,
        "Pagerace {VERSION} (engine {}) ran {} of {pages}{groups}; {failed}.",
        engine::fingerprint(),
        counted(loads.count as u64, "load")
    )?;
    for (race, plan) in resolved.races() {
        let runs = counted(u64::from(plan.runs), "run");
        let networks = counted(plan.networks.len() as u64, "network");
        let contenders = counted(plan.contenders.len() as u64, "contender");
        writeln!(
            out,
            "The race \"{race}\" has {networks}, {contenders}, {runs} and the seed {}: {}.",
            plan.seed,
            facts(plan)
        )?;
    }
    Ok(writeln!(out, "{MODEL_ERROR}")?)
}

/// Writes each claim with the number that decides it; headlines in bold.
fn claims(out: &mut String, resolved: &Resolved, answers: &Answers) -> Result<()> {
    let claims = &resolved.study.claims;
    if claims.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "| claim | published | here | verdict |\n|---|---|---|---|"
    )?;
    let mut several = Vec::new();
    for (claim, decisions) in claims.iter().zip(&answers.claims) {
        let measure = &claim.sentence.measure;
        let published = claim.published.map(|number| measured(measure, number));
        let said = match claim.name.as_str() {
            "" => format!("`{}`", claim.sentence.text),
            name => cell(name),
        };
        let (summed_up, published) = (summed_up(decisions), published.unwrap_or_default());
        let number = cell(&range(claim, decisions));
        let bold = if claim.headline { "**" } else { "" };
        writeln!(
            out,
            "| {bold}{said}{bold} | {published} | {number} | {summed_up} |"
        )?;
        if decisions.len() > 1 {
            several.push(format!("- {said}: {}", numbers(claim, decisions)));
        }
    }
    if !several.is_empty() {
        writeln!(out, "\nThe numbers by network:\n\n{}", several.join("\n"))?;
    }
    Ok(writeln!(out)?)
}

/// Returns the number of a claim, or the least and the greatest one of several networks.
fn range(claim: &Claim, decisions: &[Decision]) -> String {
    let numbers = decisions.iter().filter_map(|one| one.measured.number);
    let text = |number| measured(&claim.sentence.measure, number);
    let low = numbers.clone().min_by(f64::total_cmp).map(text);
    let high = numbers.max_by(f64::total_cmp).map(text);
    match low.zip(high) {
        None => NONE.to_owned(),
        Some((low, _)) if decisions.len() == 1 => {
            format!("{low}{}", interval(claim, &decisions[0]))
        }
        Some((low, high)) if low == high => low,
        Some((low, high)) => format!("{low} to {high}"),
    }
}

/// The interval of a number in brackets; empty if it has none, or no width.
fn interval(claim: &Claim, decision: &Decision) -> String {
    let text = |number| measured(&claim.sentence.measure, number);
    match decision.measured.interval {
        Some((low, high)) if low < high => format!(" ({} to {})", text(low), text(high)),
        _ => String::new(),
    }
}

/// Returns the numbers of a claim with their networks.
fn numbers(claim: &Claim, decisions: &[Decision]) -> String {
    let with_place = |one: &Decision| {
        let number = one.measured.number;
        let number = number.map(|number| measured(&claim.sentence.measure, number));
        let place = one.measured.network.as_ref().unwrap_or(&one.measured.race);
        let number = number.as_deref().unwrap_or(NONE);
        format!("{place} {number}{}", interval(claim, one))
    };
    let all: Vec<String> = decisions.iter().map(with_place).collect();
    all.join("; ")
}

fn matrices(out: &mut String, resolved: &Resolved, answers: &Answers) -> Result<()> {
    let matrices = resolved.study.matrices.iter();
    for (matrix, numbers) in matrices.zip(&answers.matrices) {
        if !matrix.name.is_empty() {
            writeln!(out, "{}:\n", matrix.name)?;
        }
        let names: Vec<String> = matrix.columns.iter().map(|name| cell(name)).collect();
        let rule = "---|".repeat(names.len() + 1);
        writeln!(out, "| | {} |\n|{rule}", names.join(" | "))?;
        for (row, name) in matrix.rows.iter().enumerate() {
            let columns = 0..matrix.columns.len();
            let cells: Vec<String> = columns
                .map(|column| beside(matrix, numbers, row, column))
                .collect();
            writeln!(out, "| {} | {} |", cell(name), cells.join(" | "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn tables(out: &mut String, tables: &[(&str, FilledTable)]) -> Result<()> {
    for (name, table) in tables {
        if !name.is_empty() {
            writeln!(out, "{name}:\n")?;
        }
        writeln!(out, "{}.\n", table.caption)?;
        let rule = "---|".repeat(table.header.len());
        writeln!(out, "| {} |\n|{rule}", table.header.join(" | "))?;
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(|value| cell(&shown(value))).collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Draws the plots beside the file, and refers to them.
fn plots(
    out: &mut String,
    file: &Path,
    name: &str,
    path: &Path,
    resolved: &Resolved,
    loads: &Loads,
) -> Result<()> {
    let plots = &resolved.study.plots;
    if plots.is_empty() {
        return Ok(());
    }
    // Panels come in the order of the plan.
    let mut order: Vec<String> = Vec::new();
    for (race, plan) in resolved.races() {
        order.push(race.to_owned());
        order.extend(plan.networks.iter().map(|network| network.name.clone()));
    }
    for (i, spec) in plots.iter().enumerate() {
        let drawn = at(path, "plot", i, plot::svg(spec, &loads.frame, &order))?;
        let picture = format!("{name}-{}.svg", slug(&spec.name));
        write_atomically(&file.with_file_name(&picture), |out| {
            out.write_all(drawn.as_bytes())
        })?;
        writeln!(out, "![{}]({picture})\n", spec.name)?;
    }
    Ok(())
}

/// Returns a name as part of a file's name: letters, digits and hyphens.
fn slug(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let words: String = name.to_lowercase().chars().map(kept).collect();
    words.split_whitespace().collect::<Vec<_>>().join("-")
}
