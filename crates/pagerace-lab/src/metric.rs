//! The metrics, by name. Definitions and sources are in `docs/metrics.md`.
//!
//! Every metric is a cost: lower is better.

use std::fmt;
use std::str::FromStr;

use pagerace_browser::LayoutShift;
use pagerace_core::{Duration, serde_as_text};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetricId(usize);

fn ms(value: Option<Duration>) -> Option<f64> {
    value.map(Duration::as_millis_f64)
}

use Wording::{Amount, Moment};

/// A time of the page load.
macro_rules! time {
    ($field:ident) => {
        |run| ms(run.load.$field)
    };
}

/// A counter of the transport.
macro_rules! counter {
    ($field:ident) => {
        |run| Some(run.transport.$field as f64)
    };
}

/// All metrics, in the order in which tables list them: name, title, unit, wording, definition
/// and value.
#[rustfmt::skip]
static METRICS: &[Metric] = &[
    metric("ttfb", "Time to First Byte", Unit::Milliseconds, Moment("gets the first byte"),
        "From the start of the navigation to the first byte of the document, redirects included",
        time!(ttfb)),
    metric("fcp", "First Contentful Paint", Unit::Milliseconds, Moment("shows the first content"),
        "Time at which the first text or image is painted", time!(fcp)),
    metric("lcp", "Largest Contentful Paint", Unit::Milliseconds,
        Moment("shows the largest element"),
        "Time at which the largest text or image of the viewport is painted", time!(lcp)),
    metric("speed-index", "Speed Index", Unit::Milliseconds, Amount("Speed Index"),
        "Mean time at which the viewport's parts become visible: the area above the visual progress",
        time!(speed_index)),
    metric("byte-index", "Byte Index", Unit::Milliseconds, Amount("Byte Index"),
        "Mean time at which body bytes arrive: the area above their progress", time!(byte_index)),
    metric("tti", "Time to Interactive", Unit::Milliseconds, Moment("is interactive"),
        "First moment after the first paint from which main thread and network stay quiet for five seconds",
        time!(tti)),
    metric("tbt", "Total Blocking Time", Unit::Milliseconds, Amount("total blocking time"),
        "Time beyond 50 ms of each long main-thread task between first paint and Time to Interactive",
        time!(tbt)),
    Metric {
        simulated: false,
        ..metric("cls", "Cumulative Layout Shift", Unit::Score, Amount("layout shift"),
            "How far visible elements jump; needs real layout, so always empty in simulation",
            |run| run.load.cls.map(LayoutShift::score))
    },
    metric("onload", "Page Load Time", Unit::Milliseconds, Moment("fires the load event"),
        "Time at which the load event fires", time!(onload)),
    metric("essential", "Essential Content", Unit::Milliseconds,
        Moment("has its essential content"),
        "Time at which the last essential object that the recorded load event waited for is \
         complete; empty unless a reliability policy races", |run| ms(run.essential)),
    metric("hol-blocked-bytes", "HOL-Blocked Bytes", Unit::Bytes,
        Amount("the amount of head-of-line-blocked bytes"),
        "Stream bytes that arrived while earlier bytes of the same stream were missing",
        counter!(hol_blocked_bytes)),
    metric("hol-blocked-byte-ms", "HOL-Blocked Byte Milliseconds", Unit::ByteMilliseconds,
        Amount("the waiting time of head-of-line-blocked bytes"),
        "Milliseconds that each of these bytes waited, summed", counter!(hol_blocked_byte_ms)),
    metric("hol-other-bytes", "Bytes Blocked by Other Streams", Unit::Bytes,
        Amount("the amount of bytes blocked by other streams"),
        "Response bytes that arrived over TCP and waited for bytes of other streams only; QUIC has none",
        counter!(hol_other_bytes)),
    metric("hol-other-byte-ms", "Byte Milliseconds Blocked by Other Streams", Unit::ByteMilliseconds,
        Amount("the waiting time of bytes blocked by other streams"),
        "Milliseconds that each of these bytes waited, summed", counter!(hol_other_byte_ms)),
    metric("packets-sent", "Packets Sent", Unit::Count, Amount("the number of packets sent"),
        "Packets that the servers sent", counter!(packets_sent)),
    metric("packets-lost", "Packets Lost", Unit::Count, Amount("the number of lost packets"),
        "Packets that the servers declared lost", counter!(packets_lost)),
    metric("retransmitted-bytes", "Retransmitted Bytes", Unit::Bytes,
        Amount("the amount of retransmitted bytes"),
        "Stream bytes that the servers retransmitted", counter!(retransmitted_bytes)),
    metric("queue-drops", "Queue Drops", Unit::Count, Amount("the number of queue drops"),
        "Packets that the downlink's queue dropped, when full or by CoDel", counter!(queue_drops)),
    metric("link-losses", "Link Losses", Unit::Count, Amount("the number of link losses"),
        "Packets that the downlink lost at random", counter!(link_losses)),
    metric("bytes-down", "Bytes Down", Unit::Bytes, Amount("the amount of bytes down"),
        "Bytes put on the downlink, IP and TCP or UDP headers included", counter!(bytes_down)),
    metric("bytes-up", "Bytes Up", Unit::Bytes, Amount("the amount of bytes up"),
        "Bytes put on the uplink, IP and TCP or UDP headers included", counter!(bytes_up)),
    metric("data-lost-bytes", "Data Lost", Unit::Bytes, Amount("the amount of lost data"),
        "Content bytes that the page never got because their datagrams were lost",
        counter!(data_lost_bytes)),
    metric("repaired-bytes", "Repaired Bytes", Unit::Bytes, Amount("the amount of repaired bytes"),
        "Content bytes that were lost in datagrams and fetched again by range requests",
        counter!(repaired_bytes)),
    metric("broken-objects", "Broken Objects", Unit::Count, Amount("the number of broken objects"),
        "Objects that are useless because a part of them is missing", counter!(broken_objects)),
    metric("partial-objects", "Objects in Part", Unit::Count,
        Amount("the number of objects in part"),
        "Objects that are incomplete but still useful", counter!(partial_objects)),
    metric("connections", "Connections", Unit::Count, Amount("the number of connections"),
        "Connections that were opened, or kept from an earlier visit, TCP and QUIC",
        counter!(connections)),
];

/// Other names of metrics that people write, with underscores.
const SYNONYMS: [(&str, &str); 4] = [
    ("si", "speed-index"),
    ("load", "onload"),
    ("load_event", "onload"),
    ("plt", "onload"),
];

const fn metric(
    name: &'static str,
    title: &'static str,
    unit: Unit,
    wording: Wording,
    definition: &'static str,
    get: fn(&RunSummary) -> Option<f64>,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        wording,
        definition,
        simulated: true,
        get,
    }
}

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

    /// Returns true if only loads of a document have the metric.
    pub fn needs_document(&self) -> bool {
        let of_document = ["ttfb", "fcp", "lcp", "speed-index", "tti", "tbt", "cls"];
        of_document.contains(&self.name)
    }

    /// Returns true if `name` is the name, the key, the title or another name of `SYNONYMS`.
    /// Hyphens, underscores and spaces are the same, and so are upper and lower case.
    pub fn is_called(&self, name: &str) -> bool {
        let plain = |name: &str| name.to_ascii_lowercase().replace(['-', ' '], "_");
        let name = plain(name);
        let mut synonyms = SYNONYMS.iter();
        name == plain(self.name)
            || name == self.key()
            || name == plain(self.title)
            || synonyms.any(|(synonym, of)| *synonym == name && *of == self.name)
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

serde_as_text!(MetricId);

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

#[cfg(test)]
mod tests;
