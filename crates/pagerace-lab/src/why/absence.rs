//! The message if there is nothing to explain.

use crate::results::{Results, Variant};

/// Explains why no run of `results`, a race of two on one page and network, has
/// a value of the metric on both sides: the number of failures and their
/// reasons, or the lack of values.
pub fn no_pair(results: &Results) -> String {
    let plan = &results.plan;
    let title = plan.metric.metric().title;
    let failing = results.variants.iter().filter(|v| v.failed() > 0);
    let count = |variant: &Variant| {
        let label = plan.label(variant.contender);
        format!(
            "{} of {} with {label}",
            variant.failed(),
            variant.runs.len()
        )
    };
    let counts: Vec<String> = failing.map(count).collect();
    if counts.is_empty() {
        return format!("nothing to explain: no load has a value for {title} on both sides");
    }
    format!(
        "nothing to explain: no run has a value for {title} on both sides; loads failed: {} ({})",
        counts.join(" and "),
        results.reasons().join("; ")
    )
}
