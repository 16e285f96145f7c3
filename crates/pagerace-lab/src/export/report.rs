//! Input of the HTML report, filled from results.

use std::collections::BTreeMap;

use pagerace_core::Instant;
use pagerace_har::domain::registrable;
use pagerace_page::Page;
use pagerace_report::input::Provenance;
use pagerace_report::input::{
    AcrossRow, AcrossSection, Comparison, Metric, Named, NetworkResult, PageResult, PathStep,
    Report, Resource, Row, RunDetail, Why,
};
use pagerace_sim::{Outcome, Part, Step};

use crate::VERSION;
use crate::across::across_pages;
use crate::analysis::{self, Analysis, analyse};
use crate::contender::Noun;
use crate::detail::{Choice, median_runs, record};
use crate::error::LabError;
use crate::export::json::scenario_text;
use crate::facts::facts_in;
use crate::film::{LiveLoad, Load, Stage, predicted_name};
use crate::metric::{MetricId, Wording, metrics};
use crate::plan::Plan;
use crate::results::{Fact, Results};
use crate::runner::{OnProgress, Runner};
use crate::stats::finite;
use crate::unit::Unit;
use crate::verdict::{record as record_of, verdict};
use crate::why;

mod detail;

use detail::run_detail;

/// Maximum number of packets over all recorded runs, which gives a file of
/// about a dozen megabytes; beyond it, fewer runs are recorded.
const PACKETS_MAX: u64 = 2_000_000;
/// Body bytes per full packet, for the estimate.
const PACKET_BYTES: u64 = 1_200;
/// Maximum size of the embedded scenario text in bytes.
const SCENARIO_BYTES_MAX: usize = 4_000_000;

/// Fills the report of simulated results: all comparisons by all metrics, and
/// the median runs of the variants, which are repeated with a trace. If their
/// file would be too large, only the runs of baselines and winners are
/// recorded, or none, and a note says so.
///
/// `rerun` is the command that repeats the race.
///
/// # Errors
/// [`LabError::Interrupted`] if `progress` stops the run.
pub fn report(
    results: &Results,
    rerun: &str,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<Report, LabError> {
    let mut report = without_runs(results, rerun);
    let choices = recorded(results, &report.pages, &mut report.notes);
    let details = record(results, &choices, jobs, runner, progress, &run_detail)?;
    let variants = choices.iter().map(|choice| choice.variant);
    let details = variants.zip(details);
    let details = details.map(|(variant, detail)| (variant, detail, None));
    add_details(&results.plan, &mut report, details);
    Ok(report)
}

/// Fills the report of results whose loads cannot be repeated, such as live ones.
/// `kept` is called for the median runs and returns their loads, if known.
pub fn report_of_kept(
    results: &Results,
    rerun: &str,
    mut kept: impl FnMut(Choice) -> Option<LiveLoad>,
) -> Report {
    let mut report = without_runs(results, rerun);
    let details = median_runs(results).into_iter().filter_map(|choice| {
        let load = kept(choice)?;
        let detail = RunDetail {
            shots: load.shots,
            ..run_detail(choice, load.outcome)
        };
        Some((choice.variant, detail, load.predicted))
    });
    add_details(&results.plan, &mut report, details);
    report
}

/// Fills the report without single runs.
fn without_runs(results: &Results, rerun: &str) -> Report {
    let plan = &results.plan;
    let mut notes = notes(results);
    Report {
        title: title(results),
        question: question(plan),
        version: VERSION.to_owned(),
        seed: plan.seed,
        runs: results.most_runs() as u32,
        rerun: rerun.to_owned(),
        scenario: scenario(plan, &mut notes),
        metric: plan.metric.index(),
        baseline: plan.baseline,
        metrics: metrics().iter().map(metric_entry).collect(),
        noun: plan.noun().one().to_owned(),
        nouns: plan.noun().many().to_owned(),
        shared: facts_in(plan, results.provenance),
        world: results.provenance,
        environment: results.environment.iter().map(fact_entry).collect(),
        contenders: (0..plan.contenders.len())
            .map(|contender| contender_entry(plan, contender))
            .collect(),
        parts: Part::ALL.map(part_entry).into(),
        networks: plan
            .networks
            .iter()
            .map(|n| Named {
                name: n.name.clone(),
                description: n.describe(),
            })
            .collect(),
        pages: plan
            .pages
            .iter()
            .enumerate()
            .map(|(i, page)| page_result(results, i, page))
            .collect(),
        across: across(results),
        doubts: match results.provenance {
            Provenance::Simulated => plan.doubts(),
            Provenance::Live => Vec::new(),
        },
        advice: None,
        notes,
    }
}

/// Adds recorded runs to the rows of their variants.
fn add_details(
    plan: &Plan,
    report: &mut Report,
    details: impl Iterator<Item = (usize, RunDetail, Option<Outcome>)>,
) {
    let details: Vec<_> = details.collect();
    let recorded = details.len();
    let mut loads: BTreeMap<usize, Vec<Load<'_>>> = BTreeMap::new();
    for (variant, detail, predicted) in &details {
        let (page, ..) = plan.variant_parts(*variant);
        let loads = loads.entry(page).or_default();
        loads.push(load_of(detail));
        loads.extend(predicted.as_ref().map(Load::of));
    }
    let stages: BTreeMap<usize, Stage> = loads
        .into_iter()
        .map(|(page, loads)| (page, Stage::new(&plan.pages[page], &loads)))
        .collect();
    for (variant, detail, predicted) in details {
        let (page, network, contender) = plan.variant_parts(variant);
        let shows = stages[&page].shows(load_of(&detail));
        let name = predicted_name(&plan.label(contender));
        let predicted = predicted.map(|outcome| stages[&page].run(name, &outcome));
        let rows = &mut report.pages[page].networks[network].rows;
        if let Some(row) = rows.iter_mut().find(|row| row.contender == contender) {
            row.detail = Some(RunDetail {
                recorded,
                shows,
                predicted,
                ..detail
            });
        }
    }
    for (index, stage) in stages {
        let (page, entry) = (&plan.pages[index], &mut report.pages[index]);
        entry.resources = resources(page);
        entry.largest = stage.largest(page);
        // Live loads have no paints, and without a Speed Index no screenshots.
        let rows = entry.networks.iter().flat_map(|network| &network.rows);
        let mut details = rows.filter_map(|row| row.detail.as_ref());
        let is_filmed = details.any(|one| !(one.shows.is_empty() && one.shots.is_empty()));
        entry.scene = is_filmed.then_some(stage.scene);
    }
}

/// Returns what a run tells about its film.
fn load_of(detail: &RunDetail) -> Load<'_> {
    Load {
        paints: &detail.trace.paints,
        timings: &detail.timings,
    }
}

