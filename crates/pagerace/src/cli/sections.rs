//! Findings as sections, for the terminal and for Markdown. The report shows the same ones.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use pagerace_report::sections::{Section, SectionReport};

use super::files::write_text;
use super::markdown::{self, cell};
use crate::table as terminal;
use crate::text::{say, stress};

/// Findings in sections.
#[derive(Args, Clone, Debug)]
pub(crate) struct SectionArgs {
    /// Write all findings as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the findings as a section of a Markdown file, and leave the rest of it alone.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,

    /// Write the findings with figures as one HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// Prints sections without figures.
pub(crate) fn print(out: &mut impl Write, sections: &[Section]) -> io::Result<()> {
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

impl SectionArgs {
    /// Returns the files that the options name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.json, &self.markdown, &self.report];
        files.into_iter().flatten()
    }

    /// Rejects a Markdown file into which the section of this name cannot go.
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        match &self.markdown {
            Some(file) => markdown::Section::check(file, name),
            None => Ok(()),
        }
    }

    /// Writes the section of the Markdown file, and the HTML file.
    pub(crate) fn write(
        &self,
        name: &str,
        command: &str,
        markdown: &dyn Fn() -> String,
        report: &dyn Fn() -> SectionReport,
    ) -> Result<()> {
        if let Some(path) = &self.markdown {
            markdown::Section::write(path, name, command, &markdown())?;
        }
        if let Some(path) = &self.report {
            write_text(path, &pagerace_report::render_sections(&report()))?;
        }
        Ok(())
    }
}

/// Returns a report as a section of Markdown, without figures.
pub(crate) fn markdown(report: &SectionReport) -> String {
    let title = format!("# {}\n", report.title);
    let facts = report.facts.iter().map(|fact| format!("{fact}."));
    let mut lines: Vec<String> = std::iter::once(title).chain(facts).collect();
    for section in &report.sections {
        lines.push(format!("\n## {}\n", section.title));
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
