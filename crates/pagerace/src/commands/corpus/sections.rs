//! The findings as sections, for the terminal and for the report.

use std::io::{self, Write};

use pagerace_corpus::{Experiment, Findings, Http3Hosts};
use pagerace_lab::VERSION;
use pagerace_lab::facts;
use pagerace_net::Network;
use pagerace_page::PaintEvidence;
use pagerace_report::sections::{Section, SectionReport};

use crate::cli::sections;
use crate::commands::study::engine;
use crate::text::{counted, say};

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
impl Content<'_> {
    /// Prints the sections without figures.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for fact in self.facts() {
            say(out, &fact)?;
        }
        sections::print(out, &self.sections())
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
        sections::markdown(&SectionReport {
            title: "HTTP/3 at content delivery networks (after Zhou 2024)".to_owned(),
            sections: self.sections(),
            facts: self.facts(),
            ..SectionReport::default()
        })
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
            all.push(format!("Engine {}", engine::fingerprint()));
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
        let mut sections = vec![
            self.versions(),
            self.providers(),
            self.provider_counts(),
            self.sizes(),
            self.categories(),
        ];
        if !self.findings.recorded_pairs.is_empty() {
            sections.push(self.recorded());
        }
        let Some(reductions) = &self.findings.reductions else {
            return sections;
        };
        if self.able().next().is_none() {
            let assumed = "--http3 providers assumes it of providers that offer it.".to_owned();
            let section = Section::new("What HTTP/3 saves")
                .say(
                    "No page has requests to a content delivery network that speaks HTTP/3, so \
                     there are no groups. Other hosts may speak it; --json has the pairs of all \
                     pages.",
                )
                .say_all((self.which == Http3Hosts::Recorded).then_some(assumed))
                .say_all(failed(reductions));
            sections.push(section);
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
