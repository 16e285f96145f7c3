//! JSON output for results, and plans read back from it. The format is described in
//! `docs/output.md`.
//!
//! The bytes depend only on the results: fields have a fixed order, and floats are
//! printed as the shortest text that parses to the same value.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pagerace_page::PaintEvidence;
use pagerace_report::input::Provenance;
use pagerace_sim::Part;
use serde::Serialize;

use crate::VERSION;
use crate::across::{AcrossPages, across_pages};
use crate::analysis::analyse;
use crate::correlation::hol_with_speed_index;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::{Fact, Results, Variant};
use crate::robustness::{self, Check};
use crate::stats::finite;
use crate::verdict::verdict;
use crate::why::Why;

mod read;

pub use read::{ReadPlan, read_plan};

/// The value of `format` in results files.
pub const FORMAT: &str = "pagerace-results";
/// The version of the format that this release writes, and the only one that it reads.
pub const SCHEMA: u32 = 7;

/// A results file. Readers need only the identification and the plan.
#[derive(Debug, Serialize)]
struct Document<'a> {
    format: &'static str,
    schema: u32,
    version: &'static str,
    world: Provenance,
    environment: &'a [Fact],
    run_seeds: Vec<u64>,
    comparisons: Vec<ComparisonsDoc>,
    across_pages: Vec<AcrossDoc>,
    explanations: Vec<WhyDoc>,
    results: Vec<VariantDoc>,
    plan: &'a Plan,
}

/// A contender, with its short name in this race.
#[derive(Debug, Serialize)]
struct ContenderDoc {
    label: String,
    protocol: String,
    congestion: String,
    visit: String,
    strategy: String,
    reliability: String,
    interventions: String,
}

/// The comparison of the contenders on one page and network.
#[derive(Debug, Serialize)]
struct ComparisonsDoc {
    page: String,
    /// The evidence for the page's paints.
    paints: PaintEvidence,
    network: String,
    metric: MetricId,
    unit: String,
    verdict: String,
    robustness: Vec<CheckDoc>,
    hol_speed_index_rho: Option<f64>,
    hol_speed_index_p: Option<f64>,
    contenders: Vec<ComparisonDoc>,
}

/// A verdict under another assumption.
#[derive(Debug, Serialize)]
struct CheckDoc {
    assumption: String,
    holds: bool,
    leads_instead: Option<String>,
}

/// The comparison of one contender with the baseline; `null` if unknown or infinite.
#[derive(Debug, Serialize)]
struct ComparisonDoc {
    contender: ContenderDoc,
    mark: String,
    runs: usize,
    failed_runs: usize,
    median: Option<f64>,
    difference: Option<f64>,
    difference_percent: Option<f64>,
    interval_low: Option<f64>,
    interval_high: Option<f64>,
    interval_coverage: Option<f64>,
    model_interval_low: Option<f64>,
    model_interval_high: Option<f64>,
    model_error_percent: Option<f64>,
    model_error_basis: Option<String>,
    cliffs_delta: Option<f64>,
    rank_biserial: Option<f64>,
    mann_whitney_p: Option<f64>,
    signed_rank_p: Option<f64>,
    signed_rank_p_holm: Option<f64>,
}

/// The comparison over all pages on one network.
#[derive(Debug, Serialize)]
struct AcrossDoc {
    network: String,
    metric: MetricId,
    verdict: String,
    contenders: Vec<AcrossRowDoc>,
}

#[derive(Debug, Serialize)]
struct AcrossRowDoc {
    contender: ContenderDoc,
    pages_gaining: usize,
    pages_losing: usize,
    pages_same: usize,
    pages_missing: usize,
    median_percent: Option<f64>,
    differences_percent: Vec<Option<f64>>,
}

/// All runs of one page, network and contender.
#[derive(Debug, Serialize)]
struct VariantDoc {
    page: String,
    network: String,
    contender: ContenderDoc,
    failures: Vec<FailureDoc>,
    /// Number of unanswered requests, by run.
    unanswered: Vec<usize>,
    values: BTreeMap<String, Vec<Option<f64>>>,
}

