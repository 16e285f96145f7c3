//! The verdict if no contender beats the baseline.

use pagerace_report::input::VerdictKind;

use super::{Case, worse};
use crate::analysis::{Analysis, Mark, runs_needed};
use crate::contender::Noun;
use crate::metric::Wording;
use crate::unit::percent;

/// Returns the verdict's kind and sentences if no contender beats the baseline.
pub(super) fn without_winner(case: &Case<'_>, analysis: &Analysis) -> (VerdictKind, Vec<String>) {
    let network = case.network;
    let baseline = &case.contenders[analysis.baseline];
    let metric = analysis.metric.metric();
    let noun = case.noun.one();
    let others = || {
        analysis
            .rows
            .iter()
            .filter(|row| row.mark != Mark::Baseline)
    };
    if analysis.rows.iter().all(|row| row.median.is_none()) {
        return (
            VerdictKind::Unknown,
            vec![format!(
                "{network}: no load has a value for {}.",
                metric.title
            )],
        );
    }
    if analysis
        .rows
        .iter()
        .all(|row| row.median.is_none_or(f64::is_infinite))
    {
        let text = if analysis.rows.iter().all(|row| row.failed == 0) {
            format!("{network}: most loads never reach {}.", metric.title)
        } else if analysis.rows.iter().all(|row| row.failed == row.runs) {
            format!("{network}: all loads failed.")
        } else {
            format!("{network}: most loads failed.")
        };
        return (VerdictKind::Unknown, vec![text]);
    }
    if others().next().is_none() {
        let text =
            format!("{network}: {baseline} raced alone; there is nothing to compare it with.");
        return (VerdictKind::Unknown, vec![text]);
    }
    if others().any(|row| row.mark == Mark::TooFewRuns) {
        let runs = analysis.rows.iter().map(|row| row.pairs).max().unwrap_or(0);
        let tested = others().filter(|row| row.signed_rank_p.is_some());
        let needed = runs_needed(tested.count());
        let whole = analysis.ranking.iter().find(|&&i| !analysis.rows[i].breaks);
        let best = &case.contenders[whole.copied().unwrap_or(analysis.baseline)];
        let text = format!(
            "{network}: {best} has the lowest median, but {runs} {} too few to be sure of \
             anything ({needed} or more are needed, 30 are better).",
            if runs == 1 { "run is" } else { "runs are" }
        );
        return (VerdictKind::Unknown, vec![text]);
    }
    if others().all(|row| row.mark == Mark::Undefined) {
        let text = format!(
            "{network}: nothing to compare: {} is missing.",
            metric.title
        );
        return (VerdictKind::Unknown, vec![text]);
    }
    let mut sentences = Vec::new();
    let lost = others().any(|row| row.mark == Mark::Worse);
    let unsure = others().any(|row| row.mark == Mark::Open);
    let runs = analysis.rows.iter().map(|row| row.pairs).max().unwrap_or(0);
    let limit = if unsure {
        format!(", as far as {runs} runs can tell")
    } else {
        String::new()
    };
    sentences.push(match (lost, metric.wording) {
        (false, Wording::Moment(does)) if unsure => format!(
            "{network}: no {noun} {does} noticeably sooner or later than {baseline}{limit}."
        ),
        (false, Wording::Amount(what)) if unsure => format!(
            "{network}: no {noun} makes {what} noticeably lower or higher than {baseline} does{limit}."
        ),
        (false, Wording::Moment(does)) => format!(
            "{network}: no difference: no {noun} {does} noticeably sooner or later than {baseline}."
        ),
        (false, Wording::Amount(what)) => format!(
            "{network}: no difference: {what} is about the same with every {noun} as with {baseline}."
        ),
        (true, Wording::Moment(does)) => {
            format!("{network}: no {noun} {does} sooner than {baseline}{limit}.")
        }
        (true, Wording::Amount(what)) => {
            format!("{network}: no {noun} makes {what} lower than {baseline} does{limit}.")
        }
    });
    sentences.extend(too_small(case.noun, analysis));
    sentences.extend(worse(case, analysis));
    (VerdictKind::NoDifference, sentences)
}

/// Mentions significant differences that are too small to notice.
fn too_small(noun: Noun, analysis: &Analysis) -> Option<String> {
    let small: Vec<f64> = analysis
        .rows
        .iter()
        .filter(|row| row.mark == Mark::TooSmall)
        .filter_map(|row| row.relative)
        .collect();
    let largest = small
        .iter()
        .fold(0.0_f64, |most, share| most.max(share.abs()));
    let differ = if small.len() == 1 {
        "differs"
    } else {
        "differ"
    };
    (!small.is_empty()).then(|| {
        format!(
            "{} {differ} by at most {}, too little to notice.",
            noun.count(small.len()),
            percent(largest)
        )
    })
}
