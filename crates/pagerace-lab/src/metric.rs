//! The metrics, by name. Definitions and sources are in `docs/metrics.md`.
//!
//! Every metric is a cost: lower is better.

use std::fmt;
use std::str::FromStr;

use pagerace_browser::{LayoutShift, LoadMetrics};
use pagerace_core::Duration;
use pagerace_sim::TransportCounters;
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::results::RunSummary;
use crate::unit::Unit;

/// A metric's entry in the registry.
#[derive(Debug)]
pub struct Metric {
    /// The name that users write.
    pub name: &'static str,
    /// The title for headings.
    pub title: &'static str,
    /// The unit of the values.
    pub unit: Unit,
    /// The wording of the metric in a verdict.
    pub wording: Wording,
    /// A one-line definition.
    pub definition: &'static str,
    /// True if a simulation can provide the metric.
    pub simulated: bool,
    /// Returns the metric's value in a run.
    pub get: fn(&RunSummary) -> Option<f64>,
}

/// The wording of a metric in a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// A point in time that is reached sooner or later: "shows the largest element".
    Moment(&'static str),
    /// A quantity that is lower or higher: "Speed Index".
    Amount(&'static str),
}

/// A metric of the registry, written and serialised as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct MetricId(usize);

fn ms(value: Option<Duration>) -> Option<f64> {
    value.map(Duration::as_millis_f64)
}

/// Builds an entry for a time of the page load.
macro_rules! time {
    ($name:literal, $title:literal, $field:ident, $wording:expr, $definition:literal) => {
        Metric {
            name: $name,
            title: $title,
            unit: Unit::Milliseconds,
            wording: $wording,
            definition: $definition,
            simulated: true,
            get: |run: &RunSummary| {
                let load: &LoadMetrics = &run.load;
                ms(load.$field)
            },
        }
    };
}

/// Builds an entry for a counter of the transport.
macro_rules! counter {
    ($name:literal, $title:literal, $unit:ident, $field:ident, $noun:literal, $definition:literal) => {
        Metric {
            name: $name,
            title: $title,
            unit: Unit::$unit,
            wording: Wording::Amount($noun),
            definition: $definition,
            simulated: true,
            get: |run: &RunSummary| {
                let transport: &TransportCounters = &run.transport;
                Some(transport.$field as f64)
            },
        }
    };
}

use Wording::{Amount, Moment};

/// All metrics, in the order in which tables list them.
static METRICS: &[Metric] = &[
    time!(
        "ttfb",
        "Time to First Byte",
        ttfb,
        Moment("gets the first byte"),
        "From the start of the navigation to the first byte of the document, redirects included"
    ),
    time!(
        "fcp",
        "First Contentful Paint",
        fcp,
        Moment("shows the first content"),
        "Time at which the first text or image is painted"
    ),
    time!(
        "lcp",
        "Largest Contentful Paint",
        lcp,
        Moment("shows the largest element"),
        "Time at which the largest text or image of the viewport is painted"
    ),
    time!(
        "speed-index",
        "Speed Index",
        speed_index,
        Amount("Speed Index"),
        "Mean time at which the viewport's parts become visible: the area above the visual progress"
    ),
    time!(
        "byte-index",
        "Byte Index",
        byte_index,
        Amount("Byte Index"),
        "Mean time at which body bytes arrive: the area above their progress"
    ),
    time!(
        "tti",
        "Time to Interactive",
        tti,
        Moment("is interactive"),
        "First moment after the first paint from which main thread and network stay quiet for five seconds"
    ),
    time!(
        "tbt",
        "Total Blocking Time",
        tbt,
        Amount("total blocking time"),
        "Time beyond 50 ms of each long main-thread task between first paint and Time to Interactive"
    ),
    Metric {
        name: "cls",
        title: "Cumulative Layout Shift",
        unit: Unit::Score,
        wording: Amount("layout shift"),
        definition: "How far visible elements jump; needs real layout, so always empty in simulation",
        simulated: false,
        get: |run: &RunSummary| run.load.cls.map(LayoutShift::score),
    },
    time!(
        "onload",
        "Page Load Time",
        onload,
        Moment("fires the load event"),
        "Time at which the load event fires"
    ),
    Metric {
        name: "essential",
        title: "Essential Content",
        unit: Unit::Milliseconds,
        wording: Moment("has its essential content"),
        definition: "Time at which the last essential object that the load event waits for is \
                     complete; empty unless a reliability policy races",
        simulated: true,
        get: |run: &RunSummary| ms(run.essential),
    },
    counter!(
        "hol-blocked-bytes",
        "HOL-Blocked Bytes",
        Bytes,
        hol_blocked_bytes,
        "the amount of head-of-line-blocked bytes",
        "Stream bytes that arrived while earlier bytes of the same stream were missing"
    ),
    counter!(
        "hol-blocked-byte-ms",
        "HOL-Blocked Byte Milliseconds",
        ByteMilliseconds,
        hol_blocked_byte_ms,
        "the waiting time of head-of-line-blocked bytes",
        "Milliseconds that each of these bytes waited, summed"
    ),
    counter!(
        "hol-other-bytes",
        "Bytes Blocked by Other Streams",
        Bytes,
        hol_other_bytes,
        "the amount of bytes blocked by other streams",
        "Response bytes that arrived over TCP and waited for bytes of other streams only; QUIC has none"
    ),
    counter!(
        "hol-other-byte-ms",
        "Byte Milliseconds Blocked by Other Streams",
        ByteMilliseconds,
        hol_other_byte_ms,
        "the waiting time of bytes blocked by other streams",
        "Milliseconds that each of these bytes waited, summed"
    ),
    counter!(
        "packets-sent",
        "Packets Sent",
        Count,
        packets_sent,
        "the number of packets sent",
        "Packets that the servers sent"
    ),
    counter!(
        "packets-lost",
        "Packets Lost",
        Count,
        packets_lost,
        "the number of lost packets",
        "Packets that the servers declared lost"
    ),
    counter!(
        "retransmitted-bytes",
        "Retransmitted Bytes",
        Bytes,
        retransmitted_bytes,
        "the amount of retransmitted bytes",
        "Stream bytes that the servers retransmitted"
    ),
    counter!(
        "queue-drops",
        "Queue Drops",
        Count,
        queue_drops,
        "the number of queue drops",
        "Packets that the downlink's queue dropped, when full or by CoDel"
    ),
    counter!(
        "link-losses",
        "Link Losses",
        Count,
        link_losses,
        "the number of link losses",
        "Packets that the downlink lost at random"
    ),
    counter!(
        "bytes-down",
        "Bytes Down",
        Bytes,
        bytes_down,
        "the amount of bytes down",
        "Bytes put on the downlink, IP and TCP or UDP headers included"
    ),
    counter!(
        "bytes-up",
        "Bytes Up",
        Bytes,
        bytes_up,
        "the amount of bytes up",
        "Bytes put on the uplink, IP and TCP or UDP headers included"
    ),
    counter!(
        "data-lost-bytes",
        "Data Lost",
        Bytes,
        data_lost_bytes,
        "the amount of lost data",
        "Content bytes that the page never got because their datagrams were lost"
    ),
    counter!(
        "repaired-bytes",
        "Repaired Bytes",
        Bytes,
        repaired_bytes,
        "the amount of repaired bytes",
        "Content bytes that were lost in datagrams and fetched again by range requests"
    ),
    counter!(
        "broken-objects",
        "Broken Objects",
        Count,
        broken_objects,
        "the number of broken objects",
        "Objects that are useless because a part of them is missing"
    ),
    counter!(
        "partial-objects",
        "Objects in Part",
        Count,
        partial_objects,
        "the number of objects in part",
        "Objects that are incomplete but still useful"
    ),
    counter!(
        "connections",
        "Connections",
        Count,
        connections,
        "the number of connections",
        "Connections that were opened, or kept from an earlier visit, TCP and QUIC"
    ),
];

/// Returns all metrics, in the order in which tables list them.
pub fn metrics() -> &'static [Metric] {
    METRICS
}

