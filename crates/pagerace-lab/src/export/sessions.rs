//! Session reports: the delivery of each object in each run.
//!
//! # Source
//! Srivastava 2024, section 5.8.2: per object total and end-to-end time, bytes,
//! completion and transport; per session duration, throughput, and completed of total.
//! Described in `docs/output.md`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pagerace_page::{Category, Page};
use pagerace_sim::{ObjectDelivery, ObjectNeed, Outcome, ResourceTiming};
use serde::Serialize;

use crate::facts::facts;
use crate::plan::Plan;
use crate::runner::Runner;

/// The value of `format` in these files.
pub const FORMAT: &str = "pagerace-sessions";
/// The version of the format.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Session {
    page: String,
    network: String,
    contender: String,
    run: usize,
    seed: u64,
    /// Time until the end of the last object.
    duration_ms: f64,
    /// Throughput of the content that arrived.
    throughput_bits_per_second: f64,
    objects_total: usize,
    objects_complete: usize,
    /// Content bytes received, over the objects that were delivered to their end.
    bytes: u64,
    data_lost_bytes: u64,
    failure: Option<String>,
    /// Number of objects by category and state.
    by_category: BTreeMap<Category, BTreeMap<&'static str, usize>>,
    objects: Vec<Object>,
}

#[derive(Serialize)]
struct Object {
    id: u32,
    url: String,
    category: Category,
    size_bytes: u64,
    /// `stream` or `datagrams`. Unknown without a delivery, as are the byte counts.
    transport: Option<&'static str>,
    protocol: String,
    /// `complete`, `repaired`, `usable in part` or `broken`; `failed` without a delivery.
    state: &'static str,
    essential: Option<bool>,
    /// Time when the request was sent.
    start_ms: f64,
    /// Time from the first to the last byte of the response.
    transfer_ms: f64,
    /// Time from the request to the last byte of the response.
    end_to_end_ms: f64,
    bytes_received: Option<u64>,
    lost_bytes: Option<u64>,
    restored_bytes: Option<u64>,
    repaired_bytes: Option<u64>,
    missing_bytes: Option<u64>,
}

/// Repeats all runs of all variants one after the other, and writes the delivery of each
/// object as JSON. `runs` gives the number of runs of a variant. `progress` is called after each
/// load with the number of completed loads.
///
/// # Errors
/// Any error of `out`, and any error of a load that cannot be run at all.
pub fn write_sessions(
    plan: &Plan,
    runs: &dyn Fn(usize) -> usize,
    runner: &Runner<'_>,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(usize),
) -> io::Result<()> {
    let head = serde_json::json!({
        "format": FORMAT,
        "schema": SCHEMA,
        "version": crate::VERSION,
        "seed": plan.seed,
        "model": facts(plan),
        "networks": plan.networks.iter().map(|n| (n.name.clone(), n.describe()))
            .collect::<BTreeMap<_, _>>(),
        "contenders": plan.contenders.iter().enumerate()
            .map(|(i, c)| (plan.label(i), c.to_string())).collect::<BTreeMap<_, _>>(),
    });
    let head = head.to_string();
    let body = head.strip_suffix('}').unwrap_or(&head);
    out.write_all(format!("{body},\"sessions\":[\n").as_bytes())?;
    let mut done = 0;
    for variant in 0..plan.variants() {
        for run in 0..runs(variant) {
            let scenario = plan.scenario(variant, run);
            let outcome = runner(&scenario, plan.run_seed(run), false).map_err(io::Error::other)?;
            let session = session(plan, variant, run, &scenario.needs, &outcome);
            if done > 0 {
                out.write_all(b",\n")?;
            }
            serde_json::to_writer(&mut *out, &session)?;
            done += 1;
            progress(done);
        }
    }
    out.write_all(b"\n]}\n")
}

fn session(
    plan: &Plan,
    variant: usize,
    run: usize,
    needs: &[ObjectNeed],
    outcome: &Outcome,
) -> Session {
    let (page, network, contender) = plan.variant_parts(variant);
    let page = &plan.pages[page];
    let timings = outcome.resources.iter().enumerate();
    let requested = timings.filter_map(|(i, timing)| Some((i, timing.as_ref()?)));
    let objects: Vec<Object> = requested
        .map(|(i, timing)| {
            let delivery = outcome.objects.get(i).copied().flatten();
            let essential = needs.get(i).map(|need| need.essential);
            object(page, i, timing, delivery, essential)
        })
        .collect();
    let bytes: u64 = objects.iter().filter_map(|o| o.bytes_received).sum();
    let ends = objects.iter().map(|o| o.start_ms + o.end_to_end_ms);
    let seconds = ends.fold(0.0, f64::max) / 1_000.0;
    let mut by_category: BTreeMap<_, BTreeMap<_, usize>> = BTreeMap::new();
    for object in &objects {
        let states = by_category.entry(object.category).or_default();
        *states.entry(object.state).or_default() += 1;
    }
    let complete = |o: &&Object| o.missing_bytes == Some(0);
    Session {
        page: page.name.clone(),
        network: plan.networks[network].name.clone(),
        contender: plan.label(contender),
        run: run + 1,
        seed: plan.run_seed(run),
        duration_ms: seconds * 1_000.0,
        throughput_bits_per_second: if seconds > 0.0 {
            bytes as f64 * 8.0 / seconds
        } else {
            0.0
        },
        objects_total: objects.len(),
        objects_complete: objects.iter().filter(complete).count(),
        bytes,
        data_lost_bytes: outcome.transport.data_lost_bytes,
        failure: outcome.failure.clone(),
        by_category,
        objects,
    }
}

/// The state of an object that was requested but not delivered to its end.
const FAILED: &str = "failed";

fn object(
    page: &Page,
    index: usize,
    timing: &ResourceTiming,
    delivery: Option<ObjectDelivery>,
    essential: Option<bool>,
) -> Object {
    let resource = &page.resources[index];
    let (start, end) = (timing.request_start(), timing.response_end());
    Object {
        id: index as u32,
        url: resource.url.clone(),
        category: resource.category,
        size_bytes: resource.body_bytes,
        transport: delivery.map(|d| if d.datagrams { "datagrams" } else { "stream" }),
        protocol: timing.protocol.to_string(),
        state: delivery.map_or(FAILED, |d| d.state.name()),
        essential,
        start_ms: start.since_start().as_millis_f64(),
        transfer_ms: timing.receive.as_millis_f64(),
        end_to_end_ms: end.since(start).as_millis_f64(),
        bytes_received: delivery.map(|d| d.length - d.missing_bytes),
        lost_bytes: delivery.map(|d| d.lost_bytes),
        restored_bytes: delivery.map(|d| d.restored_bytes),
        repaired_bytes: delivery.map(|d| d.repaired_bytes),
        missing_bytes: delivery.map(|d| d.missing_bytes),
    }
}

#[cfg(test)]
mod tests;
