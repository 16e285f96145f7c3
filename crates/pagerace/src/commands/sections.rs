//! Findings as sections, for the terminal and for Markdown. The report shows the same ones.

use std::io::{self, Write};

use pagerace_report::sections::{Section, SectionReport};

use super::markdown::cell;
use crate::table as terminal;
use crate::text::{say, stress};

/// Prints sections without figures.
pub(super) fn print(out: &mut impl Write, sections: &[Section]) -> io::Result<()> {
    for section in sections {
        writeln!(out)?;
        stress(out, &section.title)?;
        for text in &section.text {
            say(out, text)?;
        }
        for line in &section.lines {
            writeln!(out, "{line}")?;
        }
        for table in &section.tables {
            let mut shown = terminal::table(&table.header, table.words);
            terminal::print(out, shown.add_rows(&table.rows))?;
        }
    }
    Ok(())
}

/// Returns a report as a section of Markdown, without figures.
pub(super) fn markdown(report: &SectionReport) -> String {
    let title = format!("## {}\n", report.title);
    let facts = report.facts.iter().map(|fact| format!("{fact}."));
    let mut lines: Vec<String> = std::iter::once(title).chain(facts).collect();
    for section in &report.sections {
        lines.push(format!("\n### {}\n", section.title));
        if !section.text.is_empty() {
            lines.push(section.text.join(" "));
        }
        if !section.lines.is_empty() {
            let gap = if section.text.is_empty() { "" } else { "\n" };
            lines.push(format!("{gap}```"));
            lines.extend(section.lines.iter().cloned());
            lines.push("```".to_owned());
        }
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
            format!("| {} |", cells.join(" | "))
        };
        for table in &section.tables {
            let gap = if section.text.is_empty() { "" } else { "\n" };
            lines.push(format!("{gap}{}", line(&table.header)));
            lines.push(format!("|{}", "---|".repeat(table.header.len())));
            lines.extend(table.rows.iter().map(|row| line(row)));
        }
    }
    lines.push("\n".to_owned());
    lines.join("\n")
}
