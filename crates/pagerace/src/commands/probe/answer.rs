//! The answer of a probe as text, JSON and a report.

use std::fmt::Display;
use std::io::Write as _;
use std::iter;

use anyhow::Result;
use pagerace_lab::VERSION;
use pagerace_lab::export::file::write_atomically;
use pagerace_lab::unit::probability;
use pagerace_probe::{Group, Server, Verdict};
use pagerace_report::sections::{Section, SectionReport, Table};
use serde_json::{Value, json};

use super::ProbeArgs;
use crate::cli::files::say;
use crate::table;

/// Most groups that are printed.
const SHOWN: usize = 5;

/// The findings of a probe.
pub(super) trait Answer {
    /// The property that was probed, for the title of the report.
    const TITLE: &'static str;
    /// The word for a candidate, and its plural.
    const NOUNS: [&'static str; 2];
    /// A strategy or controller that the server may run.
    type Candidate: Display;

    /// Returns the candidates by distance.
    fn verdict(&self) -> &Verdict<Self::Candidate>;

    /// Returns the sentences above the table.
    fn sentences(&self) -> Vec<String>;

    /// Returns an object with the keys that other answers lack in JSON.
    fn json(&self) -> Value;

    /// Returns the figures of the report.
    fn figures(&self) -> Vec<Section>;

    /// Prints the answer, and writes the report if it is wanted.
    fn show(&self, args: &ProbeArgs, server: &Server) -> Result<()> {
        let Verdict {
            groups, unknown, ..
        } = self.verdict();
        let [noun, plural] = Self::NOUNS;
        let header = [noun, "distance", "probability"];
        let group = |g: &Group<_>| (names(g), format!("{:.2}", g.distance), g.probability);
        let none = (
            "none of the candidates".to_owned(),
            "–".to_owned(),
            *unknown,
        );
        let shown = groups.iter().take(SHOWN).map(group).chain([none]);
        let rows = shown.map(|(name, distance, p)| vec![name, distance, probability(p)]);
        let rows: Vec<Vec<String>> = rows.collect();
        let facts = self.sentences();
        let mut out = anstream::stdout();
        if args.json {
            let groups = groups.iter().map(|g| {
                let members: Vec<String> = g.members.iter().map(ToString::to_string).collect();
                json!({ plural: members, "distance": g.distance, "probability": g.probability })
            });
            let mut all = json!({
                "version": VERSION,
                "url": args.urls[0],
                "address": server.remote.to_string(),
                "seed": args.random.seed,
                "protocol": args.protocol.name(),
                "answer": self.verdict().answer().map_or("unknown".to_owned(), names),
                "unknown": unknown,
                "groups": groups.collect::<Vec<_>>(),
            });
            if let (Value::Object(all), Value::Object(mut own)) = (&mut all, self.json()) {
                all.append(&mut own);
            }
            writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
        } else {
            writeln!(out, "Pagerace {VERSION}, seed {}", args.random.seed)?;
            for sentence in &facts {
                writeln!(out, "{sentence}")?;
            }
            writeln!(out)?;
            table::print(&mut out, table::table(&header, 1).add_rows(&rows))?;
        }
        let Some(path) = &args.report else {
            return Ok(());
        };
        let header = header.map(str::to_owned).to_vec();
        let nearest = Section::new(format!("Nearest {plural}")).table(Table::new(header, 1, rows));
        let html = pagerace_report::render_sections(&SectionReport {
            title: format!("{} at {}", Self::TITLE, args.urls[0]),
            version: VERSION.to_owned(),
            facts,
            sections: iter::once(nearest).chain(self.figures()).collect(),
        });
        write_atomically(path, |file| file.write_all(html.as_bytes()))?;
        // With --json, standard output holds nothing else.
        if !args.json {
            say(path)?;
        }
        Ok(())
    }
}

/// Returns the members of a group.
pub(super) fn names<C: Display>(group: &Group<C>) -> String {
    let names: Vec<String> = group.members.iter().map(ToString::to_string).collect();
    names.join(" or ")
}
