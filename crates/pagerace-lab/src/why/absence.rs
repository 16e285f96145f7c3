//! What is said where there is nothing to take apart.

use crate::results::{Results, Variant};

/// Why no run of `results`, a race of two on one page and network, has the
/// metric on both sides: who failed how often and for which reasons, or that
/// nobody has such a value.
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
        return format!("nothing to explain: no load has a value of {title} on both sides");
    }
    format!(
        "nothing to explain: no run has a value of {title} on both sides; loads failed: {} ({})",
        counts.join(" and "),
        results.reasons().join("; ")
    )
}
