//! Conversion of a live load to a simulator's outcome, so that both share the statistics.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_browser::{LayoutShift, LoadMetrics};
use pagerace_chromium::{Observed, ObservedResource};
use pagerace_core::{Duration, Instant, Protocol};
use pagerace_lab::MetricId;
use pagerace_live::world::{LiveCounters, LiveOutcome};
use pagerace_page::{Page, ResourceId};
use pagerace_report::film::Shot;
use pagerace_sim::{Outcome, ResourceTiming, TransportCounters};

/// Converts the outcome of a live load of `page`.
pub(super) fn outcome(page: &Page, live: &LiveOutcome) -> Outcome {
    let observed = &live.observed;
    let resources = resources(page, observed);
    let unanswered = unanswered(page, live, &resources);
    let ends = resources.iter().flatten().map(ResourceTiming::response_end);
    Outcome {
        load: metrics(observed),
        transport: counters(&live.counters),
        finished_at: ends.max().unwrap_or(Instant::ZERO),
        resources,
        objects: Vec::new(),
        essential: None,
        visual_progress: observed
            .visual_progress
            .iter()
            .map(|&(at, share)| (Instant::ZERO + at, share))
            .collect(),
        failure: failure(observed).filter(|_| unanswered.is_empty()),
        unanswered,
        trace: None,
    }
}

/// Returns the screenshots of a live load that differ from the one before.
pub(super) fn shots(observed: &Observed) -> Vec<Shot> {
    let all = observed.screenshots.iter();
    let mut shots: Vec<Shot> = all
        .map(|(at, jpeg)| Shot {
            ms: at.as_millis_f64(),
            jpeg: jpeg.clone(),
        })
        .collect();
    shots.dedup_by(|next, last| next.jpeg == last.jpeg);
    shots
}

/// Returns the resources that were requested but, by an intervention, never answered.
fn unanswered(
    page: &Page,
    live: &LiveOutcome,
    timings: &[Option<ResourceTiming>],
) -> Vec<ResourceId> {
    let hangs = |id: ResourceId| live.hanging.contains(&id);
    let resources = page.resources.iter().zip(timings);
    let open = resources.filter(|(resource, timing)| timing.is_none() && hangs(resource.id));
    let asked = |url: &str| live.observed.resources.iter().any(|r| r.url == url);
    open.filter(|(resource, _)| asked(&resource.url))
        .map(|(resource, _)| resource.id)
        .collect()
}

/// Returns the counters that a live load does not measure.
pub(super) fn uncounted(live: &LiveOutcome) -> BTreeSet<MetricId> {
    let mut names = vec![
        "retransmitted-bytes",
        "packets-lost",
        "hol-other-bytes",
        "hol-other-byte-ms",
    ];
    // Gaps in QUIC streams are only visible in a NetLog.
    let resources = &live.observed.resources;
    let quic = resources.is_empty() || resources.iter().any(|r| r.protocol == "h3");
    if quic && live.observed.hol.is_none() {
        names.extend(["hol-blocked-bytes", "hol-blocked-byte-ms"]);
    }
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Returns the reason why a load failed. Single requests may fail, but a load without a
/// load event did not finish.
fn failure(observed: &Observed) -> Option<String> {
    if observed.onload.is_some() {
        return None;
    }
    let reasons = observed.failures.join("; ");
    Some(if reasons.is_empty() {
        "no load event".to_owned()
    } else {
        reasons
    })
}

fn metrics(observed: &Observed) -> LoadMetrics {
    LoadMetrics {
        ttfb: observed.ttfb,
        early_hints: observed.early_hints,
        fcp: observed.fcp,
        lcp: observed.lcp,
        speed_index: observed.speed_index,
        byte_index: None,
        tti: observed.tti,
        tbt: observed.tbt,
        dom_content_loaded: observed.dom_content_loaded,
        onload: observed.onload,
        cls: observed.cls.and_then(LayoutShift::from_score),
    }
}

fn counters(live: &LiveCounters) -> TransportCounters {
    TransportCounters {
        connections: live.connections,
        packets_sent: live.down.enqueued,
        link_losses: live.down.lost,
        queue_drops: live.down.queue_drops,
        bytes_down: live.down.bytes_enqueued,
        bytes_up: live.up.bytes_enqueued,
        hol_blocked_bytes: live.hol_blocked_bytes,
        hol_blocked_byte_ms: live.hol_blocked_byte_ms,
        ..TransportCounters::default()
    }
}

/// Matches the page's resources with the browser's requests by URL. Several requests for
/// one URL are matched in order.
fn resources(page: &Page, observed: &Observed) -> Vec<Option<ResourceTiming>> {
    let mut requests: BTreeMap<&str, Vec<&ObservedResource>> = BTreeMap::new();
    for request in observed.resources.iter().rev() {
        requests
            .entry(without_fragment(&request.url))
            .or_default()
            .push(request);
    }
    let mut connections: BTreeMap<u64, u32> = BTreeMap::new();
    let mut timing = |id: ResourceId| {
        let url = without_fragment(&page.resource(id).url);
        let request = requests.get_mut(url)?.pop()?;
        let connection = request.connection.map(|number| {
            let next = connections.len() as u32;
            *connections.entry(number).or_insert(next)
        });
        timing_of(request, connection)
    };
    page.resources.iter().map(|r| timing(r.id)).collect()
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// Parses an ALPN identifier.
fn protocol(name: &str) -> Option<Protocol> {
    match name {
        "http/1.1" => Some(Protocol::H1),
        name => name.parse().ok(),
    }
}

/// Returns the timing of a request; `None` if it has no complete response.
fn timing_of(request: &ObservedResource, connection: Option<u32>) -> Option<ResourceTiming> {
    let protocol = protocol(&request.protocol)?;
    let (start, end) = (request.start, request.response_end?);
    let sent = request.request_start.unwrap_or(start).clamp(start, end);
    let head = request.response_start.unwrap_or(end).clamp(sent, end);
    let connecting = request.connect_start.zip(request.connect_end);
    let connect = connecting.map_or(Duration::ZERO, |(from, to)| to.saturating_sub(from));
    let held = sent.saturating_sub(start);
    let connect = connect.min(held);
    Some(ResourceTiming {
        protocol,
        priority: None,
        connection,
        reused: connecting.is_none(),
        discovered: Instant::ZERO + start,
        // The browser does not distinguish its own queue from the wait for a connection.
        queued: Duration::ZERO,
        blocked: held.saturating_sub(connect),
        dns: Duration::ZERO,
        connect,
        wait: head.saturating_sub(sent),
        receive: end.saturating_sub(head),
        hol_blocked_bytes: 0,
        hol_other_bytes: 0,
    })
}
