//! The embedded form of the report, with long lists as columns of short integers.
//!
//! Times are whole ticks of 10 µs. Ascending times are stored as differences to their
//! predecessors. `assets/js/data.js` reads this form.

mod wire;

use pagerace_core::{Duration, Instant, Protocol};
use serde::Serialize;

use crate::input::{
    AcrossPages, AcrossRow, Comparison, Metric, Named, NetworkResult, PageResult, Provenance,
    Report, Resource, Row, RunDetail, Timing, VerdictKind, Why,
};
use wire::Wire;

/// Length of a tick: shorter than the transmission of a packet at 1 Gbit/s, with few
/// digits to write.
const TICK_NANOS: u64 = 10_000;

/// Numbers of valid indices, and limits, for the entries of one page.
#[derive(Clone, Copy)]
struct Limits {
    networks: usize,
    contenders: usize,
    parts: usize,
    resources: usize,
    /// Most pieces in the wire data of each variant.
    pieces: usize,
}

/// The embedded form of a [`Report`]. Fields of the same name have the same meaning.
#[derive(Serialize)]
pub(crate) struct Compact<'a> {
    tick_ms: f64,
    title: &'a str,
    version: &'a str,
    /// The seed as text, because JavaScript's numbers hold only 53 bits.
    seed: String,
    runs: u32,
    rerun: &'a str,
    scenario: &'a str,
    metric: usize,
    baseline: usize,
    noun: &'a str,
    nouns: &'a str,
    world: Provenance,
    metrics: &'a [Metric],
    contenders: &'a [Named],
    parts: &'a [Named],
    networks: &'a [Named],
    pages: Vec<Page<'a>>,
    across: Vec<Across<'a>>,
}

#[derive(Serialize)]
struct Across<'a> {
    network: usize,
    metric: usize,
    rows: Vec<&'a AcrossRow>,
}

#[derive(Serialize)]
struct Page<'a> {
    name: &'a str,
    url: &'a str,
    resources: &'a [Resource],
    networks: Vec<OnNetwork<'a>>,
}

#[derive(Serialize)]
struct OnNetwork<'a> {
    network: usize,
    outcome: VerdictKind,
    winner: Option<usize>,
    verdict: &'a str,
    rows: Vec<Variant<'a>>,
    whys: Vec<Reason<'a>>,
}

/// The embedded form of a [`Why`].
#[derive(Serialize)]
struct Reason<'a> {
    contender: usize,
    run: u32,
    sentence: &'a str,
    /// Times in milliseconds.
    baseline: Vec<f64>,
    own: Vec<f64>,
}

#[derive(Serialize)]
struct Variant<'a> {
    contender: usize,
    failed: u32,
    values: &'a [Comparison],
    detail: Option<Detail<'a>>,
}

#[derive(Serialize)]
struct Detail<'a> {
    run: u32,
    failure: Option<&'a str>,
    /// Names and ticks.
    marks: Vec<(&'a str, u64)>,
    /// Times in ticks, as differences to their predecessors.
    progress_at: Vec<u64>,
    /// Shares in tenths of a percent.
    progress_share: Vec<u64>,
    /// Per resource: time of discovery and the six time spans, in ticks; bytes blocked by
    /// their own stream and by other streams; HTTP version; connection number plus one
    /// (0: none); 1 if the connection was reused.
    timings: Vec<Option<[u64; 12]>>,
    wire: Wire,
}

impl Limits {
    fn of(report: &Report) -> Self {
        let rows = report
            .pages
            .iter()
            .flat_map(|p| &p.networks)
            .flat_map(|n| &n.rows);
        Self {
            networks: report.networks.len(),
            contenders: report.contenders.len(),
            parts: report.parts.len(),
            resources: 0,
            pieces: wire::pieces_each(rows.filter(|row| row.detail.is_some()).count()),
        }
    }
}

impl<'a> Compact<'a> {
    pub(crate) fn new(report: &'a Report) -> Self {
        let limits = Limits::of(report);
        Self {
            tick_ms: TICK_NANOS as f64 / 1e6,
            title: &report.title,
            version: &report.version,
            seed: report.seed.to_string(),
            runs: report.runs,
            rerun: &report.rerun,
            scenario: &report.scenario,
            metric: within(report.metric, report.metrics.len()),
            baseline: within(report.baseline, report.contenders.len()),
            noun: &report.noun,
            nouns: &report.nouns,
            world: report.world,
            metrics: &report.metrics,
            contenders: &report.contenders,
            parts: &report.parts,
            networks: &report.networks,
            pages: report
                .pages
                .iter()
                .map(|page| Page::new(page, limits))
                .collect(),
            across: report
                .across
                .iter()
                .filter(|a| a.network < report.networks.len() && a.metric < report.metrics.len())
                .map(|a| Across::new(a, report.contenders.len()))
                .collect(),
        }
    }
}

