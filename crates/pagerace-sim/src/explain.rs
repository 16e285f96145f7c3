//! Where the time of a load went: a metric's time split along its critical
//! path, so that the parts add up exactly.

use std::fmt;

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::world::World;
use crate::{Outcome, Scenario, ScenarioError};

/// What time went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Name look-up, TCP, TLS and QUIC handshakes.
    SetUp,
    /// Requests and responses under way: the path's delay, once each way.
    RoundTrips,
    /// The server thought.
    Server,
    /// The bottleneck idled although the response was ready: congestion
    /// window, pacing or flow control held it back.
    Window,
    /// The bottleneck carried bytes of the response itself.
    Bandwidth,
    /// The bottleneck carried other responses, or the request waited for its
    /// turn: for a free connection, for the browser's scheduler.
    Queueing,
    /// Waiting for lost bytes to be sent again, and carrying them again.
    Loss,
    /// Parsing, running scripts, laying out, painting, and waiting to.
    Browser,
}

impl Part {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::SetUp,
        Self::RoundTrips,
        Self::Server,
        Self::Window,
        Self::Bandwidth,
        Self::Queueing,
        Self::Loss,
        Self::Browser,
    ];

    /// A short name, stable in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SetUp => "set-up",
            Self::RoundTrips => "round-trips",
            Self::Server => "server",
            Self::Window => "window",
            Self::Bandwidth => "bandwidth",
            Self::Queueing => "queueing",
            Self::Loss => "loss",
            Self::Browser => "browser",
        }
    }

    /// For headings.
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

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Explainable {
    /// Time to First Byte.
    Ttfb,
    /// First Contentful Paint.
    Fcp,
    /// Largest Contentful Paint.
    Lcp,
    /// Speed Index: the paints' times, each weighted by what it shows.
    SpeedIndex,
    /// The load event.
    Onload,
}

impl Explainable {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Ttfb,
        Self::Fcp,
        Self::Lcp,
        Self::SpeedIndex,
        Self::Onload,
    ];

    /// The metric's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttfb => "ttfb",
            Self::Fcp => "fcp",
            Self::Lcp => "lcp",
            Self::SpeedIndex => "speed-index",
            Self::Onload => "onload",
        }
    }
}

/// Time by [`Part`], in the order of [`Part::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parts(pub [Duration; 8]);

impl Parts {
    /// The time that went into `part`.
    pub fn get(&self, part: Part) -> Duration {
        self.0[part as usize]
    }

    /// Adds to a part.
    pub fn add(&mut self, part: Part, time: Duration) {
        self.0[part as usize] += time;
    }

    /// All parts together.
    pub fn total(&self) -> Duration {
        self.0.iter().copied().sum()
    }

    /// The part with the most time.
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

/// A link of the critical path: from the moment a resource was known (the
/// first: from the navigation) to what waited for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Which resource.
    pub resource: ResourceId,
    /// It was discovered.
    pub from: Instant,
    /// The bytes that were waited for had arrived.
    pub arrived: Instant,
    /// What waited for them happened: the next discovery, or the metric.
    pub until: Instant,
    /// Where the time from `from` to `until` went.
    pub parts: Parts,
}

/// A metric of one load, taken apart.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The metric's value; the sum of `parts`.
    pub total: Duration,
    /// Where it went.
    pub parts: Parts,
    /// The critical path, from the navigation to the metric. For Speed Index,
    /// which has as many as there are paints, that of the paint which adds
    /// most to it.
    pub path: Vec<Step>,
    /// The load.
    pub outcome: Outcome,
}

/// Loads the page once and takes a metric apart.
///
/// # Errors
/// As [`crate::run`]; [`ScenarioError::NoMetric`] if the load did not come that
/// far.
pub fn explain(
    scenario: &Scenario,
    seed: u64,
    metric: Explainable,
) -> Result<Explained, ScenarioError> {
    let mut world = World::new(scenario, seed, true, false)?;
    world.run()?;
    let taken_apart = world.take_apart(metric);
    let (outcome, _) = world.finish();
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
        path,
        outcome,
    })
}