fn fact_entry(fact: &Fact) -> Named {
    Named {
        name: fact.name.clone(),
        description: fact.value.clone(),
    }
}

/// Maximum number of networks whose answers are the title.
const TITLED_MAX: usize = 3;

/// Returns the answers of a race of one page without what they rest on, or else what was raced.
fn title(results: &Results) -> String {
    let plan = &results.plan;
    if let ([page], true) = (plan.pages.as_slice(), plan.networks.len() <= TITLED_MAX) {
        let answers = (0..plan.networks.len()).map(|network| {
            let analysis = analyse(results, 0, network, plan.metric);
            let answer = verdict(results, 0, network, &analysis).answer;
            let lead = answer.split(" (").next().unwrap_or_default();
            format!("{}.", lead.trim_end_matches('.'))
        });
        return format!("{}: {}", page.name, answers.collect::<Vec<_>>().join(" "));
    }
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let what = match plan.pages.as_slice() {
        [page] => page.name.clone(),
        pages => count(pages.len(), "page", "pages"),
    };
    let contenders = plan.noun().count(plan.contenders.len());
    let networks = count(plan.networks.len(), "network", "networks");
    let live = match results.provenance {
        Provenance::Simulated => "",
        Provenance::Live => ", live",
    };
    format!("{what}: {contenders} on {networks}{live}")
}

/// Most contenders that the question names.
const ASKED_MAX: usize = 4;

/// Returns the question that the race answers.
fn question(plan: &Plan) -> String {
    let names = plan.labels();
    let who = if names.len() <= ASKED_MAX {
        let (last, others) = names.split_last().map_or(("", &[][..]), |(l, o)| (l, o));
        match others {
            [] => last.to_owned(),
            others => format!("{} or {last}", others.join(", ")),
        }
    } else {
        format!("which of {}", plan.noun().count(names.len()))
    };
    let pages = match plan.pages.as_slice() {
        [page] => page.name.clone(),
        pages => format!("{} pages", pages.len()),
    };
    let what = match plan.metric.metric().wording {
        Wording::Moment(does) => format!("{does} sooner"),
        Wording::Amount(what) => format!("has the lower {what}"),
    };
    let mut question = format!("{pages}: {who}: which {what}?");
    if names.len() > ASKED_MAX {
        question = format!("{pages}: {who} {what}?");
    }
    if names.len() < 2 {
        question = format!("{pages}: how does {who} load?");
    }
    question
}

