//! The result on one network as a sentence.

use super::BulkResults;
use crate::stats::finite;
use crate::unit::{Unit, percent};

/// Returns a sentence that names the fastest contender on this network and its
/// lead over the first. It mentions if the runs of the two overlap, because a
/// handful of runs proves little.
///
/// Failed transfers count as longer than any other, and are mentioned.
pub fn bulk_sentence(results: &BulkResults, network: usize) -> String {
    let text = lead(results, network);
    let counts = (0..results.plan.contenders.len()).filter_map(|contender| {
        let failed = results.summary(network, contender).failed_runs;
        let label = results.plan.label(contender);
        (failed > 0).then(|| format!("{label} {failed} of {}", results.plan.runs))
    });
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() {
        return text;
    }
    let counts = counts.join(", ");
    format!("{text} Failed transfers (they count as longer than any other): {counts}.")
}

fn lead(results: &BulkResults, network: usize) -> String {
    let plan = &results.plan;
    let name = &plan.networks[network].name;
    let summaries: Vec<_> = (0..plan.contenders.len())
        .map(|contender| results.summary(network, contender))
        .collect();
    let finished = summaries
        .iter()
        .enumerate()
        .filter_map(|(i, summary)| Some((i, finite(summary.time_ms)?)));
    let Some((best, time)) = finished.clone().min_by(|a, b| a.1.total_cmp(&b.1)) else {
        let all = summaries
            .iter()
            .all(|s| s.failed_runs == plan.runs as usize);
        let most = if all { "all" } else { "most" };
        return format!("{name}: {most} transfers failed.");
    };
    let ms = |value: f64| Unit::Milliseconds.format(value);
    let label = |contender: usize| plan.label(contender);
    if plan.contenders.len() == 1 {
        return format!("{name}: {} takes {}.", label(best), ms(time));
    }
    // The rival is the first contender, or the next best if the first is the best.
    let rival = if best == 0 {
        finished
            .filter(|(i, _)| *i != best)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(i, _)| i)
    } else {
        finite(summaries[0].time_ms).map(|_| 0)
    };
    let Some(rival) = rival else {
        let other = match (best, plan.contenders.len()) {
            (0, 2) => format!("where {} mostly fails", label(1)),
            (0, _) => "where all others mostly fail".to_owned(),
            _ => format!("where {} mostly fails", label(0)),
        };
        return format!("{name}: {} takes {} {other}.", label(best), ms(time));
    };
    let other = summaries[rival].time_ms.unwrap_or(time);
    if (other - time).abs() <= other * 0.001 {
        let (best, rival) = (label(best), label(rival));
        return format!(
            "{name}: {best} and {rival} take equally long, {}.",
            ms(time)
        );
    }
    let overlap = match (summaries[best].time_max_ms, summaries[rival].time_min_ms) {
        (Some(longest), Some(shortest)) if longest >= shortest && plan.runs > 1 => {
            "; the times of single runs overlap"
        }
        _ => "",
    };
    format!(
        "{name}: {} is fastest with {}, {} ({}) less than {}{overlap}.",
        label(best),
        ms(time),
        ms(other - time),
        percent((other - time) / other),
        label(rival),
    )
}
