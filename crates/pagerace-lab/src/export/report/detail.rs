//! Conversion of a recorded run to the report's input.

use pagerace_report::input::{Drop, Frame, HolGap, RunDetail, Timing};
use pagerace_sim::Outcome;

use crate::detail::Choice;

/// Returns the report's input for this run.
pub(super) fn run_detail(choice: Choice, outcome: Outcome) -> RunDetail {
    let trace = outcome.trace.unwrap_or_default();
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
        timings: outcome
            .resources
            .into_iter()
            .map(|timing| timing.map(timing_entry))
            .collect(),
        frames: trace
            .frames
            .into_iter()
            .map(|frame| Frame {
                at: frame.at,
                connection: frame.connection,
                resource: frame.resource.0,
                offset: frame.offset,
                length: frame.length,
                retransmission: frame.retransmission,
            })
            .collect(),
        drops: trace
            .drops
            .into_iter()
            .map(|drop| Drop {
                at: drop.at,
                connection: drop.connection,
                queue: drop.queue,
            })
            .collect(),
        hol_gaps: trace
            .hol_gaps
            .into_iter()
            .map(|gap| HolGap {
                resource: gap.resource.0,
                from: gap.from,
                until: gap.until,
                bytes: gap.bytes,
            })
            .collect(),
    }
}

fn timing_entry(timing: pagerace_sim::ResourceTiming) -> Timing {
    Timing {
        protocol: timing.protocol,
        connection: timing.connection,
        reused: timing.reused,
        discovered: timing.discovered,
        queued: timing.queued,
        blocked: timing.blocked,
        dns: timing.dns,
        connect: timing.connect,
        wait: timing.wait,
        receive: timing.receive,
        hol_blocked_bytes: timing.hol_blocked_bytes,
        hol_other_bytes: timing.hol_other_bytes,
    }
}
