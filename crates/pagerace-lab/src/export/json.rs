//! JSON output for results, and plans read back from it. The format is described in
//! `docs/output.md`.
//!
//! The bytes depend only on the results: fields have a fixed order, and floats are
//! printed as the shortest text that parses to the same value.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pagerace_core::object;
use pagerace_sim::Part;
use serde::Serialize;

use crate::VERSION;
use crate::across::{AcrossPages, across_pages};
use crate::analysis::{Comparison, analyse};
use crate::correlation::hol_with_speed_index;
use crate::first_visit::FirstVisit;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::{Results, Variant};
use crate::verdict::verdict;
use crate::why::Why;

mod read;

pub use read::{ReadPlan, read_plan};

/// The value of `format` in results files.
pub const FORMAT: &str = "pagerace-results";
/// The version of the format that this release writes and reads.
pub const SCHEMA: u32 = 9;

/// Writes `results` as one JSON document with a final line break.
///
/// # Errors
/// Any error of `out`.
pub fn write_json(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    write(&results.plan, Some(results), out)?;
    out.write_all(b"\n")
}

/// Returns the plan alone, in a form that [`read_plan`] reads.
///
/// # Panics
/// Never panics, because a plan is plain data.
pub fn scenario_text(plan: &Plan) -> String {
    let mut text = Vec::new();
    write(plan, None, &mut text).expect("a plan is plain data");
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Writes the document of a plan, with results if there are any. Readers need only the
/// identification and the plan. A single type of writer keeps the build short.
fn write(plan: &Plan, results: Option<&Results>, out: &mut dyn Write) -> io::Result<()> {
    let all = results.into_iter();
    let compared = all.clone().flat_map(|results| {
        let pages = 0..plan.pages.len();
        let places = pages.flat_map(|page| (0..plan.networks.len()).map(move |n| (page, n)));
        places.map(move |(page, network)| comparisons(results, page, network))
    });
    let several = all.clone().filter(|_| plan.pages.len() > 1);
    let across = several.flat_map(|results| {
        let networks = 0..plan.networks.len();
        networks.map(move |network| across(plan, &across_pages(results, network, plan.metric)))
    });
    let runs = results.map_or(0, Results::most_runs);
    let whys = all.clone().flat_map(|results| &results.whys);
    let visits = all.clone().flat_map(|results| &results.first_visits);
    let variants = all.clone().flat_map(|results| &results.variants);
    let document = object! {
        format: FORMAT,
        schema: SCHEMA,
        version: VERSION,
        world: results.map(|results| results.provenance).unwrap_or_default(),
        environment: all.flat_map(|results| &results.environment).collect::<Vec<_>>(),
        run_worlds: (0..plan.networks.len()).map(|network| object! {
            network: plan.networks[network].name.clone(),
            worlds: (0..runs).map(|run| plan.world(network, run)).collect::<Vec<_>>(),
        }).collect::<Vec<_>>(),
        run_seeds: (0..runs).map(|run| plan.run_seed(run)).collect::<Vec<_>>(),
        comparisons: compared.collect::<Vec<_>>(),
        across_pages: across.collect::<Vec<_>>(),
        explanations: whys.map(|why| explanation(plan, why)).collect::<Vec<_>>(),
        first_visits: visits.map(|visit| first_visit(plan, visit)).collect::<Vec<_>>(),
        results: variants.map(|variant| values(plan, variant)).collect::<Vec<_>>(),
        plan: plan,
    };
    Ok(serde_json::to_writer(out, &document)?)
}

/// Returns a contender with its short name in this race.
fn contender(plan: &Plan, index: usize) -> impl Serialize + use<> {
    let contender = &plan.contenders[index];
    object! {
        label: plan.label(index),
        #[serde(flatten)]
        properties: contender.properties(),
    }
}

/// Returns the causes of a contender's difference from the baseline; the parts add up to the
/// totals.
fn explanation(plan: &Plan, why: &Why) -> impl Serialize + use<> {
    object! {
        page: plan.pages[why.page].name.clone(),
        network: plan.networks[why.network].name.clone(),
        contender: contender(plan, why.contender),
        metric: why.metric.name(),
        run: why.run + 1,
        seed: plan.run_seed(why.run),
        world: plan.world(why.network, why.run),
        baseline_ns: why.base.total.as_nanos(),
        contender_ns: why.own.total.as_nanos(),
        difference_ns: why.total_difference(),
        parts: Part::ALL.map(|part| object! {
            part: part.name(),
            baseline_ns: why.base.parts.get(part).as_nanos(),
            contender_ns: why.own.parts.get(part).as_nanos(),
            difference_ns: why.difference(part),
        }),
    }
}

/// Returns how HTTP/3 compares with an older version if the browser knows of it, and if it learns
/// of it from the first response.
fn first_visit(plan: &Plan, visit: &FirstVisit) -> impl Serialize + use<> {
    let row = |row: &Comparison| {
        object! {
            mark: row.mark.name(),
            median: row.median,
            difference: row.difference,
            difference_percent: row.relative.map(|share| share * 100.0),
            sooner_percent: row.sooner.map(|share| share * 100.0),
        }
    };
    object! {
        network: plan.networks[visit.network].name.clone(),
        contender: contender(plan, visit.contender),
        against: contender(plan, visit.other),
        known: row(&visit.known),
        learned: row(&visit.learned),
    }
}

/// Returns the comparison of the contenders on one page and network. Infinite numbers
/// become `null`.
fn comparisons(results: &Results, page: usize, network: usize) -> impl Serialize + use<> {
    let plan = &results.plan;
    let analysis = analyse(results, page, network, plan.metric);
    let correlated = hol_with_speed_index(results, page, network);
    let verdict = verdict(results, page, network, &analysis);
    let contenders = analysis.ranking.iter().map(|&i| {
        let row = &analysis.rows[i];
        object! {
            contender: contender(plan, i),
            mark: row.mark.name(),
            runs: row.runs,
            failed_runs: row.failed,
            median: row.median,
            difference: row.difference,
            difference_percent: row.relative.map(|share| share * 100.0),
            interval_low: row.interval.map(|interval| interval.low),
            interval_high: row.interval.map(|interval| interval.high),
            interval_coverage: row.interval.map(|interval| interval.coverage),
            range_low: row.range.map(|(low, _)| low),
            range_high: row.range.map(|(_, high)| high),
            sure_low: row.sure_range.map(|(low, _)| low),
            sure_high: row.sure_range.map(|(_, high)| high),
            probable_low: row.probable_range.map(|(low, _)| low),
            probable_high: row.probable_range.map(|(_, high)| high),
            sooner_percent: row.sooner.map(|share| share * 100.0),
            basis: row.trust.as_ref().map(|trust| trust.basis.clone()),
            instead_of: row.trust.as_ref().map(|trust| trust.instead_of.clone()),
            cliffs_delta: row.cliffs_delta,
            rank_biserial: row.rank_biserial,
            mann_whitney_p: row.mann_whitney_p,
            signed_rank_p: row.signed_rank_p,
            signed_rank_p_holm: row.signed_rank_p_holm,
        }
    });
    object! {
        page: plan.pages[page].name.clone(),
        paints: plan.pages[page].paint_evidence(),
        network: plan.networks[network].name.clone(),
        metric: analysis.metric,
        unit: analysis.metric.metric().unit.symbol(),
        answer: verdict.answer,
        verdict: verdict.sentence,
        hol_speed_index_rho: correlated.map(|c| c.rho),
        hol_speed_index_p: correlated.map(|c| c.p),
        contenders: contenders.collect::<Vec<_>>(),
    }
}

/// Returns the comparison over all pages on one network.
fn across(plan: &Plan, across: &AcrossPages) -> impl Serialize + use<> {
    let percent = |share: Option<f64>| share.map(|share| share * 100.0);
    let rows = across.rows.iter().map(|row| object! {
        contender: contender(plan, row.contender),
        pages_winning: row.gains(),
        pages_losing: row.losses(),
        pages_same: row.same(),
        pages_open: row.open(),
        pages_missing: row.missing(),
        marks: row.marks.iter().map(|mark| mark.name()).collect::<Vec<_>>(),
        median_percent: percent(row.median),
        differences_percent: row.relative.iter().map(|share| percent(*share)).collect::<Vec<_>>(),
    });
    object! {
        network: plan.networks[across.network].name.clone(),
        metric: across.metric,
        verdict: across.sentence.clone(),
        contenders: rows.collect::<Vec<_>>(),
    }
}

/// Returns all runs of one page, network and contender.
fn values(plan: &Plan, variant: &Variant) -> impl Serialize + use<> {
    let runs = || variant.runs.iter().enumerate();
    let failures = runs().filter_map(|(run, summary)| {
        Some(object! { run: run + 1, reason: summary.failure.clone()? })
    });
    let values = MetricId::all().map(|metric| {
        let reached = variant.runs.iter().map(|run| run.reached(metric));
        (metric.metric().key(), reached.collect::<Vec<_>>())
    });
    object! {
        page: plan.pages[variant.page].name.clone(),
        network: plan.networks[variant.network].name.clone(),
        contender: contender(plan, variant.contender),
        failures: failures.collect::<Vec<_>>(),
        // Requests that were never answered, by run.
        unanswered: variant.runs.iter().map(|run| run.unanswered).collect::<Vec<_>>(),
        values: values.collect::<BTreeMap<_, _>>(),
    }
}

#[cfg(test)]
mod tests;
