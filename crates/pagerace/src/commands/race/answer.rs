//! The answer on the terminal: facts of the race, tables, and sentences.

use std::io::{self, Write};

use comfy_table::Table;
use pagerace_lab::across::across_pages;
use pagerace_lab::facts::facts_in;
use pagerace_lab::results::{distinct, facts_line};
use pagerace_lab::unit::Unit;
use pagerace_lab::verdict::record;
use pagerace_lab::why::{self, explainable};
use pagerace_lab::{Analysis, Plan, Results, VERSION, Verdict, analyse, verdict};
use pagerace_page::Page;
use pagerace_report::input::Provenance;

use super::pages;
use crate::cli::inputs::layout_advice;
use crate::failed::reasons;
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

/// Prints the whole answer. `defaults` names the options that were not given.
#[cfg(any(feature = "live", feature = "study"))]
pub(crate) fn print(out: &mut impl Write, results: &Results, defaults: &[&str]) -> io::Result<()> {
    for network in 0..results.plan.networks.len() {
        first(out, results, network)?;
    }
    rest(out, results, defaults)
}

/// Prints which recordings' own loads are reproduced badly.
pub(crate) fn doubts(out: &mut impl Write, plan: &Plan) -> io::Result<()> {
    let mut doubts = plan.doubts().into_iter();
    doubts.try_for_each(|doubt| say(out, &doubt))
}

/// Prints the answer on one network: a sentence, and one on the cause.
pub(crate) fn first(out: &mut impl Write, results: &Results, network: usize) -> io::Result<()> {
    let plan = &results.plan;
    if pages::first(out, results, network)? {
        return Ok(());
    }
    if plan.pages.len() > 1 {
        return stress(out, &across_pages(results, network, plan.metric).sentence);
    }
    let analysis = analyse(results, 0, network, plan.metric);
    let verdict = verdict(results, 0, network, &analysis);
    stress(out, &verdict.answer)?;
    let told = verdict.winner.filter(|winner| *winner != plan.baseline);
    let told = told.or_else(|| {
        let others = analysis.ranking.iter().rev();
        others.copied().find(|i| *i != plan.baseline)
    });
    let mut whys = results.whys.iter();
    let why = whys.find(|why| why.network == network && Some(why.contender) == told);
    if let Some(why) = why {
        say(out, &format!("Why: {}", why::cause(plan, why)))?;
    }
    let mut visits = results.first_visits.iter();
    if let Some(visit) = visits.find(|visit| visit.network == network) {
        say(out, &visit.sentence(plan))?;
    }
    Ok(())
}

/// Prints all that follows the first answers: how sure they are, tables, settings and notes.
pub(crate) fn rest(out: &mut impl Write, results: &Results, defaults: &[&str]) -> io::Result<()> {
    let plan = &results.plan;
    let places = (0..plan.networks.len()).flat_map(|n| (0..plan.pages.len()).map(move |p| (p, n)));
    let analyses = places.map(|(page, network)| analyse(results, page, network, plan.metric));
    let records = analyses.filter_map(|analysis| record(&analysis));
    for record in distinct(records.collect::<Vec<_>>().iter()) {
        say(out, record)?;
    }
    for network in 0..plan.networks.len() {
        if !pages::answer(out, results, network)? {
            network_answer(out, results, network)?;
        }
    }
    early_hints(out, results)?;
    writeln!(out)?;
    settings(out, results)?;
    footer(out, results, defaults)
}

/// Prints both times to a first byte of variants with a 103 response, which counts as one in some
/// tools.
fn early_hints(out: &mut impl Write, results: &Results) -> io::Result<()> {
    let plan = &results.plan;
    for variant in &results.variants {
        let mut loads = variant.runs.iter().map(|run| &run.load);
        let told = loads.find_map(|load| Some((load.early_hints?, load.ttfb?)));
        if let Some((early, ttfb)) = told {
            let millis = |time: pagerace_core::Duration| time.as_millis_f64().round();
            let text = format!(
                "{} on {}, {}: the first byte comes after {} ms with the 103 response, and after \
                 {} ms with the document, which TTFB counts (first load).",
                plan.label(variant.contender),
                plan.networks[variant.network].name,
                plan.pages[variant.page].name,
                millis(early),
                millis(ttfb)
            );
            say(out, &text)?;
        }
    }
    Ok(())
}

/// Prints what was raced, and how.
fn settings(out: &mut impl Write, results: &Results) -> io::Result<()> {
    let (plan, provenance) = (&results.plan, results.provenance);
    let metric = plan.metric.metric();
    let text = format!(
        "seed {}, {}, {} against {}",
        plan.seed,
        runs(results),
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

/// Returns the number of runs: "30 runs each", "10 to 30 runs each".
fn runs(results: &Results) -> String {
    let all = results
        .variants
        .iter()
        .map(|variant| variant.runs.len() as u64);
    let (least, most) = (all.clone().min().unwrap_or(0), all.max().unwrap_or(0));
    if least == most {
        format!("{} each", counted(most, "run"))
    } else {
        format!("{least} to {} each", counted(most, "run"))
    }
}

/// Describes the evidence for the page's paints and its largest paint, and its processor.
fn paints(page: &Page) -> String {
    let processor = page.processor_in_words();
    let processor = processor.map_or_else(String::new, |words| format!("; processor: {words}"));
    format!("{}{processor}", page.paints_in_words())
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
    let sentence = if let [(analysis, verdict)] = answers.as_slice() {
        tabled(out, table::ranking(plan, analysis))?;
        // The answer has been told.
        let more = verdict.sentence.strip_prefix(&verdict.answer);
        more.unwrap_or_default().trim().to_owned()
    } else {
        let across = across_pages(results, network, plan.metric);
        tabled(out, table::pages(results, &answers))?;
        writeln!(out)?;
        table::print(out, &table::across(plan, &across))?;
        String::new()
    };
    delivered(out, results, network)?;
    if !sentence.is_empty() {
        writeln!(out)?;
        say(out, &sentence)?;
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
        "in a typical run".to_owned()
    } else {
        format!("mean over {} pages of a typical run each", plan.pages.len())
    };
    writeln!(out)?;
    let text = format!("Why: {metric} compared with {baseline}, by cause; {how}");
    say(out, &text)?;
    let explained = table::why::race(plan, &whys, width());
    table::print(out, &explained.table)?;
    for note in &explained.notes {
        say(out, note)?;
    }
    // The cause between two has been told with the answer.
    if plan.pages.len() > 1 || whys.len() == 1 {
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
    if let Some(text) = notes(plan) {
        say(out, &text)?;
    }
    if results.provenance == Provenance::Simulated
        && let Some(text) = layout_advice(&plan.pages)
    {
        say(out, text)?;
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
            results.loads(),
            reasons(&results.reasons())
        );
        say(out, &text)?;
    }
    Ok(())
}

/// Returns a contender that ignores the strategy, in a race of different strategies.
fn without_choice(plan: &Plan) -> Option<String> {
    let found = plan.contenders.iter().find(|c| !c.has_choice())?;
    plan.varying()
        .has("strategy")
        .then(|| found.protocols.to_string())
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