#[derive(Debug, Serialize)]
struct FailureDoc {
    run: usize,
    reason: String,
}

/// The causes of a contender's difference from the baseline.
#[derive(Debug, Serialize)]
struct WhyDoc {
    page: String,
    network: String,
    contender: ContenderDoc,
    metric: String,
    run: usize,
    seed: u64,
    baseline_ns: u64,
    contender_ns: u64,
    difference_ns: i64,
    parts: Vec<PartDoc>,
}

/// A part of the time; the parts add up to the total.
#[derive(Debug, Serialize)]
struct PartDoc {
    part: String,
    baseline_ns: u64,
    contender_ns: u64,
    difference_ns: i64,
}

/// Writes `results` as one JSON document with a final line break.
///
/// # Errors
/// Any error of `out`.
pub fn write_json(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    document(results).write(out)?;
    out.write_all(b"\n")
}

/// Returns the plan alone, in a form that [`read_plan`] reads.
///
/// # Panics
/// Never panics, because a plan is plain data.
pub fn scenario_text(plan: &Plan) -> String {
    let mut text = Vec::new();
    let written = Document::of(plan).write(&mut text);
    written.expect("a plan is plain data");
    String::from_utf8(text).expect("JSON is UTF-8")
}

impl<'a> Document<'a> {
    /// Returns the document of a plan without results.
    fn of(plan: &'a Plan) -> Self {
        Self {
            format: FORMAT,
            schema: SCHEMA,
            version: VERSION,
            world: Provenance::default(),
            environment: &[],
            run_seeds: Vec::new(),
            comparisons: Vec::new(),
            across_pages: Vec::new(),
            explanations: Vec::new(),
            results: Vec::new(),
            plan,
        }
    }

    /// Writes the document. A single type of writer keeps the build short.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, self)?)
    }
}

fn document(results: &Results) -> Document<'_> {
    let plan = &results.plan;
    let compared = (0..plan.pages.len())
        .flat_map(|page| (0..plan.networks.len()).map(move |network| (page, network)));
    let across = if plan.pages.len() > 1 {
        plan.networks.len()
    } else {
        0
    };
    Document {
        world: results.provenance,
        environment: &results.environment,
        run_seeds: (0..plan.runs as usize)
            .map(|run| plan.run_seed(run))
            .collect(),
        comparisons: compared
            .map(|(page, network)| comparisons(results, page, network))
            .collect(),
        across_pages: (0..across)
            .map(|network| across_doc(plan, &across_pages(results, network, plan.metric)))
            .collect(),
        explanations: results.whys.iter().map(|why| why_doc(plan, why)).collect(),
        results: results
            .variants
            .iter()
            .map(|variant| variant_doc(plan, variant))
            .collect(),
        ..Document::of(plan)
    }
}

fn contender_doc(plan: &Plan, index: usize) -> ContenderDoc {
    let contender = &plan.contenders[index];
    ContenderDoc {
        label: plan.label(index),
        protocol: contender.protocols.to_string(),
        congestion: contender.congestion.clone(),
        visit: contender.visit.to_string(),
        strategy: contender.strategy.to_string(),
        reliability: contender.effective_reliability().to_string(),
        interventions: contender.interventions.to_string(),
    }
}

fn why_doc(plan: &Plan, why: &Why) -> WhyDoc {
    let parts = Part::ALL.map(|part| PartDoc {
        part: part.name().to_owned(),
        baseline_ns: why.base.parts.get(part).as_nanos(),
        contender_ns: why.own.parts.get(part).as_nanos(),
        difference_ns: why.difference(part),
    });
    WhyDoc {
        page: plan.pages[why.page].name.clone(),
        network: plan.networks[why.network].name.clone(),
        contender: contender_doc(plan, why.contender),
        metric: why.metric.name().to_owned(),
        run: why.run + 1,
        seed: plan.run_seed(why.run),
        baseline_ns: why.base.total.as_nanos(),
        contender_ns: why.own.total.as_nanos(),
        difference_ns: why.total_difference(),
        parts: parts.into(),
    }
}

