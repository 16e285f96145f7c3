//! The advice on the terminal.

use std::io::{self, Write};
use std::path::Path;

use comfy_table::Cell;
use pagerace_lab::VERSION;
use pagerace_lab::facts::facts;
use pagerace_page::{Changes, PaintEvidence};
use pagerace_report::input::Provenance;

use super::servers::Server;
use super::words::{self, Answer};
use super::{paste, servers};
use crate::table;
use crate::text::{counted, headed, say, stress};

/// Lines to paste that are shown.
const LINES_MAX: usize = 16;

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
    let changes = answer.changes();
    let paste = paste::paste(page, &changes);
    if !paste.lines.is_empty() {
        writeln!(out, "\nTo paste:")?;
        let mut shown = paste.lines.iter().take(LINES_MAX);
        shown.try_for_each(|line| writeln!(out, "  {line}"))?;
        if let Some(more @ 1..) = paste.lines.len().checked_sub(LINES_MAX) {
            writeln!(
                out,
                "  and {} in --json FILE",
                counted(more as u64, "more line")
            )?;
        }
    }
    if !paste.without.is_empty() {
        say(
            out,
            &format!("No line makes: {}.", paste.without.join("; ")),
        )?;
    }
    let fields = servers::fields(page, &changes);
    if let Some(server) = server {
        writeln!(out, "\nFor {}, as far as fields can:", server.title())?;
        let text = fields.lines(server);
        if text.is_empty() {
            writeln!(out, "  (no field makes these changes)")?;
        }
        text.lines()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
    } else if !fields.is_empty() {
        say(
            out,
            "Fields of responses do some of this; --server nginx, apache, caddy or h2o has the lines.",
        )?;
    }
    if !advice.judged.is_empty() {
        writeln!(out)?;
        let mut table = table::table(&answer.header(), 2);
        for one in &advice.judged {
            table.add_row(answer.row(one).into_iter().map(Cell::new));
        }
        table::print(out, &table)?;
        for text in answer.costs_alone() {
            say(out, &text)?;
        }
    }
    if let Some(text) = answer.idle() {
        writeln!(out)?;
        say(out, &text)?;
    }
    writeln!(out)?;
    headed(out, &format!("Pagerace {VERSION}"), &answer.settings())?;
    let heading = Provenance::Simulated.heading();
    let own = &plan.contenders[0];
    let text = format!(
        "{heading}: {}, {}, strategy {}",
        facts(plan),
        own.visit,
        own.strategy
    );
    say(out, &text)?;
    for (name, text) in answer.networks() {
        headed(out, &name, &text)?;
    }
    if let Some(record) = answer.record() {
        say(out, &record)?;
    }
    // All that is advised, or the best change that servers can make.
    let gaining = advice.judged.iter().filter(|one| words::gains(one));
    let gaining = gaining.map(|one| &one.idea.changes);
    let mut tried = std::iter::once(&changes).chain(gaining);
    // Others' recordings hold no bodies to serve, as a rule.
    let servable = |one: &&Changes| {
        !one.is_empty()
            && page.paint_evidence() == PaintEvidence::Recorded
            && paste::is_servable(page, one)
    };
    if let Some(best) = tried.find(servable) {
        let networks: Vec<String> = verified.iter().map(|one| quoted(one)).collect();
        let text = format!(
            "Check it in Chromium: pagerace live {} --protocol {} --network {} --metric {} \
             --change \"{}\"",
            file.display(),
            plan.contenders[0].protocols,
            networks.join(","),
            plan.metric,
            best
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
