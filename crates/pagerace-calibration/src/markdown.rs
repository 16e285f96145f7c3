//! Markdown output for the accuracy of the model, to be committed with the documentation.

use std::fmt::Write as _;

use pagerace_report::sections::{Section, Table};

use crate::accuracy::Accuracy;
use crate::tables::{Extent, sections};

/// Formats the page. `rerun` is the command that repeats the measurement.
pub fn markdown(accuracy: &Accuracy, rerun: &str) -> String {
    page(&sections(accuracy, rerun, Extent::Page))
}

/// Formats sections as a page. The first one has the page's heading.
pub fn page(sections: &[Section]) -> String {
    let mut out = String::new();
    for (i, section) in sections.iter().enumerate() {
        write_section(&mut out, section, i == 0);
    }
    out
}

/// Writes one section; the first section has the document's heading.
fn write_section(out: &mut String, section: &Section, first: bool) {
    if !first {
        out.push('\n');
    }
    let mark = if first { "#" } else { "##" };
    let (item, between) = if section.list {
        ("- ", "\n")
    } else {
        ("", "\n\n")
    };
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "{mark} {}\n", section.title);
    let lines = section
        .text
        .iter()
        .map(|line| format!("{item}{}", escaped(line)));
    let _ = writeln!(out, "{}", lines.collect::<Vec<_>>().join(between));
    if !section.lines.is_empty() {
        let _ = writeln!(out, "\n```\n{}\n```", section.lines.join("\n"));
    }
    for table in &section.tables {
        write_table(out, table);
    }
}

fn write_table(out: &mut String, table: &Table) {
    if !table.caption.is_empty() {
        let _ = write!(out, "\n**{}**\n", escaped(&table.caption));
    }
    if table.rows.is_empty() {
        out.push_str("\nNone.\n");
        return;
    }
    out.push('\n');
    row(out, &table.header);
    let sides = (0..table.header.len()).map(|i| if i < table.words { "---" } else { "---:" });
    let _ = writeln!(out, "|{}|", sides.collect::<Vec<_>>().join("|"));
    for cells in &table.rows {
        row(out, cells);
    }
}

fn row(out: &mut String, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

/// Escapes text that may contain Markdown syntax, such as names and URLs.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '|' | '*' | '_' | '`' | '<' | '[' | ']' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
