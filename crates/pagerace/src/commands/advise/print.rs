//! The advice on the terminal.

use std::io::{self, Write};
use std::path::Path;

use comfy_table::Cell;
use pagerace_lab::VERSION;
use pagerace_lab::advice::combined;
use pagerace_lab::facts::facts;
use pagerace_report::input::Provenance;

use super::servers::Server;
use super::words::{self, Answer};
use super::{paste, servers};
use crate::table;
use crate::text::{headed, say, stress};

/// Prints everything, the answer first. `server` is the one whose lines are wanted, `verified` the
/// networks on which a change can be measured.
pub(super) fn advice(
    out: &mut impl Write,
    answer: Answer<'_>,
    file: &Path,
    server: Option<Server>,
    verified: &[String],
) -> io::Result<()> {
    let (plan, page, advice) = (answer.plan(), answer.page(), answer.advice);
    for (is_stressed, text) in answer.first() {
        if is_stressed {
            stress(out, &text)?;
        } else {
            say(out, &text)?;
        }
    }
    let changes = combined(advice.together.iter().map(|one| &one.idea));
    let lines = paste::lines(page, &changes);
    if !lines.is_empty() {
        writeln!(out, "\nTo paste:")?;
        lines
            .iter()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    let fields = servers::fields(page, &changes);
    if let Some(server) = server {
        writeln!(out, "\nOr for {}:", server.title())?;
        let text = fields.lines(server);
        if text.is_empty() {
            writeln!(out, "  (no field makes these changes)")?;
        }
        text.lines()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
    } else if !fields.is_empty() {
        say(
            out,
            "Fields of responses do the same; --server nginx, apache, caddy or h2o has the lines.",
        )?;
    }
    if !advice.judged.is_empty() {
        writeln!(out)?;
        let mut table = table::table(&answer.header(), 2);
        for one in &advice.judged {
            table.add_row(answer.row(one).into_iter().map(Cell::new));
        }
        table::print(out, &table)?;
        for one in &advice.judged {
            if let Some(text) = answer.costs(one) {
                say(out, &text)?;
            }
        }
    }
    if let Some(text) = answer.idle() {
        writeln!(out)?;
        say(out, &text)?;
    }
    writeln!(out)?;
    headed(out, &format!("Pagerace {VERSION}"), &answer.settings())?;
    let heading = Provenance::Simulated.heading();
    let text = format!("{heading}: {}, {}", facts(plan), plan.contenders[0]);
    say(out, &text)?;
    for (name, text) in answer.networks() {
        headed(out, &name, &text)?;
    }
    if let Some(record) = answer.record() {
        say(out, &record)?;
    }
    let mut gaining = advice.judged.iter().filter(|one| words::gains(one));
    if let Some(best) = gaining.find(|one| paste::is_servable(page, &one.idea.changes)) {
        let networks: Vec<String> = verified.iter().map(|one| quoted(one)).collect();
        let text = format!(
            "Check the best in Chromium: pagerace live {} --protocol {} --network {} --metric {} \
             --change \"{}\"",
            file.display(),
            plan.contenders[0].protocols,
            networks.join(","),
            plan.metric,
            best.idea.changes
        );
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// Returns a word as a shell takes it.
fn quoted(text: &str) -> String {
    if text.contains(' ') {
        format!("\"{text}\"")
    } else {
        text.to_owned()
    }
}
