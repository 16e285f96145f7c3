//! The answer on the terminal: facts of the race, tables, and sentences.

use std::io::{self, Write};

use comfy_table::Table;
use pagerace_lab::across::across_pages;
use pagerace_lab::facts::facts_in;
use pagerace_lab::results::facts_line;
use pagerace_lab::robustness;
use pagerace_lab::unit::Unit;
use pagerace_lab::why::{self, explainable};
use pagerace_lab::{Analysis, Plan, Results, VERSION, Verdict, analyse, verdict};
use pagerace_page::Page;
use pagerace_report::input::Provenance;

use super::super::files::reasons;
use super::super::inputs::layout_hint;
use super::pages;
use crate::table;
use crate::text::{counted, headed, say, stress, width};

/// Note for races in which requests were never answered.
const STALLED: &str = "Some requests are never answered: ∞ marks an event that never happens, and \
                       a load ends when it waits for nothing else.";

/// Note for tables with omitted columns.
const WIDER: &str = " (A wider terminal shows more columns.)";

/// Maximum number of contenders whose comparisons are all put into words. With more, only
/// the two that differ most are.
const SENTENCES_MAX: usize = 5;

/// Prints the answer. `defaults` names the options that were not given.
pub(crate) fn print(out: &mut impl Write, results: &Results, defaults: &[&str]) -> io::Result<()> {
    header(out, results)?;
    for network in 0..results.plan.networks.len() {
        if !pages::answer(out, results, network)? {
            network_answer(out, results, network)?;
        }
    }
    footer(out, results, defaults)
}

fn header(out: &mut impl Write, results: &Results) -> io::Result<()> {
    let (plan, provenance) = (&results.plan, results.provenance);
    let metric = plan.metric.metric();
    let text = format!(
        "seed {}, {} each, {} against {}",
        plan.seed,
        counted(plan.runs.into(), "run"),
        metric.title,
        plan.label(plan.baseline)
    );
    let live = match provenance {
        Provenance::Simulated => "",
        Provenance::Live => ", live",
    };
    headed(out, &format!("Pagerace {VERSION}{live}"), &text)?;
    let facts = facts_in(plan, provenance);
    say(out, &format!("{}: {facts}", provenance.heading()))?;
    if !results.environment.is_empty() {
        let circumstances = facts_line(&results.environment);
        say(out, &format!("Circumstances: {circumstances}"))?;
    }
    match plan.pages.as_slice() {
        [page] => {
            let (count, bytes) = (
                page.resources.len(),
                Unit::Bytes.format(page.body_bytes() as f64),
            );
            let text = format!("{}: {count} requests, {bytes}, {}", page.name, page.url);
            say(out, &text)?;
            say(out, &format!("{}: {}", page.name, paints(page)))
        }
        pages => {
            writeln!(out, "{} pages", pages.len())?;
            let mut each = pages.iter();
            each.try_for_each(|page| say(out, &format!("{}: {}", page.name, paints(page))))
        }
    }
}

/// Describes the evidence for the page's paints and its largest paint, and its processor.
fn paints(page: &Page) -> String {
    let processor = page.processor_in_words();
    let processor = processor.map_or_else(String::new, |words| format!("; processor: {words}"));
    format!(
        "paints {}{}; largest paint: {}{processor}",
        page.paint_evidence(),
        layout_hint(page),
        page.largest_in_words()
    )
}

fn network_answer(out: &mut impl Write, results: &Results, network: usize) -> io::Result<()> {
    let plan = &results.plan;
    let link = &plan.networks[network];
    writeln!(out)?;
    headed(out, &link.name, &link.describe())?;
    let answers: Vec<(Analysis, Verdict)> = (0..plan.pages.len())
        .map(|page| {
            let analysis = analyse(results, page, network, plan.metric);
            let verdict = verdict(results, page, network, &analysis);
            (analysis, verdict)
        })
        .collect();
    let (sentence, checked) = if let [(analysis, verdict)] = answers.as_slice() {
        tabled(out, table::ranking(plan, analysis))?;
        let checked = robustness::of(results, 0, network);
        let checked = checked.map(|checked| checked.sentence(plan));
        (verdict.sentence.clone(), checked)
    } else {
        let across = across_pages(results, network, plan.metric);
        tabled(out, table::pages(results, &answers))?;
        writeln!(out)?;
        table::print(out, &table::across(plan, &across))?;
        (across.sentence, robustness::across(results, network))
    };
    delivered(out, results, network)?;
    writeln!(out)?;
    stress(out, &sentence)?;
    if let Some(checked) = checked {
        say(out, &checked)?;
    }
    why_answer(out, results, network)
}

/// Prints a table, and a note if it lacks columns.
fn tabled(out: &mut impl Write, (table, narrow): (Table, bool)) -> io::Result<()> {
    table::print(out, &table)?;
    if narrow {
        writeln!(out, "{WIDER}")?;
    }
    Ok(())
}