impl Metric {
    /// The key in JSON and the column in CSV: the name, with `_ms` appended for times.
    pub fn key(&self) -> String {
        let name = self.name.replace('-', "_");
        match self.unit {
            Unit::Milliseconds => format!("{name}_ms"),
            Unit::Bytes | Unit::ByteMilliseconds | Unit::Count | Unit::Score => name,
        }
    }

    /// Returns true if `name` is the name or the key. Hyphens and underscores are the same.
    pub fn is_called(&self, name: &str) -> bool {
        let plain = |name: &str| name.replace('-', "_");
        let name = plain(name);
        name == plain(self.name) || name == self.key()
    }
}

impl MetricId {
    /// Returns all metrics, in the order in which tables list them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..METRICS.len()).map(Self)
    }

    /// Returns the metrics that are times.
    pub fn times() -> impl Iterator<Item = Self> {
        Self::all().filter(|m| m.metric().unit == Unit::Milliseconds)
    }

    /// The metric's entry in the registry.
    pub fn metric(self) -> &'static Metric {
        &METRICS[self.0]
    }

    /// The metric's index in [`metrics`].
    pub const fn index(self) -> usize {
        self.0
    }
}

impl Default for MetricId {
    /// Largest Contentful Paint.
    fn default() -> Self {
        Self::all()
            .find(|m| m.metric().name == "lcp")
            .expect("lcp is registered")
    }
}

impl FromStr for MetricId {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        Self::all()
            .find(|m| m.metric().is_called(name))
            .ok_or_else(|| LabError::UnknownMetric {
                name: name.to_owned(),
                known: METRICS
                    .iter()
                    .map(|m| m.name)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.metric().name)
    }
}

impl TryFrom<String> for MetricId {
    type Error = LabError;

    fn try_from(name: String) -> Result<Self, LabError> {
        name.parse()
    }
}

impl From<MetricId> for &'static str {
    fn from(id: MetricId) -> Self {
        id.metric().name
    }
}

#[cfg(test)]
mod tests;
