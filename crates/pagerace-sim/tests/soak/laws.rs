//! Laws that hold for every load.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pagerace_core::{Duration, Instant};
use pagerace_sim::{
    Explainable, Ledger, Outcome, Scenario, ScenarioError, Visit, explain, run, run_logged,
    run_with_ledger,
};

use super::inputs::Case;
use super::limits::Limits;
use super::{flows, sockets, wire};

/// Loads a case in several ways.
///
/// # Errors
/// Returns the law that was broken and the values that break it.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    caught(|| {
        check_loads(case)?;
        flows::check(case)?;
        sockets::check(case.seed)
    })
}

/// Returns the message of a panic of `work` as an error.
pub(crate) fn caught(work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

macro_rules! law {
    ($holds:expr, $($text:tt)+) => {
        if !$holds {
            return Err(format!($($text)+));
        }
    };
}

fn check_loads(case: &Case) -> Result<(), String> {
    let Case { scenario, seed, .. } = case;
    let load = |scenario: &Scenario, record| {
        run(scenario, *seed, record).map_err(|error| format!("an error: {error}"))
    };
    let watched = load(scenario, true)?;
    let again = bytes(&load(scenario, true)?);
    law!(
        again == bytes(&watched),
        "the same seed gives other results"
    );
    let text = serde_json::to_string(scenario).map_err(|e| e.to_string())?;
    let read: Scenario =
        serde_json::from_str(&text).map_err(|e| format!("the scenario is not read back: {e}"))?;
    law!(
        bytes(&load(&read, true)?) == again,
        "a scenario that was written and read gives other results"
    );
    let mut unwatched = load(scenario, false)?;
    unwatched.trace.clone_from(&watched.trace);
    law!(bytes(&unwatched) == again, "recording changes the load");
    let logged = run_logged(scenario, *seed).map_err(|error| format!("an error: {error}"))?;
    law!(
        bytes(&logged.0) == again,
        "logging packets changes the load"
    );

    let (counted, ledger) =
        run_with_ledger(scenario, *seed).map_err(|error| format!("an error: {error}"))?;
    law!(bytes(&counted) == again, "the ledger changes the load");
    hold(case, &watched, &ledger)?;
    for metric in Explainable::ALL {
        explanation(scenario, *seed, metric, &watched)?;
    }
    Ok(())
}

/// Holds one outcome against the laws that need no further load.
pub(crate) fn hold(case: &Case, outcome: &Outcome, ledger: &Ledger) -> Result<(), String> {
    let limits = Limits::of(&case.scenario.network);
    ends(outcome)?;
    times(outcome)?;
    paints(outcome)?;
    transfers(&case.scenario, outcome)?;
    physics(&case.scenario, outcome, &limits)?;
    objects(outcome)?;
    wire::conserved(ledger, outcome.finished_at)?;
    wire::within(&limits, ledger)?;
    wire::no_stall(&case.scenario, ledger)?;
    wire::whole(&case.scenario, outcome, ledger)
}

fn bytes(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).expect("an outcome has no other types than JSON")
}

/// A load ends, or says why not.
fn ends(outcome: &Outcome) -> Result<(), String> {
    match &outcome.failure {
        None => law!(
            outcome.load.onload.is_some() || !outcome.unanswered.is_empty(),
            "the load ended without a load event and without a reason"
        ),
        // A network may lose so much that a connection dies.
        Some(reason) => law!(
            reason.contains("connection was lost") || reason.contains("is blocked"),
            "the load stalled: {reason}"
        ),
    }
    Ok(())
}

/// Time does not go back.
fn times(outcome: &Outcome) -> Result<(), String> {
    for (i, timing) in outcome.resources.iter().enumerate() {
        let Some(t) = timing else { continue };
        let end = t.response_end();
        law!(
            end <= outcome.finished_at,
            "resource {i} ends at {end:?}, the load at {:?}",
            outcome.finished_at
        );
    }
    let load = &outcome.load;
    for (name, from, until) in [
        ("FCP", load.ttfb, load.fcp),
        ("LCP", load.fcp, load.lcp),
        ("load event", load.dom_content_loaded, load.onload),
        ("Time to Interactive", load.fcp, load.tti),
    ] {
        if let (Some(from), Some(until)) = (from, until) {
            law!(from <= until, "{name}: {until} comes before {from}");
        }
    }
    let last = Instant::ZERO + load.onload.unwrap_or_default();
    law!(
        last <= outcome.finished_at,
        "the load event comes after the end"
    );
    Ok(())
}

/// Visual progress rises from 0 to 1.
fn paints(outcome: &Outcome) -> Result<(), String> {
    let progress = &outcome.visual_progress;
    for pair in progress.windows(2) {
        let ((from, low), (until, high)) = (pair[0], pair[1]);
        law!(
            from <= until && low <= high + 1e-9,
            "visual progress falls: {low} at {from:?}, {high} at {until:?}"
        );
    }
    let valid = |share: f64| (-1e-9..=1.0 + 1e-9).contains(&share);
    law!(
        progress.iter().all(|(_, share)| valid(*share)),
        "visual progress is not a share: {progress:?}"
    );
    if let (Some(index), Some((last, _))) = (outcome.load.speed_index, progress.last()) {
        law!(
            Instant::ZERO + index <= *last + Duration::from_millis(1),
            "the Speed Index {index} is later than the last paint at {last:?}"
        );
    }
    Ok(())
}

