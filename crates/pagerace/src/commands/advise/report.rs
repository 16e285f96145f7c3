//! The advice as a report: a race of the page as it is and after the changes, with what to do about
//! it.

use std::path::Path;

use anyhow::Result;
use pagerace_lab::export::report::report;
use pagerace_lab::{Contender, Plan};
use pagerace_report::input::{Advice, Report};

use super::words::Answer;
use super::{paste, servers};
use crate::cli::files::{rerun, write_text};
use crate::cli::groups::WorkArgs;
use crate::cli::simulate::load;
use crate::commands::race;

/// Races the page with and without the changes, and writes the report. `networks` are those of the
/// question that are shown.
pub(super) fn write(
    path: &Path,
    answer: Answer<'_>,
    networks: &[usize],
    work: &WorkArgs,
) -> Result<()> {
    let plan = racing(answer, networks);
    let (jobs, watch) = (work.jobs(), work.watch("loads"));
    let results = race::results(&plan, jobs, &watch, &mut |_, _| Ok(()))?;
    watch.start("drawing", plan.variants());
    let mut input = report(&results, &rerun(), jobs, &load, &|progress| {
        watch.tell(progress)
    })?;
    watch.clear();
    // The page today, and the answer.
    let mut first = answer.first().into_iter().map(|(_, text)| text);
    input.question = first.next().unwrap_or_default();
    input.title = first.next().unwrap_or_default();
    if !answer.advice.together.is_empty() {
        rename(&mut input);
    }
    input.advice = Some(section(answer, first.collect()));
    write_text(path, &pagerace_report::render(&input))
}

/// Returns the race: the page as it is, and with all changes that are advised; without advice with
/// the best one that was tried.
fn racing(answer: Answer<'_>, networks: &[usize]) -> Plan {
    let (plan, advice) = (answer.plan(), answer.advice);
    let mut changes = answer.changes();
    if let Some(best) = advice.judged.first().filter(|_| changes.is_empty()) {
        changes = best.idea.changes.clone();
    }
    let base = plan.contenders[0].clone();
    let changed = (!changes.is_empty()).then(|| Contender {
        changes,
        ..base.clone()
    });
    Plan {
        contenders: [base].into_iter().chain(changed).collect(),
        baseline: 0,
        networks: networks.iter().map(|i| plan.networks[*i].clone()).collect(),
        processors: networks
            .iter()
            .filter_map(|i| plan.processors.get(*i).copied())
            .collect(),
        ..plan.clone()
    }
}

/// Gives the page after all changes a short name: the changes themselves are listed.
fn rename(input: &mut Report) {
    const CHANGED: &str = "changed";
    let Some(changed) = input.contenders.get_mut(1) else {
        return;
    };
    let long = std::mem::replace(&mut changed.name, CHANGED.to_owned());
    for page in &mut input.pages {
        for why in page.networks.iter_mut().flat_map(|one| &mut one.whys) {
            why.sentence = why.sentence.replace(&long, CHANGED);
        }
    }
}

fn section(answer: Answer<'_>, sentences: Vec<String>) -> Advice {
    let (page, advice) = (answer.page(), answer.advice);
    let changes = answer.changes();
    let paste = paste::paste(page, &changes);
    let fields = servers::fields(page, &changes);
    let servers = servers::SERVERS
        .into_iter()
        .filter(|_| !fields.is_empty())
        .map(|server| (server.title().to_owned(), fields.lines(server)));
    let mut remarks = answer.costs_alone();
    remarks.extend(answer.idle());
    Advice {
        sentences,
        lines: paste.lines,
        without: paste.without,
        servers: servers.collect(),
        header: answer.header(),
        rows: advice.judged.iter().map(|one| answer.row(one)).collect(),
        remarks,
        record: answer.record().unwrap_or_default(),
        settings: answer.settings(),
    }
}
