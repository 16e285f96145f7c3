//! The errors of predicted differences between contenders.

use pagerace_core::Words as _;
use pagerace_lab::metric::MetricId;
use pagerace_report::sections::{Section, Table, columns};

use super::{or_none, pair, title};
use crate::accuracy::Accuracy;
use crate::differences::DifferenceErrors;

const INTRODUCTION: &str = "People act on differences. These are pairs of contenders that differ \
     in one thing, on one page and network. Errors: the distance between the predicted and the \
     live difference, as a share of the baseline's live median.";

/// The sets of pages with their errors.
fn sets(accuracy: &Accuracy) -> impl Iterator<Item = (&'static str, &[DifferenceErrors])> {
    let sets = [
        ("Held-out pages", accuracy.model_errors_held_out.as_slice()),
        ("All pages", accuracy.model_errors.as_slice()),
    ];
    sets.into_iter().filter(|(_, errors)| !errors.is_empty())
}

/// Builds tables with a row for each kind of pair and a column for each metric.
pub(super) fn overview(accuracy: &Accuracy) -> Section {
    let metrics = &accuracy.metrics;
    let tables = sets(accuracy).map(|(caption, errors)| {
        let mut header = columns("differ in | networks | paints | pairs");
        header.extend(metrics.iter().map(|metric| title(*metric)));
        let mut kinds: Vec<_> = errors
            .iter()
            .map(|e| (e.kind, e.lossy, e.evidence))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let rows = kinds.into_iter().map(|(kind, lossy, evidence)| {
            let of = |metric: &MetricId| {
                errors.iter().find(|e| {
                    (e.kind, e.metric, e.lossy, e.evidence) == (kind, *metric, lossy, evidence)
                })
            };
            let pairs = metrics.iter().filter_map(of).map(|e| e.pairs).max();
            let mut row = vec![
                kind.word().to_owned(),
                network(lossy),
                evidence.to_string(),
                pairs.unwrap_or(0).to_string(),
            ];
            row.extend(metrics.iter().map(|m| or_none(of(m).map(brief))));
            row
        });
        Table::new(header, 3, rows).captioned(caption)
    });
    let section = Section::new("Error of differences").say(INTRODUCTION).say(
        "Each field: the error that half of the pairs do not exceed / that 95 % do not exceed, in \
         per cent. Paints: how they are known; guessed are the same pages without Pagerace's own \
         fields, as other recorders would have recorded them.",
    );
    tables.fold(section, Section::table)
}

/// Formats errors in one field: "4.2 / 45".
fn brief(errors: &DifferenceErrors) -> String {
    pair(errors.p50, errors.p95)
}

fn network(lossy: bool) -> String {
    if lossy { "lossy" } else { "lossless" }.to_owned()
}
