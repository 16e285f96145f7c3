//! Attribution of a metric's time to causes along its critical path. The parts add up
//! exactly to the metric.

use pagerace_core::{Duration, Instant, names};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::changed::Changed;
use crate::event_loop::Record;
use crate::page_load::PageLoad;
use crate::{Outcome, Scenario, ScenarioError};

names! {
    /// Cause that a span of load time is attributed to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Part {
        /// Name lookup; TCP, TLS and QUIC handshakes.
        SetUp = "set-up",
        /// Delay of the path, once for the request and once for the response.
        RoundTrips = "round-trips",
        /// Think time of the server.
        Server = "server",
        /// The bottleneck idled although the response was ready: the congestion window,
        /// pacing or flow control held the sender back.
        Window = "window",
        /// The bottleneck carried bytes of the response itself.
        Bandwidth = "bandwidth",
        /// The bottleneck carried other responses, or the request waited for its turn: for a
        /// free connection or for the browser's scheduler.
        Queueing = "queueing",
        /// Waiting for lost bytes to be sent again, and carrying them again.
        Loss = "loss",
        /// Parsing, running scripts, layout and paint, and waiting for the main thread.
        Browser = "browser",
    }
}

impl Part {
    /// Returns the name for headings.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SetUp => "connection set-up",
            Self::RoundTrips => "round trips",
            Self::Server => "server",
            Self::Window => "congestion window, slow start",
            Self::Bandwidth => "bandwidth",
            Self::Queueing => "queueing behind other responses",
            Self::Loss => "loss recovery, HOL blocking",
            Self::Browser => "browser work",
        }
    }
}

names! {
    /// Metric that can be explained.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Explainable {
        /// Time to First Byte.
        Ttfb = "ttfb",
        /// First Contentful Paint.
        Fcp = "fcp",
        /// Largest Contentful Paint.
        Lcp = "lcp",
        /// Speed Index: the mean time of the paints, weighted by the share of the picture
        /// that each shows.
        SpeedIndex = "speed-index",
        /// The load event.
        Onload = "onload",
    }
}

/// Durations by [`Part`], in the order of [`Part::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parts(pub [Duration; 8]);

impl Parts {
    /// Returns the time attributed to `part`.
    pub fn get(&self, part: Part) -> Duration {
        self.0[part as usize]
    }

    /// Adds `time` to `part`.
    pub fn add(&mut self, part: Part, time: Duration) {
        self.0[part as usize] += time;
    }

    /// Returns the sum of all parts.
    pub fn total(&self) -> Duration {
        self.0.iter().copied().sum()
    }

    /// Returns the part with the most time.
    pub fn largest(&self) -> Part {
        let mut largest = Part::SetUp;
        for part in Part::ALL {
            if self.get(part) > self.get(largest) {
                largest = part;
            }
        }
        largest
    }
}

/// A segment of the critical path: from the discovery of a resource to the event that
/// waited for it. The first segment starts at the navigation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The resource.
    pub resource: ResourceId,
    /// Time of the resource's discovery.
    pub from: Instant,
    /// Time at which the awaited bytes had arrived.
    pub arrived: Instant,
    /// Time of the event that waited for the bytes: the next discovery, or the metric.
    pub until: Instant,
    /// Attribution of the time between `from` and `until`.
    pub parts: Parts,
}

/// Explanation of one metric of one load.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Value of the metric; the sum of `parts`.
    pub total: Duration,
    /// Attribution of the metric's time.
    pub parts: Parts,
    /// The critical path from the navigation to the metric. The Speed Index has one path
    /// per paint; this is the path of the paint that contributes most to it.
    pub path: Vec<Step>,
    /// Outcome of the load.
    pub outcome: Outcome,
}

/// Loads the page once and explains a metric.
///
/// # Errors
/// Returns the errors of [`crate::run`], and [`ScenarioError::NoMetric`] if the load did
/// not reach the metric.
pub fn explain(
    scenario: &Scenario,
    seed: u64,
    metric: Explainable,
) -> Result<Explained, ScenarioError> {
    let changed = Changed::new(scenario);
    let load = PageLoad::run(changed.scenario(), seed, Record::Wire)?;
    let taken_apart = load.take_apart(metric);
    let (outcome, _) = load.finish();
    let Some((total, parts, path)) = taken_apart else {
        return Err(ScenarioError::NoMetric {
            metric: metric.name(),
            failure: outcome
                .failure
                .unwrap_or_else(|| "nothing was painted".to_owned()),
        });
    };
    Ok(Explained {
        total,
        parts,
        path: changed.restore_path(path),
        outcome: changed.restore(outcome),
    })
}
