//! Small parts of sentences.

use crate::analysis::Comparison;
use crate::metric::MetricId;
use crate::unit::percent;

/// "120 ms (8.1 %)": the size of a difference, without its sign.
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

/// "by 120 ms (8.1 %)"; "for ever" where the metric never comes although no
/// load fails, as something is never answered.
pub(super) fn by(metric: MetricId, row: &Comparison) -> String {
    if row.failed == 0 && row.difference.is_some_and(f64::is_infinite) {
        return "for ever".to_owned();
    }
    format!("by {}", amount(metric, row))
}

/// "A", "A and B", "A, B and C".
pub(super) fn join(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