/// Writes the deliveries of objects, if any were sent in datagrams.
fn delivered(out: &mut impl Write, results: &Results, network: usize) -> io::Result<()> {
    if let Some(table) = table::objects::deliveries(results, network) {
        writeln!(out)?;
        let how = if results.plan.pages.len() == 1 {
            "medians of the runs"
        } else {
            "medians of the runs, summed over the pages"
        };
        headed(out, "Objects", how)?;
        table::print(out, &table)?;
    }
    Ok(())
}

/// Writes the causes of the differences, if they were computed.
fn why_answer(out: &mut impl Write, results: &Results, network: usize) -> io::Result<()> {
    let plan = &results.plan;
    let here = results.whys.iter().filter(|why| why.network == network);
    let whys: Vec<&why::Why> = here.collect();
    if whys.is_empty() {
        return Ok(());
    }
    let (metric, baseline) = (plan.metric.metric().title, plan.label(plan.baseline));
    let how = if plan.pages.len() == 1 {
        "in the run whose difference is the median".to_owned()
    } else {
        format!(
            "mean over {} pages of the runs whose difference is the median",
            plan.pages.len()
        )
    };
    writeln!(out)?;
    let text = format!("Why: {metric} compared with {baseline}, by cause; {how}");
    say(out, &text)?;
    let explained = table::why::race(plan, &whys, width());
    table::print(out, &explained.table)?;
    for note in &explained.notes {
        say(out, note)?;
    }
    if plan.pages.len() > 1 {
        return Ok(());
    }
    writeln!(out)?;
    let told = if whys.len() > SENTENCES_MAX {
        let least = whys.iter().min_by_key(|why| why.total_difference());
        let most = whys.iter().max_by_key(|why| why.total_difference());
        least.into_iter().chain(most).copied().collect()
    } else {
        whys
    };
    for why in told {
        say(out, &why::sentence(plan, why))?;
    }
    Ok(())
}

fn footer(out: &mut impl Write, results: &Results, defaults: &[&str]) -> io::Result<()> {
    let plan = &results.plan;
    writeln!(out)?;
    if let Some(text) = notes(plan) {
        say(out, &text)?;
    }
    if let Some(name) = without_choice(plan) {
        let text = format!(
            "{name} sends one response at a time, so strategies do not change it and it races once."
        );
        say(out, &text)?;
    }
    if results.provenance == Provenance::Simulated
        && plan.varying().beyond_strategy()
        && let Err(error) = explainable(plan.metric)
    {
        say(out, &format!("The differences are not explained: {error}."))?;
    }
    if let Some(text) = unmeasured(results) {
        say(out, &text)?;
    }
    if !defaults.is_empty() {
        let text = format!("Defaults were used for {}.", defaults.join(" and "));
        say(out, &text)?;
    }
    let stalled = |v: &pagerace_lab::Variant| v.runs.iter().any(|run| run.unanswered > 0);
    if results.variants.iter().any(stalled) {
        say(out, STALLED)?;
    }
    let failed = results.failed();
    if failed > 0 {
        let text = format!(
            "{failed} of {} loads failed: {}",
            plan.loads(),
            reasons(&results.reasons())
        );
        say(out, &text)?;
    }
    Ok(())
}

/// Returns a contender that ignores the strategy, in a race of different strategies.
fn without_choice(plan: &Plan) -> Option<String> {
    let found = plan.contenders.iter().find(|c| !c.has_choice())?;
    plan.varying().strategy.then(|| found.protocols.to_string())
}

/// Returns a note if the error of the model is not known for the metric.
fn unmeasured(results: &Results) -> Option<String> {
    let (plan, metric) = (&results.plan, results.plan.metric);
    if results.provenance == Provenance::Live || plan.contenders.len() < 2 {
        return None;
    }
    let rows = analyse(results, 0, 0, metric).rows;
    let known = rows.iter().any(|row| row.model.is_some());
    (!known).then(|| {
        format!(
            "The model's error is not measured for {}; verdicts rely on the runs alone.",
            metric.metric().title
        )
    })
}

/// Returns a note on the assumptions about the pages and on the command that lists them.
fn notes(plan: &Plan) -> Option<String> {
    let noted = plan.pages.iter().filter(|page| !page.notes.is_empty());
    let count: usize = plan.pages.iter().map(|page| page.notes.len()).sum();
    if count == 0 {
        return None;
    }
    let (notes, tell) = (
        counted(count as u64, "note"),
        if count == 1 { "lists" } else { "list" },
    );
    let of = match (noted.count(), plan.pages.as_slice()) {
        (_, [page]) => format!("{}'s recording", page.name),
        (1, _) => "one recording".to_owned(),
        (n, _) => format!("{n} recordings"),
    };
    Some(format!(
        "{notes} on {of} {tell} the data left out, inferred or assumed; see pagerace page FILE"
    ))
}