impl<'a> Across<'a> {
    fn new(across: &'a AcrossPages, contenders: usize) -> Self {
        Self {
            network: across.network,
            metric: across.metric,
            rows: across
                .rows
                .iter()
                .filter(|row| row.contender < contenders)
                .collect(),
        }
    }
}

impl<'a> Page<'a> {
    fn new(page: &'a PageResult, limits: Limits) -> Self {
        let limits = Limits {
            resources: page.resources.len(),
            ..limits
        };
        Self {
            name: &page.name,
            url: &page.url,
            resources: &page.resources,
            networks: page
                .networks
                .iter()
                .filter(|result| result.network < limits.networks)
                .map(|result| OnNetwork::new(result, limits))
                .collect(),
        }
    }
}

impl<'a> OnNetwork<'a> {
    fn new(result: &'a NetworkResult, limits: Limits) -> Self {
        let rows = result
            .rows
            .iter()
            .filter(|row| row.contender < limits.contenders);
        let whys = result.whys.iter().filter(|why| {
            let complete = [&why.baseline, &why.own].map(|parts| parts.len() == limits.parts);
            why.contender < limits.contenders && complete == [true; 2]
        });
        Self {
            network: result.network,
            outcome: result.outcome,
            winner: result.winner.filter(|&winner| winner < limits.contenders),
            verdict: &result.verdict,
            rows: rows.map(|row| Variant::new(row, limits)).collect(),
            whys: whys.map(Reason::new).collect(),
        }
    }
}

impl<'a> Reason<'a> {
    fn new(why: &'a Why) -> Self {
        let millis = |parts: &[Duration]| parts.iter().map(|part| part.as_millis_f64()).collect();
        Self {
            contender: why.contender,
            run: why.run,
            sentence: &why.sentence,
            baseline: millis(&why.baseline),
            own: millis(&why.own),
        }
    }
}

impl<'a> Variant<'a> {
    fn new(row: &'a Row, limits: Limits) -> Self {
        Self {
            contender: row.contender,
            failed: row.failed,
            values: &row.values,
            detail: row.detail.as_ref().map(|run| Detail::new(run, limits)),
        }
    }
}

impl<'a> Detail<'a> {
    fn new(run: &'a RunDetail, limits: Limits) -> Self {
        let progress = &run.visual_progress;
        Self {
            run: run.run,
            failure: run.failure.as_deref(),
            marks: run
                .marks
                .iter()
                .map(|(name, at)| (name.as_str(), ticks(*at)))
                .collect(),
            progress_at: deltas(progress.iter().map(|p| ticks(p.at))),
            progress_share: progress
                .iter()
                .map(|p| (p.share * 1000.0).round() as u64)
                .collect(),
            timings: run
                .timings
                .iter()
                .take(limits.resources)
                .map(|t| t.as_ref().map(timing))
                .collect(),
            wire: Wire::new(run, limits.resources, limits.pieces),
        }
    }
}

/// Replaces an invalid index by 0, which is valid unless the list is empty.
fn within(index: usize, length: usize) -> usize {
    if index < length { index } else { 0 }
}

/// Rounds the boundaries between spans, not the spans, so that rounding errors do not
/// accumulate.
fn timing(t: &Timing) -> [u64; 12] {
    let mut at = t.discovered;
    let spans = [t.queued, t.blocked, t.dns, t.connect, t.wait, t.receive].map(|span| {
        let from = ticks(at);
        at += span;
        ticks(at) - from
    });
    let [queued, blocked, dns, connect, wait, receive] = spans;
    let discovered = ticks(t.discovered);
    [
        discovered,
        queued,
        blocked,
        dns,
        connect,
        wait,
        receive,
        t.hol_blocked_bytes,
        t.hol_other_bytes,
        match t.protocol {
            Protocol::H1 => 1,
            Protocol::H2 => 2,
            Protocol::H3 => 3,
        },
        t.connection
            .map_or(0, |connection| u64::from(connection) + 1),
        u64::from(t.reused),
    ]
}

/// Returns the tick nearest to `at`.
fn ticks(at: Instant) -> u64 {
    at.as_nanos().saturating_add(TICK_NANOS / 2) / TICK_NANOS
}

/// Returns the differences to the largest value before. A smaller value gives a
/// difference of zero.
fn deltas(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut last = 0;
    values
        .map(|value| {
            let step = value.saturating_sub(last);
            last = last.max(value);
            step
        })
        .collect()
}

#[cfg(test)]
mod tests;
