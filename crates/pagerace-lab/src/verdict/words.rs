//! Formatting of parts of sentences.

use crate::analysis::Comparison;
use crate::metric::MetricId;
use crate::unit::percent;

/// Formats the absolute size of a difference: "120 ms (8.1 %)".
pub(super) fn amount(metric: MetricId, row: &Comparison) -> String {
    let Some(difference) = row.difference else {
        return "an unknown amount".to_owned();
    };
    if difference.is_infinite() {
        return "failing".to_owned();
    }
    let size = metric.metric().unit.format(difference.abs());
    match row.relative {
        Some(share) => format!("{size} ({})", percent(share.abs())),
        None => size,
    }
}

/// Formats a difference: "by 120 ms (8.1 %)", or "for ever" if the metric is
/// never reached because a request is unanswered, although no load fails.
pub(super) fn by(metric: MetricId, row: &Comparison) -> String {
    if row.failed == 0 && row.difference.is_some_and(f64::is_infinite) {
        return "for ever".to_owned();
    }
    format!("by {}", amount(metric, row))
}

/// Joins words: "A", "A and B", "A, B and C".
pub(super) fn join(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
