//! Lighthouse's prediction of the same pages, as a second opinion.

use std::collections::BTreeMap;

use anyhow::Result;
use pagerace_calibration::lighthouse::LighthousePrediction;
use pagerace_chromium::node::{Lighthouse, Throttling};
use pagerace_core::{Duration, Protocol};
use pagerace_lab::{Load, MetricId, Plan};
use pagerace_net::Network;

use super::super::live::session::LiveSession;

/// Returns the prediction of Lighthouse's simulation for the page and network of a part
/// of the design. The simulation does not model protocols, so it is based on a load over
/// HTTP/2 if that takes part.
pub(super) fn ask(session: &mut LiveSession, part: &Plan) -> Result<LighthousePrediction> {
    let h2 = (0..part.contenders.len()).find(|&i| part.speaks(i, |p| p == Protocol::H2));
    let link = &part.networks[0];
    let load = Load {
        page: 0,
        network: 0,
        contender: h2.unwrap_or(0),
        run: 0,
        seed: part.run_seed(0),
    };
    let said = session.lighthouse(part, load, Some(throttling(link)))?;
    Ok(LighthousePrediction {
        page: part.pages[0].name.clone(),
        network: link.name.clone(),
        values: values(&said),
        savings: savings(&said),
        version: said.version,
    })
}

/// Returns what audits promise, by audit and metric. Promises of nothing are left out.
fn savings(said: &Lighthouse) -> BTreeMap<String, BTreeMap<MetricId, f64>> {
    let all = said.savings.iter().filter_map(|(audit, of)| {
        let metrics = [("fcp", of.fcp), ("lcp", of.lcp)].into_iter();
        let some = metrics.filter_map(|(name, ms)| Some((name.parse().ok()?, ms?)));
        let some: BTreeMap<MetricId, f64> = some.filter(|(_, ms)| *ms > 0.0).collect();
        (!some.is_empty()).then(|| (audit.clone(), some))
    });
    all.collect()
}

/// Returns the properties of a network that Lighthouse supports, which exclude loss and
/// queue.
fn throttling(network: &Network) -> Throttling {
    Throttling {
        rtt_ms: network.rtt().as_millis_f64(),
        throughput_kbps: network.down.rate.mean().bits_per_second() as f64 / 1e3,
        cpu_slowdown: 1.0,
    }
}

/// Returns the values in milliseconds, by metric.
pub(crate) fn values(of: &Lighthouse) -> BTreeMap<MetricId, f64> {
    let all: [(&str, Option<Duration>); 5] = [
        ("fcp", of.fcp),
        ("lcp", of.lcp),
        ("speed-index", of.speed_index),
        ("tti", of.tti),
        ("tbt", of.tbt),
    ];
    let some = all.into_iter().filter_map(|(name, value)| {
        let metric: MetricId = name.parse().ok()?;
        Some((metric, value?.as_millis_f64()))
    });
    some.collect()
}