/// Bytes are neither lost nor made.
fn transfers(scenario: &Scenario, outcome: &Outcome) -> Result<(), String> {
    let counters = &outcome.transport;
    let trace = outcome.trace.as_ref().ok_or("there is no trace")?;
    let gone = counters.link_losses + counters.queue_drops;
    law!(
        trace.drops.len() as u64 == gone,
        "{} packets in the trace did not arrive, {gone} in the counters",
        trace.drops.len()
    );
    law!(
        counters.packets_lost <= counters.packets_sent,
        "{} packets lost of {}",
        counters.packets_lost,
        counters.packets_sent
    );
    law!(
        counters.retransmitted_bytes <= counters.bytes_down,
        "{} bytes sent again of {}",
        counters.retransmitted_bytes,
        counters.bytes_down
    );
    if !scenario.reliability.is_full() {
        return Ok(());
    }
    let mut sent = vec![0_u64; scenario.page.resources.len()];
    for frame in &trace.frames {
        let end = frame.offset + u64::from(frame.length);
        let high = &mut sent[frame.resource.index()];
        law!(
            frame.offset <= *high,
            "resource {}: bytes {high} to {} were never sent",
            frame.resource.0,
            frame.offset
        );
        law!(
            frame.retransmission == (frame.offset < *high),
            "resource {}: a retransmission of byte {} is not marked as one",
            frame.resource.0,
            frame.offset
        );
        *high = (*high).max(end);
    }
    if outcome.failure.is_some() || !outcome.unanswered.is_empty() {
        return Ok(());
    }
    for (r, sent) in scenario.page.resources.iter().zip(sent) {
        let head = u64::from(r.response_header_bytes) + 2_000;
        // Framing adds to large bodies: nine bytes for each DATA frame of HTTP/2, and a
        // record's overhead over TCP.
        let most = r.body_bytes + head + r.body_bytes / 10 + 1_000;
        law!(
            sent <= most,
            "resource {}: {sent} bytes were sent of {}",
            r.id.0,
            r.body_bytes
        );
    }
    Ok(())
}

/// No response is faster than the links.
fn physics(scenario: &Scenario, outcome: &Outcome, limits: &Limits) -> Result<(), String> {
    let (mut body, mut asked) = (0, 0);
    let warm = scenario.visit == Visit::Warm;
    let round_trip = limits.round_trip();
    for (r, timing) in scenario.page.resources.iter().zip(&outcome.resources) {
        let Some(t) = timing else { continue };
        let answered = t.connection.is_some() && r.no_response.is_none();
        if !answered || warm || t.receive.is_zero() {
            continue;
        }
        if t.response_end() < outcome.finished_at {
            body += wire::content(scenario, r);
            asked += r.request_body_bytes;
        }
        law!(
            t.wait >= round_trip,
            "resource {}: the response began {} after the request, on a round trip of {round_trip}",
            r.id.0,
            t.wait
        );
    }
    for (bytes, link) in [(body, &limits.down), (asked, &limits.up)] {
        let possible = link.bytes_until(outcome.finished_at);
        law!(
            bytes <= possible || !scenario.reliability.is_full(),
            "{bytes} bytes came in {:?}; the link carries {possible}",
            outcome.finished_at
        );
    }
    Ok(())
}

/// The bytes that datagrams deliver, lose and repair add up.
fn objects(outcome: &Outcome) -> Result<(), String> {
    let mut missing = 0;
    for (i, object) in outcome.objects.iter().enumerate() {
        let Some(o) = object else { continue };
        law!(
            o.lost_bytes <= o.length && o.missing_bytes <= o.lost_bytes,
            "object {i}: {o:?}"
        );
        let repaired = o.restored_bytes + o.repaired_bytes;
        law!(
            o.missing_bytes + repaired >= o.lost_bytes,
            "object {i}: lost bytes are neither missing nor repaired: {o:?}"
        );
        missing += o.missing_bytes;
    }
    law!(
        outcome.transport.data_lost_bytes == missing,
        "{missing} bytes are missing, {} in the counters",
        outcome.transport.data_lost_bytes
    );
    Ok(())
}

/// The parts of an explanation add up to the metric of the same load.
fn explanation(
    scenario: &Scenario,
    seed: u64,
    metric: Explainable,
    watched: &Outcome,
) -> Result<(), String> {
    let load = &watched.load;
    let value = match metric {
        Explainable::Ttfb => load.ttfb,
        Explainable::Fcp => load.fcp,
        Explainable::Lcp => load.lcp,
        Explainable::SpeedIndex => load.speed_index,
        Explainable::Onload => load.onload,
    };
    let name = metric.name();
    let explained = match explain(scenario, seed, metric) {
        Ok(explained) => explained,
        Err(ScenarioError::NoMetric { .. }) => {
            law!(value.is_none(), "{name}: {value:?} has no explanation");
            return Ok(());
        }
        Err(error) => return Err(format!("{name}: {error}")),
    };
    law!(
        bytes(&explained.outcome) == bytes(watched),
        "{name}: explaining changes the load"
    );
    law!(
        Some(explained.total) == value && explained.parts.total() == explained.total,
        "{name}: {value:?} is {} in all and {} in parts",
        explained.total,
        explained.parts.total()
    );
    for step in &explained.path {
        let (from, until) = (step.from, step.until);
        law!(
            from <= step.arrived && from <= until,
            "{name}: a step goes back in time: {step:?}"
        );
        law!(
            step.parts.total() == until.since(from),
            "{name}: the parts of a step do not add up: {step:?}"
        );
    }
    Ok(())
}
