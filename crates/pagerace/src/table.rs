//! Results as terminal tables.
//!
//! Colours are always written; the output stream removes them where they are unwanted
//! (`NO_COLOR`, no terminal). Colour is never the only mark.

use std::io::{self, Write};

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, ContentLineStyle,
    LineStyle, Table, TableStyle, Width,
};
use pagerace_lab::across::AcrossPages;
use pagerace_lab::metric::Wording;
use pagerace_lab::unit::{Scale, Unit, probability, signed_percent};
use pagerace_lab::{Analysis, Comparison, Mark, Plan, Results, Verdict};
use pagerace_report::sections::columns;

pub(crate) mod bulk;
#[cfg(feature = "live")]
pub(crate) mod lighthouse;
pub(crate) mod objects;
pub(crate) mod pages;
#[cfg(feature = "live")]
pub(crate) mod predicted;
pub(crate) mod why;

/// Placeholder for a missing value.
const NONE: &str = "–";

/// Minimum width of a text column: "baseline" with its padding.
const WORDS_MIN: u16 = 10;

const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─'))
    .content_lines(ContentLineStyle::none());

/// Prints a table without trailing spaces.
pub(crate) fn print(out: &mut impl Write, table: &Table) -> io::Result<()> {
    table
        .lines()
        .try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// Returns a table without rows. The first `left` columns hold text and the others numbers.
pub(crate) fn table(header: &[impl AsRef<str>], left: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .enforce_styling();
    let header = header.iter().map(|text| Cell::new(text.as_ref()));
    table.set_header(header.map(|cell| cell.add_attribute(Attribute::Bold)));
    // In a narrow table text columns are wrapped before numbers.
    for (i, column) in table.column_iter_mut().enumerate() {
        if i < left {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(WORDS_MIN)));
        } else {
            column.set_constraint(ColumnConstraint::ContentWidth);
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn or_none(text: Option<String>) -> Cell {
    Cell::new(text.unwrap_or_else(|| NONE.to_owned()))
}

fn relative(share: Option<f64>) -> Cell {
    or_none(share.filter(|r| r.is_finite()).map(signed_percent))
}

/// Returns the ranking of contenders on one network, and true if columns were omitted
/// because the terminal is narrow.
pub(crate) fn ranking(plan: &Plan, analysis: &Analysis) -> (Table, bool) {
    let all = [Columns::All, Columns::NoTests, Columns::NoInterval];
    let (table, columns) = widest_fitting(all, |columns| ranking_with(plan, analysis, columns));
    (table, columns != Columns::All)
}

/// Returns the first table that fits, or the last one, and its columns.
fn widest_fitting<C: Copy>([most, fewer, least]: [C; 3], table: impl Fn(C) -> Table) -> (Table, C) {
    for columns in [most, fewer] {
        let mut table = table(columns);
        if fits(&mut table) {
            return (table, columns);
        }
    }
    (table(least), least)
}

/// Returns true if the table fits the terminal or there is none.
fn fits(table: &mut Table) -> bool {
    let Some(width) = table.width() else {
        return true;
    };
    table.set_content_arrangement(ContentArrangement::Disabled);
    // One character of padding on each side.
    let columns = table.column_max_content_widths();
    let mut wide: Vec<u16> = columns.iter().map(|w| w + 2).collect();
    if let Some(words) = wide.first_mut() {
        *words = (*words).max(WORDS_MIN);
    }
    wide.into_iter().map(usize::from).sum::<usize>() <= usize::from(width)
}

/// The set of columns to show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Columns {
    /// Also without intervals in a ranking, and without medians in a table of pages.
    NoInterval,
    /// Without tests in a ranking, and without intervals in a table of pages.
    NoTests,
    All,
}

fn ranking_with(plan: &Plan, analysis: &Analysis, columns: Columns) -> Table {
    let metric = analysis.metric.metric();
    let scales = Scales::new(metric.unit, analysis);
    let failing = analysis.rows.iter().any(|row| row.failed > 0);
    let over_worlds = analysis.rows.iter().any(|row| row.trust.is_some());
    let labels = plan.labels();
    let noun = plan.noun().one();
    let mut header = vec![noun, "verdict", metric.name];
    if over_worlds && columns == Columns::All {
        header.push("90 % of loads");
    }
    header.extend(["difference", ""]);
    if columns >= Columns::NoTests {
        header.push(if over_worlds {
            "80 % range"
        } else {
            "95 % interval"
        });
    }
    if over_worlds {
        header.push(comparative(analysis));
    } else if columns == Columns::All {
        header.extend(["effect", "p (Holm)"]);
    }
    if failing {
        header.push("failed");
    }
    let mut table = table(&header, 2);
    for &i in &analysis.ranking {
        let row = &analysis.rows[i];
        let mut cells = vec![
            styled(Cell::new(&labels[i]), row.mark),
            styled(Cell::new(row.mark.name()), row.mark),
            or_none(row.median.map(|median| scales.median.format(median))),
        ];
        if over_worlds && columns == Columns::All {
            let range = row
                .range
                .filter(|(low, high)| low.is_finite() && high.is_finite());
            cells.push(or_none(
                range.map(|(low, high)| scales.median.format_plain_range(low, high)),
            ));
        }
        cells.push(or_none(
            row.difference.map(|d| scales.difference.format_signed(d)),
        ));
        cells.push(relative(row.relative));
        if columns >= Columns::NoTests {
            let interval = row.interval.map(|interval| (interval.low, interval.high));
            let range = row.probable_range.or(interval);
            cells.push(or_none(
                range.map(|(low, high)| scales.difference.format_range(low, high)),
            ));
        }
        if over_worlds {
            let sooner = row.sooner.map(|share| format!("{:.0} %", share * 100.0));
            cells.push(or_none(sooner));
        } else if columns == Columns::All {
            // If both sides only have failures, equal ranks would look like a result.
            let compared = row.mark != Mark::Undefined;
            let delta = row.cliffs_delta.filter(|_| compared);
            let p = row.signed_rank_p_holm.filter(|_| compared);
            cells.push(or_none(delta.map(effect)));
            cells.push(or_none(p.map(probability)));
        }
        if failing {
            cells.push(Cell::new(row.failed));
        }
        table.add_row(cells);
    }
    table
}

/// The header of the share of pairs of loads in which a contender is better.
fn comparative(analysis: &Analysis) -> &'static str {
    match analysis.metric.metric().wording {
        Wording::Moment(_) => "sooner in",
        Wording::Amount(_) => "lower in",
    }
}