fn metric_entry(metric: &crate::Metric) -> Metric {
    let unit = match metric.unit {
        Unit::Score | Unit::Count => "",
        unit => unit.symbol(),
    };
    Metric {
        name: metric.name.to_owned(),
        title: metric.title.to_owned(),
        unit: unit.to_owned(),
        lower_is_better: true,
        definition: metric.definition.to_owned(),
    }
}

fn contender_entry(plan: &Plan, index: usize) -> Named {
    let contender = &plan.contenders[index];
    let strategy = &contender.strategy;
    Named {
        name: plan.label(index),
        description: match plan.noun() {
            Noun::Strategy => format!("{strategy}: {}", strategy.info().summary),
            Noun::Variant => contender.to_string(),
        },
    }
}

fn part_entry(part: Part) -> Named {
    Named {
        name: part.name().to_owned(),
        description: part.title().to_owned(),
    }
}

/// Returns the causes of the differences on one page and network.
fn whys(results: &Results, page: usize, network: usize) -> Vec<Why> {
    let here = results
        .whys
        .iter()
        .filter(|why| (why.page, why.network) == (page, network));
    here.map(|why| Why {
        contender: why.contender,
        run: why.run as u32,
        sentence: why::sentence(&results.plan, why),
        baseline: why.base.parts.0.to_vec(),
        own: why.own.parts.0.to_vec(),
        baseline_path: path(&why.base.path),
        own_path: path(&why.own.path),
    })
    .collect()
}

/// Returns a critical path for the report.
fn path(steps: &[Step]) -> Vec<PathStep> {
    let ms = |at: Instant| at.since(Instant::ZERO).as_millis_f64();
    let step = |step: &Step| {
        let longest = Part::ALL.iter().enumerate();
        let longest =
            longest.max_by_key(|(index, part)| (step.parts.get(**part), usize::MAX - index));
        PathStep {
            resource: step.resource.index(),
            from_ms: ms(step.from),
            until_ms: ms(step.until),
            part: longest.map_or(0, |(index, _)| index),
        }
    };
    steps.iter().map(step).collect()
}

fn resources(page: &Page) -> Vec<Resource> {
    let resources = page.resources.iter().map(|resource| Resource {
        url: resource.url.clone(),
        destination: resource.destination,
        bytes: resource.body_bytes,
        render_blocking: resource.render_blocking,
        status: resource.status,
        priority: resource.priority,
        owner: if resource.third_party {
            registrable(&page.origins[resource.origin.index()].host).to_owned()
        } else {
            String::new()
        },
    });
    resources.collect()
}

fn page_result(results: &Results, index: usize, page: &Page) -> PageResult {
    PageResult {
        name: page.name.clone(),
        url: page.url.clone(),
        resources: Vec::new(),
        scene: None,
        largest: None,
        networks: (0..results.plan.networks.len())
            .map(|network| network_result(results, index, network))
            .collect(),
    }
}

fn network_result(results: &Results, page: usize, network: usize) -> NetworkResult {
    let all: Vec<Analysis> = MetricId::all()
        .map(|metric| analyse(results, page, network, metric))
        .collect();
    let ranked = &all[results.plan.metric.index()];
    let verdict = verdict(results, page, network, ranked);
    let rows = ranked.ranking.iter().map(|&contender| Row {
        contender,
        failed: results.variant(page, network, contender).failed() as u32,
        values: all
            .iter()
            .map(|analysis| comparison(&analysis.rows[contender]))
            .collect(),
        detail: None,
    });
    let mut visits = results.first_visits.iter();
    // First visits are loaded of the first page.
    let visit = visits.find(|visit| page == 0 && visit.network == network);
    NetworkResult {
        network,
        verdict: verdict.sentence,
        visit: visit.map_or_else(String::new, |visit| visit.sentence(&results.plan)),
        record: record_of(ranked).unwrap_or_default(),
        outcome: verdict.kind,
        winner: verdict.winner,
        rows: rows.collect(),
        whys: whys(results, page, network),
    }
}

