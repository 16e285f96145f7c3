//! Conversion of a recorded run to the report's input.

use pagerace_report::input::RunDetail;
use pagerace_sim::Outcome;

use crate::detail::Choice;

/// Returns the report's input for this run.
pub(super) fn run_detail(choice: Choice, outcome: Outcome) -> RunDetail {
    let load = outcome.load;
    let marks = [
        ("ttfb", load.ttfb),
        ("fcp", load.fcp),
        ("lcp", load.lcp),
        ("tti", load.tti),
        ("onload", load.onload),
    ];
    RunDetail {
        run: choice.run as u32,
        recorded: 1,
        failure: outcome.failure,
        marks: marks
            .into_iter()
            .filter_map(|(name, at)| Some((name.to_owned(), pagerace_core::Instant::ZERO + at?)))
            .collect(),
        visual_progress: outcome.visual_progress,
        timings: outcome.resources,
        trace: outcome.trace.unwrap_or_default(),
        ..RunDetail::default()
    }
}