fn comparisons(results: &Results, page: usize, network: usize) -> ComparisonsDoc {
    let plan = &results.plan;
    let analysis = analyse(results, page, network, plan.metric);
    let correlated = hol_with_speed_index(results, page, network);
    let contenders = analysis.ranking.iter().map(|&i| {
        let row = &analysis.rows[i];
        ComparisonDoc {
            contender: contender_doc(plan, i),
            mark: row.mark.label().to_owned(),
            runs: row.runs,
            failed_runs: row.failed,
            median: finite(row.median),
            difference: finite(row.difference),
            difference_percent: finite(row.relative.map(|share| share * 100.0)),
            interval_low: finite(row.interval.map(|interval| interval.low)),
            interval_high: finite(row.interval.map(|interval| interval.high)),
            interval_coverage: row.interval.map(|interval| interval.coverage),
            model_interval_low: finite(row.model_interval.map(|(low, _)| low)),
            model_interval_high: finite(row.model_interval.map(|(_, high)| high)),
            model_error_percent: row.model.as_ref().map(|model| model.percent),
            model_error_basis: row.model.as_ref().map(|model| model.basis.clone()),
            cliffs_delta: row.cliffs_delta,
            rank_biserial: row.rank_biserial,
            mann_whitney_p: row.mann_whitney_p,
            signed_rank_p: row.signed_rank_p,
            signed_rank_p_holm: row.signed_rank_p_holm,
        }
    });
    ComparisonsDoc {
        page: plan.pages[page].name.clone(),
        paints: plan.pages[page].paint_evidence(),
        network: plan.networks[network].name.clone(),
        metric: analysis.metric,
        unit: analysis.metric.metric().unit.symbol().to_owned(),
        verdict: verdict(results, page, network, &analysis).sentence,
        robustness: checks(results, page, network),
        hol_speed_index_rho: correlated.map(|c| c.rho),
        hol_speed_index_p: correlated.map(|c| c.p),
        contenders: contenders.collect(),
    }
}

fn checks(results: &Results, page: usize, network: usize) -> Vec<CheckDoc> {
    let here = robustness::of(results, page, network);
    let doc = |check: &Check| CheckDoc {
        assumption: check.assumption.to_string(),
        holds: check.instead.is_none(),
        leads_instead: check.instead.map(|i| results.plan.label(i)),
    };
    here.map_or_else(Vec::new, |one| one.checks.iter().map(doc).collect())
}

fn across_doc(plan: &Plan, across: &AcrossPages) -> AcrossDoc {
    let percent = |share: Option<f64>| finite(share.map(|share| share * 100.0));
    let rows = across.rows.iter().map(|row| AcrossRowDoc {
        contender: contender_doc(plan, row.contender),
        pages_gaining: row.gain,
        pages_losing: row.lose,
        pages_same: row.same,
        pages_missing: row.missing,
        median_percent: percent(row.median),
        differences_percent: row.relative.iter().map(|share| percent(*share)).collect(),
    });
    AcrossDoc {
        network: plan.networks[across.network].name.clone(),
        metric: across.metric,
        verdict: across.sentence.clone(),
        contenders: rows.collect(),
    }
}

fn variant_doc(plan: &Plan, variant: &Variant) -> VariantDoc {
    let failures = variant
        .runs
        .iter()
        .enumerate()
        .filter_map(|(run, summary)| {
            Some(FailureDoc {
                run: run + 1,
                reason: summary.failure.clone()?,
            })
        });
    let values = MetricId::all().map(|metric| {
        let reached = variant.runs.iter().map(|run| run.reached(metric));
        (metric.metric().key(), reached.collect())
    });
    VariantDoc {
        page: plan.pages[variant.page].name.clone(),
        network: plan.networks[variant.network].name.clone(),
        contender: contender_doc(plan, variant.contender),
        failures: failures.collect(),
        unanswered: variant.runs.iter().map(|run| run.unanswered).collect(),
        values: values.collect(),
    }
}

#[cfg(test)]
mod tests;
