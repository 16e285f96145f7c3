//! Lighthouse for comparison: the metrics that it observes, or that its simulation predicts.
//!
//! <https://github.com/GoogleChrome/lighthouse>, 12.8.2: the newest version for Node.js
//! 20. Lighthouse attaches to a browser started by this crate through its port, so that
//! it must run in the browser's network namespace.

use std::collections::BTreeMap;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::package::Package;
use crate::browser::{Browser, Options, Spawn};
use crate::error::ChromiumError;

/// The timeout of a run, which takes about 20 s.
const TIMEOUT: Duration = Duration::from_secs(180);

const PACKAGE: Package = Package {
    name: "lighthouse",
    manifest: include_str!("../../node/lighthouse/package.json"),
    lock: include_str!("../../node/lighthouse/package-lock.json"),
    script: include_str!("../../node/lighthouse/run.mjs"),
};

/// The link for which Lighthouse predicts metrics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Throttling {
    /// The round-trip time in milliseconds.
    pub rtt_ms: f64,
    /// The throughput in kilobits per second.
    pub throughput_kbps: f64,
    /// The factor by which the CPU is slower than this one.
    pub cpu_slowdown: f64,
}

/// The results of a Lighthouse run. Metrics are predicted if a link was given, and otherwise
/// observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lighthouse {
    /// The version of Lighthouse.
    pub version: String,
    /// First contentful paint.
    pub fcp: Option<Duration>,
    /// Largest contentful paint.
    pub lcp: Option<Duration>,
    /// Speed Index.
    pub speed_index: Option<Duration>,
    /// Time to interactive.
    pub tti: Option<Duration>,
    /// Total blocking time.
    pub tbt: Option<Duration>,
    /// Cumulative Layout Shift.
    pub cls: Option<f64>,
    /// The savings that it promises, by audit.
    pub savings: BTreeMap<String, Savings>,
}

/// The savings that an audit promises, in milliseconds; `None` for metrics that it does not concern.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Savings {
    /// Savings of First Contentful Paint.
    pub fcp: Option<f64>,
    /// Savings of Largest Contentful Paint.
    pub lcp: Option<f64>,
}

/// Runs Lighthouse on `url` in its own browser.
///
/// With `throttling`, Lighthouse predicts the metrics for this link from an unthrottled
/// load; otherwise it reports the load. `spawn` starts the browser and Lighthouse, which
/// must be able to reach the servers, and each other on the loopback interface.
///
/// # Errors
/// Returns [`ChromiumError::Node`] if there is no Node.js or Lighthouse fails, and the
/// errors of [`Browser::launch`] and [`Browser::port`].
pub fn lighthouse(
    options: &Options,
    url: &str,
    throttling: Option<Throttling>,
    spawn: Spawn<'_>,
) -> Result<Lighthouse, ChromiumError> {
    let folder = PACKAGE.open()?;
    let mut options = options.clone();
    options.port = true;
    let browser = Browser::launch(&options, spawn)?;
    let device = browser.device();
    let input = json!({
        "url": url,
        "port": browser.port()?,
        "device": {
            "mobile": device.mobile,
            "width": device.width,
            "height": device.height,
            "scale": device.scale,
            "userAgent": browser.user_agent(),
        },
        "throttling": throttling.map(|t| json!({
            "rttMs": t.rtt_ms,
            "throughputKbps": t.throughput_kbps,
            "cpuSlowdown": t.cpu_slowdown,
        })),
    });

    let output = PACKAGE.run(&folder, &input, TIMEOUT, spawn);
    browser.close();
    read(&output?)
}

fn savings(of: &Value) -> BTreeMap<String, Savings> {
    let audits = of.as_object().into_iter().flatten();
    let saving = audits.map(|(audit, by)| {
        let of = |metric: &str| by[metric].as_f64();
        let (fcp, lcp) = (of("FCP"), of("LCP"));
        (audit.clone(), Savings { fcp, lcp })
    });
    saving.collect()
}

/// Reads the output of the script.
fn read(output: &Value) -> Result<Lighthouse, ChromiumError> {
    if let Some(error) = output["error"].as_str() {
        return Err(PACKAGE.error(error));
    }
    let metrics = &output["metrics"];
    let version = output["version"].as_str();
    let version = version.ok_or_else(|| PACKAGE.error("its script gave no version"))?;
    let ms = |name: &str| metrics[name].as_f64().map(Duration::from_millis_f64);
    Ok(Lighthouse {
        version: version.into(),
        fcp: ms("firstContentfulPaint"),
        lcp: ms("largestContentfulPaint"),
        speed_index: ms("speedIndex"),
        tti: ms("interactive"),
        tbt: ms("totalBlockingTime"),
        cls: metrics["cumulativeLayoutShift"].as_f64(),
        savings: savings(&output["savings"]),
    })
}
