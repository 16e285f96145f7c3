//! The assessment as a table and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;
use comfy_table::{ColumnConstraint, Width};
use pagerace_essential::essential::{Assessment, Counts};
use pagerace_page::{Category, Page, Resource};
use pagerace_report::sections::columns;
use serde_json::{Value, json};

use super::super::{kilobytes, label, name, shorten, table, width};
use crate::text::say;

const LEGEND: &str = "\
evidence: + counts for essential, - against, · neither; the first one decides. needed: whole, or \
in part (useful before it is complete). no.: the number that evidence refers to. \
docs/essential.md has the rules.";

/// Share of the line for a URL, in tenths. The evidence needs the rest.
const URL_TENTHS: usize = 3;
const URL_MAX: usize = 48;
const URL_MIN: usize = 20;

/// Writes the table of resources, the sums by category and the total.
pub(super) fn write(
    out: &mut impl Write,
    page: &Page,
    assessments: &[Assessment],
) -> io::Result<()> {
    let bold = Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}  {}\n", page.name, page.url)?;
    let longest = (width() * URL_TENTHS / 10).clamp(URL_MIN, URL_MAX);
    let both = || page.resources.iter().zip(assessments);
    let rows = both().map(|(resource, assessment)| {
        vec![
            resource.id.0.to_string(),
            shorten(&label(page, resource), longest),
            name(resource.category),
            kilobytes(resource.body_bytes),
            yes(assessment.essential).to_owned(),
            whole(assessment.whole).to_owned(),
            evidence(assessment),
        ]
    });
    let header = columns("no. | resource | category | KB | essential | needed | evidence");
    let mut resources = table(&header, header.len(), rows.collect());
    // In a narrow terminal only the evidence is wrapped.
    if let Some(column) = resources.column_mut(1) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(
            longest as u16 + 2,
        )));
    }
    for number in [0, 3] {
        if let Some(column) = resources.column_mut(number) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
    }
    writeln!(out, "{resources}")?;
    say(out, LEGEND)?;
    writeln!(out, "\n{bold}Not essential{bold:#}")?;
    let sums = sums(both());
    let row = |(category, sum): (&Category, &Sum)| {
        vec![
            name(*category),
            format!("{} of {}", sum.not.0, sum.all.0),
            format!("{} of {}", kilobytes(sum.not.1), kilobytes(sum.all.1)),
            percent(sum.not.1, sum.all.1),
        ]
    };
    let header = ["category", "requests", "KB", "of its bytes"];
    writeln!(out, "{}", table(&header, 1, sums.iter().map(row).collect()))?;
    let total = total(&sums);
    let in_part = both().filter(|(_, a)| !a.whole).count();
    say(
        out,
        &format!(
            "{} of {} requests and {} of {} KB ({}) are not essential; {in_part} {} useful in part.",
            total.not.0,
            total.all.0,
            kilobytes(total.not.1),
            kilobytes(total.all.1),
            percent(total.not.1, total.all.1),
            if in_part == 1 { "is" } else { "are" },
        ),
    )
}

/// Returns the complete assessment for machines.
pub(super) fn json(page: &Page, assessments: &[Assessment]) -> Value {
    let both = || page.resources.iter().zip(assessments);
    let resource = |(resource, assessment): (&Resource, &Assessment)| {
        let reasons = assessment.reasons.iter().map(|reason| {
            json!({
                "counts": reason.counts(),
                "text": reason.to_string(),
                "evidence": reason,
            })
        });
        json!({
            "id": resource.id,
            "url": resource.url,
            "category": resource.category,
            "destination": resource.destination,
            "third_party": resource.third_party,
            "body_bytes": resource.body_bytes,
            "essential": assessment.essential,
            "whole": assessment.whole,
            "reasons": reasons.collect::<Vec<Value>>(),
        })
    };
    let sums = sums(both());
    let counted = |sum: &Sum| {
        json!({
            "requests": sum.all.0,
            "bytes": sum.all.1,
            "non_essential_requests": sum.not.0,
            "non_essential_bytes": sum.not.1,
        })
    };
    let categories = sums.iter().map(|(category, sum)| {
        let mut value = counted(sum);
        value["category"] = json!(category);
        value
    });
    json!({
        "page": page.name,
        "url": page.url,
        "document": page.document,
        "resources": both().map(resource).collect::<Vec<Value>>(),
        "categories": categories.collect::<Vec<Value>>(),
        "total": counted(&total(&sums)),
    })
}

/// Number and bytes of all requests, and of those that are not essential.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    all: (u64, u64),
    not: (u64, u64),
}

fn sums<'a>(both: impl Iterator<Item = (&'a Resource, &'a Assessment)>) -> BTreeMap<Category, Sum> {
    let mut sums: BTreeMap<Category, Sum> = BTreeMap::new();
    for (resource, assessment) in both {
        let sum = sums.entry(resource.category).or_default();
        let add = |to: &mut (u64, u64)| *to = (to.0 + 1, to.1 + resource.body_bytes);
        add(&mut sum.all);
        if !assessment.essential {
            add(&mut sum.not);
        }
    }
    sums
}

fn total(sums: &BTreeMap<Category, Sum>) -> Sum {
    let add = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    sums.values().fold(Sum::default(), |t, s| Sum {
        all: add(t.all, s.all),
        not: add(t.not, s.not),
    })
}

fn evidence(assessment: &Assessment) -> String {
    let told = assessment.reasons.iter().map(|reason| {
        let sign = match reason.counts() {
            Counts::For => '+',
            Counts::Against => '-',
            Counts::Neither => '·',
        };
        format!("{sign} {reason}")
    });
    told.collect::<Vec<String>>().join("; ")
}

const fn yes(essential: bool) -> &'static str {
    if essential { "yes" } else { "no" }
}

const fn whole(whole: bool) -> &'static str {
    if whole { "whole" } else { "in part" }
}

fn percent(part: u64, all: u64) -> String {
    format!("{:.0} %", part as f64 / all.max(1) as f64 * 100.0)
}
