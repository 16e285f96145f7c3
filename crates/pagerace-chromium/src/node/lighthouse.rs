//! Lighthouse as a second opinion: what it observes, and what its own simulation
//! predicts.
//!
//! <https://github.com/GoogleChrome/lighthouse>, 12.8.2: the newest for Node.js 20.
//! It attaches to a browser that this crate starts, by port, so it has to run where
//! the browser runs.

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::package::Package;
use crate::browser::{Browser, Options, Spawn};
use crate::error::ChromiumError;

/// A run takes some 20 s.
const TIMEOUT: Duration = Duration::from_secs(180);

const PACKAGE: Package = Package {
    name: "lighthouse",
    manifest: include_str!("../../node/lighthouse/package.json"),
    lock: include_str!("../../node/lighthouse/package-lock.json"),
    script: include_str!("../../node/lighthouse/run.mjs"),
};

/// The link for which Lighthouse predicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Throttling {
    /// Round-trip time, milliseconds.
    pub rtt_ms: f64,
    /// Throughput, kilobits per second.
    pub throughput_kbps: f64,
    /// How many times slower the processor is; 1 is this one.
    pub cpu_slowdown: f64,
}

/// Metrics of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LighthouseMetrics {
    /// First contentful paint.
    pub fcp: Option<Duration>,
    /// Largest contentful paint.
    pub lcp: Option<Duration>,
    /// Speed Index.
    pub speed_index: Option<Duration>,
    /// Time to interactive; Lighthouse observes none.
    pub tti: Option<Duration>,
    /// Total blocking time; likewise.
    pub tbt: Option<Duration>,
    /// The load event; Lighthouse predicts none.
    pub onload: Option<Duration>,
    /// `DOMContentLoaded`; likewise.
    pub dom_content_loaded: Option<Duration>,
}

/// What Lighthouse says of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lighthouse {
    /// Its version.
    pub version: String,
    /// What it reports: its prediction if it was given a link, else what it observed.
    pub reported: LighthouseMetrics,
    /// What it observed in any case.
    pub observed: LighthouseMetrics,
    /// Cumulative layout shift.
    pub cls: Option<f64>,
    /// What it warns of.
    pub warnings: Vec<String>,
}

/// Runs Lighthouse on `url` in a browser of its own.
///
/// `throttling`: predict for this link from a load without any; `None`: report the
/// load as it is. `spawn` starts browser and Lighthouse: both have to be able to
/// reach the servers, and each other on the loopback interface.
///
/// # Errors
/// [`ChromiumError::Node`]: there is no Node.js, or Lighthouse fails. Else as
/// [`Browser::launch`].
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

/// Reads what the script wrote.
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
        reported: LighthouseMetrics {
            fcp: ms("firstContentfulPaint"),
            lcp: ms("largestContentfulPaint"),
            speed_index: ms("speedIndex"),
            tti: ms("interactive"),
            tbt: ms("totalBlockingTime"),
            onload: None,
            dom_content_loaded: None,
        },
        observed: LighthouseMetrics {
            fcp: ms("observedFirstContentfulPaint"),
            lcp: ms("observedLargestContentfulPaint"),
            speed_index: ms("observedSpeedIndex"),
            tti: None,
            tbt: None,
            onload: ms("observedLoad"),
            dom_content_loaded: ms("observedDomContentLoaded"),
        },
        cls: metrics["cumulativeLayoutShift"].as_f64(),
        warnings: output["warnings"]
            .as_array()
            .map(|list| {
                list.iter()
                    .filter_map(Value::as_str)
                    .map(Into::into)
                    .collect()
            })
            .unwrap_or_default(),
    })
}
