//! The answer on one network in one sentence.

use super::BulkResults;
use crate::unit::{Unit, percent};

/// Who is fastest on this network, and by how much against the first; whether
/// the runs of the two overlap is told, for a handful of runs is no proof.
pub fn bulk_sentence(results: &BulkResults, network: usize) -> String {
    let plan = &results.plan;
    let name = &plan.networks[network].name;
    let summaries: Vec<_> = (0..plan.contenders.len())
        .map(|contender| results.summary(network, contender))
        .collect();
    let finished = summaries
        .iter()
        .enumerate()
        .filter_map(|(i, summary)| Some((i, summary.time_ms?)));
    let Some((best, time)) = finished.clone().min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return format!("{name}: no transfer finished.");
    };
    let ms = |value: f64| Unit::Milliseconds.format(value);
    let label = |contender: usize| plan.label(contender);
    if plan.contenders.len() == 1 {
        return format!("{name}: {} takes {}.", label(best), ms(time));
    }
    // Against the first, or against the next best if the first is best.
    let rival = if best == 0 {
        finished
            .filter(|(i, _)| *i != best)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(i, _)| i)
    } else {
        summaries[0].time_ms.map(|_| 0)
    };
    let Some(rival) = rival else {
        let other = if best == 0 {
            "no other does"
        } else {
            "the first does not"
        };
        return format!(
            "{name}: {} finishes, in {}; {other}.",
            label(best),
            ms(time)
        );
    };
    let other = summaries[rival].time_ms.unwrap_or(time);
    if (other - time).abs() <= other * 0.001 {
        let (best, rival) = (label(best), label(rival));
        return format!("{name}: {best} and {rival} take as long, {}.", ms(time));
    }
    let overlap = match (summaries[best].range_ms, summaries[rival].range_ms) {
        (Some((_, longest)), Some((shortest, _))) if longest >= shortest && plan.runs > 1 => {
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