/// Formats Cliff's delta, which lies between -1 and 1, with its sign.
fn effect(delta: f64) -> String {
    if delta.abs() < 0.005 {
        "0.00".to_owned()
    } else {
        format!("{delta:+.2}")
    }
}

fn styled(cell: Cell, mark: Mark) -> Cell {
    match mark {
        Mark::Baseline => cell.add_attribute(Attribute::Bold),
        Mark::Better | Mark::ProbablyBetter => cell.fg(Color::Green),
        Mark::Worse | Mark::ProbablyWorse => cell.fg(Color::Red),
        Mark::Broken => cell.fg(Color::Yellow),
        Mark::TooSmall | Mark::NoDifference | Mark::Open | Mark::TooFewRuns | Mark::Undefined => {
            cell
        }
    }
}

/// One scale for each numeric column of a table.
struct Scales {
    median: Scale,
    difference: Scale,
}

impl Scales {
    fn new(unit: Unit, analysis: &Analysis) -> Self {
        let largest = |value: fn(&Comparison) -> Option<f64>| {
            let finite = analysis
                .rows
                .iter()
                .filter_map(value)
                .filter(|v| v.is_finite());
            finite.fold(0.0_f64, |most, v| most.max(v.abs()))
        };
        Self {
            median: unit.scale(largest(|row| row.median)),
            difference: unit.scale(largest(|row| row.difference)),
        }
    }
}

/// Returns the winner of each page on one network, and true if columns were omitted
/// because the terminal is narrow.
pub(crate) fn pages(results: &Results, answers: &[(Analysis, Verdict)]) -> (Table, bool) {
    let all = [Columns::All, Columns::NoTests, Columns::NoInterval];
    let (table, columns) = widest_fitting(all, |columns| pages_with(results, answers, columns));
    (table, columns != Columns::All)
}

fn pages_with(results: &Results, answers: &[(Analysis, Verdict)], columns: Columns) -> Table {
    let plan = &results.plan;
    let metric = plan.metric.metric();
    let own = format!("its {}", metric.name);
    let baseline = format!("{}'s", plan.label(plan.baseline));
    let mut header = vec!["page", "best", "verdict"];
    if columns >= Columns::NoTests {
        header.extend([own.as_str(), &baseline]);
    }
    header.extend(["difference", ""]);
    if columns == Columns::All {
        header.push(if results.over_worlds() {
            "80 % range"
        } else {
            "95 % interval"
        });
    }
    let mut table = table(&header, 3);
    for (page, (analysis, verdict)) in plan.pages.iter().zip(answers) {
        let base = analysis.rows[analysis.baseline].median;
        let name = Cell::new(&page.name);
        let Some(winner) = verdict.winner else {
            table.add_row([name, Cell::new(NONE), Cell::new("no value")]);
            continue;
        };
        let row = &analysis.rows[winner];
        // Pages differ too much in size for a common unit.
        let unit = metric.unit;
        let mut cells = vec![
            name,
            styled(Cell::new(plan.label(winner)), row.mark),
            styled(Cell::new(row.mark.name()), row.mark),
        ];
        if columns >= Columns::NoTests {
            let medians = [row.median, base];
            cells.extend(medians.map(|m| or_none(m.map(|v| unit.format(v)))));
        }
        let difference = row.difference.map(|d| unit.scale(d).format_signed(d));
        cells.extend([or_none(difference), relative(row.relative)]);
        if columns == Columns::All {
            let interval = row.interval.map(|interval| (interval.low, interval.high));
            cells.push(or_none(row.probable_range.or(interval).map(
                |(low, high)| {
                    let finite = [low, high].into_iter().filter(|v| v.is_finite());
                    let size = finite.fold(0.0_f64, |most, v| most.max(v.abs()));
                    unit.scale(size).format_range(low, high)
                },
            )));
        }
        table.add_row(cells);
    }
    table
}

/// Returns the number of pages on which each contender wins and loses, on one network.
pub(crate) fn across(plan: &Plan, across: &AcrossPages) -> Table {
    let rest = "wins | probably | loses | probably | no difference | open | no value | median page";
    let mut table = table(&columns(&format!("{} | {rest}", plan.noun().one())), 1);
    for row in &across.rows {
        table.add_row([
            Cell::new(plan.label(row.contender)),
            Cell::new(row.count(&[Mark::Better])),
            Cell::new(row.count(&[Mark::ProbablyBetter])),
            Cell::new(row.count(&[Mark::Worse])),
            Cell::new(row.count(&[Mark::ProbablyWorse])),
            Cell::new(row.same()),
            Cell::new(row.open()),
            Cell::new(row.missing()),
            relative(row.median),
        ]);
    }
    table
}
