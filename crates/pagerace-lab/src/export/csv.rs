//! CSV output for results (RFC 4180, with LF line endings). The format is described in
//! `docs/output.md`.

use std::borrow::Cow;
use std::io::{self, Write};

use pagerace_sim::World;

use crate::analysis::{Comparison, analyse};
use crate::contender::DIMENSIONS;
use crate::metric::{MetricId, metrics};
use crate::plan::Plan;
use crate::results::Results;

type Number = fn(&Comparison) -> Option<f64>;
type OfWorld = fn(&World) -> Option<f64>;

/// The numbers of a comparison, by column.
#[rustfmt::skip]
const NUMBERS: [(&str, Number); 17] = [
    ("median", |row| row.median),
    ("difference", |row| row.difference),
    ("difference_percent", |row| row.relative.map(|share| share * 100.0)),
    ("interval_low", |row| row.interval.map(|interval| interval.low)),
    ("interval_high", |row| row.interval.map(|interval| interval.high)),
    ("range_low", |row| row.range.map(|(low, _)| low)),
    ("range_high", |row| row.range.map(|(_, high)| high)),
    ("sure_low", |row| row.sure_range.map(|(low, _)| low)),
    ("sure_high", |row| row.sure_range.map(|(_, high)| high)),
    ("probable_low", |row| row.probable_range.map(|(low, _)| low)),
    ("probable_high", |row| row.probable_range.map(|(_, high)| high)),
    ("sooner_percent", |row| row.sooner.map(|share| share * 100.0)),
    ("cliffs_delta", |row| row.cliffs_delta),
    ("rank_biserial", |row| row.rank_biserial),
    ("mann_whitney_p", |row| row.mann_whitney_p),
    ("signed_rank_p", |row| row.signed_rank_p),
    ("signed_rank_p_holm", |row| row.signed_rank_p_holm),
];

/// The differences of a run's world from the nominal one, by column.
#[rustfmt::skip]
const WORLD: [(&str, OfWorld); 8] = [
    ("rate_factor", |world| Some(world.rate)),
    ("rtt_added_ms", |world| Some(world.rtt_ms)),
    ("queue_factor", |world| Some(world.queue)),
    ("cpu_factor", |world| Some(world.cpu)),
    ("think_factor", |world| Some(world.think)),
    ("think_added_ms", |world| Some(world.think_ms)),
    ("quic_payload_factor", |world| Some(world.quic_payload)),
    ("largest_draw", |world| world.largest),
];

/// Writes one line per load: page, network, contender, run, seed, failure, every metric,
/// the provenance of the load, and its world. An empty field stands for a missing value.
///
/// # Errors
/// Any error of `out`.
pub fn write_runs(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let plan = &results.plan;
    let mut header = names(["page", "network"], ["run", "seed", "failure"]);
    header.extend(metrics().iter().map(crate::Metric::key));
    header.push("world".to_owned());
    header.extend(WORLD.map(|(name, _)| name.to_owned()));
    line(out, header)?;
    for variant in &results.variants {
        for (run, summary) in variant.runs.iter().enumerate() {
            let mut fields = variant_fields(plan, variant.page, variant.network, variant.contender);
            fields.extend([
                (run + 1).to_string(),
                plan.run_seed(run).to_string(),
                summary.failure.clone().unwrap_or_default(),
            ]);
            fields.extend(MetricId::all().map(|metric| number(summary.reached(metric))));
            fields.push(results.provenance.name().to_owned());
            let world = plan.world(variant.network, run);
            fields.extend(WORLD.map(|(_, get)| number(get(&world))));
            line(out, fields)?;
        }
    }
    Ok(())
}

/// Writes one line per page, network and contender: the comparison with the baseline by
/// the plan's metric. The values of `difference_percent` for one network and contender
/// form the distribution over the pages.
///
/// # Errors
/// Any error of `out`.
pub fn write_comparisons(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let plan = &results.plan;
    let more = ["metric", "unit", "rank", "mark", "runs", "failed_runs"];
    let mut header = names(["page", "network"], more);
    header.extend(NUMBERS.map(|(name, _)| name.to_owned()));
    header.push("world".to_owned());
    line(out, header)?;
    for page in 0..plan.pages.len() {
        for network in 0..plan.networks.len() {
            let analysis = analyse(results, page, network, plan.metric);
            for (rank, &i) in analysis.ranking.iter().enumerate() {
                let row = &analysis.rows[i];
                let mut fields = variant_fields(plan, page, network, i);
                fields.extend([
                    plan.metric.to_string(),
                    plan.metric.metric().unit.symbol().to_owned(),
                    (rank + 1).to_string(),
                    row.mark.name().to_owned(),
                    row.runs.to_string(),
                    row.failed.to_string(),
                ]);
                fields.extend(NUMBERS.map(|(_, get)| number(get(row))));
                fields.push(results.provenance.name().to_owned());
                line(out, fields)?;
            }
        }
    }
    Ok(())
}

/// Returns a header: `before`, the properties of a contender, and `after`.
fn names<const N: usize>(before: [&str; 2], after: [&str; N]) -> Vec<String> {
    let contender = DIMENSIONS.iter().map(|one| one.name);
    let all = before.into_iter().chain(contender).chain(after);
    all.map(str::to_owned).collect()
}

/// Returns the page, the network and the properties of the contender.
fn variant_fields(plan: &Plan, page: usize, network: usize, contender: usize) -> Vec<String> {
    let (page, network) = (&plan.pages[page].name, &plan.networks[network].name);
    let mut fields = vec![page.clone(), network.clone()];
    fields.extend(plan.contenders[contender].texts());
    fields
}

/// Formats the shortest text that parses to the same value, `inf` for infinity, or an
/// empty text for `None`.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

/// Writes one line, with quotes where they are needed.
pub(crate) fn line(
    out: &mut dyn Write,
    fields: impl IntoIterator<Item = String>,
) -> io::Result<()> {
    let quoted: Vec<String> = fields.into_iter().map(|f| quote(&f).into_owned()).collect();
    writeln!(out, "{}", quoted.join(","))
}

/// Quotes a field that contains a comma, a quote or a line break (RFC 4180, section 2,
/// <https://www.rfc-editor.org/rfc/rfc4180#section-2>).
pub fn quote(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

#[cfg(test)]
mod tests;