fn comparison(row: &analysis::Comparison) -> Comparison {
    Comparison {
        median: finite(row.median),
        difference: finite(row.difference),
        difference_percent: finite(row.relative.map(|share| share * 100.0)),
        interval: row
            .interval
            .filter(|interval| interval.low.is_finite() && interval.high.is_finite())
            .map(|interval| (interval.low, interval.high)),
        effect_size: row.cliffs_delta,
        p_value: row.signed_rank_p_holm,
        range: finite_range(row.range),
        sure_range: finite_range(row.sure_range),
        probable_range: finite_range(row.probable_range),
        sooner: row.sooner,
        counts: row.mark.is_gain() || row.mark.is_loss(),
    }
}

fn finite_range(range: Option<(f64, f64)>) -> Option<(f64, f64)> {
    range.filter(|(low, high)| low.is_finite() && high.is_finite())
}

fn across(results: &Results) -> Vec<AcrossSection> {
    if results.plan.pages.len() < 2 {
        return Vec::new();
    }
    (0..results.plan.networks.len())
        .flat_map(|network| MetricId::all().map(move |metric| (network, metric)))
        .filter(|(_, metric)| metric.metric().simulated || results.provenance == Provenance::Live)
        .map(|(network, metric)| {
            let across = across_pages(results, network, metric);
            let rows = across.rows.iter().map(|row| {
                let finite: Vec<f64> = row
                    .relative
                    .iter()
                    .filter_map(|share| finite(*share))
                    .collect();
                AcrossRow {
                    contender: row.contender,
                    missing: (row.relative.len() - finite.len()) as u32,
                    differences_percent: finite.into_iter().map(|share| share * 100.0).collect(),
                }
            });
            AcrossSection {
                network,
                metric: metric.index(),
                verdict: across.sentence.clone(),
                rows: rows.collect(),
            }
        })
        .collect()
}

/// Returns notes on the interpretation of the results.
fn notes(results: &Results) -> Vec<String> {
    let plan = &results.plan;
    let mut notes = Vec::new();
    for page in &plan.pages {
        let name = if plan.pages.len() > 1 {
            format!("{}: ", page.name)
        } else {
            String::new()
        };
        notes.push(format!("{}: {}.", page.name, page.paints_in_words()));
        if let Some(processor) = page.processor_in_words() {
            notes.push(format!("The processor of {}: {processor}.", page.name));
        }
        notes.extend(page.notes.iter().map(|note| format!("{name}{}", note.text)));
    }
    let failed: usize = results.variants.iter().map(crate::Variant::failed).sum();
    if failed > 0 {
        notes.push(format!(
            "{failed} of {} loads failed; they count as later than any finished one.",
            results.loads()
        ));
    }
    notes
}

/// Selects the runs to record: all median runs, those of baselines and winners,
/// or none, so that the file stays small enough for browsers.
fn recorded(results: &Results, pages: &[PageResult], notes: &mut Vec<String>) -> Vec<Choice> {
    let plan = &results.plan;
    let packets = |choices: &[Choice]| -> u64 {
        choices
            .iter()
            .map(|choice| plan.pages[plan.variant_parts(choice.variant).0].body_bytes())
            .map(|bytes| bytes / PACKET_BYTES)
            .sum()
    };
    let all = median_runs(results);
    if packets(&all) <= PACKETS_MAX {
        return all;
    }
    let baseline = plan.baseline;
    let mut few = all;
    few.retain(|choice| {
        let (page, network, contender) = plan.variant_parts(choice.variant);
        contender == baseline || pages[page].networks[network].winner == Some(contender)
    });
    if packets(&few) <= PACKETS_MAX {
        notes.push(format!(
            "To keep this file small, only the baseline and the best {} have pictures of their \
             median run.",
            plan.noun().one()
        ));
        return few;
    }
    notes.push("To keep this file small, it holds no pictures of single runs.".to_owned());
    Vec::new()
}

fn scenario(plan: &Plan, notes: &mut Vec<String>) -> String {
    let text = scenario_text(plan);
    if text.len() <= SCENARIO_BYTES_MAX {
        return text;
    }
    notes.push(
        "The pages are too large to repeat their scenario here; --json writes it to a file of its \
         own."
            .to_owned(),
    );
    String::new()
}

#[cfg(test)]
mod tests;
