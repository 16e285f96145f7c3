//! The embedded form of the report, with long lists as columns of short integers.
//!
//! Times are whole ticks of 10 µs. Ascending times are stored as differences to their
//! predecessors. `assets/js/data.js` reads this form.

mod wire;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_page::timeline::ResourceTiming;
use serde::{Serialize, Serializer};

use crate::film::{FilmRun, Shot, Show};
use crate::input::{Comparison, Report, RunDetail};
use wire::Wire;

/// Length of a tick: shorter than the transmission of a packet at 1 Gbit/s, with few
/// digits to write.
const TICK_NANOS: u64 = 10_000;

/// The embedded form of a [`Report`].
#[derive(Serialize)]
pub(crate) struct Compact<'a> {
    tick_ms: f64,
    #[serde(flatten)]
    report: &'a Report,
}

impl<'a> Compact<'a> {
    pub(crate) fn new(report: &'a Report) -> Self {
        Self {
            tick_ms: TICK_NANOS as f64 / 1e6,
            report,
        }
    }
}

/// The embedded form of a [`RunDetail`]. Fields of the same name have the same meaning.
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
    /// After these, the priority that the server read: urgency times two, plus one if incremental,
    /// plus one; 0 if no server saw it.
    timings: Vec<Option<[u64; 13]>>,
    wire: Wire,
    shows: &'a [Show],
    #[serde(skip_serializing_if = "<[Shot]>::is_empty")]
    shots: &'a [Shot],
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<&'a FilmRun>,
}

impl Serialize for RunDetail {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let marks = self.marks.iter();
        let progress = &self.visual_progress;
        let shares = progress
            .iter()
            .map(|(_, share)| (share * 1000.0).round() as u64);
        let timings = self.timings.iter();
        let detail = Detail {
            run: self.run,
            failure: self.failure.as_deref(),
            marks: marks
                .map(|(name, at)| (name.as_str(), ticks(*at)))
                .collect(),
            progress_at: deltas(progress.iter().map(|(at, _)| ticks(*at))),
            progress_share: shares.collect(),
            timings: timings.map(|t| t.as_ref().map(timing)).collect(),
            wire: Wire::new(self),
            shows: &self.shows,
            shots: &self.shots,
            predicted: self.predicted.as_ref(),
        };
        detail.serialize(to)
    }
}

/// Writes times in milliseconds.
pub(crate) fn millis<S: Serializer>(times: &[Duration], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(times.iter().map(|time| time.as_millis_f64()))
}

/// Digits of a value that charts and tables show, and one more.
const DIGITS: i32 = 5;

/// Writes comparisons as lists: the median, the difference in the metric's unit and in percent, the
/// ends of the interval, the effect size, the p-value, the ends of the three ranges, the share that
/// is sooner, and 1 if the difference counts. Missing values are `null`, and those at the end are
/// left out.
pub(crate) fn values<S: Serializer>(all: &[Comparison], to: S) -> Result<S::Ok, S::Error> {
    let ends = |range: Option<(f64, f64)>| [range.map(|r| r.0), range.map(|r| r.1)];
    to.collect_seq(all.iter().map(|value| {
        let [low, high] = ends(value.interval);
        let [range_low, range_high] = ends(value.range);
        let [sure_low, sure_high] = ends(value.sure_range);
        let [probable_low, probable_high] = ends(value.probable_range);
        let mut list = vec![
            value.median,
            value.difference,
            value.difference_percent,
            low,
            high,
            value.effect_size,
            value.p_value,
            range_low,
            range_high,
            sure_low,
            sure_high,
            probable_low,
            probable_high,
            value.sooner,
            value.counts.then_some(1.0),
        ];
        while list.last().is_some_and(Option::is_none) {
            list.pop();
        }
        list.into_iter()
            .map(|number| number.filter(|n| n.is_finite()).map(Short))
            .collect::<Vec<_>>()
    }))
}

/// A number that is written with few digits.
struct Short(f64);

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(value) = *self;
        let size = if value == 0.0 {
            0
        } else {
            libm::log10(value.abs()).floor() as i32
        };
        let unit = libm::pow(10.0, f64::from(DIGITS - 1 - size));
        let short = (value * unit).round() / unit;
        // Whole numbers need no fraction.
        if short.fract() == 0.0 && short.abs() < 1e15 {
            to.serialize_i64(short as i64)
        } else {
            to.serialize_f64(short)
        }
    }
}

/// Rounds the boundaries between spans, not the spans, so that rounding errors do not
/// accumulate.
fn timing(t: &ResourceTiming) -> [u64; 13] {
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
        t.priority.map_or(0, |priority| {
            u64::from(priority.urgency) * 2 + u64::from(priority.incremental) + 1
        }),
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
