//! The findings as sections, for the terminal and for the report.

use std::io::{self, Write};

use comfy_table::Cell;
use pagerace_corpus::{Experiment, Findings, Http3Hosts};
use pagerace_lab::VERSION;
use pagerace_lab::facts;
use pagerace_net::Network;
use pagerace_page::PaintEvidence;
use pagerace_report::sections::{Section, SectionReport};

use crate::commands::markdown::cell;
use crate::commands::study::counted;
use crate::table as terminal;
use crate::text::{say, stress};

use loads::{clusters, failed, phases};

mod loads;
mod recordings;

/// Maximum number of providers that tables and figures name.
const PROVIDERS_SHOWN: usize = 12;
/// Sign for a missing value.
const NONE: &str = "–";

/// Findings with their circumstances.
pub(super) struct Content<'a> {
    pub(super) findings: &'a Findings,
    pub(super) experiment: Option<&'a Experiment>,
    pub(super) which: Http3Hosts,
    /// The worst evidence of paints among the pages, by which the model's error is known.
    pub(super) evidence: PaintEvidence,
}

fn ms(value: f64) -> String {
    number(value, 1)
}

fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    // Minus zero is zero.
    match text.strip_prefix('-') {
        Some(size) if size.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) => {
            format!("−{size}")
        }
        Some(zero) => zero.to_owned(),
        None => text,
    }
}

/// Formats a value; one that is missing is a dash.
fn or_none<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), text)
}

fn percent(part: usize, all: usize) -> String {
    if all == 0 {
        return NONE.to_owned();
    }
    format!("{:.1} %", 100.0 * part as f64 / all as f64)
}

fn texts<const N: usize>(all: [&str; N]) -> Vec<String> {
    all.map(str::to_owned).into()
}

impl Content<'_> {
    /// Prints the sections without figures.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for fact in self.facts() {
            say(out, &fact)?;
        }
        for section in self.sections() {
            writeln!(out)?;
            stress(out, &section.title)?;
            for text in &section.text {
                say(out, text)?;
            }
            if !section.header.is_empty() {
                let header: Vec<&str> = section.header.iter().map(String::as_str).collect();
                let mut table = terminal::table(&header, section.words);
                for row in &section.rows {
                    let cells = row.iter().map(Cell::new).collect();
                    terminal::add(&mut table, section.words, cells);
                }
                terminal::print(out, &table)?;
            }
        }
        Ok(())
    }

    /// Returns the report, which also lists the pages.
    pub(super) fn report(&self) -> SectionReport {
        let mut sections = self.sections();
        sections.push(self.pages());
        SectionReport {
            title: "HTTP/3 at content delivery networks".to_owned(),
            version: VERSION.to_owned(),
            facts: self.facts(),
            sections,
        }
    }

    /// Returns the sections as Markdown, without figures.
    pub(super) fn markdown(&self) -> String {
        let title = "## HTTP/3 at content delivery networks (after Zhou 2024)\n".to_owned();
        let facts = self.facts().into_iter().map(|fact| format!("{fact}."));
        let mut lines: Vec<String> = std::iter::once(title).chain(facts).collect();
        for section in self.sections() {
            lines.push(format!("\n### {}\n", section.title));
            lines.push(section.text.join(" "));
            if section.header.is_empty() {
                continue;
            }
            let line = |cells: &[String]| {
                let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
                format!("| {} |", cells.join(" | "))
            };
            lines.push(format!("\n{}", line(&section.header)));
            lines.push(format!("|{}", "---|".repeat(section.header.len())));
            lines.extend(section.rows.iter().map(|row| line(row)));
        }
        lines.push("\n".to_owned());
        lines.join("\n")
    }

    fn facts(&self) -> Vec<String> {
        let Findings {
            pages, requests, ..
        } = self.findings;
        let pages = counted(pages.len() as u64, "page");
        let mut all = vec![format!(
            "Pagerace {VERSION}: {pages}, {}",
            counted(*requests as u64, "answered request")
        )];
        let hosts = match self.which {
            Http3Hosts::Recorded => {
                "hosts that spoke it, or announced it in at least half of their responses"
            }
            Http3Hosts::Providers => {
                "hosts that spoke it, or announced it in at least half of their responses, and by \
                 those of providers that offer it"
            }
        };
        all.push(format!("HTTP/3 counts as spoken by {hosts}"));
        if let Some(experiment) = self.experiment {
            let plan = experiment.plan();
            let networks: Vec<String> = plan.networks.iter().map(Network::describe).collect();
            all.push(format!(
                "{} of simulated loads of each page and network, seed {}: {}",
                counted(u64::from(plan.runs), "pair"),
                plan.seed,
                facts::facts(&plan),
            ));
            all.push(format!("Networks: {}", networks.join("; ")));
        }
        all
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.versions(), self.providers(), self.provider_counts()];
        if !self.findings.recorded_pairs.is_empty() {
            sections.push(self.recorded());
        }
        let Some(reductions) = &self.findings.reductions else {
            return sections;
        };
        if self.able().next().is_none() {
            let mut text = vec![
                "No page has requests to a content delivery network that speaks HTTP/3, so there \
                 are no groups. Other hosts may speak it; --json has the pairs of all pages."
                    .to_owned(),
            ];
            if self.which == Http3Hosts::Recorded {
                text.push("--http3 providers assumes it of providers that offer it.".to_owned());
            }
            text.extend(failed(reductions));
            sections.push(Section {
                title: "What HTTP/3 saves".to_owned(),
                text,
                ..Section::default()
            });
            return sections;
        }
        sections.extend([
            self.groups(reductions),
            phases(reductions),
            self.reuse(reductions),
        ]);
        if self.findings.pages.len() > 1 {
            sections.extend([self.consecutive(reductions), clusters(reductions)]);
        }
        sections.push(self.losses(reductions));
        sections
    }
}
